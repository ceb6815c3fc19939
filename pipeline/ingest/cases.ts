import type { Gap, Source } from '../catalog/sources.ts';
import { calendarYear, monthFromIndex, monthIndex, type Period } from '../contract/months.ts';
import { InputLocation, readEach } from '../lib/bad-input.ts';
import { firstFew } from '../lib/first-few.ts';
import type { CaseSeries } from './case-series.ts';
import { checkControls } from './controls.ts';
import { sumFacilities } from './facilities.ts';
import type { Areas, CasesRow, Census, PeopleRow } from './ingest-tables.ts';
import { type AreaLookup, codeAndName, createAreaLookup, gapRemedy, type IngestInput, sourcesInRole } from './input.ts';
import type { Locator } from './locator.ts';
import { peopleFinder, statedGrowth } from './people-by-year.ts';
import { readTableWithCodes } from './places-by-name.ts';
import type { RawRow, RawTable } from './readers/raw-table.ts';
import { applyReportingRates } from './reporting-rates.ts';

/** A finding names this many places with blank months. */
const MOST_EXAMPLES = 3;

/**
 * Monthly confirmed cases by state and by LGA, as reported: blanks stay null, and months that the catalog masks are
 * kept and marked. A country without records has no rows.
 * @throws BadInput for a month missing from a series or at an end of the catalog's span, a count that is negative or
 *   above the place's population, a duplicate, an unknown place, or a month of a place in two sources
 */
export async function ingestCases(
  input: IngestInput,
  areas: Areas,
  census: Census,
  locator: Locator,
  people: readonly PeopleRow[] = [],
): Promise<CasesRow[]> {
  const allSeries: CaseSeries[] = [];
  const reportingRates = new Map<string, number>();
  const peopleInYear = peopleFinder(people, [], statedGrowth(input.sources));
  const peopleIn: PeopleIn = (place, year) => {
    const lgas = areas.lgas.filter((lga) => lga.lga_code === place || lga.state_code === place);
    const counts = lgas.flatMap(
      ({ lga_code }) => (year === null ? null : peopleInYear(lga_code, year)) ?? census[lga_code]?.people ?? [],
    );
    return counts.length > 0 ? counts.reduce((a, b) => a + b) : Number.POSITIVE_INFINITY;
  };
  for (const source of sourcesInRole(input, 'cases_states'))
    allSeries.push(...(await readSeries(input, areas, peopleIn, locator, source, 'state', reportingRates)));
  for (const source of sourcesInRole(input, 'cases_lgas'))
    allSeries.push(...(await readSeries(input, areas, peopleIn, locator, source, 'lga', reportingRates)));
  const byPlace = Map.groupBy(allSeries, ({ state_code, lga_code }) => lga_code ?? state_code);
  const gapCounts = new Map<string, number>();
  const combined = readEach(byPlace.values(), (parts) => combineSeries(parts, gapCounts));
  for (const [months, placeCount] of gapCounts)
    input.report.push({
      source: 'cases',
      rule: 'no record',
      what: `no file has the cases of ${months}, between two files, of ${placeCount === 1 ? 'a place' : `${placeCount} places`}: kept as unknown, never as 0`,
    });
  return combined.flatMap(({ state_code, lga_code, first, confirmed, masked }) =>
    confirmed.map((value, i) => {
      const period = monthFromIndex(monthIndex(first) + i);
      const reporting_rate = reportingRates.get(`${lga_code ?? state_code} ${period}`) ?? null;
      return { state_code, lga_code, period, confirmed: value, reporting_rate, masked: masked.includes(i) };
    }),
  );
}

/**
 * One series of a place's records in several sources, one after the other; months between them are unknown.
 * @param gapCounts counts places by the months that no source has
 * @throws BadInput if two have the same month
 */
