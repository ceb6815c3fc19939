import type { Gap, Source } from '../catalog/sources.ts';
import { monthIndex, periodOf } from '../contract/months.ts';
import { BadInput, readEach } from '../lib/bad-input.ts';
import type { CaseSeries } from './case-series.ts';
import type { Areas, CasesRow, Census } from './ingest-tables.ts';
import { codeReader, type IngestInput, sourcesOf } from './input.ts';
import {
  numberOrNull,
  periodIn,
  type Row,
  readTable,
  refuseDuplicates,
  refuseShort,
  type Table,
} from './readers/raw-table.ts';

/**
 * Monthly confirmed cases by state and by LGA, as reported: blanks stay null, and months that the catalog masks are
 * kept and marked. A country without records has no rows.
 * @throws BadInput for a month missing from a series or at an end of the catalog's span, a count that is negative or
 *   above the place's population, a duplicate, an unknown place, or a place in two sources
 */
export async function ingestCases(input: IngestInput, areas: Areas, census: Census): Promise<CasesRow[]> {
  const cases: CaseSeries[] = [];
  for (const source of sourcesOf(input, 'cases_states'))
    cases.push(...(await readSeries(input, areas, census, source, 'state')));
  for (const source of sourcesOf(input, 'cases_lgas'))
    cases.push(...(await readSeries(input, areas, census, source, 'lga')));
  for (const [place, { length }] of Map.groupBy(cases, ({ state_code, lga_code }) => lga_code ?? state_code))
    if (length > 1)
      throw new BadInput('sources.json', 'case sources', `${place} in ${length} sources`, 'each place in one source');
  return cases.flatMap(({ state_code, lga_code, first, confirmed, masked }) =>
    confirmed.map((value, i) => ({
      ...{ state_code, lga_code, period: periodOf(monthIndex(first) + i) },
      ...{ confirmed: value, masked: masked.includes(i) },
    })),
  );
}

async function readSeries(
  input: IngestInput,
  areas: Areas,
  census: Census,
  source: Source,
  level: 'state' | 'lga',
): Promise<CaseSeries[]> {
  const key = level === 'lga' ? 'lga_pcode' : 'state_pcode';
  const table = await readTable(input.rawData, source);
  refuseDuplicates(table, [key, 'period']);
  const code = codeReader(input, areas);
  const rows = new Map<string, Row[]>();
  readEach(table.rows, (row) => {
    const place = level === 'lga' ? lgaWithState(code, table, row) : code.state(table, row).state_code;
    const list = rows.get(place);
    if (list) list.push(row);
    else rows.set(place, [row]);
  });
  const stateOf = new Map(areas.lgas.map((lga) => [lga.lga_code, lga.state_code]));
  const pcodeOf = new Map(areas.states.map((state) => [state.state_code, state.state_pcode]));
  const peopleOf = (place: string) => {
    const lgas = areas.lgas.filter((lga) => lga.lga_code === place || lga.state_code === place);
    const people = lgas.flatMap(({ lga_code }) => census[lga_code]?.people ?? []);
    return people.length > 0 ? people.reduce((a, b) => a + b) : Number.POSITIVE_INFINITY;
  };
  let blanks = 0;
  const byPlace = [...rows].sort(([a], [b]) => (a < b ? -1 : 1));
  const series = readEach(byPlace, ([place, list]) => {
    const state = level === 'lga' ? stateOf.get(place)! : place;
    const lga_code = level === 'lga' ? place : null;
    const masksOf = (from: string, length: number) => maskedMonths(source, pcodeOf.get(state)!, lga_code, from, length);
    const masked = (month: number) => masksOf(periodOf(month), 1).length > 0;
    const at = lga_code ? { lga_pcode: lga_code } : { state_pcode: pcodeOf.get(state)! };
    const { first, confirmed } = consecutive(table, source, { place, ...at }, list, peopleOf(place), masked);
    if (confirmed.every((value) => value === null))
      throw new BadInput(table.file, place, 'no value in any month', 'at least one value');
    blanks += confirmed.filter((value) => value === null).length;
    return { state_code: state, lga_code, first, confirmed, masked: masksOf(first, confirmed.length) };
  });
  refuseLateStart(table, source, series);
  refuseShort(table);
  refuseUnusedMasks(source, pcodeOf, series);
  for (const gap of source.gaps ?? [])
    input.report.push({
      source: source.id,
      rule: gap.rule,
      what: `${gap.lga_pcode ?? gap.state_pcode ?? 'all'} ${gap.first} to ${gap.last}: ${gap.reason}`,
    });
  if (blanks > 0)
    input.report.push({
      source: source.id,
      rule: 'blank is unknown',
      what: `${blanks} blank months kept as unknown, never as 0`,
    });
  return series;
}

