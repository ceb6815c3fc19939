/** Compares every table of people with every raster of people, area by area, to find out which have the population. */
import { plainName } from '../../lib/name-similarity.ts';
import { columnsByYear, filledCells, guessSubject } from '../columns.ts';
import type { DraftAreas } from './draft-areas.ts';
import type { DraftEntry } from './draft-entry.ts';
import { placeColumnName } from './draft-keys.ts';
import { disagreement, medianRatio, type Ratio, ratiosAgree, sumsByCode, toRatios } from './draft-people.ts';
import { mayBePeople, populationRasters, yearInName } from './draft-rasters.ts';
import { type DraftedTable, type draftTables, entryRows, type PeopleTable } from './draft-tables.ts';
import { type Answers, numbersQuestionId, UNKNOWN } from './questions.ts';
import type { RasterFile, TableFile } from './recognise.ts';
import { onlyYearIn } from './survey-rounds.ts';

/** Totals of a raster and a table of people differ by less than this factor: they may not cover the same areas. */
const NEAR_TOTAL_FACTOR = 2;

/** For each table, the ratios of each raster to it, by area. */
export type PeopleComparison = ReadonlyMap<TableFile, ReadonlyMap<RasterFile, Ratio[]>>;

/** The table's column of people in a year, or without the year. */
export function peopleColumn({ entry, usedRows }: PeopleTable, year: number | null): string {
  const { people } = entry.columns!;
  return columnsByYear(usedRows.header, people!).get(year ?? 0) ?? people!;
}

/**
 * Gives the entry the people of all years that the table has in columns or in rows.
 * @returns the year of a table of one year, by its rows or the name of its file, or that nothing tells it; null if its
 *   columns tell the years
 */
export function readPeopleByYear(census: DraftedTable): number | typeof UNKNOWN | null {
  const { table, entry } = census;
  const { people, ...columns } = entry.columns!;
  const byYear = columnsByYear(table.header, people!);
  const fileYear = onlyYearIn(table.file);
  if (byYear.size > 0) {
    if (fileYear !== null && ![...byYear.values()].includes(people!)) byYear.set(fileYear, people!);
    const yearColumns = Object.fromEntries([...byYear].map(([year, column]) => [`people_${year}`, column]));
    census.entry = { ...entry, columns: { ...columns, ...yearColumns } };
    return null;
  }
  const { where = {}, ...rest } = entry;
  const [column, latest] = Object.entries(where).find(([, value]) => /^(19|20)\d\d$/.test(String(value))) ?? [];
  if (column === undefined) return fileYear ?? onlyYearIn(Object.values(where).join(' ')) ?? UNKNOWN;
  const rowsByYear = Map.groupBy(table.rows, ({ cells }) => cells[table.header.indexOf(column)]);
  const isYearly = new Set([...rowsByYear.values()].map((rows) => rows.length)).size === 1;
  if (!isYearly || Object.keys(where).length > 1) return Number(latest);
  census.entry = { ...rest, columns: { ...entry.columns, year: column } };
  return null;
}

/** The sum of a table's column. */
export const columnTotal = ({ usedRows }: PeopleTable, column: string): number =>
  filledCells(usedRows, column).reduce((total, cell) => total + Number(cell), 0);

/** Compares tables with the rasters that are of people by their names, or may be by their totals. */
export async function comparePeople(
  root: string,
  areas: DraftAreas,
  rasters: readonly RasterFile[],
  tables: readonly PeopleTable[],
): Promise<PeopleComparison> {
  const namedRasters = populationRasters(rasters);
  const totals = tables.map((table) => columnTotal(table, peopleColumn(table, null)));
  const isNear = ({ sum }: RasterFile) =>
    totals.some((total) => Math.max(sum / total, total / sum) < NEAR_TOTAL_FACTOR);
  const comparison = new Map(tables.map(({ table }) => [table, new Map<RasterFile, Ratio[]>()]));
  for (const raster of rasters) {
    if (tables.length === 0 || !(namedRasters.includes(raster) || (mayBePeople(raster) && isNear(raster)))) continue;
    const sums = await sumsByCode(root, raster, areas);
    for (const peopleTable of tables) {
      const ratios = toRatios(areas, sums, peopleTable, peopleColumn(peopleTable, yearInName(raster)));
      if (ratios.length > 0 && (namedRasters.includes(raster) || ratiosAgree(ratios)))
        comparison.get(peopleTable.table)!.set(raster, ratios);
    }
  }
  return comparison;
}