function combineSeries(parts: readonly CaseSeries[], gapCounts: Map<string, number>): CaseSeries {
  const [earliest, ...later] = parts.toSorted((a, b) => (a.first < b.first ? -1 : 1)) as [CaseSeries, ...CaseSeries[]];
  const combined = { ...earliest, confirmed: [...earliest.confirmed], masked: [...earliest.masked] };
  for (const next of later) {
    const start = monthIndex(next.first) - monthIndex(combined.first);
    if (start < combined.confirmed.length) {
      const found = `${next.lga_code ?? next.state_code}, ${next.first} in two sources`;
      throw new InputLocation('sources.json', 'case sources').error(found, 'each month of a place in one source');
    }
    const gap = [combined.confirmed.length, start - 1].map((i) => monthFromIndex(monthIndex(combined.first) + i));
    if (start > combined.confirmed.length) gapCounts.set(gap.join(' to '), 1 + (gapCounts.get(gap.join(' to ')) ?? 0));
    while (combined.confirmed.length < start) combined.confirmed.push(null);
    combined.masked.push(...next.masked.map((i) => start + i));
    combined.confirmed.push(...next.confirmed);
  }
  return combined;
}

/** The people of a place by the census, in a year if one is given; infinite if they are not known. */
type PeopleIn = (place: string, year: number | null) => number;

async function readSeries(
  input: IngestInput,
  areas: Areas,
  peopleIn: PeopleIn,
  locator: Locator,
  source: Source,
  level: 'state' | 'lga',
  reportingRates: Map<string, number>,
): Promise<CaseSeries[]> {
  const codeColumn = level === 'lga' ? 'lga_pcode' : 'state_pcode';
  const rawTable = source.columns?.facility
    ? await sumFacilities(input, areas, locator, source)
    : await readTableWithCodes(input, areas, source);
  const table = source.columns?.reporting_rate
    ? applyReportingRates(rawTable, source, codeColumn, input.report)
    : rawTable;
  table.refuseDuplicates([codeColumn, ...table.timeColumns]);
  const lookup = createAreaLookup(input, areas);
  const rowsByPlace = new Map<string, RawRow[]>();
  readEach(table.rows, (row) => {
    const placeCode = level === 'lga' ? readLgaCode(lookup, row) : lookup.state(row).state_code;
    const placeRows = rowsByPlace.get(placeCode);
    if (placeRows) placeRows.push(row);
    else rowsByPlace.set(placeCode, [row]);
    // DHIS2 gives more than 100% if facilities report that were not expected to.
    if (row.hasValue('reporting_rate'))
      reportingRates.set(`${placeCode} ${row.month()}`, Math.min(1, row.number('reporting_rate') / 100));
  });
  const stateByLga = new Map(areas.lgas.map((lga) => [lga.lga_code, lga.state_code]));
  const pcodeByState = new Map(areas.states.map((state) => [state.state_code, state.state_pcode]));
  const blankMonths: { place: string; months: Period[] }[] = [];
  const sortedPlaces = [...rowsByPlace].sort(([a], [b]) => (a < b ? -1 : 1));
  const series = readEach(sortedPlaces, ([placeCode, placeRows]): CaseSeries => {
    const state_code = level === 'lga' ? stateByLga.get(placeCode)! : placeCode;
    const lga_code = level === 'lga' ? placeCode : null;
    const area = { state_pcode: pcodeByState.get(state_code)!, lga_code };
    const isMasked = (month: number) => (source.gaps ?? []).some((gap) => isMaskedBy(gap, area, month));
    const label = lga_code === null ? placeCode : codeAndName(areas, lga_code);
    const casePlace = {
      label,
      gapKey: { [codeColumn]: lga_code ?? area.state_pcode },
      people: peopleIn(placeCode, null),
      isMasked,
    };
    const { first, confirmed } = readConsecutiveMonths(table, source, casePlace, placeRows);
    if (confirmed.every((value) => value === null))
      throw table.at(label).error('no value in any month', 'at least one value');
    const months = confirmed.flatMap((value, i) => (value === null ? [monthFromIndex(monthIndex(first) + i)] : []));
    const namedState = areas.states.find((state) => state.state_code === placeCode);
    if (months.length > 0) blankMonths.push({ place: namedState ? `${placeCode} ${namedState.state}` : label, months });
    const masked = [...confirmed.keys()].filter((i) => isMasked(monthIndex(first) + i));
    return { state_code, lga_code, first, confirmed, masked };
  });
  const amounts = series.flatMap(({ state_code, lga_code, first, confirmed }) =>
    confirmed.flatMap((value, i) =>
      value === null
        ? []
        : {
            period: monthFromIndex(monthIndex(first) + i),
            codes: [pcodeByState.get(state_code)!, lga_code ?? ''],
            value,
          },
    ),
  );
  checkControls(source, amounts, input.report);
  const people = peopleByYear(series, peopleIn);
  for (const delivered of input.deliveries ?? []) if (delivered.source === source.id) delivered.people = people;
  refuseLateStart(table, source, series);
  table.refuseTooFewRows();
  refuseUnusedMasks(source, pcodeByState, series);
  // A strike or a flood is one line, not one for each place.
  const gapsByReason = Map.groupBy(source.gaps ?? [], (gap) => `${gap.first} to ${gap.last}: ${gap.reason}`);
  for (const [what, gaps] of gapsByReason)
    input.report.push({
      source: source.id,
      rule: gaps[0]!.rule,
      what: `${gaps.map(({ lga_pcode, state_pcode }) => lga_pcode ?? state_pcode ?? 'all').join(', ')} ${what}`,
    });
  if (blankMonths.length > 0) {
    const count = blankMonths.reduce((sum, { months }) => sum + months.length, 0);
    const examples = firstFew(blankMonths.map(describeBlanks), MOST_EXAMPLES, '; ');
    input.report.push({
      source: source.id,
      rule: 'blank is unknown',
      what: `${count} blank ${count === 1 ? 'month' : 'months'} kept as unknown, never as 0: ${examples}`,
    });
  }
  return series;
}