/** The row's LGA, which must be in the row's state if the row names one. */
function lgaWithState(code: ReturnType<typeof codeReader>, table: Table, row: Row): string {
  const { lga_code, state_code } = code.lga(table, row);
  if (row.values.state_pcode != null && code.state(table, row).state_code !== state_code)
    throw new BadInput(
      table.file,
      `row ${row.line}`,
      `LGA ${lga_code} with state ${row.values.state_pcode}`,
      'an LGA of that state',
    );
  return lga_code;
}

/**
 * A place's cases in every month from its first to the last of the catalog's span; masked months may be missing.
 * @throws BadInput for a month that is missing or has more cases than people
 */
function consecutive(
  table: Table,
  source: Source,
  { place, ...at }: Pick<Gap, 'lga_pcode' | 'state_pcode'> & { place: string },
  rows: readonly Row[],
  people: number,
  masked: (month: number) => boolean,
) {
  const byMonth = new Map<number, number | null>();
  readEach(rows, (row) => {
    const confirmed = numberOrNull(table, row, 'confirmed', { least: 0, integer: true });
    if (confirmed !== null && confirmed > people)
      throw new BadInput(
        table.file,
        `row ${row.line}, confirmed`,
        `${confirmed}`,
        `at most the ${people} people of ${place}`,
      );
    byMonth.set(monthIndex(periodIn(table, row, 'period')), confirmed);
  });
  const first = Math.min(...byMonth.keys());
  const last = Math.max(...byMonth.keys(), monthIndex(source.span!.last));
  const months = Array.from({ length: last - first + 1 }, (_, i) => first + i);
  const confirmed = readEach(months, (month) => {
    const value = byMonth.get(month);
    if (value === undefined && masked(month)) return null;
    if (value === undefined) {
      const period = periodOf(month);
      const expected = `every month from ${periodOf(first)} to ${periodOf(last)}`;
      throw new BadInput(table.file, place, `no month ${period}`, expected, {
        declare: 'gap',
        gap: { rule: 'mask', ...at, first: period, last: period },
      });
    }
    return value;
  });
  return { first: periodOf(first), confirmed };
}

/** Detects a table that has lost its first months, by the catalog's span. */
function refuseLateStart(table: Table, { span }: Source, series: readonly CaseSeries[]): void {
  const first = series.map((record) => record.first).sort()[0]!;
  if (first > span!.first)
    throw new BadInput(
      table.file,
      '',
      `no month before ${first}`,
      `records from ${span!.first} on (sources.json, span)`,
    );
}

/** A mask that matches no month is a mistake. */
function refuseUnusedMasks(source: Source, pcodeOf: ReadonlyMap<string, string>, series: readonly CaseSeries[]): void {
  for (const gap of source.gaps ?? []) {
    const alone = { ...source, gaps: [gap] };
    const used = series.some(
      ({ state_code, lga_code, first, confirmed }) =>
        maskedMonths(alone, pcodeOf.get(state_code)!, lga_code, first, confirmed.length).length > 0,
    );
    if (!used) {
      const what = `${gap.lga_pcode ?? gap.state_pcode ?? 'all'} ${gap.first ?? ''} to ${gap.last ?? ''}`;
      throw new BadInput(
        'sources.json',
        `source ${source.id}, gaps`,
        `a mask that matches no month: ${what}`,
        'months of a series',
      );
    }
  }
}

function maskedMonths(
  source: Source,
  statePcode: string,
  lgaPcode: string | null,
  first: string,
  length: number,
): number[] {
  const masks = (source.gaps ?? []).filter(
    (gap) =>
      gap.rule === 'mask' &&
      (gap.state_pcode === undefined || gap.state_pcode === statePcode) &&
      (gap.lga_pcode === undefined || gap.lga_pcode === lgaPcode),
  );
  const start = monthIndex(first);
  return Array.from({ length }, (_, i) => i).filter((i) =>
    masks.some(
      (gap) =>
        (gap.first === undefined || start + i >= monthIndex(gap.first)) &&
        (gap.last === undefined || start + i <= monthIndex(gap.last)),
    ),
  );
}
