/** Tables derived from joint draws in addition to the scores: probabilities, changes and contrasts. */

import { LEVELS } from '../../contract/levels.ts';
import { addMonths, type Period } from '../../contract/months.ts';
import type { Table } from '../../lib/tables/table.ts';
import { surveyReference } from './compared.ts';
import type { AreaChanges, AreaEstimates } from './prediction.ts';
import { CHANGES, CONTRASTS, PROBABILITIES } from './risk-tables.ts';

/** Areas of one kind and their estimates: values of area a in month m at `m * areas + a`. */
export interface Kind {
  area: 'state' | 'lga';
  codes: readonly string[];
  estimates: AreaEstimates;
}

/** One row per area and month, in that order. */
export function probabilitiesTable(kinds: readonly Kind[], periods: readonly Period[]): Table {
  const rows = kindRows(kinds, periods);
  const of = (value: (estimates: AreaEstimates, at: number) => number | null) =>
    rows.map(({ estimates, at }) => value(estimates, at));
  // the first level starts at 0, the last has no upper end
  const atLeast = ({ at_least }: AreaEstimates, level: number, at: number) =>
    level === 0 ? 1 : (at_least[level - 1]?.[at] ?? 0);
  return {
    form: PROBABILITIES,
    columns: {
      ...toAreaMonths(rows),
      ...Object.fromEntries(
        LEVELS.map(({ level }, i) => [
          `probability_${level}`,
          of((estimates, at) => atLeast(estimates, i, at) - atLeast(estimates, i + 1, at)),
        ]),
      ),
      ...Object.fromEntries(
        LEVELS.slice(0, -1).map(({ level }, i) => [
          `probability_above_${level}`,
          of((estimates, at) => atLeast(estimates, i + 1, at)),
        ]),
      ),
      probability_highest_nation: of(({ highest_nation }, at) => highest_nation[at]!),
      probability_highest_state: of(({ highest_state }, at) => highest_state?.[at] ?? null),
    },
  };
}

/**
 * One row per area and month for which the month a year before is present, in that order.
 * @param fieldworkEnds last months of the survey rounds' fieldwork
 * @param findReference returns the month that represents the last survey
 */
export function changesTable(
  kinds: readonly Kind[],
  periods: readonly Period[],
  fieldworkEnds: readonly Period[],
  findReference: typeof surveyReference = surveyReference,
): Table {
  const rows = kindRows(kinds, periods).filter(({ period }) => periods.includes(addMonths(period, -12)));
  const references = new Map(
    periods.map((period) => {
      const month = findReference(period, fieldworkEnds);
      return [period, month !== null && periods.includes(month) ? month : null];
    }),
  );
  const change = (name: 'year' | 'survey') => {
    const of = (value: (changes: AreaChanges, at: number) => number) =>
      rows.map(({ estimates, at }) => {
        const found = value(estimates.changes[name], at);
        return Number.isNaN(found) ? null : found;
      });
    // if a long tail puts the mean outside the range, the range is widened, as for scores
    return {
      [`change_${name}`]: of(({ mean }, at) => mean[at]!),
      [`change_${name}_low`]: of(({ mean, low }, at) => Math.min(low[at]!, mean[at]!)),
      [`change_${name}_high`]: of(({ mean, high }, at) => Math.max(high[at]!, mean[at]!)),
      [`probability_rise_${name}`]: of(({ rise }, at) => rise[at]!),
    };
  };
  return {
    form: CHANGES,
    columns: {
      ...toAreaMonths(rows),
      ...change('year'),
      survey_month: rows.map(({ period }) => references.get(period)!),
      ...change('survey'),
    },
  };
}

/** One row per area, month and earlier year with a score of that month, in that order. */
export function contrastsTable(kinds: readonly Kind[], periods: readonly Period[]): Table {
  const [area, code, period, years_before, change_sd] = [[], [], [], [], []] as [
    string[],
    string[],
    Period[],
    number[],
    number[],
  ];
  for (const row of kindRows(kinds, periods))
    for (const [i, spread] of row.estimates.contrasts.entries()) {
      if (Number.isNaN(spread[row.at]!)) continue;
      area.push(row.area);
      code.push(row.code);
      period.push(row.period);
      years_before.push(i + 1);
      change_sd.push(spread[row.at]!);
    }
  return { form: CONTRASTS, columns: { area, code, period, years_before, change_sd } };
}

interface Row {
  area: Kind['area'];
  code: string;
  period: Period;
  estimates: AreaEstimates;
  at: number;
}

const kindRows = (kinds: readonly Kind[], periods: readonly Period[]): Row[] =>
  kinds.flatMap(({ area, codes, estimates }) =>
    codes.flatMap((code, a) =>
      periods.map((period, m) => ({ area, code, period, estimates, at: m * codes.length + a })),
    ),
  );

const toAreaMonths = (rows: readonly Row[]) => ({
  area: rows.map(({ area }) => area),
  code: rows.map(({ code }) => code),
  period: rows.map(({ period }) => period),
});