/** The people of the places that have cases in a year; a few of them may not be in the census. */
function peopleByYear(series: readonly CaseSeries[], peopleIn: PeopleIn): Map<number, number> {
  const people = new Map<number, number>();
  const countedSeries = series.filter(({ lga_code, state_code }) =>
    Number.isFinite(peopleIn(lga_code ?? state_code, null)),
  );
  if (countedSeries.length < 0.95 * series.length) return people;
  for (const place of countedSeries) {
    const code = place.lga_code ?? place.state_code;
    const months = place.confirmed.flatMap((value, i) => (value === null ? [] : monthIndex(place.first) + i));
    for (const year of new Set(months.map((month) => calendarYear(monthFromIndex(month)))))
      people.set(year, (people.get(year) ?? 0) + Math.round(peopleIn(code, year)));
  }
  return people;
}

const describeBlanks = ({ place, months }: { place: string; months: Period[] }) =>
  months.length === 1 ? `${place}, ${months[0]}` : `${place}, ${months.length} from ${months[0]} to ${months.at(-1)}`;

/** The row's LGA, which must be in the row's state if the row names one. */
function readLgaCode(lookup: AreaLookup, row: RawRow): string {
  const { lga_code, state_code } = lookup.lga(row);
  if (row.hasValue('state_pcode') && lookup.state(row).state_code !== state_code)
    throw row.error(`${lga_code} in ${row.values.state_pcode}`, 'the area of the upper level that it lies in');
  return lga_code;
}

/** A place of a case table. */
interface CasePlace {
  /** Its code, and the name of an LGA. */
  label: string;
  /** Its p-code, by the column that holds it. */
  gapKey: Pick<Gap, 'lga_pcode' | 'state_pcode'>;
  people: number;
  /** Whether the catalog masks a month, by its `monthIndex`. */
  isMasked: (month: number) => boolean;
}

/**
 * A place's cases in every month from its first to the last of the catalog's span; masked months may be missing.
 * @throws BadInput for a month that is missing or has more cases than people
 */
