/** Cases by health facility, summed into areas. What a facility did not report is unknown, and never 0. */
import type { Source } from '../catalog/sources.ts';
import { calendarYear, monthFromIndex, monthIndex } from '../contract/months.ts';
import { worded } from '../contract/words.ts';
import type { ReportLine } from '../engine/stage.ts';
import { readEach } from '../lib/bad-input.ts';
import { firstFew } from '../lib/first-few.ts';
import { MIN_SIMILARITY, nameSimilarity, plainName } from '../lib/name-similarity.ts';
import type { Areas } from './ingest-tables.ts';
import { codeAndName, createAreaLookup, type IngestInput, onlySource } from './input.ts';
import type { Locator } from './locator.ts';
import { readTableWithCodes } from './places-by-name.ts';
import { readMonth } from './readers/months.ts';
import { type RawRow, RawTable } from './readers/raw-table.ts';
import { describeRepeats } from './repeated-counts.ts';
import { findTotals } from './totals.ts';

/** Below this share of reports, reviews of routine data call the figures of an area incomplete. */
export const LEAST_REPORTING_SHARE = 0.8;
/**
 * A facility without a report for this long is closed, or no longer treats malaria: after its last one, if none
 * follows.
 */
const ACTIVE_MONTHS = 12;
/** Coordinates are rounded, and outlines are simplified along coasts and borders. */
const BORDER_TOLERANCE_KM = 1;
/** So many facilities, and such a share of all, that report from the same month on were added together. */
const LEAST_STARTS = 5;
const STARTING_SHARE = 0.1;
/** A finding names this many facilities or areas, and errors at most so many facilities. */
const MOST_EXAMPLES = 3;
const MOST_ERRORS = 100;

interface Facility {
  name: string;
  lgaCode: string;
  /** The month in which it was closed, by its `monthIndex`; infinite if it is open. */
  closedMonth: number;
}
/** The cases of an area in a month, null if too few of the reports that are expected were made. */
interface AreaMonth {
  lgaCode: string;
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
  const table = await readTableWithCodes(input, areas, source);
  const lookup = createAreaLookup(input, areas);
  const locateFacility = (row: RawRow) => {
    if (!row.hasColumn('longitude')) return lookup.lga(row).lga_code;
    const [longitude, latitude] = [
      row.number('longitude', { least: -180, most: 180 }),
      row.number('latitude', { least: -90, most: 90 }),
    ];
    const lgaCode =
      locator.lgaAt(longitude, latitude) ?? locator.nearestLga(longitude, latitude, BORDER_TOLERANCE_KM)?.lga_code;
    if (lgaCode) return lgaCode;
    throw row
      .at('longitude, latitude')
      .error(`${longitude}, ${latitude}`, `a place inside an outline, or within ${BORDER_TOLERANCE_KM} km`);
  };
  const facilities = new Map<string, Facility>();
  readEach(table.rows, (row) => {
    const name = row.text('facility');
    const earlier = facilities.get(plainName(name));
    if (earlier) throw row.at('facility').error(`${name}, as ${earlier.name} in a row before`, 'each facility once');
    facilities.set(plainName(name), { name, lgaCode: locateFacility(row), closedMonth: readClosedMonth(row) });
  });
  table.refuseTooFewRows();
  return facilities;
}

