/** Reasons to doubt a new release, each a sentence for the person who accepts the file. */
import type { Role } from '../../catalog/roles.ts';
import { firstFew } from '../../lib/first-few.ts';
import { LEAST_PLACES, type PlaceAgreement, type RowComparison, type SumChange } from './compare-rows.ts';

/** Sums over rows present in both releases rarely change by more than this factor, unless the unit has changed. */
const SAME_ROWS_FACTOR = 1.5;
/** The mean number examined, or any other, of two rounds may differ by this factor: in Nigeria's, by up to 2.1. */
const ROUND_FACTOR = 3;
/** Populations grow by a few per cent a year: a larger change means another definition or another date. */
const PEOPLE_FACTOR = 1.1;
/** Added months may differ from the same months of earlier years by this factor. */
const NEW_MONTHS_FACTOR = 3;
/**
 * An added figure may exceed the previous maximum of its place by this factor: in Nigeria's records of 2022 and 2023,
 * one of 4,872 LGA-months exceeded it.
 */
const MAXIMUM_FACTOR = 3;
/** Added months below this share of the column's mean (rain in the dry season) may vary by any factor. */
const LEAST_SHARE_OF_MEAN = 0.1;
/** Sums over fewer rows are not informative, and up to this many rows may be corrected in any table. */
const LEAST_ROWS = 3;
/** A figure of one place in a corrected table rarely changes by more than this factor. */
const PLACE_FACTOR = 3;
/** A lower correlation means that the order of places has changed: rows shifted, columns or codes swapped. */
const LEAST_RANK_CORRELATION = 0.95;
/** Lower within a state, where places are fewer and more alike. */
const LEAST_STATE_CORRELATION = 0.8;
/** A larger shift, in months, means that the seasonal cycle has moved. */
const MOST_SHIFT_MONTHS = 0.3;
/** Share of rows that may be corrected. */
const MOST_CORRECTED_SHARE = 0.02;
/** A figure of one place and month is hardly ever corrected by more than this factor. */
const CORRECTION_FACTOR = 2;
/** The sum of a month over fewer rows is not informative. */
const LEAST_MONTH_ROWS = 10;
/** Roles whose past rows do not change, apart from corrections. */
const HISTORY_ROLES: readonly Role[] = ['survey_clusters', 'survey_states', 'cases_states', 'cases_lgas', 'climate'];
/** Roles with one row for each place. */
const PLACE_ROLES: readonly Role[] = ['population_census', 'layer'];
const MONTHLY_ROLES: readonly Role[] = ['climate', 'cases_states', 'cases_lgas'];

export function rowDoubts(role: Role, comparison: RowComparison): string[] {
  const { rows, by_state, by_group, by_place, places, exchanged } = comparison;
  const commonRows = rows.is - rows.added;
  const doubts: string[] = [];
  if (rows.removed > 0) doubts.push(`${rows.removed} of ${rows.was} rows are gone`);
  if (commonRows === 0) return [...doubts, 'no row in common with the last accepted file'];
  doubts.push(...correctionDoubts(role, comparison, commonRows));
  doubts.push(...examplesDoubt('exchanged values:', exchanged, ({ column, a, b }) => `${column} of ${a} and ${b}`));
  // A census has no groups: `by_group` contains its total only.
  const factor = role === 'population_census' ? PEOPLE_FACTOR : SAME_ROWS_FACTOR;
  doubts.push(...sumDoubts(by_state, SAME_ROWS_FACTOR), ...sumDoubts(by_group, factor));
  if (role === 'population_census') doubts.push(...sumDoubts(by_place, SAME_ROWS_FACTOR, HAS_CHANGED, 1));
  else if (PLACE_ROLES.includes(role)) doubts.push(...sumDoubts(by_place, PLACE_FACTOR, HAS_CHANGED, 1));
  for (const agreement of places) doubts.push(...placeDoubts(agreement));
  doubts.push(...roundDoubts(comparison));
  return MONTHLY_ROLES.includes(role) ? [...doubts, ...monthDoubts(comparison)] : doubts;
}

