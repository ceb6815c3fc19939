/** Tables by health facility: cases, and the list that says where each facility is. */
import { bestMatchingColumn, candidateColumns, countDistinct, filledCells, likeliestColumns } from '../columns.ts';
import { type DraftEntry, fileDialect, type TableDraft } from './draft-entry.ts';
import {
  type AreaCodes,
  findPlaceColumn,
  findStateColumn,
  findTimeColumn,
  isMonthlyTime,
  type PlaceKey,
  placeColumnName,
  type TimeKey,
} from './draft-keys.ts';
import type { TableFile } from './recognise.ts';

export interface DraftFacilities {
  /** The list that has most of the facilities of the tables without areas. */
  list: { table: TableFile; draft: TableDraft } | null;
  /** The columns of facilities of the monthly tables that have them. */
  places: ReadonlyMap<TableFile, PlaceKey>;
  /** Why a list that has facilities of the tables without areas cannot be used. */
  obstacles: ReadonlyMap<TableFile, string>;
}

/**
 * Recognises tables of monthly figures by facility, and of several lists of facilities the one that fits most of them.
 */
export function draftFacilities(tables: readonly TableFile[], areas: AreaCodes): DraftFacilities {
  const times = new Map(tables.map((table) => [table, findTimeColumn(table, [])]));
  const isMonthly = (table: TableFile) => isMonthlyTime(times.get(table)!);
  const monthly = tables.filter((table) => candidateColumns(table.header, 'facility').length > 0 && isMonthly(table));
  const placesOfAreaTables = tables.filter(isMonthly).flatMap((table): [TableFile, PlaceKey][] => {
    const place = findPlaceColumn(table, areas);
    if (place?.kind !== 'lga_pcode') return [];
    // A column with one value for each area names areas, whatever it is called.
    const facilityColumn =
      candidateColumns(table.header, 'facility').find(
        (column) => countDistinct(table, [place.column, column]) > countDistinct(table, [place.column]),
      ) ?? findPartColumn(table, place.column, times.get(table) as TimeKey);
    return facilityColumn ? [[table, { ...place, facilityColumn }]] : [];
  });
  const tablesWithoutAreas = monthly.filter((table) => findPlaceColumn(table, areas)?.kind !== 'lga_pcode');
  const lists = tables
    .filter((table) => !tablesWithoutAreas.includes(table))
    .flatMap((table) => {
      const place = findAreaColumns(table, areas);
      return place === null ? [] : facilityColumns(table.header).map((facility) => ({ table, facility, place }));
    })
    // Monthly figures have many rows of each; the dates of a list are those of opening, closing or moving.
    .filter(
      ({ table, facility }) =>
        filledCells(table, facility).length === table.rows.length &&
        2 * countDistinct(table, [facility]) > table.rows.length,
    )
    .map((list) => {
      const cells = filledCells(list.table, list.facility);
      const names = new Set(cells);
      const places = tablesWithoutAreas.flatMap((table): [TableFile, PlaceKey][] => {
        const column = bestMatchingColumn(table, () => (cell) => names.has(cell));
        return column ? [[table, { kind: 'facility', column, codeByName: null }]] : [];
      });
      const isUnique = names.size === cells.length;
      return { ...list, places, repeated: isUnique ? null : cells.find((cell, row) => cells.indexOf(cell) < row)! };
    })
    .filter(({ places }) => places.length > 0)
    .sort((a, b) => b.places.length - a.places.length);
  const best = lists.find(({ repeated }) => repeated === null);
  if (!best) {
    const obstacles = lists.map(({ table, repeated }) => [table, describeRepeated(repeated!)] as const);
    return { list: null, places: new Map(placesOfAreaTables), obstacles: new Map(obstacles) };
  }
  const closed = candidateColumns(best.table.header, 'closed').find(
    (column) => filledCells(best.table, column).length > 0,
  );
  const entry: DraftEntry = {
    role: 'facilities',
    unit: 'facilities',
    columns: { facility: best.facility, ...best.place, ...(closed ? { closed } : {}) },
    ...fileDialect(best.table, null),
  };
  const files = best.places.map(([{ file }]) => file).join(', ');
  const draft = { entries: [{ entry, note: `Has the facilities of ${files}` }], obstacles: [] };
  return {
    list: { table: best.table, draft },
    places: new Map([...placesOfAreaTables, ...best.places]),
    obstacles: new Map(),
  };
}

const describeRepeated = (facility: string) =>
  `a list of facilities with several rows of ${facility}; leave one row of each or, if its area changes with time, give the area in each row of the cases`;

/**
 * The column of the parts of areas, such as health districts, in a table with several rows of an area and month: it
 * tells them apart, and each of its names lies in one area.
 */
function findPartColumn(table: TableFile, area: string, { columns }: TimeKey): string | null {
  const time = Object.values(columns);
  if (countDistinct(table, [area, ...time]) === table.rows.length) return null;
  const isNumber = (cell: string) => Number.isFinite(Number(cell));
  const part = table.header.find(
    (column) =>
      column !== area &&
      !time.includes(column) &&
      !filledCells(table, column).some(isNumber) &&
      countDistinct(table, [area, column, ...time]) === table.rows.length &&
      countDistinct(table, [area, column]) === countDistinct(table, [column]),
  );
  return part ?? null;
}

/** In a list of units as DHIS2 gives it, facilities have an `id` and a `name`. */
const facilityColumns = (header: readonly string[]) => [
  ...candidateColumns(header, 'facility'),
  ...['id', 'name'].filter((column) => header.includes(column)),
];

/** The columns that say in which area the rows of a table are: codes, names or, without these, coordinates. */
function findAreaColumns(table: TableFile, areas: AreaCodes): Record<string, string> | null {
  const place = findPlaceColumn(table, areas);
  if (place?.kind === 'lga_pcode')
    return {
      [placeColumnName(place)]: place.column,
      ...likeliestColumns(table.header, ['state']),
      ...(place.stateColumn ? findStateColumn(table, null, areas.states) : {}),
    };
  const coordinates = likeliestColumns(table.header, ['longitude', 'latitude']);
  return Object.keys(coordinates).length === 2 ? coordinates : null;
}
