/** Tables derived from joint draws in addition to the scores: probabilities, changes and contrasts. */

import { LEVELS } from '../../contract/levels.ts';
import { addMonths, type Period } from '../../contract/months.ts';
import { type Table, toTable } from '../../lib/tables/table.ts';
import { surveyReferenceMonth } from './comparison-months.ts';
import { summariseChange, summariseDraws } from './draw-summary.ts';
import type { AreaChanges, AreaEstimates, Estimates } from './prediction.ts';
import { CHANGES, CONTRASTS, type JointRisk, PROBABILITIES } from './risk-tables.ts';

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

/** Draws that are passed on, enough for chances in whole per cent and few enough for a page. */
const PASSED_DRAWS = 250;
/** Years before a month with which the nation is compared. */
const YEARS_COMPARED = [1, 3];
/** To four decimals. */
const roundShare = (value: number) => Math.round(1e4 * value) / 1e4;

/**
 * The nation's share of children by period with its central 90% range, its changes over some years with the chance of a
 * rise, and draws of the last estimated month by LGA; all are shares of children from 0 to 1. `Estimates` says in which
 * order its draws are.
 * @param positions of the periods, which follow one another, among the predicted months
 * @param month the month of the year whose draws are passed on, 0 for January
 */
export function jointRisk(
  { nation_draws, lga_draws }: Pick<Estimates, 'nation_draws' | 'lga_draws'>,
  lgaCodes: readonly string[],
  { positions, month, drawCount }: { positions: ArrayLike<number>; month: number; drawCount: number },
): JointRisk {
  const nationDraws = (m: number) => nation_draws.subarray(positions[m]! * drawCount, (positions[m]! + 1) * drawCount);
  const changeOver = (m: number, years: number) => {
    const { mean, low, high, rise } = summariseChange(nationDraws(m), nationDraws(m - 12 * years));
    return { years, change: roundShare(mean), low: roundShare(low), high: roundShare(high), chance: roundShare(rise) };
  };
  const nation = Array.from(positions, (_, m) => {
    const { mean, low, high } = summariseDraws(nationDraws(m), []);
    const years = YEARS_COMPARED.filter((count) => m >= 12 * count);
    return {
      score: roundShare(mean),
      low: roundShare(low),
      high: roundShare(high),
      changes: years.map((count) => changeOver(m, count)),
    };
  });
  const step = drawCount / Math.min(PASSED_DRAWS, drawCount);
  const passedDraws = (a: number) =>
    Array.from({ length: drawCount / step }, (_, k) =>
      roundShare(lga_draws[(month * lgaCodes.length + a) * drawCount + Math.floor(k * step)]!),
    );
  return { nation, lga_draws: Object.fromEntries(lgaCodes.map((code, a) => [code, passedDraws(a)])) };
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
