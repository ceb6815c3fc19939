/**
 * The rounds of a survey by its months, and what is hard to believe of it: pauses, and clusters elsewhere than stated.
 */
import type { Source } from '../catalog/sources.ts';
import { calendarYear, monthIndex } from '../contract/months.ts';
import { firstFew } from '../lib/first-few.ts';
import type { Areas, Cluster } from './ingest-tables.ts';
import type { IngestInput } from './input.ts';
import { type Locator, MOST_DISPLACEMENT_KM } from './locator.ts';
import { indexPlacesByName } from './places-by-name.ts';
import type { RawRow } from './readers/raw-table.ts';

/** Fieldwork that pauses for so many months is hard to believe: months of the next year may stand under this one. */
const LONG_PAUSE_MONTHS = 6;

/**
 * The rounds of a survey by the months of its clusters alone: they are half a year or more apart, and each is called by
 * the year in which it began.
 */
export function groupMonthsIntoRounds(months: readonly string[]): NonNullable<Source['rounds']> {
  const rounds: NonNullable<Source['rounds']> = [];
  for (const month of [...new Set(months)].sort()) {
    const round = rounds.at(-1);
    // Two rounds of one year cannot have different names.
    if (round && (round.survey_year === calendarYear(month) || !isLongPause(round.last, month))) round.last = month;
    else rounds.push({ survey_year: calendarYear(month), first: month, last: month });
  }
  return rounds;
}

/** Whether fieldwork that ends and begins in these months is hard to believe to be of one round. */
export const isLongPause = (last: string, next: string): boolean =>
  monthIndex(next) - monthIndex(last) > LONG_PAUSE_MONTHS;

/** Puts rounds in doubt whose months of fieldwork lie half a year apart. */
export function doubtPauses(input: IngestInput, source: Source, clusters: readonly Cluster[]): void {
  for (const [survey_year, roundClusters] of Map.groupBy(clusters, (cluster) => cluster.survey_year)) {
    const months = [...new Set(roundClusters.map(({ period }) => period))].sort();
    months.slice(1).forEach((next, i) => {
      const pauseMonths = monthIndex(next) - monthIndex(months[i]!) - 1;
      if (isLongPause(months[i]!, next))
        input.report.push({
          source: source.id,
          rule: 'fieldwork pauses',
          what: `round ${survey_year}: no cluster in the ${pauseMonths} months between ${months[i]} and ${next}. Perhaps the round went over the turn of a year and its table gives only one year: give each cluster the year of its month`,
          needs_approval: true,
        });
    });
  }
}

/** How many clusters a doubt names. */
const MOST_EXAMPLES = 5;

/**
 * Puts clusters in doubt that lie farther from the area that their row names than they can be displaced.
 */
export function doubtPlaces(
  input: IngestInput,
  areas: Areas,
  locator: Locator,
  source: Source,
  rows: readonly RawRow[],
  clusters: readonly Cluster[],
): void {
  const { longitude: hasCoordinates, lga, lga_pcode, state, state_pcode } = source.columns ?? {};
  const level = lga ? 'lga' : 'state';
  // A code is refused if it belongs to another area.
  if (!hasCoordinates || !(lga ?? state) || lga_pcode || state_pcode) return;
  const names = rows.flatMap(({ values }) => values[level] ?? []);
  const { placesNamed } = indexPlacesByName(level, areas, input.model, names);
  const distantRows = rows.flatMap((row, i) => {
    const { cluster_id, longitude, latitude, lga_code } = clusters[i]!;
    const [stated, ...alternatives] = row.hasValue(level) ? placesNamed(row.text(level)) : [];
    if (!stated || alternatives.length > 0 || longitude === null || latitude === null) return [];
    const lgas = areas.lgas.filter((area) =>
      lga ? area.lga_code === stated.code : area.state_code === stated.state_code,
    );
    if (lgas.some((area) => locator.distanceKm(longitude, latitude, area.lga_code) <= MOST_DISPLACEMENT_KM)) return [];
    const actual = areas.lgas.find((area) => area.lga_code === lga_code)!;
    const actualName = lga
      ? actual.lga
      : areas.states.find(({ state_code }) => state_code === actual.state_code)!.state;
    return `row ${row.line} (${cluster_id}) lies in ${actualName}, and its row says ${row.text(level)}`;
  });
  // A cluster has a row for each test.
  const doubts = [...new Set(distantRows)];
  if (doubts.length === 0) return;
  input.report.push({
    source: source.id,
    rule: 'other area',
    what: `the coordinates of ${doubts.length === 1 ? 'a cluster' : `${doubts.length} clusters`} are not where they are said to be: ${firstFew(doubts, MOST_EXAMPLES, '; ')}. If the coordinates are wrong, correct or leave out these rows; in a round of which most are, longitude and latitude may be exchanged`,
    needs_approval: true,
  });
}
