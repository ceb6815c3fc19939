/** Reasons to doubt a new release, each a sentence for the person who accepts the file. */
import type { Role } from '../../catalog/roles.ts';
import { LEAST_PLACES, LEAST_RECORD, type PlaceAgreement, type RowComparison, type SumChange } from './compare-rows.ts';

/** Sums over rows present in both releases rarely change by more than this factor, unless the unit has changed. */
const SAME_ROWS_FACTOR = 1.5;
/** Populations grow by a few per cent a year: a larger change means another definition or another date. */
const PEOPLE_FACTOR = 1.1;
/** Added months may differ from the same months of earlier years by this factor. */
const NEW_MONTHS_FACTOR = 3;
/**
 * An added figure may exceed the previous maximum of its place by this factor: in Nigeria's records of 2022 and 2023,
 * one of 4,872 LGA-months exceeded it.
 */
const RECORD_FACTOR = 3;
/** Added months below this share of the column's mean (rain in the dry season) may vary by any factor. */
const LEAST_SHARE = 0.1;
/** Sums over fewer existing rows are not informative, and up to this many rows may be corrected in any table. */
const LEAST_ROWS = 3;
/** A lower correlation means that the order of places has changed: rows shifted, columns or codes swapped. */
const LEAST_RANK_CORRELATION = 0.95;
/** Lower within a state, where places are fewer and more alike. */
const LEAST_IN_STATE = 0.8;
/** A larger shift, in months, means that the seasonal cycle has moved. */
const MOST_SHIFT = 0.3;
/** Share of past rows of surveys and records that may be corrected. */
const MOST_CORRECTED = 0.02;
/** Roles whose past rows do not change, apart from corrections. */
const HISTORY: readonly Role[] = ['survey_clusters', 'survey_states', 'cases_states', 'cases_lgas', 'climate'];
const MONTHLY: readonly Role[] = ['climate', 'cases_states', 'cases_lgas'];

export function doubtsOfRows(role: Role, comparison: RowComparison): string[] {
  const { rows, by_state, by_group, by_place, places } = comparison;
  const common = rows.is - rows.added;
  const doubts: string[] = [];
  if (rows.removed > 0) doubts.push(`${rows.removed} of ${rows.was} rows are gone`);
  if (common === 0) return [...doubts, 'no row in common with the last accepted file'];
  if (HISTORY.includes(role) && rows.changed > Math.max(LEAST_ROWS, MOST_CORRECTED * common))
    doubts.push(`${rows.changed} of the ${common} rows in both files have changed`);
  else if (HISTORY.includes(role)) doubts.push(...rewrittenDoubts(role, comparison));
  // A census has no groups: `by_group` contains its total only.
  const factor = role === 'population_census' ? PEOPLE_FACTOR : SAME_ROWS_FACTOR;
  doubts.push(...sumDoubts(by_state, SAME_ROWS_FACTOR), ...sumDoubts(by_group, factor));
  if (role === 'population_census') doubts.push(...sumDoubts(by_place, SAME_ROWS_FACTOR, CHANGED, 1));
  for (const agreement of places) doubts.push(...placeDoubts(agreement));
  return MONTHLY.includes(role) ? [...doubts, ...monthDoubts(comparison)] : doubts;
}

/** Late reports change the last months of many places, but hardly ever most of what one place has reported. */
function rewrittenDoubts(role: Role, { rewritten: { places, groups } }: RowComparison): string[] {
  const found = MONTHLY.includes(role) ? places : groups;
  if (found.length === 0) return [];
  const some = found.slice(0, 3).map(({ of, rows, changed }) => `${of} (${changed} of ${rows})`);
  return [`most existing rows have changed in ${some.join(', ')}${andMore(found.length - 3)}`];
}

const andMore = (count: number) => (count > 0 ? ` and ${count} more` : '');

