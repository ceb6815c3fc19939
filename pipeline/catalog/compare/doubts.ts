/** What a comparison gives reason to doubt: each in a sentence for whoever accepts the file. */
import type { Role } from '../roles.ts';
import { LEAST_PLACES, LEAST_RECORD, type PlaceAgreement, type RowComparison, type SumChange } from './rows.ts';

/** Sums over rows that both releases have seldom change by more than this factor; another unit does. */
const SAME_ROWS_FACTOR = 1.5;
/** People grow by a few hundredths a year: a total that is off by more counts others, or is of another time. */
const PEOPLE_FACTOR = 1.1;
/** Added months may be higher or lower than the same months of earlier years by this factor. */
const NEW_MONTHS_FACTOR = 3;
/**
 * An added figure may be so many times the highest that its place ever had: in Nigeria's records of 2022 and 2023 one of
 * 4,872 LGAs' months was more.
 */
const RECORD_FACTOR = 3;
/** Added months of less than this share of the column's mean (rain in the dry season) vary by any factor. */
const LEAST_SHARE = 0.1;
/** Sums over fewer rows that were there before say nothing, and as many may be corrected in any table. */
const LEAST_ROWS = 3;
/** Below it, places have changed their order: rows shifted, columns or codes swapped. */
const LEAST_RANK_CORRELATION = 0.95;
/** Within a state there are fewer of them, and more alike. */
const LEAST_IN_STATE = 0.8;
/** By more than this the rhythm of the year has moved, months. */
const MOST_SHIFT = 0.3;
/** Share of the past rows of surveys and records that may be corrected. */
const MOST_CORRECTED = 0.02;
/** Roles whose past stays as it was, but for corrections. */
const HISTORY: readonly Role[] = ['survey_clusters', 'survey_states', 'cases_states', 'cases_lgas', 'climate'];
const MONTHLY: readonly Role[] = ['climate', 'cases_states', 'cases_lgas'];

export function doubtsOfRows(role: Role, comparison: RowComparison): string[] {
  const { rows, by_state, by_group, by_place, places } = comparison;
  const common = rows.is - rows.added;
  const doubts: string[] = [];
  if (rows.removed > 0) doubts.push(`${rows.removed} of ${rows.was} rows are gone`);
  if (common === 0) return [...doubts, 'no row that the last accepted file has'];
  if (HISTORY.includes(role) && rows.changed > Math.max(LEAST_ROWS, MOST_CORRECTED * common))
    doubts.push(`${rows.changed} of the ${common} rows that were there before have other values`);
  else if (HISTORY.includes(role)) doubts.push(...rewrittenDoubts(role, comparison));
  // A census has no groups: this is its total.
  const factor = role === 'population_census' ? PEOPLE_FACTOR : SAME_ROWS_FACTOR;
  doubts.push(...sumDoubts(by_state, SAME_ROWS_FACTOR, 'in'), ...sumDoubts(by_group, factor, 'in'));
  if (role === 'population_census') doubts.push(...sumDoubts(by_place, SAME_ROWS_FACTOR, 'in', 1));
  for (const one of places) doubts.push(...placeDoubts(one));
  return MONTHLY.includes(role) ? [...doubts, ...monthDoubts(comparison)] : doubts;
}

/** Late reports change the last months of many places; hardly ever most of what one place ever reported. */
function rewrittenDoubts(role: Role, { rewritten: { places, groups } }: RowComparison): string[] {
  const found = MONTHLY.includes(role) ? places : groups;
  if (found.length === 0) return [];
  const told = found.slice(0, 3).map(({ of, rows, changed }) => `${of} (${changed} of ${rows})`);
  return [
    `most rows that were there before have changed in ${told.join(', ')}${found.length > 3 ? ` and ${found.length - 3} more` : ''}`,
  ];
}

