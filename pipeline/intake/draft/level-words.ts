/** What a country calls the areas of each level, as the columns of its tables and their cells say. */
import { plain, sharedWords } from '../../lib/likeness.ts';
import { cellsOf } from '../columns.ts';
import type { AreaCodes, AreaLevel } from './draft-keys.ts';
import type { TableFile } from './recognise.ts';

export interface LevelWord {
  one: string;
  many: string;
}

/** English words of levels, and the same in other languages as `plain` writes them. */
const LEVELS: readonly (LevelWord & { is: RegExp })[] = [
  { one: 'region', many: 'regions', is: /^(region|regiao|regions)$/ },
  { one: 'sub-region', many: 'sub-regions', is: /^subregion$/ },
  { one: 'province', many: 'provinces', is: /^(provinces?|provincia)$/ },
  { one: 'department', many: 'departments', is: /^(departments?|departement|departamento)$/ },
  { one: 'county', many: 'counties', is: /^(county|counties)$/ },
  { one: 'district', many: 'districts', is: /^(districts?|distrito)$/ },
  { one: 'commune', many: 'communes', is: /^(communes?|comuna)$/ },
  { one: 'municipality', many: 'municipalities', is: /^(municipality|municipio|municipalite)$/ },
  { one: 'prefecture', many: 'prefectures', is: /^(prefectures?)$/ },
  { one: 'zone', many: 'zones', is: /^(zones?|zona)$/ },
  { one: 'state', many: 'states', is: /^(states?|etat|estado)$/ },
  { one: 'cercle', many: 'cercles', is: /^cercles?$/ },
];
/** As in `placeOf`. */
const LEAST_SHARE = 2 / 3;

/** The word of each level that most columns of its areas are called by, or have in most of their names. */
export function levelWords(
  tables: readonly TableFile[],
  { lgas, states }: AreaCodes,
): Record<'upper' | 'lower', LevelWord | null> {
  const columns = tables.flatMap((table) =>
    table.header.flatMap((column) => {
      const names = new Set(cellsOf(table, column));
      const words = [plain(column), ...sharedWords(names)];
      const found = LEVELS.find(({ is }) => words.some((word) => is.test(word)));
      return found ? [{ names, found }] : [];
    }),
  );
  const wordOf = (level: AreaLevel, except: LevelWord | null) => {
    const votes = columns
      .filter(({ names, found }) => found !== except && isOf(names, level))
      .map(({ found }) => found);
    const counted = [...Map.groupBy(votes, (word) => word)].sort(([, a], [, b]) => b.length - a.length);
    return counted[0]?.[0] ?? null;
  };
  const upper = wordOf(states, null);
  return { upper, lower: wordOf(lgas, upper) };
}

function isOf(names: ReadonlySet<string>, { codesOf }: AreaLevel): boolean {
  const codeOf = codesOf(names);
  return names.size > 0 && [...names].filter((name) => codeOf(name) !== undefined).length >= LEAST_SHARE * names.size;
}
