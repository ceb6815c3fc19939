/** A country's areas, drafted from its files: their outlines, codes and parents, and the form of the codes. */

import type { Source } from '../../catalog/sources.ts';
import { ANY_CODE } from '../../contract/territory.ts';
import { outlineAround } from '../../ingest/areas.ts';
import { codeReader } from '../../ingest/places-by-code.ts';
import type { TextTable } from '../../ingest/readers/csv.ts';
import { BadInput, InputLocation } from '../../lib/bad-input.ts';
import { firstFew } from '../../lib/first-few.ts';
import { plainName } from '../../lib/name-similarity.ts';
import {
  bestMatchingColumn,
  type ColumnName,
  candidateColumns,
  cellsByRow,
  filledCells,
  isUid,
  likeliestColumn,
} from '../columns.ts';
import type { LeftOut, OutlineFile, TableFile } from './recognise.ts';

export interface DraftAreas {
  outlines: OutlineFile;
  /** The names of the files that have other areas of its level, after that of its own. */
  rivals: string[];
  /** The project's column names -> the outlines' fields. */
  columns: Record<string, string>;
  /** The table that gives codes by name, if the outlines have none. */
  codes: { table: TableFile; columns: Record<string, string> } | null;
  /** Outlines of the upper level, if nothing else gives the parents. */
  stateOutlines: { outlines: OutlineFile; columns: Record<string, string> } | null;
  /** Code and name of each lower-level area, and its parent's code if a table or the outlines give it. */
  lgas: { code: string; name: string; parent: string | null }[];
  states: { code: string; name: string }[];
  /** The code of each id that tables have in place of codes. */
  codeById: ReadonlyMap<string, string>;
  recode: NonNullable<Source['recode']> | null;
  /** Why tables of codes that lack a few areas are not used, by file. */
  incompleteTables: ReadonlyMap<string, string>;
  leftOut: LeftOut[];
  doubts: string[];
}

/** A message names this many areas that a table lacks. */
const MOST_NAMES = 3;

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
 * Outlines in which a few features have the code and the name of another one as one feature for each area, as
 * `dissolve` reads them.
 */
function dissolveParts(outlines: OutlineFile): OutlineFile {
  const attributes = attributeTable(outlines);
  const name = likeliestColumn(attributes.header, 'lga');
  const code = candidateColumns(attributes.header, 'lga_pcode').find(
    (column) => filledCells(attributes, column).length === attributes.rows.length,
  );
  if (!name || !code) return outlines;
  const [names, codes] = [cellsByRow(attributes, name), cellsByRow(attributes, code)];
  const identities = codes.map((cell, i) => JSON.stringify([cell, names[i]]));
  const groups = Map.groupBy(outlines.features, (_, i) => identities[i]!);
  const isEachCodeOfOneName = new Set(codes).size === groups.size;
  // Where most features share their code, it is that of another level.
  if (!isEachCodeOfOneName || groups.size === outlines.features.length || 2 * groups.size <= outlines.features.length)
    return outlines;
  const split = [...groups].filter(([, parts]) => parts.length > 1).map(([identity]) => JSON.parse(identity).join(' '));
  return {
    ...outlines,
    features: [...groups.values()].map(([first, ...parts]) => ({
      ...first!,
      polygons: [...first!.polygons, ...parts.flatMap(({ polygons }) => polygons)],
    })),
    dissolved: split,
  };
}

/** The file with the most outlines and those of its level: most of their outlines have one of its outlines inside. */
const findSameLevel = ([most, ...others]: readonly OutlineFile[]): OutlineFile[] => [
  ...(most ? [most] : []),
  ...others.filter(({ features }) => {
    if (2 * features.length <= most!.features.length) return false;
    const outlinesInside = Map.groupBy(most!.features, (feature) => outlineAround(feature, features));
    return 2 * features.filter((feature) => outlinesInside.get(feature)?.length === 1).length > features.length;
  }),
];

/** Counts the areas whose codes and names are in no table. @param plainTexts of all cells of tables */
function countAreasWithoutRows(outlines: OutlineFile, plainTexts: ReadonlySet<string>): number {
  const attributes = attributeTable(outlines);
  const columns = [...candidateColumns(attributes.header, 'lga'), ...codeFields(attributes)];
  const indexes = columns.map((column) => attributes.header.indexOf(column));
  return attributes.rows.filter((row) => !indexes.some((i) => plainTexts.has(plainName(row.cells[i] ?? '')))).length;
}

