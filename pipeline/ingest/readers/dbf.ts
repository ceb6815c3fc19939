import { existsSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { InputLocation } from '../../lib/bad-input.ts';
import type { TextTable } from './csv.ts';
import { parseEncoding } from './encoding.ts';

/**
 * A dBase header: number of records, length of the header and of a record; then 32 bytes per field (name, width, ...).
 */
const FIELDS_AT = 32;
const FIELD_BYTES = 32;
const END_OF_FIELDS = 0x0d;
const DELETED = 0x2a;

/**
 * Reads a dBase table (the attributes of a shapefile) as text, in the encoding given by its `.cpg` file, by default
 * UTF-8. Rows are numbered as in a CSV: the first record is row 2.
 * @param fullPath path of the file
 * @param file its name in messages
 * @throws BadInput for a truncated file, or text in another encoding
 */
export async function readDbf(fullPath: string, file: string): Promise<TextTable> {
  const location = new InputLocation(file);
  const dbf = await readFile(fullPath);
  if (dbf.length < FIELDS_AT) throw location.error(`${dbf.length} bytes`, 'a dBase table');
  const [records, headerBytes, recordBytes] = [dbf.readUInt32LE(4), dbf.readUInt16LE(8), dbf.readUInt16LE(10)];
  const statedBytes = headerBytes + records * recordBytes;
  if (dbf.length < statedBytes) throw location.error(`${dbf.length} bytes`, `${statedBytes} (the file is cut short)`);
  const decode = createDecoder(await readEncoding(fullPath, location), location);
  const fields: { name: string; offset: number; width: number }[] = [];
  let offset = 1;
  for (
    let fieldStart = FIELDS_AT;
    fieldStart + FIELD_BYTES <= headerBytes && dbf[fieldStart] !== END_OF_FIELDS;
    fieldStart += FIELD_BYTES
  ) {
    const name = dbf
      .subarray(fieldStart, fieldStart + 11)
      .toString('latin1')
      .split('\0', 1)[0]!;
    const width = dbf[fieldStart + 16]!;
    fields.push({ name, offset, width });
    offset += width;
  }
  if (fields.length === 0) throw location.at('header').error('no fields', 'a dBase table');
  // Otherwise a small file could claim any number of records, or of cells.
  const emptyField = fields.find(({ width }) => width === 0);
  if (emptyField) throw location.at('header').error(`the field ${emptyField.name} of 0 bytes`, 'at least 1');
  if (recordBytes < offset)
    throw location.at('header').error(`records of ${recordBytes} bytes`, `${offset}, as its fields need`);
  const rows = Array.from({ length: records }, (_, i) => ({ start: headerBytes + i * recordBytes, line: i + 2 }))
    .filter(({ start }) => dbf[start] !== DELETED)
    .map(({ start, line }) => ({
      line,
      cells: fields.map(({ offset, width }) => decode(dbf.subarray(start + offset, start + offset + width), line)),
    }));
  return { header: fields.map(({ name }) => name), rows };
}

async function readEncoding(fullPath: string, location: InputLocation): Promise<string> {
  const cpgPath = fullPath.replace(/\.dbf$/i, '.cpg');
  if (cpgPath === fullPath || !existsSync(cpgPath)) return 'utf-8';
  const name = parseEncoding(await readFile(cpgPath, 'latin1'), location.at('its .cpg'));
  if (/^cp/.test(name)) throw location.at('its .cpg').error(`the encoding ${name}`, 'UTF-8, or one of Windows or ISO');
  return name;
}

function createDecoder(encoding: string, location: InputLocation) {
  const decoder = new TextDecoder(encoding, { fatal: true });
  return (bytes: Uint8Array, line: number) => {
    try {
      return decoder.decode(bytes);
    } catch {
      const expected = `text in ${encoding} (a .cpg file can specify another encoding)`;
      throw location.at(`row ${line}`).error(`bytes that are not ${encoding}`, expected);
    }
  };
}
