/** A country's areas, drafted from its files: their outlines, codes and parents, and the form of the codes. */

import type { Source } from '../../catalog/sources.ts';
import { ANY_CODE } from '../../contract/territory.ts';
import type { TextTable } from '../../ingest/readers/csv.ts';
import { BadInput, InputLocation } from '../../lib/bad-input.ts';
import { plainName } from '../../lib/name-similarity.ts';
import { type ColumnName, columnMatching, columnsNamed, filledCells, likeliestColumn } from '../columns.ts';
import type { LeftOut, OutlineFile, TableFile } from './recognise.ts';

export interface DraftAreas {
  outlines: OutlineFile;
  /** The project's column names -> the outlines' fields. */
  columns: Record<string, string>;
  /** The table that gives codes by name, if the outlines have none. */
  codes: { table: TableFile; columns: Record<string, string> } | null;
  /** Outlines of the upper level, if nothing else gives the parents. */
  states: { outlines: OutlineFile; columns: Record<string, string> } | null;
  /** Code and name of each lower-level area, and its parent's code if a table or the outlines give it. */
  lgas: { code: string; name: string; parent: string | null }[];
  upper: { code: string; name: string }[];
  recode: NonNullable<Source['recode']> | null;
  /** Why tables of codes that lack a few areas are not used, by file. */
  lacking: ReadonlyMap<string, string>;
  leftOut: LeftOut[];
}

const isCode = (text: string) => new RegExp(ANY_CODE).test(text);

/** The outlines' properties as a table. */
export function attributeTable({ features }: OutlineFile): TextTable {
  const header = [...new Set(features.flatMap(({ properties }) => Object.keys(properties)))];
  const rows = features.map(({ properties }, i) => ({
    line: i + 1,
    cells: header.map((name) =>
      properties[name] == null || properties[name] === '' ? null : String(properties[name]),
    ),
  }));
  return { header, rows };
}

/** Whether a column has a unique code in every row. */
function hasCodes(table: TextTable, column: string): boolean {
  const cells = filledCells(table, column);
  return cells.length === table.rows.length && new Set(cells).size === cells.length && cells.every(isCode);
}

/**
 * The file with the most outlines is the lower level.
 * @throws BadInput if there are no outlines, no names, no codes or no parents
 */
