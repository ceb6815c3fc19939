import type { Gap, Source } from '../catalog/sources.ts';
import { calendarYear, monthFromIndex, monthIndex, type Period } from '../contract/months.ts';
import { InputLocation, readEach } from '../lib/bad-input.ts';
import { firstFew } from '../lib/first-few.ts';
import type { CaseSeries } from './case-series.ts';
import { checkControls } from './controls.ts';
import { sumFacilities } from './facilities.ts';
import type { Areas, CasesRow, Census } from './ingest-tables.ts';
import { type CodeReader, codeAndName, codeReader, declareGap, type IngestInput, sourcesInRole } from './input.ts';
import type { Locator } from './locate.ts';
import { readPlaced } from './places-by-name.ts';
import type { RawRow, RawTable } from './readers/raw-table.ts';
import { withKnownMonths } from './reporting-rates.ts';

/** A finding names this many places with blank months. */
const EXAMPLES = 3;

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
): Promise<CasesRow[]> {
  const cases: CaseSeries[] = [];
  for (const source of sourcesInRole(input, 'cases_states'))
    cases.push(...(await readSeries(input, areas, census, locator, source, 'state')));
  for (const source of sourcesInRole(input, 'cases_lgas'))
    cases.push(...(await readSeries(input, areas, census, locator, source, 'lga')));
  const byPlace = Map.groupBy(cases, ({ state_code, lga_code }) => lga_code ?? state_code);
  const between = new Map<string, number>();
  const whole = readEach(byPlace.values(), (parts) => continued(parts, between));
  for (const [months, places] of between)
    input.report.push({
      source: 'cases',
      rule: 'no record',
      what: `no file has the cases of ${months}, between two files, of ${places === 1 ? 'a place' : `${places} places`}: kept as unknown, never as 0`,
    });
  return whole.flatMap(({ state_code, lga_code, first, confirmed, masked }) =>
    confirmed.map((value, i) => ({
      state_code,
      lga_code,
      period: monthFromIndex(monthIndex(first) + i),
      confirmed: value,
      masked: masked.includes(i),
    })),
  );
}

/**
 * One series of a place's records in several sources, one after the other; months between them are unknown.
 * @param between counts places by the months that no source has
 * @throws BadInput if two have the same month
 */
function continued(parts: readonly CaseSeries[], between: Map<string, number>): CaseSeries {
  const [first, ...later] = parts.toSorted((a, b) => (a.first < b.first ? -1 : 1)) as [CaseSeries, ...CaseSeries[]];
  const whole = { ...first, confirmed: [...first.confirmed], masked: [...first.masked] };
  for (const next of later) {
    const start = monthIndex(next.first) - monthIndex(whole.first);
    if (start < whole.confirmed.length) {
      const found = `${next.lga_code ?? next.state_code}, ${next.first} in two sources`;
      throw new InputLocation('sources.json', 'case sources').error(found, 'each month of a place in one source');
    }
    const gap = [whole.confirmed.length, start - 1].map((i) => monthFromIndex(monthIndex(whole.first) + i));
    if (start > whole.confirmed.length) between.set(gap.join(' to '), 1 + (between.get(gap.join(' to ')) ?? 0));
    while (whole.confirmed.length < start) whole.confirmed.push(null);
    whole.masked.push(...next.masked.map((i) => start + i));
    whole.confirmed.push(...next.confirmed);
  }
  return whole;
}

