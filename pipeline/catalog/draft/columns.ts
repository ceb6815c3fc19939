/** Columns of tables by the names that they are met under, and by what they hold. */
import { plain } from '../../ingest/names.ts';
import type { Csv } from '../../ingest/readers/csv.ts';

/** Names as they are met, without case, blanks and marks; the likeliest first. */
const MET = {
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
export type Known = keyof typeof MET;

/** The names under which a column is known. */
export const metAs = (name: Known): readonly string[] => MET[name];

const yearless = (name: string) => plain(name).replace(/(19|20)\d\d$/, '');

/** The file's column that is likeliest the project's `name`; years behind a name (`T_TL_2015`) are no part of it. */
export function columnOf(header: readonly string[], name: Known): string | null {
  const names = header.map((own) => ({ own, met: plain(own), base: yearless(own) }));
  for (const known of MET[name]) {
    const exact = names.find(({ met }) => met === known);
    if (exact) return exact.own;
    // The latest year.
    const dated = names.filter(({ base }) => base === known).sort((a, b) => (a.met < b.met ? -1 : 1));
    if (dated.length > 0) return dated.at(-1)!.own;
  }
  return null;
}

/** The same column of another year, where the table has one. */
export function columnOfYear(header: readonly string[], column: string, year: number): string {
  const dated = `${yearless(column)}${year}`;
  return header.find((own) => plain(own) === dated) ?? column;
}

/** The columns that are known of those named, under the project's names. */
export function columnsOf(header: readonly string[], names: readonly Known[]): Partial<Record<Known, string>> {
  return Object.fromEntries(
    names.flatMap((name) => {
      const column = columnOf(header, name);
      return column === null ? [] : [[name, column]];
    }),
  );
}

/** The cells of a column that are not empty. */
export function cellsOf({ header, rows }: Csv, column: string): string[] {
  const at = header.indexOf(column);
  return rows.flatMap(({ cells }) => cells[at] ?? []);
}

/** The column most of whose cells, and two thirds at least, are among `wanted`; null where there is none. */
export function columnAmong(table: Csv, wanted: (cell: string) => boolean): string | null {
  const shares = table.header.map((column) => {
    const cells = cellsOf(table, column);
    return { column, share: cells.length === 0 ? 0 : cells.filter(wanted).length / table.rows.length };
  });
  const [best] = shares.sort((a, b) => b.share - a.share);
  return best && best.share >= 2 / 3 ? best.column : null;
}