function readClosedMonth(row: RawRow): number {
  if (!row.hasColumn('closed') || !row.hasValue('closed')) return Number.POSITIVE_INFINITY;
  const month = readMonth(row.text('closed'), 'year month day') ?? readMonth(row.text('closed'));
  if (!month) throw row.at('closed').error(row.text('closed'), 'a date, such as 2018-03-31');
  return monthIndex(month);
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
  const table = await readTableWithCodes(input, areas, source);
  const listSource = table.columns.has('lga_pcode') ? null : onlySource(input, 'facilities');
  const facilityList = listSource && (await readFacilities(input, areas, locator, listSource));
  const lookup = createAreaLookup(input, areas);
  // Facilities of two areas may have one name, unless only the list tells where they are.
  const rowsByFacility = Map.groupBy(table.rows, (row) => {
    const name = plainName(row.text('facility'));
    return facilityList ? name : `${row.text('lga_pcode')} ${name}`;
  });
  if (facilityList) refuseUnlisted(rowsByFacility, facilityList, listSource.files[0]!.path);
  const facilities = readEach(rowsByFacility, ([key, rows]) => {
    const cases = casesByMonth(rows);
    return {
      name: rows[0]!.text('facility'),
      lgaCode: facilityList ? facilityList.get(key)!.lgaCode : lookup.lga(rows[0]!).lga_code,
      closedMonth: facilityList?.get(key)?.closedMonth ?? Number.POSITIVE_INFINITY,
      row: rows[0]!,
      cases,
      lastReport: [...cases].reduce((last, [month, count]) => (count === null ? last : Math.max(last, month)), 0),
      rows: new Map(rows.map((row) => [monthIndex(row.month()), row])),
    };
  });
  const totals = findTotals(
    Map.groupBy(
      facilities.map(({ name, lgaCode, cases }) => ({ name, lgaCode, counts: cases })),
      ({ lgaCode }) => lgaCode,
    ),
  );
  const addDoubt = (what: string) =>
    input.report.push({ source: source.id, rule: 'hard to believe', what, needs_approval: true });
  if (totals.size > 0) {
    const rows = [...totals].map(([lgaCode, names]) => `${names.join(', ')} (${codeAndName(areas, lgaCode)})`);
    addDoubt(
      `totals are summed with their parts: ${firstFew(rows, MOST_EXAMPLES, '; ')}, month by month the sum of the others. Leave them out (sources.json, leave_out)`,
    );
  }
  const repeats = describeRepeats(
    facilities
      .filter(({ name, lgaCode }) => !totals.get(lgaCode)?.includes(name))
      .map(({ name, lgaCode, cases }) => ({ label: `${name} (${codeAndName(areas, lgaCode)})`, counts: cases })),
  );
  if (repeats.length > 0)
    addDoubt(
      `two facilities have the same cases month by month: ${firstFew(repeats, MOST_EXAMPLES, '; ')}. Perhaps one facility has two ids, as after a move or a merger, and is counted twice: leave out one of them (sources.json, leave_out)`,
    );
  const starts = [...Map.groupBy(facilities.filter(hasReported), ({ cases }) => firstReport(cases))]
    .sort(([a], [b]) => a - b)
    .slice(1)
    .filter(([, starting]) => starting.length >= Math.max(LEAST_STARTS, STARTING_SHARE * facilities.length));
  for (const [month, starting] of starts)
    addDoubt(
      `${starting.length} of ${facilities.length} facilities report from ${monthFromIndex(month)} on: ${firstFew(
        starting.map(({ name }) => name),
        MOST_EXAMPLES,
      )}. Perhaps another sector or another system was added, and cases grow with it: leave them out (sources.json, leave_out), or mask the months before; if they were opened or began to treat malaria, approve`,
    );
  const reportMonths = facilities.flatMap(({ cases }) => [...cases.keys()]).sort((a, b) => a - b);
  const [first, last] = [reportMonths[0]!, reportMonths.at(-1)!];
  const months = Array.from({ length: last - first + 1 }, (_, i) => first + i);
  const facilitiesByArea = [...Map.groupBy(facilities.filter(hasReported), ({ lgaCode }) => lgaCode)].sort(
    ([a], [b]) => (a < b ? -1 : 1),
  );
  const { least: leastShare = LEAST_REPORTING_SHARE, scaled: isScaled = false } = source.reporting ?? {};
  const areaMonths = facilitiesByArea.flatMap(([lgaCode, areaFacilities]) =>
    months.map((month): AreaMonth => {
      // In the record's first year, facilities that start to report later in it are expected too.
      const startMonth = Math.max(first, month - ACTIVE_MONTHS + 1);
      const yearMonths = Array.from({ length: ACTIVE_MONTHS }, (_, i) => startMonth + i);
      const expected = areaFacilities.filter(
        ({ cases, lastReport, closedMonth }) =>
          (month <= closedMonth || cases.get(month) != null) &&
          yearMonths.some((yearMonth) => cases.get(yearMonth) != null) &&
          (month <= lastReport || last - lastReport < ACTIVE_MONTHS),
      );
      const reports = expected.flatMap(({ cases }) => cases.get(month) ?? []);
      const share = expected.length === 0 ? 0 : reports.length / expected.length;
      const total = reports.reduce((a, b) => a + b, 0);
      const confirmed = share < leastShare ? null : isScaled ? Math.round(total / share) : total;
      const reported = areaFacilities.flatMap(({ rows, cases }) => (cases.get(month) == null ? [] : rows.get(month)!));
      if (confirmed === null) for (const row of reported) row.recordLeftOut('reporting');
      else reported[0]?.recordAdjustment('confirmed', 'reporting, scaled', confirmed - total);
      return {
        lgaCode,
        row: areaFacilities[0]!.row,
        month,
        expected: expected.length,
        reports: reports.length,
        confirmed,
      };
    }),
  );
  const reportedAreas = new Set(areaMonths.flatMap(({ lgaCode, confirmed }) => (confirmed === null ? [] : lgaCode)));
  const rows = areaMonths.filter(({ lgaCode }) => reportedAreas.has(lgaCode));
  if (rows.length === 0)
    throw table.error(
      'too few reports in every month of every area',
      `those of ${percent(leastShare)} of the facilities in some (sources.json, reporting)`,
    );

  const addFinding = (rule: string, what: ReportLine['what']) => input.report.push({ source: source.id, rule, what });
  const unknownMonths = rows.filter(({ confirmed }) => confirmed === null).length;
  const missingReports = isScaled ? 'count as much as the mean of those made' : 'are not made up for';
  addFinding(
    'reporting',
    worded`${facilities.filter(hasReported).length} facilities in ${facilitiesByArea.length} {lga.many}; ${unknownMonths} of ${rows.length} months are unknown, because fewer than ${percent(leastShare)} of the facilities that reported in the year up to them did; in other months, missing reports ${missingReports}`,
  );
  addFinding(
    'reporting',
    `reports from facilities that reported in the year up to each month: ${ratesByYear(areaMonths)}`,
  );
  const omittedAreas = facilitiesByArea.flatMap(([lgaCode]) =>
    reportedAreas.has(lgaCode) ? [] : codeAndName(areas, lgaCode),
  );
  if (omittedAreas.length > 0)
    addFinding(
      'left out',
      worded`{lga.many} with too few reports in every month: ${firstFew(omittedAreas, MOST_EXAMPLES)}`,
    );
  const silentFacilities = [
    ...[...(facilityList ?? [])].flatMap(([key, { name }]) => (rowsByFacility.has(key) ? [] : name)),
    ...facilities.flatMap((facility) => (hasReported(facility) ? [] : facility.name)),
  ];
  if (silentFacilities.length > 0)
    addFinding('left out', `facilities without a report: ${firstFew(silentFacilities, MOST_EXAMPLES)}`);

  const columns = new Set(['lga_pcode', 'period', 'confirmed', 'reporting_rate']);
  return new RawTable(
    table.at('sum of facilities'),
    { columns, counts: table.counts, ranges: {}, months: undefined },
    rows.map(({ row, month, lgaCode, confirmed, reports, expected }) => ({
      line: row.line,
      origin: row.origin.at('sum of facilities'),
      values: {
        lga_pcode: lgaCode,
        period: monthFromIndex(month),
        confirmed: confirmed === null ? null : String(confirmed),
        reporting_rate: expected === 0 ? null : String((100 * reports) / expected),
      },
    })),
  );
}

