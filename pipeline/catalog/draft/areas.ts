/** Which outlines are a country's areas, where their codes and states come from, and how the codes look. */
import { BadInput } from '../../bad-input.ts';
import { ANY_CODE } from '../../contract/territory.ts';
import { plain } from '../../ingest/names.ts';
import type { Csv } from '../../ingest/readers/csv.ts';
import type { Source } from '../sources.ts';
import { cellsOf, columnAmong, columnOf } from './columns.ts';
import type { LeftOut, Outlines, Tabular } from './look.ts';

export interface DraftAreas {
  outlines: Outlines;
  /** Columns of the outlines under the project's names. */
  columns: Record<string, string>;
  /** The table that gives codes by name, if the outlines have none. */
  codes: { table: Tabular; columns: Record<string, string> } | null;
  /** Outlines of the states, where they give what nothing else does. */
  states: { outlines: Outlines; columns: Record<string, string> } | null;
  /** Code and name of each lower area, and its upper area's code where a table or the outlines say it. */
  lgas: { code: string; name: string; parent: string | null }[];
  upper: { code: string; name: string }[];
  recode: NonNullable<Source['recode']> | null;
  /** Tables of codes that lack a few areas, by file: why they are not taken. */
  lacking: ReadonlyMap<string, string>;
  leftOut: LeftOut[];
}

const isCode = (text: string) => new RegExp(ANY_CODE).test(text);

/** The outlines' properties as a table. */
function tableOf({ features }: Outlines): Csv {
  const header = [...new Set(features.flatMap(({ properties }) => Object.keys(properties)))];
  const rows = features.map(({ properties }, i) => ({
    line: i + 1,
    cells: header.map((name) =>
      properties[name] == null || properties[name] === '' ? null : String(properties[name]),
    ),
  }));
  return { header, rows };
}

/** Whether a column has a code of its own in every row. */
function hasCodes(table: Csv, column: string | null): column is string {
  if (column === null) return false;
  const cells = cellsOf(table, column);
  return cells.length === table.rows.length && new Set(cells).size === cells.length && cells.every(isCode);
}

/**
 * The areas of the files: the lower level are the outlines with the most features.
 * @throws BadInput where there are no outlines, no names, or nothing that gives codes or states
 */
export function draftAreas(all: readonly Outlines[], tables: readonly Tabular[]): DraftAreas {
  const [outlines, ...others] = all.toSorted((a, b) => b.features.length - a.features.length);
  if (!outlines)
    throw new BadInput('--from', '', 'no outlines', 'polygons of the areas: GeoJSON, TopoJSON or a shapefile');
  const own = tableOf(outlines);
  const name = columnOf(own.header, 'lga');
  if (!name) {
    const found = `the fields ${own.header.join(', ') || 'none'}`;
    throw new BadInput(outlines.file, '', found, 'one that is a name, such as ADM2_EN or shapeName');
  }
  const names = cellsOf(own, name);
  const ownCode = columnOf(own.header, 'lga_pcode');
  const ownState = columnOf(own.header, 'state_pcode');
  const upper = draftUpper(others);
  const shared = { outlines, leftOut: others.filter((one) => one !== upper?.outlines).map(leftOut) };

  if (hasCodes(own, ownCode)) {
    const parents = ownState ? cellsOf(own, ownState) : null;
    if (!parents && !upper)
      throw new BadInput(
        outlines.file,
        '',
        'areas without the areas above them',
        'a field with their codes, or outlines of these',
      );
    const codes = cellsOf(own, ownCode);
    const stateName = columnOf(own.header, 'state');
    const upperNames = stateName ? cellsOf(own, stateName) : [];
    return {
      ...shared,
      columns: { lga: name, lga_pcode: ownCode, ...(ownState ? { state_pcode: ownState } : {}) },
      codes: null,
      states: upper,
      lgas: names.map((lga, i) => ({ code: codes[i]!, name: lga, parent: parents?.[i] ?? null })),
      upper: upper ? upperOf(upper) : distinct(parents!, upperNames),
      recode: null,
      lacking: new Map(),
    };
  }
  const found = codesByName(tables, names);
  if (!found)
    throw new BadInput(
      outlines.file,
      '',
      `areas without codes${nearest(tables, names)}`,
      'a field with a code of each, or a table that gives codes by name',
    );
  const { table, columns, spelled } = found;
  const [ofName, ofCode] = [cellsOf(table, columns.lga!), cellsOf(table, columns.lga_pcode!)];
  const parents = columns.state_pcode ? cellsOf(table, columns.state_pcode) : null;
  if (!parents && !upper)
    throw new BadInput(
      table.file,
      '',
      'codes without those of the areas above',
      'a column with them, or outlines of these',
    );
  const stateName = columnOf(table.header, 'state');
  return {
    ...shared,
    leftOut: others.filter((one) => parents !== null || one !== upper?.outlines).map(leftOut),
    columns: { lga: name },
    codes: { table, columns },
    states: parents ? null : upper,
    lgas: ofName.map((lga, i) => ({ code: ofCode[i]!, name: lga, parent: parents?.[i] ?? null })),
    upper: parents ? distinct(parents, stateName ? cellsOf(table, stateName) : []) : upperOf(upper!),
    recode: spelled.size > 0 ? { lga: Object.fromEntries(spelled) } : null,
    lacking: lacking(tables, names, table.file),
  };
}