export function draftAreas(all: readonly OutlineFile[], tables: readonly TableFile[]): DraftAreas {
  const [outlines, ...rest] = all.toSorted((a, b) => b.features.length - a.features.length);
  if (!outlines)
    throw new BadInput({
      file: '--from',
      found: 'no outlines',
      expected: 'polygons of the areas: GeoJSON, TopoJSON or a shapefile',
    });
  const location = new InputLocation(outlines.file);
  const attributes = attributeTable(outlines);
  const name = likeliestColumn(attributes.header, 'lga');
  if (!name) {
    const found = `the fields ${attributes.header.join(', ') || 'none'}`;
    throw location.error(found, 'a field with their names, such as ADM2_EN or shapeName');
  }
  const names = filledCells(attributes, name);
  const codeField = findCodeField(attributes, tables) ?? codesToRecode(attributes);
  const upper = draftUpper(rest, attributes);
  const shared = { outlines, leftOut: rest.filter((file) => file !== upper?.outlines).map(leftOut) };
  const codeTable = codeField?.isUsed ? null : codesByName(tables, names);

  if (codeField && !codeTable) {
    const parents = findParents(attributes, upper === null);
    if (!parents && !upper)
      throw location.error(
        `areas without their upper-level areas; its fields are ${attributes.header.join(', ')}`,
        'a field with the codes or names of these, such as ADM1_PCODE, or outlines of the upper level',
      );
    const { recode: recoded = null } = codeField;
    const codes = filledCells(attributes, codeField.column).map((cell) => recoded?.[cell] ?? cell);
    const recode = {
      ...(recoded ? { lga_pcode: recoded } : {}),
      ...(parents?.recode ? { state_pcode: parents.recode } : {}),
    };
    return {
      ...shared,
      columns: { lga: name, lga_pcode: codeField.column, ...(parents ? { state_pcode: parents.column } : {}) },
      codes: null,
      states: upper,
      lgas: names.map((lga, i) => ({ code: codes[i]!, name: lga, parent: parents?.codes[i] ?? null })),
      upper: upper ? upperAreas(upper) : distinct(parents!.codes, parents!.names),
      recode: Object.keys(recode).length > 0 ? recode : null,
      lacking: new Map(),
    };
  }
  if (!codeTable)
    throw location.error(
      `areas without codes; their fields are ${attributes.header.join(', ')}${nearest(tables, names)}`,
      'a field with a code for each area (unique, letters, digits, - and _ alone), or a table that gives codes by name',
    );
  const { table, columns, spelled } = codeTable;
  const [tableNames, tableCodes] = [filledCells(table, columns.lga!), filledCells(table, columns.lga_pcode!)];
  const outlined = columns.state_pcode || upper ? null : findParents(attributes, true);
  const parentByName = new Map(outlined?.codes.map((code, i) => [plainName(names[i]!), code]));
  const parents = columns.state_pcode
    ? filledCells(table, columns.state_pcode)
    : outlined && tableNames.map((lga) => parentByName.get(plainName(lga))!);
  if (!parents && !upper)
    throw new BadInput({
      file: table.file,
      found: 'codes without those of the upper-level areas',
      expected:
        'a column with these codes, a field of the outlines with these codes or names, or outlines of the upper level',
    });
  const recode = {
    ...(spelled.size > 0 ? { lga: Object.fromEntries(spelled) } : {}),
    ...(outlined?.recode ? { state_pcode: outlined.recode } : {}),
  };
  const stateName = likeliestColumn(table.header, 'state');
  return {
    ...shared,
    leftOut: rest.filter((file) => parents !== null || file !== upper?.outlines).map(leftOut),
    columns: { lga: name, ...(outlined ? { state_pcode: outlined.column } : {}) },
    codes: { table, columns },
    states: parents ? null : upper,
    lgas: tableNames.map((lga, i) => ({ code: tableCodes[i]!, name: lga, parent: parents?.[i] ?? null })),
    upper: outlined
      ? distinct(outlined.codes, outlined.names)
      : parents
        ? distinct(parents, stateName ? filledCells(table, stateName) : [])
        : upperAreas(upper!),
    recode: Object.keys(recode).length > 0 ? recode : null,
    lacking: lacking(tables, names, table.file),
  };
}

/** Names of row numbers, which programs write and change. */
const ROW_NUMBERS = ['fid', 'ogcfid', 'objectid', 'oid', 'gid'];

const columnsBut = (header: readonly string[], names: readonly ColumnName[]): string[] => {
  const excluded = names.flatMap((name) => columnsNamed(header, name));
  return header.filter((column) => !excluded.includes(column));
};

/** The columns that may have codes of areas by their names: the usual ones, then other ids. */
function codeColumns(header: readonly string[]): string[] {
  const ids = columnsBut(header, ['lga_pcode', 'state_pcode', 'lga', 'state']).filter(
    (column) => /(id|code)$/.test(plainName(column)) && !ROW_NUMBERS.includes(plainName(column)),
  );
  return [...columnsNamed(header, 'lga_pcode'), ...ids];
}

/** The outlines' fields of codes, whatever they are called: those with texts of one length come last. */
function codeFields(attributes: TextTable): string[] {
  const texts = columnsBut(attributes.header, ['state_pcode', 'lga', 'state']).filter((column) => {
    const cells = filledCells(attributes, column);
    return cells.every((cell) => /\p{L}/u.test(cell) && cell.length === cells[0]!.length);
  });
  return [...new Set([...codeColumns(attributes.header), ...texts])].filter((column) => hasCodes(attributes, column));
}

/** Fields that also number features, so that codes given by names in a table are preferred. */
const NUMBERS = ['id', 'shapeid'];

interface CodeField {
  column: string;
  /** Whether they occur in a table, or their name leaves no doubt. */
  isUsed: boolean;
  /** The code of each of them, if they cannot be codes as they are. */
  recode?: Record<string, string>;
}

/**
 * The outlines' field of codes: of several, the one whose codes occur in the most tables, then the likeliest name.
 * @returns null if there is none
 */