/**
 * The file with the most outlines is the lower level. Of files that draw it differently, it is the one that is chosen
 * or else the one with the fewest areas that no table has.
 * @param choice the name of a file of outlines
 * @throws BadInput if there are no outlines, no names, no codes or no parents
 */
export function draftAreas(
  outlineFiles: readonly OutlineFile[],
  tables: readonly TableFile[],
  choice?: string,
): DraftAreas {
  const files = outlineFiles.map(dissolveParts).toSorted((a, b) => b.features.length - a.features.length);
  const sameLevel = findSameLevel(files);
  const texts = new Set(sameLevel.length > 1 ? tables.flatMap(({ rows }) => rows.flatMap(({ cells }) => cells)) : []);
  const plainTexts = new Set([...texts].flatMap((text) => plainName(text ?? '') || []));
  const [used, ...others] = sameLevel
    .map((file) => ({ file, missing: countAreasWithoutRows(file, plainTexts) }))
    .sort((a, b) => Number(b.file.file === choice) - Number(a.file.file === choice) || a.missing - b.missing);
  const outlines = used?.file;
  if (!outlines)
    throw new BadInput({
      file: '--from',
      found: 'no outlines',
      expected: 'polygons of the areas: GeoJSON, TopoJSON or a shapefile',
    });
  const location = new InputLocation(outlines.file);
  const rivals = others
    .filter(({ file, missing }) => file.features.length !== outlines.features.length || missing !== used.missing)
    .map(({ file }) => file);
  const attributes = attributeTable(outlines);
  const nameField = likeliestColumn(attributes.header, 'lga');
  if (!nameField) {
    const found = `the fields ${attributes.header.join(', ') || 'none'}`;
    throw location.error(found, 'a field with their names, such as ADM2_EN or shapeName');
  }
  const names = filledCells(attributes, nameField);
  const [usedField, ...otherFields] = findCodeFields(attributes, tables);
  const outlineCodes = usedField ?? codesToRecode(attributes, candidateColumns(attributes.header, 'lga_pcode'));
  const upperFiles = files.filter((file) => !sameLevel.includes(file));
  const stateOutlines = draftStateOutlines(upperFiles, attributes);
  const codeTable = outlineCodes?.isCertain ? null : findCodeTable(tables, names);
  const [closest] = outlineCodes || codeTable ? [] : describeShortfalls(tables, names);
  const nameCodes = outlineCodes || codeTable || closest ? null : codesToRecode(attributes, [nameField]);
  const codeField = outlineCodes ?? nameCodes;
  if (!codeField && !codeTable) {
    const closestText = closest ? `; the closest table is ${closest.file}, which ${closest.shortfall}` : '';
    throw location.error(
      `areas without codes; their fields are ${attributes.header.join(', ')}${closestText}`,
      'a field with a code for each area (unique, letters, digits, - and _ alone), a table that gives codes by name, or names of which each is of one area',
    );
  }
  const tableParents = codeTable?.columns.state_pcode
    ? filledCells(codeTable.table, codeTable.columns.state_pcode)
    : null;
  const usedStateOutlines = tableParents ? null : stateOutlines;
  const outlineParents =
    tableParents || (codeTable && stateOutlines) ? null : findParents(attributes, stateOutlines === null);
  if (!tableParents && !outlineParents && !stateOutlines)
    throw location.error(
      `areas without their upper-level areas; its fields are ${attributes.header.join(', ')}`,
      `a field with the codes or names of these, such as ADM1_PCODE${codeTable ? `, a column with them in ${codeTable.table.file}` : ''}, or outlines of the upper level`,
    );
  const recode: DraftAreas['recode'] & object = {
    ...(codeTable && codeTable.respelled.size > 0 ? { lga: Object.fromEntries(codeTable.respelled) } : {}),
    ...(!codeTable && codeField!.recode ? { lga_pcode: codeField!.recode } : {}),
    ...(outlineParents?.recode ? { state_pcode: outlineParents.recode } : {}),
  };
  const { table: tableOfCodes, columns } = codeTable ?? {
    table: attributes,
    columns: { lga: nameField, lga_pcode: codeField!.column },
  };
  const cells = filledCells(tableOfCodes, columns.lga_pcode!);
  const parentByName = new Map(outlineParents?.codes.map((code, i) => [plainName(names[i]!), code]));
  const parents = tableParents ?? (codeTable ? null : outlineParents?.codes);
  const lgas = filledCells(tableOfCodes, columns.lga!).map((name, i) => ({
    code: recode.lga_pcode?.[cells[i]!] ?? cells[i]!,
    name,
    parent: parents?.[i] ?? parentByName.get(plainName(name)) ?? null,
  }));
  const idField = codeTable
    ? undefined
    : otherFields.find(({ column, usingTables }) => usingTables > 0 && !hasNumbers(attributes, column));
  const ids = idField ? filledCells(attributes, idField.column) : [];
  return {
    outlines,
    codeById: new Map(ids.map((id, i) => [id, lgas[i]!.code])),
    columns: {
      lga: nameField,
      ...(codeTable ? {} : { lga_pcode: codeField!.column }),
      ...(idField ? { lga_id: idField.column } : {}),
      ...(outlineParents ? { state_pcode: outlineParents.column } : {}),
    },
    codes: codeTable && { table: codeTable.table, columns: codeTable.columns },
    stateOutlines: usedStateOutlines,
    lgas,
    states: usedStateOutlines
      ? statesFromOutlines(usedStateOutlines)
      : outlineParents
        ? distinctStates(outlineParents.codes, outlineParents.names)
        : distinctStates(tableParents!, stateNames(tableOfCodes)),
    recode: Object.keys(recode).length > 0 ? recode : null,
    incompleteTables: codeTable ? describeIncompleteTables(tables, names, codeTable.table.file) : new Map(),
    rivals: [outlines, ...rivals].map(({ file }) => file),
    leftOut: files
      .filter((file) => file !== outlines && file !== usedStateOutlines?.outlines)
      .map((file) => unusedOutlines(file, rivals.includes(file))),
    doubts: [
      ...(codeTable ? describeRepeatedCodes(outlines.file, attributes) : []),
      ...(nameCodes
        ? [
            `${outlines.file}: no codes, so that codes are made of the names, such as ${lgas[0]!.code}; answers and links keep them, so add official codes first, if there are any`,
          ]
        : []),
    ],
  };
}

