/** The files that a DHIS2 administrator imports. */
import type { Manifest } from '../../contract/manifest.ts';
import { toCsv } from '../../lib/tables/csv.ts';
import { type ChartOfFigures, dhis2Dashboard, type MapOfFigure } from './dashboard.ts';
import { type AreaMonth, type DataValue, dataValues, FORMATS, type Format, isOpen } from './data-values.ts';
import { dhis2Metadata, type Figure } from './metadata.ts';
import type { Units } from './units.ts';

export interface Dhis2File {
  name: string;
  content: string;
  /** Values in it, 0 for the other files. */
  values: number;
}

/** Values of one file: DHIS2 imports a request in one transaction, 2.43 in 20 s for so many and 350 s for ten times. */
export const MAX_VALUES_PER_FILE = 5000;

/**
 * Metadata and what removes it, what became of the map, and files of at most `maxValues` values, each made when it is
 * asked for.
 * @param tables rows, and the figures that they have
 */
export function* dhis2Files(
  manifest: Manifest,
  units: Units,
  tables: readonly { figures: readonly Figure[]; rows: readonly AreaMonth[] }[],
  { maps, chart }: { maps: readonly MapOfFigure[]; chart: ChartOfFigures | null },
  format: Format,
  maxValues = MAX_VALUES_PER_FILE,
): Generator<Dhis2File> {
  const metadata = dhis2Metadata(
    manifest,
    tables.flatMap(({ figures }) => figures),
    [...units.ids.values()].sort(),
  );
  const dashboard = dhis2Dashboard(manifest, units, maps, chart);
  const { dataElements, legendSets, dataSets, dataElementGroups } = metadata;
  yield writeJson('metadata.json', { ...metadata, ...dashboard });
  yield writeJson('metadata-delete-1.json', dashboard);
  yield writeJson('metadata-delete-2.json', { dataSets, dataElementGroups });
  yield writeJson('metadata-delete-3.json', { dataElements, legendSets });
  yield writeCsv('units-unmatched.csv', units.unmatched, ['area', 'code', 'name', 'state_code']);
  yield writeCsv('units-proposed.csv', proposedMap(units), [
    'id',
    'code',
    'name',
    'parent.id',
    'level',
    'openingDate',
    'closedDate',
    'unit_name',
    'matched_by',
  ]);
  yield writeCsv('values-left-out.csv', closedMonths(units, tables), [
    'unit',
    'area',
    'code',
    'first',
    'last',
    'months',
  ]);
  const allValues = tables.values().flatMap(({ rows, figures }) => dataValues(rows, figures, units, manifest));
  for (let [fileNumber, next] = [1, allValues.next()]; !next.done; fileNumber++) {
    const values: DataValue[] = [];
    for (; !next.done && values.length < maxValues; next = allValues.next()) values.push(next.value);
    const name = `data-values-${String(fileNumber).padStart(3, '0')}.${format}`;
    yield { name, content: FORMATS[format](values, manifest), values: values.length };
  }
}

const writeJson = (name: string, content: object): Dhis2File => ({
  name,
  content: `${JSON.stringify(content, null, 2)}\n`,
  values: 0,
});
const writeCsv = (name: string, rows: readonly object[], columns: string[]): Dhis2File => ({
  name,
  content: `${toCsv(rows as Record<string, unknown>[], columns)}\n`,
  values: 0,
});

/** A map with codes of areas for every unit: those taken by code, and those proposed by name, for a person to check. */
const proposedMap = ({ matches }: Units) =>
  matches.map(({ unit, place, matched_by }) => ({
    id: unit.id,
    code: place.code,
    name: place.name,
    'parent.id': unit.parent,
    level: unit.level,
    openingDate: unit.openingDate,
    closedDate: unit.closedDate,
    unit_name: unit.name,
    matched_by,
  }));

/** Months in which a unit was not open: DHIS2 2.43 refuses a whole file for one value in such a month. */
function closedMonths(units: Units, tables: readonly { rows: readonly AreaMonth[] }[]) {
  const closed = tables.flatMap(({ rows }) => rows.filter((row) => units.ids.has(row.code) && !isOpen(units, row)));
  return [...Map.groupBy(closed, ({ code }) => code)].map(([code, rows]) => {
    const periods = [...new Set(rows.map(({ period }) => period))].sort();
    return {
      unit: units.ids.get(code)!,
      area: rows[0]!.area,
      code,
      first: periods[0]!,
      last: periods.at(-1)!,
      months: periods.length,
    };
  });
}