function findCodeField(attributes: TextTable, tables: readonly TableFile[]): CodeField | null {
  const named = columnsNamed(attributes.header, 'lga_pcode');
  const fields = codeFields(attributes).map((column) => {
    const codes = new Set(filledCells(attributes, column));
    const uses = tables.filter((table) => columnMatching(table, () => (cell) => codes.has(cell)) !== null).length;
    return { column, uses, isUsed: uses > 0 || (named.includes(column) && !NUMBERS.includes(plainName(column))) };
  });
  return fields.sort((a, b) => b.uses - a.uses)[0] ?? null;
}

/** The outlines' field of codes by a usual name, such as GADM's GID_2, whose dots no code may have. */
function codesToRecode(attributes: TextTable): CodeField | null {
  for (const column of columnsNamed(attributes.header, 'lga_pcode')) {
    const cells = filledCells(attributes, column);
    const recode = Object.fromEntries(cells.map((cell) => [cell, codeFrom(cell)]));
    const codes = new Set(Object.values(recode));
    if (codes.size === attributes.rows.length && cells.length === attributes.rows.length && [...codes].every(isCode))
      return { column, isUsed: false, recode };
  }
  return null;
}

/**
 * The code and name of each outline's parent, from a field of codes or, if `byName`, one of names, which are recoded.
 */
function findParents(attributes: TextTable, byName: boolean) {
  const isFull = (column: string) => filledCells(attributes, column).length === attributes.rows.length;
  const coded = columnsNamed(attributes.header, 'state_pcode').find(
    (column) => isFull(column) && filledCells(attributes, column).every(isCode),
  );
  const ofNames = likeliestColumn(attributes.header, 'state');
  if (coded)
    return {
      column: coded,
      codes: filledCells(attributes, coded),
      names: ofNames ? filledCells(attributes, ofNames) : [],
      recode: null,
    };
  const named = ofNames ?? likeliestColumn(attributes.header, 'state_pcode');
  if (!byName || named === null || !isFull(named)) return null;
  const names = filledCells(attributes, named);
  const recode = Object.fromEntries(names.map((name) => [name, codeFrom(name)]));
  const isDistinct = new Set(Object.values(recode)).size === Object.keys(recode).length;
  return isDistinct ? { column: named, codes: names.map(codeFrom), names, recode } : null;
}

/** A name as a code: its letters and digits without accents, joined by hyphens. */
const codeFrom = (name: string) =>
  name
    .normalize('NFD')
    .replaceAll(/\p{M}/gu, '')
    .match(/[A-Za-z0-9]+/g)
    ?.join('-') ?? '';

const leftOut = ({ file, features }: OutlineFile): LeftOut => ({
  kind: 'left out',
  file,
  why: `${features.length} outlines that add nothing to the others, or lack codes`,
  lost: null,
});

/**
 * The upper level: the first other file with several outlines that each have a code and a name. Of several codes, it is
 * the one that the lower level's areas have as their parent's.
 */
function draftUpper(candidates: readonly OutlineFile[], attributes: TextTable): DraftAreas['states'] {
  const parents = new Set(
    columnsNamed(attributes.header, 'state_pcode').flatMap((column) => filledCells(attributes, column)),
  );
  for (const outlines of candidates) {
    const table = attributeTable(outlines);
    const named = (...names: ColumnName[]) => names.flatMap((one) => columnsNamed(table.header, one));
    const codes = named('state_pcode', 'lga_pcode').filter((column) => hasCodes(table, column));
    const code = codes.find((column) => filledCells(table, column).some((cell) => parents.has(cell))) ?? codes[0];
    const name = named('state', 'lga').find((column) => new Set(filledCells(table, column)).size === table.rows.length);
    if (outlines.features.length > 1 && name && code) return { outlines, columns: { state_pcode: code, state: name } };
  }
  return null;
}

function upperAreas({ outlines, columns }: NonNullable<DraftAreas['states']>): DraftAreas['upper'] {
  const table = attributeTable(outlines);
  return distinct(filledCells(table, columns.state_pcode!), filledCells(table, columns.state!));
}

/** Each code once with its name, sorted by code; a code without a name serves as the name. */
function distinct(codes: readonly string[], names: readonly string[]): DraftAreas['upper'] {
  const nameByCode = new Map(codes.map((code, i) => [code, names[i] ?? code]));
  return [...nameByCode].sort(([a], [b]) => (a < b ? -1 : 1)).map(([code, name]) => ({ code, name }));
}

