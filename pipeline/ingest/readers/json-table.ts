import { readFile } from 'node:fs/promises';
import { InputLocation } from '../../lib/bad-input.ts';
import type { TextTable } from './csv.ts';
import { parseJson } from './json.ts';
import { refuseUnsupported } from './unsupported.ts';

type Scalar = string | number | boolean | null | undefined;
const SUPPORTED_FORMS =
  'a list of records, `headers` and `rows` (DHIS2 analytics), or one named list of records (DHIS2 metadata)';

/** More than any table has, and half a gigabyte. Each record needs a cell for the fields of all others. */
const MOST_CELLS = 2 ** 26;

/**
 * Reads a table from JSON as text: DHIS2 analytics (`headers`, `rows`; columns are named by `name`, and a column of ids
 * whose names `metaData` gives is followed by one of these, such as `ou.name`), DHIS2 metadata
 * (`{"organisationUnits": [...]}`), or a plain list of records. Nested fields become
 * columns such as `parent.id`, a `path` of units one for each level (`path.1`), and a point becomes `longitude` and
 * `latitude`; lists are ignored. Rows are numbered as in a CSV: the first record is row 2.
 * @param fullPath path of the file
 * @param file its name in messages
 * @throws BadInput for JSON of any other form
 */
export async function readJsonTable(fullPath: string, file: string): Promise<TextTable> {
  const location = new InputLocation(file);
  const bytes = await readFile(fullPath);
  refuseUnsupported(file, bytes, 'table');
  const content = parseJson(bytes, location, SUPPORTED_FORMS);
  refuseSinglePage(content, location);
  if (isRecord(content) && Array.isArray(content.headers) && Array.isArray(content.rows))
    return addNameColumns(analyticsTable(content.headers, content.rows, location), content.metaData);
  const recordLists = isRecord(content) ? Object.values(content).filter(Array.isArray) : [content];
  const [records] = recordLists;
  if (recordLists.length !== 1 || !Array.isArray(records) || records.length === 0 || !records.every(isRecord))
    throw location.error('JSON of another form', SUPPORTED_FORMS);
  // What all data values of DHIS2 have in common stands beside them, since 2.43.
  const common = isRecord(content) && content.dataValues === records ? content : {};
  const flatRecords = records.map((record) => flatten({ ...common, ...record }));
  const header = [...new Set(flatRecords.flatMap((row) => [...row.keys()]))];
  if (flatRecords.length * header.length > MOST_CELLS)
    throw location.error(
      `${flatRecords.length} records of ${header.length} fields`,
      'records that have the same fields',
    );
  return {
    header,
    rows: flatRecords.map((row, i) => ({ line: i + 2, cells: header.map((name) => row.get(name) ?? null) })),
  };
}

const isRecord = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** @throws BadInput for one of several pages of DHIS2's metadata, which looks whole */
export function refuseSinglePage(content: unknown, location: InputLocation): void {
  const pager = isRecord(content) && isRecord(content.pager) ? content.pager : content;
  const { page = 1, pageCount = 1 } = (isRecord(pager) ? pager : {}) as { page?: number; pageCount?: number };
  if (pageCount > 1) throw location.error(`page ${page} of ${pageCount}`, 'all of it: add paging=false to the URL');
}

function analyticsTable(headers: unknown[], rows: unknown[], location: InputLocation): TextTable {
  const header = headers.map((columnHeader) => String(isRecord(columnHeader) ? columnHeader.name : columnHeader));
  return {
    header,
    rows: rows.map((row, i) => {
      if (!Array.isArray(row) || row.length !== header.length) {
        const cells = Array.isArray(row) ? `${row.length} cells` : 'a row that is not a list';
        throw location.at(`row ${i + 2}`).error(cells, `${header.length} as in \`headers\``);
      }
      return { line: i + 2, cells: row.map((cell: Scalar) => toCell(cell)) };
    }),
  };
}

/** Months are read as they are; their names depend on the language. */
const PERIOD_COLUMN = 'pe';

/**
 * The table with a column of names after each column of ids, by the metadata of DHIS2: `items`, or `names` before 2.29.
 */
function addNameColumns({ header, rows }: TextTable, metaData: unknown): TextTable {
  const { items, names } = (isRecord(metaData) ? metaData : {}) as Record<string, Record<string, unknown> | undefined>;
  const itemName = (id: string | null) => {
    const item = id === null ? null : (items?.[id] ?? names?.[id]);
    const name = isRecord(item) ? item.name : item;
    return typeof name === 'string' ? name : null;
  };
  const isNamed = (index: number) =>
    header[index] !== PERIOD_COLUMN &&
    rows.some(({ cells }) => ![null, cells[index]].includes(itemName(cells[index]!)));
  const namedColumns = new Set([...header.keys()].filter(isNamed));
  const insertNames = <Cell>(cells: readonly Cell[], nameCell: (cell: Cell) => Cell) =>
    cells.flatMap((cell, index) => (namedColumns.has(index) ? [cell, nameCell(cell)] : [cell]));
  return {
    header: insertNames(header, (name) => `${name}.name`),
    rows: rows.map(({ line, cells }) => ({ line, cells: insertNames(cells, itemName) })),
  };
}

function flatten(record: Record<string, unknown>): Map<string, string | null> {
  return new Map(
    Object.entries(record).flatMap(([name, value]): [string, string | null][] => {
      if (Array.isArray(value)) return [];
      if (name === 'path' && typeof value === 'string' && value.startsWith('/'))
        return value.split('/').flatMap((id, level) => (level === 0 ? [] : [[`path.${level}`, id]]));
      if (!isRecord(value)) return [[name, toCell(value as Scalar)]];
      if (value.type === 'Point' && Array.isArray(value.coordinates)) {
        const [longitude, latitude] = value.coordinates as Scalar[];
        return Object.entries({ longitude, latitude }).map(([axis, degrees]) => [axis, toCell(degrees)]);
      }
      return Object.entries(value).flatMap(([field, nestedValue]) =>
        typeof nestedValue === 'object' && nestedValue !== null
          ? []
          : [[`${name}.${field}`, toCell(nestedValue as Scalar)]],
      );
    }),
  );
}

const toCell = (value: Scalar): string | null => (value === null || value === undefined ? null : String(value));