/** Fields of codes that are not used, because a few of the outlines have the code of another one. */
const describeRepeatedCodes = (file: string, attributes: TextTable): string[] =>
  candidateColumns(attributes.header, 'lga_pcode').flatMap((column) => {
    const cells = filledCells(attributes, column);
    const repeated = cells.filter((cell, i) => cells.indexOf(cell) !== i);
    return repeated.length === 0 || repeated.length > Math.max(1, cells.length / 10)
      ? []
      : `${file}: the codes in "${column}" are not used, because two outlines have ${firstFew(repeated, MOST_NAMES)}; outlines get the codes of their names`;
  });

function stateNames(table: TextTable): string[] {
  const column = likeliestColumn(table.header, 'state');
  return column ? filledCells(table, column) : [];
}

/** Names of row numbers, which programs write and change. */
const ROW_NUMBER_FIELDS = ['fid', 'ogcfid', 'objectid', 'oid', 'gid'];

const columnsExcept = (header: readonly string[], names: readonly ColumnName[]): string[] => {
  const excluded = names.flatMap((name) => candidateColumns(header, name));
  return header.filter((column) => !excluded.includes(column));
};

/** The columns that may have codes of areas by their names: the usual ones, then other ids. */
function codeColumns(header: readonly string[]): string[] {
  const ids = columnsExcept(header, ['lga_pcode', 'state_pcode', 'lga', 'state']).filter(
    (column) => /(id|code)$/.test(plainName(column)) && !ROW_NUMBER_FIELDS.includes(plainName(column)),
  );
  return [...candidateColumns(header, 'lga_pcode'), ...ids];
}

/** The outlines' fields of codes, whatever they are called: those with texts of one length come last. */
function codeFields(attributes: TextTable): string[] {
  const texts = columnsExcept(attributes.header, ['state_pcode', 'lga', 'state']).filter((column) => {
    const cells = filledCells(attributes, column);
    return cells.every((cell) => /\p{L}/u.test(cell) && cell.length === cells[0]!.length);
  });
  return [...new Set([...codeColumns(attributes.header), ...texts])].filter((column) => hasCodes(attributes, column));
}

/** Fields that also number features, so that codes given by names in a table are preferred. */
const FEATURE_NUMBER_FIELDS = ['id', 'shapeid'];

interface CodeField {
  column: string;
  usingTables: number;
  /** Whether they occur in a table, or their name leaves no doubt. */
  isCertain: boolean;
  /** The code of each of them, if they cannot be codes as they are. */
  recode?: Record<string, string>;
}

/**
 * The outlines' fields of codes: first those whose codes occur in the most tables, then those of the likeliest names.
 * Ids of DHIS2, which tables may have beside codes, come after codes that any table has.
 */
