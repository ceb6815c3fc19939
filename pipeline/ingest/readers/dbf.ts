import { existsSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { InputLocation } from '../../lib/bad-input.ts';
import type { TextTable } from './csv.ts';
import { encodingNamed } from './encoding.ts';

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
 * @param full path of the file
 * @param file its name in messages
 * @throws BadInput for a truncated file, or text in another encoding
 */
export async function readDbf(full: string, file: string): Promise<TextTable> {
  const location = new InputLocation(file);
  const dbf = await readFile(full);
  if (dbf.length < FIELDS_AT) throw location.error(`${dbf.length} bytes`, 'a dBase table');
  const [records, header_bytes, record_bytes] = [dbf.readUInt32LE(4), dbf.readUInt16LE(8), dbf.readUInt16LE(10)];
  const stated = header_bytes + records * record_bytes;
  if (dbf.length < stated) throw location.error(`${dbf.length} bytes`, `${stated} (the file is cut short)`);
  const decode = createDecoder(await readEncoding(full, location), location);
  const fields: { name: string; offset: number; width: number }[] = [];
  let offset = 1;
  for (
    let field = FIELDS_AT;
    field + FIELD_BYTES <= header_bytes && dbf[field] !== END_OF_FIELDS;
    field += FIELD_BYTES
  ) {
    const name = dbf
      .subarray(field, field + 11)
      .toString('latin1')
      .split('\0', 1)[0]!;
    const width = dbf[field + 16]!;
    fields.push({ name, offset, width });
    offset += width;
  }
  if (fields.length === 0) throw location.at('header').error('no fields', 'a dBase table');
  // Otherwise a small file could claim any number of records, or of cells.
  const empty = fields.find(({ width }) => width === 0);
  if (empty) throw location.at('header').error(`the field ${empty.name} of 0 bytes`, 'at least 1');
  if (record_bytes < offset)
    throw location.at('header').error(`records of ${record_bytes} bytes`, `${offset}, as its fields need`);
  const rows = Array.from({ length: records }, (_, i) => ({ start: header_bytes + i * record_bytes, line: i + 2 }))
    .filter(({ start }) => dbf[start] !== DELETED)
    .map(({ start, line }) => ({
      line,
      cells: fields.map(({ offset, width }) => decode(dbf.subarray(start + offset, start + offset + width), line)),
    }));
  return { header: fields.map(({ name }) => name), rows };
}

async function readEncoding(full: string, location: InputLocation): Promise<string> {
  const sibling = full.replace(/\.dbf$/i, '.cpg');
  if (sibling === full || !existsSync(sibling)) return 'utf-8';
  const name = encodingNamed(await readFile(sibling, 'latin1'), location.at('its .cpg'));
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
