/** Tables derived from joint draws in addition to the scores: probabilities, changes and contrasts. */

import { LEVELS } from '../../contract/levels.ts';
import { addMonths, type Period } from '../../contract/months.ts';
import { type Table, toTable } from '../../lib/tables/table.ts';
import { surveyReferenceMonth } from './comparison-months.ts';
import type { AreaChanges, AreaEstimates } from './prediction.ts';
import { CHANGES, CONTRASTS, PROBABILITIES } from './risk-tables.ts';

/** Areas of one kind and their estimates: values of area a in month m at `m * areas + a`. */
export interface EstimatedAreas {
  area: 'state' | 'lga';
  codes: readonly string[];
  estimates: AreaEstimates;
}

/** One row per area and month, in that order. */
export function probabilitiesTable(areaKinds: readonly EstimatedAreas[], periods: readonly Period[]): Table {
  const rows = areaMonths(areaKinds, periods);
  const column = (value: (estimates: AreaEstimates, index: number) => number | null) =>
    rows.map(({ estimates, index }) => value(estimates, index));
  // the first level starts at 0, the last has no upper end
  const atLeast = ({ at_least }: AreaEstimates, level: number, index: number) =>
    level === 0 ? 1 : (at_least[level - 1]?.[index] ?? 0);
  return {
    schema: PROBABILITIES,
    columns: {
      ...areaMonthColumns(rows),
      ...Object.fromEntries(
        LEVELS.map(({ level }, i) => [
          `probability_${level}`,
          column((estimates, index) => atLeast(estimates, i, index) - atLeast(estimates, i + 1, index)),
        ]),
      ),
      ...Object.fromEntries(
        LEVELS.slice(0, -1).map(({ level }, i) => [
          `probability_above_${level}`,
          column((estimates, index) => atLeast(estimates, i + 1, index)),
        ]),
      ),
      probability_highest_nation: column(({ highest_nation }, index) => highest_nation[index]!),
      probability_highest_state: column(({ highest_state }, index) => highest_state?.[index] ?? null),
    },
  };
}

/**
 * One row per area and month for which the month a year before is present, in that order.
 * @param fieldworkEnds last months of the survey rounds' fieldwork
 * @param findReference returns the month that represents the last survey
 */
export function changesTable(
  areaKinds: readonly EstimatedAreas[],
  periods: readonly Period[],
  fieldworkEnds: readonly Period[],
  findReference: typeof surveyReferenceMonth = surveyReferenceMonth,
): Table {
  const rows = areaMonths(areaKinds, periods).filter(({ period }) => periods.includes(addMonths(period, -12)));
  const references = new Map(
    periods.map((period) => {
      const month = findReference(period, fieldworkEnds);
      return [period, month !== null && periods.includes(month) ? month : null];
    }),
  );
  const changeColumns = (name: 'year' | 'survey') => {
    const changeColumn = (value: (changes: AreaChanges, index: number) => number) =>
      rows.map(({ estimates, index }) => {
        const figure = value(estimates.changes[name], index);
        return Number.isNaN(figure) ? null : figure;
      });
    // if a long tail puts the mean outside the range, the range is widened, as for scores
    return {
      [`change_${name}`]: changeColumn(({ mean }, index) => mean[index]!),
      [`change_${name}_low`]: changeColumn(({ mean, low }, index) => Math.min(low[index]!, mean[index]!)),
      [`change_${name}_high`]: changeColumn(({ mean, high }, index) => Math.max(high[index]!, mean[index]!)),
      [`probability_rise_${name}`]: changeColumn(({ rise }, index) => rise[index]!),
    };
  };
  return {
    schema: CHANGES,
    columns: {
      ...areaMonthColumns(rows),
      ...changeColumns('year'),
      survey_month: rows.map(({ period }) => references.get(period)!),
      ...changeColumns('survey'),
    },
  };
}

/** One row per area, month and earlier year with a score of that month, in that order. */
export function contrastsTable(areaKinds: readonly EstimatedAreas[], periods: readonly Period[]): Table {
  const rows = areaMonths(areaKinds, periods).flatMap(({ area, code, period, estimates, index }) =>
    estimates.contrasts
      .map((changeSds, i) => ({ area, code, period, years_before: i + 1, change_sd: changeSds[index]! }))
      .filter(({ change_sd }) => !Number.isNaN(change_sd)),
  );
  return toTable(CONTRASTS, rows);
}

interface AreaMonth {
  area: EstimatedAreas['area'];
  code: string;
  period: Period;
  estimates: AreaEstimates;
  index: number;
}

const areaMonths = (areaKinds: readonly EstimatedAreas[], periods: readonly Period[]): AreaMonth[] =>
  areaKinds.flatMap(({ area, codes, estimates }) =>
    codes.flatMap((code, a) =>
      periods.map((period, m) => ({ area, code, period, estimates, index: m * codes.length + a })),
    ),
  );

const areaMonthColumns = (rows: readonly AreaMonth[]) => ({
  area: rows.map(({ area }) => area),
  code: rows.map(({ code }) => code),
  period: rows.map(({ period }) => period),
});
