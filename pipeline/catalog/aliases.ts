/**
 * Areas by name: the tables that go by names, and `aliases.csv` beside a catalog, the names that a person has accepted.
 */
import { isPeriod } from '../contract/months.ts';
import { InputLocation } from '../lib/bad-input.ts';
import { plainName } from '../lib/name-similarity.ts';
import { splitCsvCells, splitCsvRows, toCsv } from '../lib/tables/csv.ts';
import { isTable, knownColumns } from './roles.ts';
import type { Source } from './sources.ts';

/** The level of the areas of a table that has their names and no codes or locations; else null. */
export function levelJoinedByName(source: Pick<Source, 'role' | 'format' | 'columns'>): 'lga' | 'state' | null {
  const { columns = {} } = source;
  const isLocated = columns.longitude && source.role === 'survey_clusters';
  if (!isTable(source) || source.role === 'lga_codes' || columns.lga_pcode || isLocated) return null;
  if (columns.lga && knownColumns(source.role).includes('lga_pcode')) return 'lga';
  return columns.state && !columns.state_pcode ? 'state' : null;
}

export const ALIASES_FILE = 'aliases.csv';

/** A row of it; empty text where a cell is blank. */
export interface Alias {
  /** As a table has it, in any case and punctuation. */
  name: string;
  /** The upper-level area as the table has it, if the name alone is not enough. */
  parent: string;
  /** P-code of the area, of either level, in the country's outlines. */
  code: string;
  /** If the name is one of the parts into which the area was split: the first month with rows of the parts. */
  from: string;
}

const ALIAS_COLUMNS = ['name', 'parent', 'code', 'from'] as const;

export const aliasesCsv = (aliases: readonly Alias[]): string => `${toCsv(aliases, ALIAS_COLUMNS)}\n`;
export const aliasCsvLine = (alias: Alias): string => aliasesCsv([alias]).split('\n')[1]!;

const aliasKey = ({ name, parent }: Pick<Alias, 'name' | 'parent'>) =>
  JSON.stringify([plainName(name), plainName(parent)]);

/** The list with further rows, each name once. */
export function mergeAliases(existing: readonly Alias[] = [], additional: readonly Alias[]): Alias[] {
  return [...existing, ...additional].filter(
    (alias, i, all) => all.findIndex((other) => aliasKey(other) === aliasKey(alias)) === i,
  );
}

/** @throws BadInput naming the row; a name cannot have two codes, because nothing tells how to divide its figures */
export function parseAliases(file: string, csv: string): Alias[] {
  const location = new InputLocation(file);
  const rows = splitCsvRows(csv.replace(/^\uFEFF/, ''))
    .filter(({ text }) => text.trim() !== '')
    .map(({ line, text }) => ({ row: location.at(`row ${line}`), text, cells: splitCsvCells(text.trim(), ',') }));
  const [header, ...aliases] = rows;
  if (header?.cells.join() !== ALIAS_COLUMNS.join())
    throw location.at('row 1').error(header?.text ?? 'nothing', ALIAS_COLUMNS.join());
  const keysSeen = new Set<string>();
  return aliases.map(({ row, text, cells }) => {
    const [name = '', parent = '', code = '', from = ''] = cells.map((cell) => cell?.trim());
    if (cells.length !== ALIAS_COLUMNS.length || cells.includes(null) || !plainName(name) || !code)
      throw row.error(text, ALIAS_COLUMNS.join());
    if (from && !isPeriod(from)) throw row.at('from').error(from, 'the month of a split, YYYY-MM, or nothing');
    const key = aliasKey({ name, parent });
    if (keysSeen.has(key)) throw row.error(`${name} again`, 'each name once: areas that were merged cannot be divided');
    keysSeen.add(key);
    return { name, parent, code, from };
  });
}
