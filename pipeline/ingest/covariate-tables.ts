import { changesOverTime } from '../catalog/covariates.ts';
import { isTable } from '../catalog/roles.ts';
import type { Source } from '../catalog/sources.ts';
import { monthIndex, periodRange } from '../contract/months.ts';
import { readEach } from '../lib/bad-input.ts';
import type { TableRow } from '../lib/tables/table.ts';
import type * as ingest from './ingest-tables.ts';
import type { Areas, Polygons } from './ingest-tables.ts';
import { codeAndName, codeReader, declareGap, gapFor, type IngestInput, sourcesInRole } from './input.ts';
import { classMean } from './layers.ts';
import { readPlaced } from './places-by-name.ts';
import type { RawRow, RawTable } from './readers/raw-table.ts';

/** Years that a table may name. */
const YEARS = { least: 1900, most: 2100 };

type CovariateRow = TableRow<typeof ingest.COVARIATES>;

/**
 * Covariates from tables: a value for every LGA at each of the source's times, sources in the catalog's order. From a
 * table by state, each LGA gets its state's value. A declared gap is filled by its rule; any other gap stops the build.
 * @throws BadInput for an undeclared missing place or month, a duplicate, or a value out of range
 */
export async function ingestCovariates(
  input: IngestInput,
  areas: Areas,
  { neighbours }: Pick<Polygons, 'neighbours'>,
): Promise<CovariateRow[]> {
  const rows: CovariateRow[][] = [];
  for (const source of sourcesInRole(input, 'covariate'))
    if (isTable(source)) rows.push(await readCovariate(input, areas, neighbours, source));
  return rows.flat();
}

async function readCovariate(
  input: IngestInput,
  areas: Areas,
  neighbours: Polygons['neighbours'],
  source: Source,
): Promise<CovariateRow[]> {
  const table = await readPlaced(input, areas, source);
  const key = table.columns.has('lga_pcode') ? 'lga_pcode' : 'state_pcode';
  table.refuseDuplicates([key, ...table.timeColumns]);
  const code = codeReader(input, areas);
  /** By time, then by place. */
  const values = new Map<string | null, Map<string, number>>();
  readEach(table.rows, (row) => {
    const place = code.place(row, key);
    const value = readValue(row, source);
    const time = rowTime(row);
    if (!values.has(time)) values.set(time, new Map());
    if (value !== null) values.get(time)!.set(place, value);
  });
  const times = requiredTimes(table, source, [...values.keys()]);
  const placeCode = ({ lga_code, state_code }: Areas['lgas'][number]) => (key === 'lga_pcode' ? lga_code : state_code);
  const codeByLga = new Map(areas.lgas.map((lga) => [lga.lga_code, placeCode(lga)]));
  const rows = readEach(areas.lgas, ({ lga_code }) =>
    times.map((time): CovariateRow => {
      const valueIn = (lga: string) => values.get(time)?.get(codeByLga.get(lga)!);
      const value = valueIn(lga_code) ?? filled(source, lga_code, neighbours[lga_code] ?? [], valueIn);
      if (value !== undefined) return { covariate: source.id, lga_code, time, value };
      throw table
        .at(codeAndName(areas, lga_code))
        .error(
          time === null ? 'no value' : `no value for ${time}`,
          'a value, or a gap declared with the rule `value`, or `neighbours` if a neighbour has one',
          declareGap({ rule: 'neighbours', lga_pcode: lga_code }),
        );
    }),
  ).flat();
  table.refuseShort();
  for (const { lga_pcode, rule, reason } of source.gaps ?? [])
    input.report.push({ source: source.id, rule, what: `${codeAndName(areas, lga_pcode!)}: ${reason}` });
  return rows;
}

/** The value that the catalog's gap substitutes for a missing one, if it declares a gap. */
function filled(source: Source, lga: string, near: string[], valueIn: (lga: string) => number | undefined) {
  const gap = gapFor(source, lga);
  if (gap?.rule === 'value') return gap.value;
  const given = gap?.rule === 'neighbours' ? near.map(valueIn).filter((value) => value !== undefined) : [];
  return given.length > 0 ? given.reduce((a, b) => a + b, 0) / given.length : undefined;
}

const readValue = (row: RawRow, { classes, classes_total }: Source) =>
  classes ? classMean(row, classes, classes_total) : row.numberOrNull('value');

/** `YYYY-MM`, `YYYY`, or null if the table has no times. */
function rowTime(row: RawRow): string | null {
  if (row.hasColumn('period')) return row.period('period');
  if (!row.hasColumn('year')) return null;
  return row.hasColumn('month') ? row.month() : String(row.number('year', { ...YEARS, integer: true }));
}

/** The source's times in ascending order: every month from its first to its last, or the years present. */
function requiredTimes(table: RawTable, source: Source, times: (string | null)[]): (string | null)[] {
  if (!changesOverTime(source)) return [null];
  const sorted = (times as string[]).toSorted();
  if (!source.span) return sorted;
  const { first, last } = source.span;
  const [begin, end] = [sorted[0]!, sorted.at(-1)!];
  if (monthIndex(begin) > monthIndex(first) || monthIndex(end) < monthIndex(last))
    throw table.error(`months from ${begin} to ${end}`, `${first} to ${last} (sources.json, span)`);
  return periodRange(begin, end);
}
