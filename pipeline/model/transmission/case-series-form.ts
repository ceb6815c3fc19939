/**
 * The precision with which monthly case records are published. Their producers may not allow counts to be passed on,
 * and a state's counts can be computed from its cases per 1,000 people.
 */
import type { CaseSeriesForm } from '../../catalog/model.ts';
import type { TransmissionModel } from '../../contract/schemas.ts';

/** Unit of the values in each form of `series`, in words. */
export const CASE_SERIES_UNITS = {
  exact: 'cases per 1,000 people',
  rounded: 'cases per 1,000 people, rounded to two digits of the highest month',
  index: 'cases as an index: 100 is the mean of the reported months',
} as const satisfies Record<CaseSeriesForm, string>;

type Row = TransmissionModel['states'][number]['series'][number];

/**
 * Returns the conversion of a state's monthly figures, reported or modelled, from cases per 1,000 people to a form.
 * @param series all months reported by the state
 */
export function caseConversion(
  form: CaseSeriesForm,
  series: readonly Pick<Row, 'reported'>[],
): (value: number) => number {
  const reported = series.map((row) => row.reported);
  const highest = Math.max(0, ...reported);
  // for a state that reported no cases, neither an index nor digits are defined
  if (form === 'exact' || highest === 0) return (value) => value;
  if (form === 'index') {
    const mean = reported.reduce((sum, value) => sum + value, 0) / reported.length;
    return (value) => Math.round((1000 * value) / mean) / 10;
  }
  const decimals = 1 - Math.floor(Math.log10(highest));
  return (value) => Math.round(value * 10 ** decimals) / 10 ** decimals;
}

/** The answer `transmission/model` with its series in a form, which `limits` states unless it is exact. */
export function withCaseSeries(model: TransmissionModel, form: CaseSeriesForm): TransmissionModel {
  if (form === 'exact') return model;
  return {
    ...model,
    states: model.states.map((state) => {
      const convert = caseConversion(form, state.series);
      return {
        ...state,
        series: state.series.map((row) => ({
          ...row,
          reported: convert(row.reported),
          modelled: convert(row.modelled),
        })),
      };
    }),
    limits: [
      ...model.limits,
      `Monthly records may not be passed on in full precision: \`series\` gives ${CASE_SERIES_UNITS[form]}.`,
    ],
  };
}
