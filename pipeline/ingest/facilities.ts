/** Cases by health facility, summed into areas. What a facility did not report is unknown, and never 0. */
import type { Source } from '../catalog/sources.ts';
import { calendarYear, monthFromIndex, monthIndex } from '../contract/months.ts';
import { worded } from '../contract/words.ts';
import type { ReportLine } from '../engine/stage.ts';
import { readEach } from '../lib/bad-input.ts';
import { firstFew } from '../lib/first-few.ts';
import { MIN_SIMILARITY, nameSimilarity, plainName } from '../lib/name-similarity.ts';
import type { Areas } from './ingest-tables.ts';
import { codeAndName, codeReader, type IngestInput, onlySource } from './input.ts';
import type { Locator } from './locate.ts';
import { readPlaced } from './places-by-name.ts';
import { type RawRow, RawTable } from './readers/raw-table.ts';
import { findTotals } from './totals.ts';

/** Below this share of reports, reviews of routine data call the figures of an area incomplete. */
export const LEAST_REPORTING = 0.8;
/** A facility without a report for this long is closed, or no longer treats malaria. */
const ACTIVE_MONTHS = 12;
/** Coordinates are rounded, and outlines are simplified along coasts and borders. */
const FARTHEST_KM = 1;
/** A finding names this many facilities or areas, and errors at most so many facilities. */
const EXAMPLES = 3;
const MOST_ERRORS = 100;

interface Facility {
  name: string;
  lga: string;
}
/** The cases of an area in a month, null if too few of the reports that are expected were made. */
interface AreaMonth {
  lga: string;
  /** The first row of one of its facilities. */
  row: RawRow;
  month: number;
  expected: number;
  reports: number;
  confirmed: number | null;
}

/**
 * The list of facilities, by their plain names.
 * @throws BadInput for a facility twice, in an unknown area, or with coordinates outside all areas
 */
export async function readFacilities(
  input: IngestInput,
  areas: Areas,
  locator: Locator,
  source: Source,
): Promise<Map<string, Facility>> {
  const table = await readPlaced(input, areas, source);
  const code = codeReader(input, areas);
  const locateFacility = (row: RawRow) => {
    if (!row.hasColumn('longitude')) return code.lga(row).lga_code;
    const [x, y] = [
      row.number('longitude', { least: -180, most: 180 }),
      row.number('latitude', { least: -90, most: 90 }),
    ];
    const lga = locator.lgaAt(x, y) ?? locator.nearest(x, y, FARTHEST_KM)?.lga_code;
    if (lga) return lga;
    throw row.at('longitude, latitude').error(`${x}, ${y}`, `a place inside an outline, or within ${FARTHEST_KM} km`);
  };
  const facilities = new Map<string, Facility>();
  readEach(table.rows, (row) => {
    const name = row.text('facility');
    const earlier = facilities.get(plainName(name));
    if (earlier) throw row.at('facility').error(`${name}, as ${earlier.name} in a row before`, 'each facility once');
    facilities.set(plainName(name), { name, lga: locateFacility(row) });
  });
  table.refuseShort();
  return facilities;
}

/**
 * A table of cases by facility as one by area, with a row for each area and month. An area's month is known if, of its
 * facilities that reported in the year up to it, at least the catalog's share reported.
 * @throws BadInput for a facility that the list of facilities lacks, two rows of one month, and a bad count
 */