/**
 * The column of people of a table without names, if the country has no other table of people: of those that agree with
 * a raster area by area, the one that agrees best.
 * @returns answers about what the numbers are
 */
export async function decidePeople(
  root: string,
  areas: DraftAreas,
  rasters: readonly RasterFile[],
  { peopleTables, unnamedNumbers }: Pick<ReturnType<typeof draftTables>, 'peopleTables' | 'unnamedNumbers'>,
): Promise<Answers> {
  if (peopleTables.length > 0) return {};
  const candidates = unnamedNumbers.flatMap(({ table, columns, place }) =>
    columns.map((column): DraftedTable => {
      const names = { [placeColumnName(place)]: place.column, people: column };
      const entry: DraftEntry = { role: 'population_census', unit: 'persons', columns: names };
      const usedRows = entryRows(table, entry, place);
      // The comparison is by table, so each column needs one of its own.
      return { table: { ...table }, laterDeliveries: [], joinedFiles: [], entry, usedRows, note: '' };
    }),
  );
  const comparison = await comparePeople(root, areas, rasters, candidates);
  const [best] = candidates
    .flatMap(({ table, entry }) =>
      [...comparison.get(table)!.values()].filter(ratiosAgree).map((ratios) => ({ table, entry, ratios })),
    )
    .sort((a, b) => disagreement(a.ratios) - disagreement(b.ratios));
  return best ? { [numbersQuestionId(best.table.file)]: `${best.entry.columns!.people} = people` } : {};
}

/** Whether a table's names are of people: a column `Total` may be of anything. */
const namesPeople = ({ table, entry }: DraftedTable): boolean =>
  plainName(entry.columns!.people!) !== 'total' || guessSubject([table.file]) === 'people';

/**
 * Tables that probably have no people: they disagree with the rasters while another table agrees, or only a heading
 * such as Total suggests people.
 * @returns why, by table
 */
export function tablesUnlikePeople(
  tables: readonly DraftedTable[],
  comparison: PeopleComparison,
): ReadonlyMap<TableFile, string> {
  const closestRaster = ({ table }: DraftedTable) =>
    [...comparison.get(table)!].sort(([, a], [, b]) => disagreement(a) - disagreement(b))[0];
  const agreesWithRaster = (draftedTable: DraftedTable) => ratiosAgree(closestRaster(draftedTable)?.[1] ?? []);
  const agreeingTable = tables.find(agreesWithRaster);
  const namedTable = tables.find(namesPeople);
  return new Map(
    tables.flatMap((draftedTable): [TableFile, string][] => {
      const [raster, ratios] = closestRaster(draftedTable) ?? [];
      const betterTable = agreeingTable ?? (namesPeople(draftedTable) ? undefined : namedTable);
      if (agreesWithRaster(draftedTable) || (!betterTable && (namesPeople(draftedTable) || !raster))) return [];
      const difference =
        raster && `in the middle area, ${raster.file} has ${medianRatio(ratios!).toFixed(2)} times as many`;
      const reasons = [
        ...(difference ? [difference] : []),
        ...(betterTable ? [`the people are those of ${betterTable.table.file}`] : []),
      ];
      return [
        [draftedTable.table, `"${draftedTable.entry.columns!.people}" is not taken for people: ${reasons.join('; ')}`],
      ];
    }),
  );
}