function findCodeFields(attributes: TextTable, tables: readonly TableFile[]): CodeField[] {
  const named = candidateColumns(attributes.header, 'lga_pcode');
  const fields = codeFields(attributes).map((column) => {
    const readCode = codeReader(filledCells(attributes, column));
    const usingTables = tables.filter(
      (table) => bestMatchingColumn(table, () => (cell) => readCode(cell) !== null) !== null,
    ).length;
    return {
      column,
      usingTables,
      isCertain: usingTables > 0 || (named.includes(column) && !FEATURE_NUMBER_FIELDS.includes(plainName(column))),
    };
  });
  const rank = ({ column, usingTables }: CodeField) =>
    filledCells(attributes, column).every(isUid) ? Math.min(usingTables, 0.5) : usingTables;
  return fields.sort((a, b) => rank(b) - rank(a));
}

/** Whether some cells are numbers, which counts in a table may equal by chance. */
const hasNumbers = (attributes: TextTable, column: string) =>
  filledCells(attributes, column).some((cell) => /^\d+$/.test(cell));

/** The first of some fields that is made one of codes, such as GADM's GID_2, whose dots no code may have. */
function codesToRecode(attributes: TextTable, columns: readonly string[]): CodeField | null {
  for (const column of columns) {
    const cells = filledCells(attributes, column);
    const recode = Object.fromEntries(cells.map((cell) => [cell, codeFromName(cell)]));
    const codes = new Set(Object.values(recode));
    if (codes.size === attributes.rows.length && cells.length === attributes.rows.length && [...codes].every(isCode))
      return { column, usingTables: 0, isCertain: false, recode };
  }
  return null;
}

/**
 * The code and name of each outline's parent, from a field of codes or, if `byName`, one of names, which are recoded.
 */
function findParents(attributes: TextTable, byName: boolean) {
  const isFull = (column: string) => filledCells(attributes, column).length === attributes.rows.length;
  const codeColumn = candidateColumns(attributes.header, 'state_pcode').find(
    (column) => isFull(column) && filledCells(attributes, column).every(isCode),
  );
  if (codeColumn)
    return {
      column: codeColumn,
      codes: filledCells(attributes, codeColumn),
      names: stateNames(attributes),
      recode: null,
    };
  const parentColumn = likeliestColumn(attributes.header, 'state') ?? likeliestColumn(attributes.header, 'state_pcode');
  if (!byName || parentColumn === null || !isFull(parentColumn)) return null;
  const names = filledCells(attributes, parentColumn);
  const recode = Object.fromEntries(names.map((name) => [name, codeFromName(name)]));
  const isDistinct = new Set(Object.values(recode)).size === Object.keys(recode).length;
  return isDistinct ? { column: parentColumn, codes: names.map(codeFromName), names, recode } : null;
}

/** A name as a code: its letters and digits without accents, joined by hyphens. */
const codeFromName = (name: string) =>
  name
    .normalize('NFD')
    .replaceAll(/\p{M}/gu, '')
    .match(/[A-Za-z0-9]+/g)
    ?.join('-') ?? '';

const unusedOutlines = ({ file, features }: OutlineFile, isRival: boolean): LeftOut => ({
  kind: 'left out',
  file,
  why: `${features.length} outlines that ${isRival ? 'draw the lower level differently (answer "outlines" with it to use it)' : 'add nothing to the others, or lack codes'}`,
  lost: null,
});

/**
 * The upper level: the first other file with several outlines that each have a code and a name. Of several codes, it is
 * the one that the lower level's areas have as their parent's.
 */
function draftStateOutlines(candidates: readonly OutlineFile[], attributes: TextTable): DraftAreas['stateOutlines'] {
  const parents = new Set(
    candidateColumns(attributes.header, 'state_pcode').flatMap((column) => filledCells(attributes, column)),
  );
  for (const outlines of candidates) {
    const table = attributeTable(outlines);
    const namedColumns = (...names: ColumnName[]) =>
      names.flatMap((columnName) => candidateColumns(table.header, columnName));
    const codes = namedColumns('state_pcode', 'lga_pcode').filter((column) => hasCodes(table, column));
    const code = codes.find((column) => filledCells(table, column).some((cell) => parents.has(cell))) ?? codes[0];
    const name = namedColumns('state', 'lga').find(
      (column) => new Set(filledCells(table, column)).size === table.rows.length,
    );
    if (outlines.features.length > 1 && name && code) return { outlines, columns: { state_pcode: code, state: name } };
  }
  return null;
}

function statesFromOutlines({ outlines, columns }: NonNullable<DraftAreas['stateOutlines']>): DraftAreas['states'] {
  const table = attributeTable(outlines);
  return distinctStates(filledCells(table, columns.state_pcode!), filledCells(table, columns.state!));
}