const leftOut = ({ file, features }: Outlines): LeftOut => ({
  ...{ kind: 'left out', file },
  why: `${features.length} outlines that say nothing the others do not, or lack codes`,
});

/** Outlines that have a code and a name each and are more than one: the upper level. */
function draftUpper(others: readonly Outlines[]): DraftAreas['states'] {
  for (const outlines of others) {
    const table = tableOf(outlines);
    const code = columnOf(table.header, 'state_pcode') ?? columnOf(table.header, 'lga_pcode');
    const name = columnOf(table.header, 'state') ?? columnOf(table.header, 'lga');
    if (outlines.features.length > 1 && name && hasCodes(table, code))
      return { outlines, columns: { state_pcode: code, state: name } };
  }
  return null;
}

function upperOf({ outlines, columns }: NonNullable<DraftAreas['states']>): DraftAreas['upper'] {
  const table = tableOf(outlines);
  return distinct(cellsOf(table, columns.state_pcode!), cellsOf(table, columns.state!));
}

/** Codes once each with the names beside them, in order of code; a code is its own name where there is none. */
function distinct(codes: readonly string[], names: readonly string[]): DraftAreas['upper'] {
  const found = new Map(codes.map((code, i) => [code, names[i] ?? code]));
  return [...found].sort(([a], [b]) => (a < b ? -1 : 1)).map(([code, name]) => ({ code, name }));
}

/** The table that has each name once with a code: letter for letter, or spelled a little otherwise. */
function codesByName(tables: readonly Tabular[], names: readonly string[]) {
  const wanted = new Set(names.map(plain));
  const fitting = tables.flatMap((table) => {
    const lga = columnAmong(table, (cell) => wanted.has(plain(cell)));
    const code = columnOf(table.header, 'lga_pcode');
    if (lga === null || table.rows.length !== names.length || !hasCodes(table, code)) return [];
    const listed = cellsOf(table, lga);
    const byPlain = Map.groupBy(listed, plain);
    const spelled = new Map<string, string>();
    for (const name of names) {
      if (listed.includes(name)) continue;
      const alike = byPlain.get(plain(name));
      if (alike?.length !== 1) return [];
      spelled.set(name, alike[0]!);
    }
    const state = columnOf(table.header, 'state_pcode');
    const columns: Record<string, string> = { lga, lga_pcode: code, ...(state ? { state_pcode: state } : {}) };
    return [{ table, columns, spelled, numbers: numericColumns(table) }];
  });
  // A table of codes alone rather than one of people.
  return fitting.sort((a, b) => a.spelled.size - b.spelled.size || a.numbers - b.numbers)[0] ?? null;
}

/** Tables that have a code beside most of the names, and the names that each lacks; the fullest first. */
function withMostNames(tables: readonly Tabular[], names: readonly string[]) {
  const wanted = new Set(names.map(plain));
  return tables
    .flatMap((table) => {
      const lga = columnAmong(table, (cell) => wanted.has(plain(cell)));
      if (lga === null || columnOf(table.header, 'lga_pcode') === null) return [];
      const listed = cellsOf(table, lga).map(plain);
      const missing = names.filter((name) => !listed.includes(plain(name)));
      const few = missing.slice(0, 3).join(', ');
      const lacks = `has no ${few}${missing.length > 3 ? ` and ${missing.length - 3} more` : ''}`;
      return [{ file: table.file, rows: listed.length, missing: missing.length, lacks }];
    })
    .sort((a, b) => a.missing - b.missing);
}

/** In which way the table that has most of the names with codes falls short. */
function nearest(tables: readonly Tabular[], names: readonly string[]): string {
  const [best] = withMostNames(tables, names);
  if (!best) return '';
  const { file, rows, missing, lacks } = best;
  const how = missing > 0 ? lacks : `has ${rows} rows for ${names.length} areas, or a code twice`;
  return `; of the tables with names ${file} is nearest, and ${how}`;
}

/** Why a table that might have given the codes does not: the few names that it lacks. By file. */
function lacking(tables: readonly Tabular[], names: readonly string[], chosen: string): Map<string, string> {
  const nearly = withMostNames(tables, names).filter(
    ({ missing }) => missing > 0 && missing <= Math.max(1, names.length / 10),
  );
  return new Map(
    nearly.map(({ file, lacks, missing }) => [
      file,
      `codes beside ${names.length - missing} of the ${names.length} names, but it ${lacks}: complete it, or let the codes come from ${chosen}`,
    ]),
  );
}

const numericColumns = (table: Csv) =>
  table.header.filter((column) => cellsOf(table, column).every((cell) => cell !== '' && Number.isFinite(Number(cell))))
    .length;

/** A regular expression of codes: their forms, digits and letters as such, and what all begin with as it is. */
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