/** What added months are, beside those before, and months that were there. */
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
    ...sumDoubts(by_month.filter(wet), SAME_ROWS_FACTOR, 'in', LEAST_RECORD),
    ...sumDoubts(added_months.filter(wet), NEW_MONTHS_FACTOR, 'against the same months before, in', 1),
    ...added_places.flatMap(addedDoubts),
    ...highest
      .filter(({ most, is }) => most > 0 && is > RECORD_FACTOR * most)
      .slice(0, 5)
      .map(
        ({ column, place, period, most, is }) =>
          `${column}: ${place} has ${describeRatio(is / most)} in ${period} what it ever had`,
      ),
    ...repeated
      .filter(({ rows, same }) => rows >= LEAST_PLACES && same > rows / 2)
      .map(
        ({ column, period, of, rows, same }) =>
          `${column}: ${period} has the very figures of ${of} (${same} of ${rows} places)`,
      ),
    ...reporting
      .filter(({ places, before }) => places < before)
      .map(
        ({ period, places, before }) => `${period}: ${places} places report, ${before} did in the last month before`,
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
      `${column}: ${places} places have another order than before (rank correlation ${rank_correlation.toFixed(2)})`,
    );
  else if (lowest_state && lowest_state.rank_correlation < LEAST_IN_STATE)
    doubts.push(
      `${column}: places in ${lowest_state.state} have another order than before (rank correlation ${lowest_state.rank_correlation.toFixed(2)})`,
    );
  if (zeroed > 0) doubts.push(`${column}: ${zeroed} values that were unknown are 0`);
  if (blanked > 0) doubts.push(`${column}: ${blanked} values that were known are blank`);
  if (months_shifted !== null && Math.abs(months_shifted) > MOST_SHIFT)
    doubts.push(`${column}: the year's rhythm has moved by ${months_shifted.toFixed(1)} months`);
  return doubts;
}

/** Added months seldom follow the usual order of places and the usual rhythm of the year as closely. */
const ADDED = { rank_correlation: 0.7, shift: 0.75 };

function addedDoubts({ column, places, rank_correlation, months_shifted }: PlaceAgreement): string[] {
  const doubts: string[] = [];
  if (rank_correlation !== null && places >= LEAST_PLACES && rank_correlation < ADDED.rank_correlation)
    doubts.push(
      `${column}: in the added months ${places} places have another order than usual (rank correlation ${rank_correlation.toFixed(2)})`,
    );
  if (months_shifted !== null && Math.abs(months_shifted) > ADDED.shift)
    doubts.push(`${column}: the rhythm of the added year is ${months_shifted.toFixed(1)} months from the usual`);
  return doubts;
}

/** Sets of rows whose sums have another size; one line a column, the farthest off first. */
function sumDoubts(sums: readonly SumChange[], factor: number, where: string, least = LEAST_ROWS): string[] {
  return [...Map.groupBy(sums, ({ column }) => column)].flatMap(([column, own]) => {
    const off = own
      .filter(({ rows, was, is }) => rows >= least && (was > 0 || is > 0))
      .map((sum) => ({ ...sum, ratio: sum.is / sum.was }))
      .filter(({ ratio }) => !(ratio <= factor && ratio >= 1 / factor))
      .sort((a, b) => Math.abs(Math.log(b.ratio)) - Math.abs(Math.log(a.ratio)));
    if (off.length === 0) return [];
    const told = off.slice(0, 3).map(({ of, ratio }) => `${of} (${describeRatio(ratio)})`);
    return [
      `${column} has another size ${where} ${told.join(', ')}${off.length > 3 ? ` and ${off.length - 3} more` : ''}`,
    ];
  });
}

export function describeRatio(ratio: number): string {
  if (ratio === 0) return 'nothing left';
  if (!Number.isFinite(ratio)) return 'from nothing';
  return ratio >= 1 ? `${ratio.toPrecision(3)} times` : `1/${(1 / ratio).toPrecision(3)}`;
}
