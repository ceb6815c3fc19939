/** Reads the sheets of an Excel workbook as tables of text. */
import { readFile } from 'node:fs/promises';
import { BadInput, InputLocation } from '../../lib/bad-input.ts';
import { countTitleRows, type TextTable } from './csv.ts';
import { refuseUnsupported } from './unsupported.ts';

/** Limits of an archive, unpacked: it may claim any size, and a sheet any number of cells. */
const MOST_BYTES = 2 ** 28;
const MOST_ENTRIES = 2000;
const MOST_CELLS = 2 ** 24;

type Rows = (string | null)[][];

interface Sheet {
  name: string;
  rows: Rows;
  /** Ranges of merged cells: first and last row and column, from 0. */
  merges: [top: number, left: number, bottom: number, right: number][];
}

/** The sheets of a workbook that have a header, rows and several columns, in its order. */
export async function readSheets(fullPath: string, file: string): Promise<Sheet[]> {
  const location = new InputLocation(file);
  const bytes = await readFile(fullPath);
  if (!bytes.toString('latin1', 0, 2).startsWith('PK')) refuseUnsupported(file, bytes, 'table');
  try {
    const sheetTexts = await unpackSheets(bytes, location);
    sheetTexts.forEach((text) => void refuseHugeSheet(text, location));
    const { default: readWorkbook } = await import('read-excel-file/universal');
    const workbook = await readWorkbook(new Blob([bytes]), { parseNumber: numberText });
    const sheets = workbook.map(({ sheet, data }, i): Sheet => {
      const rows = data.map((row) => row.map(cellText));
      // The library reads errors of formulas as blank cells.
      for (const [row, column, text] of errorsIn(sheetTexts[i]!)) if (rows[row]) rows[row][column] = text;
      return { name: sheet, rows, merges: mergesIn(sheetTexts[i]!) };
    });
    return sheets.filter(
      ({ rows }) => rows.length > 1 && rows.some((row) => row.filter((cell) => cell != null).length > 1),
    );
  } catch (cause) {
    if (cause instanceof BadInput) throw cause;
    throw location.error(
      `content that cannot be read (${(cause as Error).message})`,
      'a whole Excel workbook; is it cut short? Get it again or, if Excel opens it, save it there again',
    );
  }
}

/**
 * Reads a sheet as a table. Merged cells have their value in each cell; a heading of several rows, of which the upper
 * one is merged over columns of the lower one, is joined.
 * @param sheetName may be left out if only one sheet has a table
 * @param titleRows rows above the header; null takes those that are much shorter than the table
 */
export async function readXlsx(
  fullPath: string,
  file: string,
  sheetName: string | undefined,
  titleRows: number | null = 0,
): Promise<TextTable> {
  const sheets = await readSheets(fullPath, file);
  const chosen = sheets.filter(({ name }) => sheetName === undefined || name === sheetName);
  const names = sheets.map(({ name }) => `"${name}"`).join(', ') || 'none with a table';
  if (chosen.length !== 1)
    throw new InputLocation(file).error(
      `the sheets ${names}`,
      `${sheetName === undefined ? 'one' : `"${sheetName}"`} (sources.json, dialect, sheet)`,
    );
  return sheetTable(chosen[0]!, titleRows);
}

export function sheetTable({ rows: sheetRows, merges }: Sheet, titleRows: number | null): TextTable {
  const width = Math.max(...sheetRows.map((row) => row.length));
  const rows = sheetRows.map((row) => Array.from({ length: width }, (_, i) => row[i] ?? null));
  // A title over the whole table is not one of its headings.
  const inner = merges.filter(([top, left, , right]) => top < rows.length && !(left === 0 && right >= width - 1));
  for (const [top, left, bottom, right] of inner)
    for (const row of rows.slice(top, bottom + 1)) row.fill(rows[top]![left] ?? null, left, right + 1);
  const titles = titleRows ?? countTitleRows(rows.map((row) => row.filter((cell) => cell?.trim()).length));
  let lastHeading = titles;
  for (const [top, left, bottom, right] of inner.toSorted((a, b) => a[0] - b[0]))
    if (top >= titles && top <= lastHeading)
      lastHeading = Math.max(lastHeading, bottom, right > left ? bottom + 1 : bottom);
  const headings = rows.slice(titles, lastHeading + 1);
  return {
    header: Array.from({ length: width }, (_, i) =>
      [...new Set(headings.flatMap((row) => row[i]?.trim() || []))].join(' '),
    ),
    rows: rows.slice(lastHeading + 1).map((cells, i) => ({ line: lastHeading + 2 + i, cells })),
    titles: rows.slice(0, titles).map((row) => row.filter((cell) => cell !== null).join(' ')),
  };
}