function readConsecutiveMonths(
  table: RawTable,
  source: Source,
  { label, gapKey, people, isMasked }: CasePlace,
  rows: readonly RawRow[],
) {
  const byMonth = new Map<number, number | null>();
  readEach(rows, (row) => {
    const confirmed = row.numberOrNull('confirmed', { least: 0, integer: true });
    if (confirmed !== null && confirmed > people)
      throw row.at('confirmed').error(`${confirmed}`, `at most the ${people} people of ${label}`);
    byMonth.set(monthIndex(row.month()), confirmed);
  });
  const first = Math.min(...byMonth.keys());
  const last = Math.max(...byMonth.keys(), monthIndex(source.span!.last));
  const months = Array.from({ length: last - first + 1 }, (_, i) => first + i);
  const confirmed = readEach(months, (month) => {
    const value = byMonth.get(month);
    if (value !== undefined) return value;
    if (isMasked(month)) return null;
    const period = monthFromIndex(month);
    const expected = `every month from ${monthFromIndex(first)} to ${monthFromIndex(last)}${describeLongSteps([...byMonth.keys()], month)}`;
    const mask = gapRemedy({ rule: 'mask', ...gapKey, first: period, last: period });
    // Of several files, the one that ends or has its gap there.
    const { origin } = rows.findLast((row) => monthIndex(row.month()) < month) ?? { origin: table };
    throw origin.at(label).error(`no month ${period}`, expected, mask);
  });
  return { first: monthFromIndex(first), confirmed };
}

/** What rows of every second or third month from a missing one on may be: sums of those months; empty for other rows. */
function describeLongSteps(months: readonly number[], missing: number): string {
  const later = months.filter((month) => month > missing).sort((a, b) => a - b);
  const steps = new Set(later.slice(1).map((month, i) => month - later[i]!));
  const [step] = steps;
  if (later.length < 3 || steps.size > 1 || step === 1) return '';
  return `; from ${monthFromIndex(later[0]!)} on there is one row every ${step} months: if each counts all ${step}, as a quarter does, it is no figure of a month`;
}

/** Detects a table that has lost its first months, by the catalog's span. */
function refuseLateStart(table: RawTable, { span }: Source, series: readonly CaseSeries[]): void {
  const first = series.map((record) => record.first).sort()[0]!;
  if (first > span!.first)
    throw table.error(`no month before ${first}`, `records from ${span!.first} on (sources.json, span)`);
}

/** A mask that matches no month is a mistake. */
function refuseUnusedMasks(
  source: Source,
  pcodeByState: ReadonlyMap<string, string>,
  series: readonly CaseSeries[],
): void {
  for (const gap of source.gaps ?? []) {
    const isUsed = series.some(({ state_code, lga_code, first, confirmed }) => {
      const area = { state_pcode: pcodeByState.get(state_code)!, lga_code };
      return confirmed.some((_, i) => isMaskedBy(gap, area, monthIndex(first) + i));
    });
    if (isUsed) continue;
    const what = `${gap.lga_pcode ?? gap.state_pcode ?? 'all'} ${gap.first ?? ''} to ${gap.last ?? ''}`;
    const location = new InputLocation('sources.json', `source ${source.id}, gaps`);
    throw location.error(`a mask that matches no month: ${what}`, 'months of a series');
  }
}

/** Whether a gap masks a month of a place, given by its `monthIndex`. What the gap does not name, it does not limit. */
function isMaskedBy(gap: Gap, area: { state_pcode: string; lga_code: string | null }, month: number): boolean {
  return (
    gap.rule === 'mask' &&
    (gap.state_pcode === undefined || gap.state_pcode === area.state_pcode) &&
    (gap.lga_pcode === undefined || gap.lga_pcode === area.lga_code) &&
    (gap.first === undefined || month >= monthIndex(gap.first)) &&
    (gap.last === undefined || month <= monthIndex(gap.last))
  );
}