/** Each code once with its name, sorted by code; a code without a name serves as the name. */
function distinctStates(codes: readonly string[], names: readonly string[]): DraftAreas['states'] {
  const nameByCode = new Map(codes.map((code, i) => [code, names[i] ?? code]));
  return [...nameByCode].sort(([a], [b]) => (a < b ? -1 : 1)).map(([code, name]) => ({ code, name }));
}

/** The table that gives each name a code, identically or almost identically spelled; null if there is none. */
function findCodeTable(tables: readonly TableFile[], names: readonly string[]) {
  const plainNames = new Set(names.map(plainName));
  const codeTables = tables.flatMap((table) => {
    const nameColumn = bestMatchingColumn(table, () => (cell) => plainNames.has(plainName(cell)));
    const codeColumn = codeColumns(table.header).find((column) => hasCodes(table, column));
    if (nameColumn === null || table.rows.length !== names.length || codeColumn === undefined) return [];
    const tableNames = filledCells(table, nameColumn);
    const namesByPlainName = Map.groupBy(tableNames, plainName);
    const respelled = new Map<string, string>();
    for (const name of names) {
      if (tableNames.includes(name)) continue;
      const alike = namesByPlainName.get(plainName(name));
      if (alike?.length !== 1) return [];
      respelled.set(name, alike[0]!);
    }
    const stateColumn = likeliestColumn(table.header, 'state_pcode');
    const columns: Record<string, string> = {
      lga: nameColumn,
      lga_pcode: codeColumn,
      ...(stateColumn ? { state_pcode: stateColumn } : {}),
    };
    return [{ table, columns, respelled, numbers: countNumericColumns(table) }];
  });
  // Prefer a table of codes alone over one that also has figures.
  return codeTables.sort((a, b) => a.respelled.size - b.respelled.size || a.numbers - b.numbers)[0] ?? null;
}

/** How tables that give codes for most of the names fall short, the most complete first. */
function describeShortfalls(tables: readonly TableFile[], names: readonly string[]) {
  const plainNames = new Set(names.map(plainName));
  return tables
    .flatMap((table) => {
      const nameColumn = bestMatchingColumn(table, () => (cell) => plainNames.has(plainName(cell)));
      if (nameColumn === null || codeColumns(table.header).length === 0) return [];
      const tableNames = new Set(filledCells(table, nameColumn).map(plainName));
      const missing = names.filter((name) => !tableNames.has(plainName(name)));
      const shortfall =
        missing.length > 0
          ? `has no ${firstFew(missing, MOST_NAMES)}`
          : `has ${table.rows.length} rows for ${names.length} areas, or a duplicate code`;
      return [{ file: table.file, missing: missing.length, shortfall }];
    })
    .sort((a, b) => a.missing - b.missing);
}

/** Why tables that almost give all codes are not used, by file. */
const describeIncompleteTables = (tables: readonly TableFile[], names: readonly string[], chosen: string) =>
  new Map(
    describeShortfalls(tables, names).flatMap(({ file, missing, shortfall }) => {
      if (missing === 0 || missing > Math.max(1, names.length / 10)) return [];
      const why = `gives codes for ${names.length - missing} of the ${names.length} names, but ${shortfall}: complete it, or use the codes of ${chosen}`;
      return [[file, why] as const];
    }),
  );

const countNumericColumns = (table: TextTable) =>
  table.header.filter((column) =>
    filledCells(table, column).every((cell) => cell !== '' && Number.isFinite(Number(cell))),
  ).length;

/** A regular expression for the codes: their common prefix, then their patterns of digits and letters. */
export function codePattern(codes: readonly string[]): string {
  const prefix = codes.reduce((common, code) => {
    let end = 0;
    while (end < common.length && common[end] === code[end] && !/\d/.test(common[end]!)) end++;
    return common.slice(0, end);
  });
  const patterns = new Set(
    codes.map((code) =>
      code.slice(prefix.length).replaceAll(/\d+|[A-Z]+|[a-z]+/g, (characters) => {
        const kind = /\d/.test(characters) ? '[0-9]' : /[A-Z]/.test(characters) ? '[A-Z]' : '[a-z]';
        return characters.length === 1 ? kind : `${kind}{${characters.length}}`;
      }),
    ),
  );
  if (patterns.size > 6) return ANY_CODE;
  const [firstPattern, ...more] = [...patterns].sort();
  return `^${prefix}${more.length === 0 ? firstPattern : `(${[firstPattern, ...more].join('|')})`}$`;
}