/** A number as text; of an id beyond 2^53 all digits. */
const numberText = (text: string) =>
  /^\d+$/.test(text) && !Number.isSafeInteger(Number(text)) ? text : String(Number(text));

/** Dates as `YYYY-MM-DD`. */
const cellText = (value: unknown): string | null =>
  value === null ? null : value instanceof Date ? value.toISOString().slice(0, 10) : String(value) || null;

/** The XML of each sheet, in the workbook's order. @throws BadInput for an archive that is too large unpacked */
async function unpackSheets(bytes: Uint8Array, location: InputLocation): Promise<string[]> {
  const { strFromU8, unzipSync } = await import('fflate');
  let [unpackedBytes, entries] = [0, 0];
  const files = unzipSync(bytes, {
    filter: ({ name, originalSize }) => {
      unpackedBytes += originalSize;
      if (unpackedBytes > MOST_BYTES || ++entries > MOST_ENTRIES)
        throw location.error(
          `more than ${MOST_BYTES / 2 ** 20} MB or ${MOST_ENTRIES} files unpacked`,
          'a smaller workbook: save the sheet as CSV UTF-8',
        );
      return /^xl\/(worksheets\/[^/]+\.xml|workbook\.xml|_rels\/workbook\.xml\.rels)$/.test(name);
    },
  });
  const text = (name: string) => strFromU8(files[name] ?? new Uint8Array());
  const attribute = (tag: string, name: string) => new RegExp(`\\b${name}="([^"]*)"`).exec(tag)?.[1] ?? '';
  const targets = new Map(
    tagsIn(text('xl/_rels/workbook.xml.rels'), 'Relationship').map((tag) => [
      attribute(tag, 'Id'),
      attribute(tag, 'Target'),
    ]),
  );
  return tagsIn(text('xl/workbook.xml'), 'sheet').map((tag) =>
    text(`xl/${(targets.get(attribute(tag, 'r:id')) ?? '').replace(/^\/xl\//, '')}`),
  );
}

/** The opening tags of a name, whatever their prefix. */
const tagsIn = (xml: string, name: string): string[] => xml.match(new RegExp(`<(?:\\w+:)?${name}\\b[^>]*>`, 'g')) ?? [];

/** A few cells far apart would need memory for all between them. */
function refuseHugeSheet(xml: string, location: InputLocation): void {
  let [rows, columns] = [0, 0];
  for (const [, letters, row] of xml.matchAll(/<(?:\w+:)?(?:c|row)\b[^>]*?\br="([A-Z]*)(\d+)"[^>]*(?<!\/)>/g)) {
    rows = Math.max(rows, Number(row));
    columns = Math.max(columns, columnNumber(letters!));
  }
  if (rows * columns > MOST_CELLS)
    throw location.error(
      `a sheet of ${rows} rows and ${columns} columns`,
      `at most ${MOST_CELLS} cells: delete empty ones`,
    );
}

/** `A` is 1. */
const columnNumber = (letters: string) => [...letters].reduce((sum, letter) => 26 * sum + letter.charCodeAt(0) - 64, 0);

/**
 * Row and column, from 0, and text of each cell with an error, such as `#REF!`; formulas have up to 8,192 characters.
 */
const errorsIn = (xml: string): [row: number, column: number, text: string][] =>
  [...xml.matchAll(/<(?:\w+:)?c\b([^>]*\bt="e"[^>]*)>.{0,9000}?<(?:\w+:)?v>([^<]*)/gs)].flatMap(
    ([, attributes, text]) => {
      const [, letters, row] = /\br="([A-Z]+)(\d+)"/.exec(attributes!) ?? [];
      return row ? [[Number(row) - 1, columnNumber(letters!) - 1, text!]] : [];
    },
  );

function mergesIn(xml: string): Sheet['merges'] {
  return tagsIn(xml, 'mergeCell').flatMap((tag): Sheet['merges'] => {
    const [, left, top, right, bottom] = /\bref="([A-Z]+)(\d+):([A-Z]+)(\d+)"/.exec(tag) ?? [];
    if (!bottom) return [];
    return [[Number(top) - 1, columnNumber(left!) - 1, Number(bottom) - 1, columnNumber(right!) - 1]];
  });
}
