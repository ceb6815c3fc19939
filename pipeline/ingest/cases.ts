import type { Areas, CaseSeries, Cases } from '../artifacts.ts';
import { BadInput } from '../bad-input.ts';
import type { Source } from '../catalog.ts';
import { isPeriod, monthIndex, periodOf } from '../contract/months.ts';
import { numberOrNull, type Row, readTable, refuseDuplicates, type Table, textOf } from '../readers/table.ts';
import { codeReader, type IngestInput, sourcesOf } from './input.ts';

/**
 * Monthly confirmed cases by state and by LGA, as reported: blanks stay null, months that the catalog masks are listed
 * and kept. A country without records has empty lists.
 * @throws BadInput for a month missing from a series, a negative count, a duplicate or an unknown place
 */
export async function ingestCases(input: IngestInput, areas: Areas): Promise<Cases> {
  const cases: Cases = { states: [], lgas: [] };
  for (const source of sourcesOf(input, 'cases_states'))
    cases.states.push(...(await readSeries(input, areas, source, 'state')));
  for (const source of sourcesOf(input, 'cases_lgas'))
    cases.lgas.push(...(await readSeries(input, areas, source, 'lga')));
  return cases;
}

async function readSeries(
  input: IngestInput,
  areas: Areas,
  source: Source,
  level: 'state' | 'lga',
): Promise<CaseSeries[]> {
  const key = level === 'lga' ? 'lga_pcode' : 'state_pcode';
  const table = await readTable(input.rawData, source, [key, 'period', 'confirmed']);
  refuseDuplicates(table, [key, 'period']);
  const code = codeReader(areas);
  const rows = new Map<string, Row[]>();
  for (const row of table.rows) {
    const place = level === 'lga' ? code.lga(table, row).lga_code : code.state(table, row).state_code;
    const list = rows.get(place);
    if (list) list.push(row);
    else rows.set(place, [row]);
  }
  const stateOf = new Map(areas.lgas.map((lga) => [lga.lga_code, lga.state_code]));
  const pcodeOf = new Map(areas.states.map((state) => [state.state_code, state.state_pcode]));
  let blanks = 0;
  const series = [...rows]
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([place, list]) => {
      const { first, confirmed } = consecutive(table, place, list);
      blanks += confirmed.filter((value) => value === null).length;
      const state = level === 'lga' ? stateOf.get(place)! : place;
      return {
        state_code: state,
        lga_code: level === 'lga' ? place : null,
        first,
        confirmed,
        masked: maskedMonths(source, pcodeOf.get(state)!, level === 'lga' ? place : null, first, confirmed.length),
      };
    });
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

function consecutive(table: Table, place: string, rows: readonly Row[]) {
  const byMonth = new Map<number, number | null>();
  for (const row of rows) {
    const period = textOf(table, row, 'period');
    if (!isPeriod(period)) throw new BadInput(table.file, `row ${row.line}, period`, period, 'a month YYYY-MM');
    byMonth.set(monthIndex(period), numberOrNull(table, row, 'confirmed', { least: 0 }));
  }
  const first = Math.min(...byMonth.keys());
  const last = Math.max(...byMonth.keys());
  const confirmed = Array.from({ length: last - first + 1 }, (_, i) => {
    const value = byMonth.get(first + i);
    if (value === undefined)
      throw new BadInput(
        table.file,
        place,
        `no month ${periodOf(first + i)}`,
        `every month from ${periodOf(first)} to ${periodOf(last)}`,
      );
    return value;
  });
  return { first: periodOf(first), confirmed };
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