async function readSeries(
  input: IngestInput,
  areas: Areas,
  census: Census,
  locator: Locator,
  source: Source,
  level: 'state' | 'lga',
): Promise<CaseSeries[]> {
  const key = level === 'lga' ? 'lga_pcode' : 'state_pcode';
  const read = source.columns?.facility
    ? await sumFacilities(input, areas, locator, source)
    : await readPlaced(input, areas, source);
  const table = read.columns.has('reporting_rate') ? withKnownMonths(read, source, key, input.report) : read;
  table.refuseDuplicates([key, ...table.timeColumns]);
  const code = codeReader(input, areas);
  const rows = new Map<string, RawRow[]>();
  readEach(table.rows, (row) => {
    const place = level === 'lga' ? lgaWithState(code, row) : code.state(row).state_code;
    const list = rows.get(place);
    if (list) list.push(row);
    else rows.set(place, [row]);
  });
  const stateByLga = new Map(areas.lgas.map((lga) => [lga.lga_code, lga.state_code]));
  const pcodeByState = new Map(areas.states.map((state) => [state.state_code, state.state_pcode]));
  const peopleIn = (place: string) => {
    const lgas = areas.lgas.filter((lga) => lga.lga_code === place || lga.state_code === place);
    const people = lgas.flatMap(({ lga_code }) => census[lga_code]?.people ?? []);
    return people.length > 0 ? people.reduce((a, b) => a + b) : Number.POSITIVE_INFINITY;
  };
  const blanks: { place: string; months: Period[] }[] = [];
  const byPlace = [...rows].sort(([a], [b]) => (a < b ? -1 : 1));
  const series = readEach(byPlace, ([name, placeRows]): CaseSeries => {
    const state_code = level === 'lga' ? stateByLga.get(name)! : name;
    const lga_code = level === 'lga' ? name : null;
    const area = { state_pcode: pcodeByState.get(state_code)!, lga_code };
    const isMasked = (month: number) => (source.gaps ?? []).some((gap) => masks(gap, area, month));
    const label = lga_code === null ? name : codeAndName(areas, lga_code);
    const place = { label, key: { [key]: lga_code ?? area.state_pcode }, people: peopleIn(name), isMasked };
    const { first, confirmed } = consecutive(table, source, place, placeRows);
    if (confirmed.every((value) => value === null))
      throw table.at(label).error('no value in any month', 'at least one value');
    const months = confirmed.flatMap((value, i) => (value === null ? [monthFromIndex(monthIndex(first) + i)] : []));
    const named = areas.states.find((state) => state.state_code === name);
    if (months.length > 0) blanks.push({ place: named ? `${name} ${named.state}` : label, months });
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
  const people = peopleByYear(series, ({ lga_code, state_code }) => peopleIn(lga_code ?? state_code));
  for (const delivered of input.deliveries ?? []) if (delivered.source === source.id) delivered.people = people;
  refuseLateStart(table, source, series);
  table.refuseShort();
  refuseUnusedMasks(source, pcodeByState, series);
  // A strike or a flood is one line, not one for each place.
  const alike = Map.groupBy(source.gaps ?? [], (gap) => `${gap.first} to ${gap.last}: ${gap.reason}`);
  for (const [what, gaps] of alike)
    input.report.push({
      source: source.id,
      rule: gaps[0]!.rule,
      what: `${gaps.map(({ lga_pcode, state_pcode }) => lga_pcode ?? state_pcode ?? 'all').join(', ')} ${what}`,
    });
  if (blanks.length > 0) {
    const count = blanks.reduce((sum, { months }) => sum + months.length, 0);
    const examples = firstFew(blanks.map(describeBlanks), EXAMPLES, '; ');
    input.report.push({
      source: source.id,
      rule: 'blank is unknown',
      what: `${count} blank ${count === 1 ? 'month' : 'months'} kept as unknown, never as 0: ${examples}`,
    });
  }
  return series;
}

/** The people of the places that have cases in a year; a few of them may not be in the census. */
function peopleByYear(series: readonly CaseSeries[], peopleIn: (place: CaseSeries) => number): Map<number, number> {
  const people = new Map<number, number>();
  const counted = series.filter((place) => Number.isFinite(peopleIn(place)));
  if (counted.length < 0.95 * series.length) return people;
  for (const place of counted) {
    const months = place.confirmed.flatMap((value, i) => (value === null ? [] : monthIndex(place.first) + i));
    for (const year of new Set(months.map((month) => calendarYear(monthFromIndex(month)))))
      people.set(year, (people.get(year) ?? 0) + peopleIn(place));
  }
  return people;
}

const describeBlanks = ({ place, months }: { place: string; months: Period[] }) =>
  months.length === 1 ? `${place}, ${months[0]}` : `${place}, ${months.length} from ${months[0]} to ${months.at(-1)}`;

/** The row's LGA, which must be in the row's state if the row names one. */
function lgaWithState(code: CodeReader, row: RawRow): string {
  const { lga_code, state_code } = code.lga(row);
  if (row.has('state_pcode') && code.state(row).state_code !== state_code)
    throw row.error(`${lga_code} in ${row.values.state_pcode}`, 'the area of the upper level that it lies in');
  return lga_code;
}

/** A place of a case table. */
interface CasePlace {
  /** Its code, and the name of an LGA. */
  label: string;
  /** Its p-code, by the column that holds it. */
  key: Pick<Gap, 'lga_pcode' | 'state_pcode'>;
  people: number;
  /** Whether the catalog masks a month, by its `monthIndex`. */
  isMasked: (month: number) => boolean;
}

/**
 * A place's cases in every month from its first to the last of the catalog's span; masked months may be missing.
 * @throws BadInput for a month that is missing or has more cases than people
 */
function consecutive(
  table: RawTable,
  source: Source,
  { label, key, people, isMasked }: CasePlace,
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
    const expected = `every month from ${monthFromIndex(first)} to ${monthFromIndex(last)}`;
    const mask = declareGap({ rule: 'mask', ...key, first: period, last: period });
    // Of several files, the one that ends or has its gap there.
    const { within } = rows.findLast((row) => monthIndex(row.month()) < month) ?? { within: table };
    throw within.at(label).error(`no month ${period}`, expected, mask);
  });
  return { first: monthFromIndex(first), confirmed };
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
      return confirmed.some((_, i) => masks(gap, area, monthIndex(first) + i));
    });
    if (isUsed) continue;
    const what = `${gap.lga_pcode ?? gap.state_pcode ?? 'all'} ${gap.first ?? ''} to ${gap.last ?? ''}`;
    const location = new InputLocation('sources.json', `source ${source.id}, gaps`);
    throw location.error(`a mask that matches no month: ${what}`, 'months of a series');
  }
}

/** Whether a gap masks a month of a place, given by its `monthIndex`. What the gap does not name, it does not limit. */
function masks(gap: Gap, area: { state_pcode: string; lga_code: string | null }, month: number): boolean {
  return (
    gap.rule === 'mask' &&
    (gap.state_pcode === undefined || gap.state_pcode === area.state_pcode) &&
    (gap.lga_pcode === undefined || gap.lga_pcode === area.lga_code) &&
    (gap.first === undefined || month >= monthIndex(gap.first)) &&
    (gap.last === undefined || month <= monthIndex(gap.last))
  );
}