/**
 * Records of the past, and any table most of whose rows are unchanged, should be corrected in few rows, and not in most
 * rows of one place, state or round. A table of codes never changes.
 */
function correctionDoubts(
  role: Role,
  { rows, changed_columns, rewritten }: RowComparison,
  commonRows: number,
): string[] {
  if (rows.changed > commonRows / 2 && !HISTORY_ROLES.includes(role) && role !== 'lga_codes') return [];
  const mostChanged = role === 'lga_codes' ? 0 : Math.max(LEAST_ROWS, MOST_CORRECTED_SHARE * commonRows);
  if (rows.changed <= mostChanged)
    return examplesDoubt(
      'most existing rows have changed in',
      rewritten,
      ({ of, rows: setRows, changed }) => `${of} (${changed} of ${setRows})`,
    );
  const columns = changed_columns.map(({ column }) => column).join(', ');
  return [`${rows.changed} of the ${commonRows} rows in both files have changed (${columns})`];
}

function roundDoubts({ rounds }: RowComparison): string[] {
  const missingMethods = new Set(rounds.filter(({ is }) => is === null).map(({ of }) => of));
  const comparable = rounds.flatMap(({ column, of, was, is }) =>
    is === null ? [] : [{ column, of, rows: LEAST_ROWS, was, is }],
  );
  return [
    ...[...missingMethods].map((of) => `no rows of ${of}, a method that the round before has`),
    ...sumDoubts(comparable, ROUND_FACTOR, 'differs from the round before in', LEAST_ROWS, 'mean'),
  ];
}

/** A doubt with the first three of `items`; none if there are none. */
function examplesDoubt<T>(intro: string, items: readonly T[], describe: (item: T) => string): string[] {
  return items.length === 0 ? [] : [`${intro} ${firstFew(items.map(describe), 3)}`];
}

/** Doubts about existing months, and about added months compared with earlier ones. */
function monthDoubts(comparison: RowComparison): string[] {
  const { columns, by_month, corrected, added_months, added_places, repeated, highest, reporting } = comparison;
  const meanByColumn = new Map(columns.map(({ column, was }) => [column, was.mean ?? 0]));
  const isInformative = ({ column, rows, was, is }: SumChange) =>
    Math.max(was, is) > LEAST_SHARE_OF_MEAN * rows * meanByColumn.get(column)!;
  const isLarge = ({ column, was, is }: (typeof corrected)[number]) =>
    Math.max(was, is) > LEAST_SHARE_OF_MEAN * meanByColumn.get(column)! &&
    (is > CORRECTION_FACTOR * was || was > CORRECTION_FACTOR * is);
  const byColumn = <T extends { column: string }>(items: readonly T[], describe: (item: T) => string) =>
    [...Map.groupBy(items, ({ column }) => column)].flatMap(([column, columnItems]) =>
      examplesDoubt(`${column}:`, columnItems, describe),
    );
  return [
    ...sumDoubts(by_month.filter(isInformative), SAME_ROWS_FACTOR, HAS_CHANGED, LEAST_MONTH_ROWS),
    ...sumDoubts(
      added_months.filter(isInformative),
      NEW_MONTHS_FACTOR,
      'differs from the same months of earlier years in',
      1,
    ),
    ...byColumn(
      corrected.filter(isLarge),
      ({ place, period, was, is }) => `${place} has ${describeRatio(is / was)} its former figure in ${period}`,
    ),
    ...added_places.flatMap(addedDoubts),
    ...byColumn(
      highest.filter(({ most, is }) => most > 0 && is > MAXIMUM_FACTOR * most),
      ({ place, period, most, is }) => `${place} has ${describeRatio(is / most)} its previous maximum in ${period}`,
    ),
    ...byColumn(repeated, ({ of, as, rows, same }) => `${of} repeats the figures of ${as} (${same} of ${rows} places)`),
    ...reporting
      .filter(({ places, before }) => places < before)
      .map(
        ({ period, places, before }) =>
          `${period}: ${places} places report, compared with ${before} in the last accepted month`,
      ),
  ];
}

