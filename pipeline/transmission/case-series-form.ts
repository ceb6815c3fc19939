/**
 * How exactly monthly case records are published. Their producers may not want counts passed on: those of a state follow
 * from its cases per 1,000 people.
 */
import type { TransmissionModel } from '../contract/schemas.ts';

/** Unit of the values in each form of `series`, for people. */
export const CASE_SERIES_UNITS = {
  exact: 'cases per 1,000 people',
  rounded: 'cases per 1,000 people, to two digits of the highest month',
  index: 'cases as an index: 100 is the mean of the months reported',
} as const;
export type CaseSeriesForm = keyof typeof CASE_SERIES_UNITS;

type Row = TransmissionModel['states'][number]['series'][number];

/**
 * What to make of any monthly figure of a state, reported or modelled, in cases per 1,000 people.
 * @param series all that the state reported
 */
export function caseFormOf(form: CaseSeriesForm, series: readonly Pick<Row, 'reported'>[]): (value: number) => number {
  const reported = series.map((row) => row.reported);
  const highest = Math.max(0, ...reported);
  // A state that reported no case at all has neither an index nor digits.
  if (form === 'exact' || highest === 0) return (value) => value;
  if (form === 'index') {
    const mean = reported.reduce((sum, value) => sum + value, 0) / reported.length;
    return (value) => Math.round((1000 * value) / mean) / 10;
  }
  const decimals = 1 - Math.floor(Math.log10(highest));
  return (value) => Math.round(value * 10 ** decimals) / 10 ** decimals;
}

/** The answer `transmission/model` with its series in a form, which its `limits` tell unless it is exact. */
export function withCaseSeries(model: TransmissionModel, form: CaseSeriesForm): TransmissionModel {
  if (form === 'exact') return model;
  return {
    ...model,
    states: model.states.map((state) => {
      const formed = caseFormOf(form, state.series);
      return {
        ...state,
        series: state.series.map((row) => ({
          ...row,
          reported: formed(row.reported),
          modelled: formed(row.modelled),
        })),
      };
    }),
    limits: [
      ...model.limits,
      `Monthly records may not be passed on as they are: \`series\` gives ${CASE_SERIES_UNITS[form]}.`,
    ],
  };
}