/** The table that gives each name a code, identically or almost identically spelled; null if there is none. */
function codesByName(tables: readonly TableFile[], names: readonly string[]) {
  const wanted = new Set(names.map(plainName));
  const fitting = tables.flatMap((table) => {
    const lga = columnMatching(table, () => (cell) => wanted.has(plainName(cell)));
    const code = codeColumns(table.header).find((column) => hasCodes(table, column));
    if (lga === null || table.rows.length !== names.length || code === undefined) return [];
    const listed = filledCells(table, lga);
    const byPlain = Map.groupBy(listed, plainName);
    const spelled = new Map<string, string>();
    for (const name of names) {
      if (listed.includes(name)) continue;
      const alike = byPlain.get(plainName(name));
      if (alike?.length !== 1) return [];
      spelled.set(name, alike[0]!);
    }
    const state = likeliestColumn(table.header, 'state_pcode');
    const columns: Record<string, string> = { lga, lga_pcode: code, ...(state ? { state_pcode: state } : {}) };
    return [{ table, columns, spelled, numbers: numericColumns(table) }];
  });
  // Prefer a table of codes alone over one that also has figures.
  return fitting.sort((a, b) => a.spelled.size - b.spelled.size || a.numbers - b.numbers)[0] ?? null;
}

/** Tables that give codes for most of the names, and the names that each lacks; the most complete first. */
function withMostNames(tables: readonly TableFile[], names: readonly string[]) {
  const wanted = new Set(names.map(plainName));
  return tables
    .flatMap((table) => {
      const lga = columnMatching(table, () => (cell) => wanted.has(plainName(cell)));
      if (lga === null || codeColumns(table.header).length === 0) return [];
      const listed = filledCells(table, lga).map(plainName);
      const missing = names.filter((name) => !listed.includes(plainName(name)));
      const few = missing.slice(0, 3).join(', ');
      const lacks = `has no ${few}${missing.length > 3 ? ` and ${missing.length - 3} more` : ''}`;
      return [{ file: table.file, rows: listed.length, missing: missing.length, lacks }];
    })
    .sort((a, b) => a.missing - b.missing);
}

/** How the table that gives codes for the most names falls short. */
function nearest(tables: readonly TableFile[], names: readonly string[]): string {
  const [best] = withMostNames(tables, names);
  if (!best) return '';
  const { file, rows, missing, lacks } = best;
  const how = missing > 0 ? lacks : `has ${rows} rows for ${names.length} areas, or a duplicate code`;
  return `; the closest table is ${file}, which ${how}`;
}

/** Why tables that almost give all codes are not used, by file: the few names that they lack. */
function lacking(tables: readonly TableFile[], names: readonly string[], chosen: string): Map<string, string> {
  const nearly = withMostNames(tables, names).filter(
    ({ missing }) => missing > 0 && missing <= Math.max(1, names.length / 10),
  );
  return new Map(
    nearly.map(({ file, lacks, missing }) => [
      file,
      `gives codes for ${names.length - missing} of the ${names.length} names, but ${lacks}: complete it, or use the codes of ${chosen}`,
    ]),
  );
}

const numericColumns = (table: TextTable) =>
  table.header.filter((column) =>
    filledCells(table, column).every((cell) => cell !== '' && Number.isFinite(Number(cell))),
  ).length;

/** A regular expression for the codes: their common prefix, then their patterns of digits and letters. */
export function formOfCodes(codes: readonly string[]): string {
  const start = codes.reduce((common, code) => {
    let end = 0;
    while (end < common.length && common[end] === code[end] && !/\d/.test(common[end]!)) end++;
    return common.slice(0, end);
  });
  const forms = new Set(
    codes.map((code) =>
      code.slice(start.length).replaceAll(/\d+|[A-Z]+|[a-z]+/g, (run) => {
        const kind = /\d/.test(run) ? '[0-9]' : /[A-Z]/.test(run) ? '[A-Z]' : '[a-z]';
        return run.length === 1 ? kind : `${kind}{${run.length}}`;
      }),
    ),
  );
  if (forms.size > 6) return ANY_CODE;
  const [form, ...more] = [...forms].sort();
  return `^${start}${more.length === 0 ? form : `(${[form, ...more].join('|')})`}$`;
}