const firstReport = (cases: ReadonlyMap<number, number | null>) =>
  [...cases].reduce(
    (first, [month, count]) => (count === null ? first : Math.min(first, month)),
    Number.POSITIVE_INFINITY,
  );

const hasReported = ({ cases }: { cases: ReadonlyMap<number, number | null> }) =>
  [...cases.values()].some((value) => value !== null);

/** The reports of each year as a share of those expected. */
const ratesByYear = (areaMonths: readonly AreaMonth[]) =>
  [...Map.groupBy(areaMonths, ({ month }) => calendarYear(monthFromIndex(month)))]
    .map(([year, yearAreaMonths]) => {
      const sum = (field: 'reports' | 'expected') => yearAreaMonths.reduce((total, row) => total + row[field], 0);
      return `${year} ${percent(sum('reports') / (sum('expected') || 1))}`;
    })
    .join(', ');

const percent = (share: number) => `${Math.round(100 * share)}%`;

/** @throws BadInput for each facility that the list lacks, with those whose names are like it */
function refuseUnlisted(
  rowsByFacility: ReadonlyMap<string, readonly RawRow[]>,
  facilityList: ReadonlyMap<string, Facility>,
  file: string,
): void {
  const unlisted = [...rowsByFacility].filter(([key]) => !facilityList.has(key)).slice(0, MOST_ERRORS);
  readEach(unlisted, ([key, [row]]) => {
    const similarNames = [...facilityList]
      .map(([listedName, { name }]) => ({ name, similarity: nameSimilarity(key, listedName) }))
      .filter(({ similarity }) => similarity >= MIN_SIMILARITY)
      .sort((a, b) => b.similarity - a.similarity)
      .slice(0, MOST_EXAMPLES)
      .map(({ name, similarity }) => `${name} (${similarity.toFixed(2)})`)
      .join(' or ');
    throw row!
      .at('facility')
      .error(row!.text('facility'), `a facility of ${file}${similarNames && `: ${similarNames}`}`);
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
