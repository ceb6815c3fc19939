/** Columns of tables, recognised by their usual names and by their content. */
import { plain } from '../../ingest/names.ts';
import type { TextTable } from '../../ingest/readers/csv.ts';

/** Usual names of each column, in lower case without blanks and punctuation; the likeliest first. */
const ALIASES = {
  survey_year: ['surveyyear', 'yearstart', 'dhsyear', 'year', 'annee', 'an'],
  year: ['yearstart', 'year', 'annee', 'an'],
  month: ['monthstart', 'month', 'mois'],
  period: ['period', 'pe', 'periodid', 'yearmonth', 'month', 'date'],
  cluster_id: ['clusterid', 'dhsid', 'dhsclust', 'cluster', 'siteid', 'id'],
  longitude: ['longitude', 'longnum', 'lon', 'long', 'lng'],
  latitude: ['latitude', 'latnum', 'lat'],
  urban: ['ruralurban', 'urbanrural', 'urbanrura', 'urban', 'milieu'],
  youngest_years: ['lowerage', 'agemin', 'minage', 'min'],
  oldest_years: ['upperage', 'agemax', 'maxage', 'max'],
  method: ['method', 'diagnosticmethod', 'test', 'diagnostic'],
  examined: ['examined', 'tested', 'ntested', 'nexamined', 'n'],
  positive: ['pfpos', 'positive', 'npositive', 'npos', 'positives', 'pf'],
  positivity: ['pfpr', 'positivity', 'prevalence', 'pr', 'share'],
  weight: ['weight', 'samplingweight'],
  confirmed: ['confirmed', 'confirmedcases', 'cases', 'value'],
  rain_mm: ['rainmm', 'rain', 'rainfall', 'precipitation', 'precip', 'prec', 'mm'],
  temperature_c: ['temperaturec', 'temperature', 'temp', 'tmean'],
  people: ['people', 'ttl', 'totalpopulation', 'population', 'total', 'pop'],
  children_0_4: ['children04', 't0004', 't04', 'under5', 'population04', 'u5'],
  lga: [
    'adm2en',
    'adm2name',
    'adm2fr',
    'admin2name',
    'shapename',
    'lganame',
    'lga',
    'districtname',
    'district',
    'name2',
    'name',
    'ouname',
  ],
  lga_pcode: [
    'adm2pcode',
    'admin2pcode',
    'adm2code',
    'lgapcode',
    'lgacode',
    'districtcode',
    'gid2',
    'pcode',
    'code',
    'id',
  ],
  state: [
    'adm1en',
    'adm1name',
    'adm1fr',
    'admin1name',
    'statename',
    'state',
    'region',
    'province',
    'name1',
    'parentname',
  ],
  state_pcode: [
    'adm1pcode',
    'admin1pcode',
    'adm1code',
    'statepcode',
    'statecode',
    'regioncode',
    'gid1',
    'dep',
    'parentid',
  ],
  itn_use: ['itnuse', 'netuse', 'sleptunderitn', 'use'],
  itn_access: ['itnaccess', 'netaccess', 'access'],
  irs_coverage: ['irscoverage', 'irs'],
  effective_treatment: ['effectivetreatment', 'treatment'],
} as const satisfies Record<string, readonly string[]>;
export type ColumnName = keyof typeof ALIASES;

export const aliasesOf = (name: ColumnName): readonly string[] => ALIASES[name];

const withoutYear = (name: string) => plain(name).replace(/(19|20)\d\d$/, '');

/**
 * The file's column that most likely is the project's `name`; a year at the end (`T_TL_2015`) is ignored. Null if none.
 */
export function columnOf(header: readonly string[], name: ColumnName): string | null {
  const names = header.map((own) => ({ own, bare: plain(own), base: withoutYear(own) }));
  for (const alias of ALIASES[name]) {
    const exact = names.find(({ bare }) => bare === alias);
    if (exact) return exact.own;
    // The latest year.
    const dated = names.filter(({ base }) => base === alias).sort((a, b) => (a.bare < b.bare ? -1 : 1));
    if (dated.length > 0) return dated.at(-1)!.own;
  }
  return null;
}

/** The same column for `year` if the table has one, else `column`. */
export function columnOfYear(header: readonly string[], column: string, year: number): string {
  const dated = `${withoutYear(column)}${year}`;
  return header.find((own) => plain(own) === dated) ?? column;
}

/** Those of `names` that the file has a column for, each with the file's name of it. */
export function columnsOf(
  header: readonly string[],
  names: readonly ColumnName[],
): Partial<Record<ColumnName, string>> {
  return Object.fromEntries(
    names.flatMap((name) => {
      const column = columnOf(header, name);
      return column === null ? [] : [[name, column]];
    }),
  );
}

/** The non-empty cells of a column. */
export function cellsOf({ header, rows }: TextTable, column: string): string[] {
  const at = header.indexOf(column);
  return rows.flatMap(({ cells }) => cells[at] ?? []);
}

/** The column with the largest share of wanted cells, if that is at least two thirds; else null. */
export function columnMatching(table: TextTable, wanted: (cell: string) => boolean): string | null {
  const shares = table.header.map((column) => {
    const cells = cellsOf(table, column);
    return { column, share: cells.length === 0 ? 0 : cells.filter(wanted).length / table.rows.length };
  });
  const [best] = shares.sort((a, b) => b.share - a.share);
  return best && best.share >= 2 / 3 ? best.column : null;
}