export async function sumFacilities(
  input: IngestInput,
  areas: Areas,
  locator: Locator,
  source: Source,
): Promise<RawTable> {
  const table = await readPlaced(input, areas, source);
  const listSource = table.columns.has('lga_pcode') ? null : onlySource(input, 'facilities');
  const list = listSource && (await readFacilities(input, areas, locator, listSource));
  const code = codeReader(input, areas);
  // Facilities of two areas may have one name, unless only the list tells where they are.
  const groups = Map.groupBy(table.rows, (row) => {
    const name = plainName(row.text('facility'));
    return list ? name : `${row.text('lga_pcode')} ${name}`;
  });
  if (list) refuseUnlisted(groups, list, listSource.files[0]!.path);
  const facilities = readEach(groups, ([key, rows]) => ({
    name: rows[0]!.text('facility'),
    lga: list ? list.get(key)!.lga : code.lga(rows[0]!).lga_code,
    row: rows[0]!,
    cases: casesByMonth(rows),
    rows: new Map(rows.map((row) => [monthIndex(row.month()), row])),
  }));
  const totals = findTotals(
    Map.groupBy(
      facilities.map(({ name, lga, cases }) => ({ name, lga, counts: cases })),
      ({ lga }) => lga,
    ),
  );
  if (totals.size > 0) {
    const rows = [...totals].map(([lga, names]) => `${names.join(', ')} (${codeAndName(areas, lga)})`);
    input.report.push({
      source: source.id,
      rule: 'hard to believe',
      what: `totals are summed with their parts: ${firstFew(rows, EXAMPLES, '; ')}, month by month the sum of the others. Leave them out (sources.json, leave_out)`,
      needs_approval: true,
    });
  }
  const dated = facilities.flatMap(({ cases }) => [...cases.keys()]).sort((a, b) => a - b);
  const [first, last] = [dated[0]!, dated.at(-1)!];
  const months = Array.from({ length: last - first + 1 }, (_, i) => first + i);
  const byArea = [...Map.groupBy(facilities.filter(hasReported), ({ lga }) => lga)].sort(([a], [b]) =>
    a < b ? -1 : 1,
  );
  const { least = LEAST_REPORTING, scaled = false } = source.reporting ?? {};
  const sums = byArea.flatMap(([lga, members]) =>
    months.map((month): AreaMonth => {
      // In the record's first year, facilities that start to report later in it are expected too.
      const from = Math.max(first, month - ACTIVE_MONTHS + 1);
      const yearMonths = Array.from({ length: ACTIVE_MONTHS }, (_, i) => from + i);
      const expected = members.filter(({ cases }) => yearMonths.some((yearMonth) => cases.get(yearMonth) != null));
      const reports = expected.flatMap(({ cases }) => cases.get(month) ?? []);
      const share = expected.length === 0 ? 0 : reports.length / expected.length;
      const total = reports.reduce((a, b) => a + b, 0);
      const confirmed = share < least ? null : scaled ? Math.round(total / share) : total;
      const reported = members.flatMap(({ rows, cases }) => (cases.get(month) == null ? [] : rows.get(month)!));
      if (confirmed === null) for (const row of reported) row.leaveOut('reporting');
      else reported[0]?.add('confirmed', 'reporting, scaled', confirmed - total);
      return { lga, row: members[0]!.row, month, expected: expected.length, reports: reports.length, confirmed };
    }),
  );
  const recorded = new Set(sums.flatMap(({ lga, confirmed }) => (confirmed === null ? [] : lga)));
  const rows = sums.filter(({ lga }) => recorded.has(lga));
  if (rows.length === 0)
    throw table.error(
      'too few reports in every month of every area',
      `those of ${percent(least)} of the facilities in some (sources.json, reporting)`,
    );

  const add = (rule: string, what: ReportLine['what']) => input.report.push({ source: source.id, rule, what });
  const unknown = rows.filter(({ confirmed }) => confirmed === null).length;
  const missingReports = scaled ? 'count as much as the mean of those made' : 'are not made up for';
  add(
    'reporting',
    worded`${facilities.filter(hasReported).length} facilities in ${byArea.length} {lga.many}; ${unknown} of ${rows.length} months are unknown, because fewer than ${percent(least)} of the facilities that reported in the year up to them did; in other months, missing reports ${missingReports}`,
  );
  add('reporting', `reports from facilities that reported in the year up to each month: ${ratesByYear(sums)}`);
  const without = byArea.flatMap(([lga]) => (recorded.has(lga) ? [] : codeAndName(areas, lga)));
  if (without.length > 0)
    add('left out', worded`{lga.many} with too few reports in every month: ${firstFew(without, EXAMPLES)}`);
  const silent = [
    ...[...(list ?? [])].flatMap(([key, { name }]) => (groups.has(key) ? [] : name)),
    ...facilities.flatMap((facility) => (hasReported(facility) ? [] : facility.name)),
  ];
  if (silent.length > 0) add('left out', `facilities without a report: ${firstFew(silent, EXAMPLES)}`);

  const columns = new Set(['lga_pcode', 'period', 'confirmed']);
  return new RawTable(
    table.at('sum of facilities'),
    { columns, counts: table.counts, ranges: {}, months: undefined },
    rows.map(({ row, month, lga, confirmed }) => ({
      line: row.line,
      within: row.within.at('sum of facilities'),
      values: {
        lga_pcode: lga,
        period: monthFromIndex(month),
        confirmed: confirmed === null ? null : String(confirmed),
      },
    })),
  );
}

const hasReported = ({ cases }: { cases: ReadonlyMap<number, number | null> }) =>
  [...cases.values()].some((value) => value !== null);

/** The reports of each year as a share of those expected. */
const ratesByYear = (sums: readonly AreaMonth[]) =>
  [...Map.groupBy(sums, ({ month }) => calendarYear(monthFromIndex(month)))]
    .map(([year, areaMonths]) => {
      const sum = (field: 'reports' | 'expected') => areaMonths.reduce((total, row) => total + row[field], 0);
      return `${year} ${percent(sum('reports') / (sum('expected') || 1))}`;
    })
    .join(', ');

const percent = (share: number) => `${Math.round(100 * share)}%`;

/** @throws BadInput for each facility that the list lacks, with those whose names are like it */
function refuseUnlisted(
  groups: ReadonlyMap<string, readonly RawRow[]>,
  list: ReadonlyMap<string, Facility>,
  file: string,
): void {
  const unlisted = [...groups].filter(([key]) => !list.has(key)).slice(0, MOST_ERRORS);
  readEach(unlisted, ([key, [row]]) => {
    const alike = [...list]
      .map(([plainName, { name }]) => ({ name, like: nameSimilarity(key, plainName) }))
      .filter(({ like }) => like >= MIN_SIMILARITY)
      .sort((a, b) => b.like - a.like)
      .slice(0, EXAMPLES)
      .map(({ name, like }) => `${name} (${like.toFixed(2)})`)
      .join(' or ');
    throw row!.at('facility').error(row!.text('facility'), `a facility of ${file}${alike && `: ${alike}`}`);
  });
}

/** A facility's cases by `monthIndex`, null for a blank cell. @throws BadInput for a month twice */
function casesByMonth(rows: readonly RawRow[]): Map<number, number | null> {
  const cases = new Map<number, number | null>();
  readEach(rows, (row) => {
    const month = monthIndex(row.month());
    if (cases.has(month)) throw row.error(`${row.text('facility')} in ${monthFromIndex(month)} again`, 'a single row');
    cases.set(month, row.numberOrNull('confirmed', { least: 0, integer: true }));
  });
  return cases;
}