function placeDoubts({
  column,
  places,
  rank_correlation,
  lowest_state,
  zeroed,
  blanked,
  months_shifted,
}: PlaceAgreement) {
  const doubts: string[] = [];
  if (rank_correlation !== null && places >= LEAST_PLACES && rank_correlation < LEAST_RANK_CORRELATION)
    doubts.push(
      `${column}: the order of the ${places} places has changed (rank correlation ${rank_correlation.toFixed(2)})`,
    );
  else if (lowest_state && lowest_state.rank_correlation < LEAST_STATE_CORRELATION)
    doubts.push(
      `${column}: the order of the places in ${lowest_state.state} has changed (rank correlation ${lowest_state.rank_correlation.toFixed(2)})`,
    );
  if (zeroed > 0) doubts.push(`${column}: ${zeroed} missing values are now 0`);
  if (blanked > 0) doubts.push(`${column}: ${blanked} known values are now missing`);
  if (months_shifted !== null && Math.abs(months_shifted) > MOST_SHIFT_MONTHS)
    doubts.push(`${column}: the seasonal cycle has shifted by ${months_shifted.toFixed(1)} months`);
  return doubts;
}

/** Limits for added months, which follow the usual order of places and the seasonal cycle less closely. */
const ADDED_LIMITS = { rank_correlation: 0.7, shift: 0.75 };
/**
 * Rows have slipped by one if the rank correlation with the neighbouring places exceeds `shifted`, and that of the
 * places themselves is lower by more than `less`. In 360 months of Nigeria's states, the highest with neighbours is
 * 0.68.
 */
const SLIP_LIMITS = { shifted: 0.75, less: 0.4 };

function addedDoubts({ column, places, rank_correlation, misaligned, months_shifted }: PlaceAgreement): string[] {
  const slippedStates = misaligned.filter(
    (agreement) =>
      agreement.shifted > SLIP_LIMITS.shifted && agreement.rank_correlation < agreement.shifted - SLIP_LIMITS.less,
  );
  const doubts = examplesDoubt(
    `${column}: in the added months rows seem to have slipped by one in`,
    slippedStates,
    ({ state }) => state,
  );
  if (rank_correlation !== null && places >= LEAST_PLACES && rank_correlation < ADDED_LIMITS.rank_correlation)
    doubts.push(
      `${column}: in the added months the order of the ${places} places is unusual (rank correlation ${rank_correlation.toFixed(2)})`,
    );
  if (months_shifted !== null && Math.abs(months_shifted) > ADDED_LIMITS.shift)
    doubts.push(`${column}: the seasonal cycle of the added year is shifted by ${months_shifted.toFixed(1)} months`);
  return doubts;
}

const HAS_CHANGED = 'has changed in';

/** Sets of rows whose sums have changed by more than `factor`: a line for each column, the largest change first. */
function sumDoubts(
  sums: readonly SumChange[],
  factor: number,
  verb = HAS_CHANGED,
  leastRows = LEAST_ROWS,
  statistic = 'sum',
): string[] {
  return [...Map.groupBy(sums, ({ column }) => column)].flatMap(([column, columnSums]) => {
    const changedSums = columnSums
      .filter(({ rows, was, is }) => rows >= leastRows && (was > 0 || is > 0))
      .map((sum) => ({ ...sum, ratio: sum.is / sum.was }))
      .filter(({ ratio }) => !(ratio <= factor && ratio >= 1 / factor))
      .sort((a, b) => Math.abs(Math.log(b.ratio)) - Math.abs(Math.log(a.ratio)));
    if (changedSums.length === 0) return [];
    const changes = changedSums.map(({ of, ratio }) => `${of} (${describeRatio(ratio)})`);
    return [`the ${statistic} of ${column} ${verb} ${firstFew(changes, 3)}`];
  });
}

export const describeFigure = ({ key, column, was, is }: RowComparison['figures'][number]): string =>
  `${key}: ${column} ${was ?? 'blank'} -> ${is ?? 'blank'}`;

export function describeRatio(ratio: number): string {
  if (ratio === 0) return 'now 0';
  if (!Number.isFinite(ratio)) return 'was 0';
  return ratio > 0.5 ? `${ratio.toPrecision(3)} times` : `1/${(1 / ratio).toPrecision(3)}`;
}