/** Doubts about existing months, and about added months compared with earlier ones. */
function monthDoubts({
  columns,
  by_month,
  added_months,
  added_places,
  repeated,
  highest,
  reporting,
}: RowComparison): string[] {
  const usual = new Map(columns.map(({ column, was }) => [column, was.mean ?? 0]));
  const wet = ({ column, rows, was, is }: SumChange) => Math.max(was, is) > LEAST_SHARE * rows * usual.get(column)!;
  return [
    ...sumDoubts(by_month.filter(wet), SAME_ROWS_FACTOR, CHANGED, LEAST_RECORD),
    ...sumDoubts(added_months.filter(wet), NEW_MONTHS_FACTOR, 'differs from the same months of earlier years in', 1),
    ...added_places.flatMap(addedDoubts),
    ...highest
      .filter(({ most, is }) => most > 0 && is > RECORD_FACTOR * most)
      .slice(0, 5)
      .map(
        ({ column, place, period, most, is }) =>
          `${column}: ${place} has ${describeRatio(is / most)} its previous maximum in ${period}`,
      ),
    ...repeated
      .filter(({ rows, same }) => rows >= LEAST_PLACES && same > rows / 2)
      .map(
        ({ column, period, of, rows, same }) =>
          `${column}: ${period} repeats the figures of ${of} (${same} of ${rows} places)`,
      ),
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
  else if (lowest_state && lowest_state.rank_correlation < LEAST_IN_STATE)
    doubts.push(
      `${column}: the order of the places in ${lowest_state.state} has changed (rank correlation ${lowest_state.rank_correlation.toFixed(2)})`,
    );
  if (zeroed > 0) doubts.push(`${column}: ${zeroed} missing values are now 0`);
  if (blanked > 0) doubts.push(`${column}: ${blanked} known values are now missing`);
  if (months_shifted !== null && Math.abs(months_shifted) > MOST_SHIFT)
    doubts.push(`${column}: the seasonal cycle has shifted by ${months_shifted.toFixed(1)} months`);
  return doubts;
}

/** Looser limits for added months, which follow the usual order of places and the usual seasonal cycle less closely. */
const ADDED = { rank_correlation: 0.7, shift: 0.75 };

function addedDoubts({ column, places, rank_correlation, months_shifted }: PlaceAgreement): string[] {
  const doubts: string[] = [];
  if (rank_correlation !== null && places >= LEAST_PLACES && rank_correlation < ADDED.rank_correlation)
    doubts.push(
      `${column}: in the added months the order of the ${places} places is unusual (rank correlation ${rank_correlation.toFixed(2)})`,
    );
  if (months_shifted !== null && Math.abs(months_shifted) > ADDED.shift)
    doubts.push(`${column}: the seasonal cycle of the added year is shifted by ${months_shifted.toFixed(1)} months`);
  return doubts;
}

const CHANGED = 'has changed in';

/** Sets of rows whose sums have changed by more than `factor`: a line for each column, the largest change first. */
function sumDoubts(sums: readonly SumChange[], factor: number, what = CHANGED, least = LEAST_ROWS): string[] {
  return [...Map.groupBy(sums, ({ column }) => column)].flatMap(([column, own]) => {
    const off = own
      .filter(({ rows, was, is }) => rows >= least && (was > 0 || is > 0))
      .map((sum) => ({ ...sum, ratio: sum.is / sum.was }))
      .filter(({ ratio }) => !(ratio <= factor && ratio >= 1 / factor))
      .sort((a, b) => Math.abs(Math.log(b.ratio)) - Math.abs(Math.log(a.ratio)));
    if (off.length === 0) return [];
    const some = off.slice(0, 3).map(({ of, ratio }) => `${of} (${describeRatio(ratio)})`);
    return [`the sum of ${column} ${what} ${some.join(', ')}${andMore(off.length - 3)}`];
  });
}

export function describeRatio(ratio: number): string {
  if (ratio === 0) return 'now 0';
  if (!Number.isFinite(ratio)) return 'was 0';
  return ratio >= 1 ? `${ratio.toPrecision(3)} times` : `1/${(1 / ratio).toPrecision(3)}`;
}
