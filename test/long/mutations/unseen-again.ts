/**
 * A second set of kinds that were written down before any of them was tried. The first set has since influenced the
 * checks.
 */
import type { Mutation } from './mutation.ts';
import { each, from } from './rasters.ts';
import { inState, inYear, map, of, rename, swap, table, times } from './tables.ts';

const reversed = (column: string) =>
  table((rows) => rows.map((row, i) => ({ ...row, [column]: rows[rows.length - 1 - i]![column]! })));
const everywhere = (column: string, value: string) => table((rows) => rows.map((row) => ({ ...row, [column]: value })));

export const UNSEEN_AGAIN: Mutation[] = [
  ...of('survey_clusters', {
    'every cluster in the first LGA of its state': table((rows) =>
      rows.map((row) => ({ ...row, lga_pcode: `${row.lga_pcode!.slice(0, 5)}001` })),
    ),
    'the same number examined everywhere': everywhere('examined', '30'),
    'one round with the positivity of the previous one': table((rows) => {
      const before = rows.filter(inYear('2015'));
      let i = 0;
      return rows.map((row) =>
        inYear('2018')(row) ? { ...row, positivity: before[i++ % before.length]!.positivity! } : row,
      );
    }),
  }),
  ...of('survey_states', {
    'the mean everywhere': everywhere('positivity', '0.22'),
    'in reverse order': reversed('positivity'),
  }),
  ...of('cases_states', {
    'only children under five in the last year': map(
      'confirmed',
      (value) => Math.round(value * 0.4),
      ({ period }) => period!.startsWith('2023'),
    ),
    'suspected instead of confirmed cases in one state from 2022 on': map(
      'confirmed',
      (value) => Math.round(value * 2.5),
      (row) => row.period! >= '2022' && inState('NG022')(row),
    ),
  }),
  ...of('cases_lgas', {
    'one month multiplied by three': map(
      'confirmed',
      (value) => 3 * value,
      ({ period }) => period === '2022-05',
    ),
    'rounded to thousands': map('confirmed', (value) => 1000 * Math.round(value / 1000)),
    'the mean of each state in all of its LGAs': table((rows) => {
      const groups = Map.groupBy(rows, (row) => `${row.lga_pcode!.slice(0, 5)} ${row.period}`);
      const mean = (own: typeof rows) => own.reduce((sum, row) => sum + Number(row.confirmed), 0) / own.length;
      const means = new Map([...groups].map(([key, own]) => [key, String(Math.round(mean(own)))]));
      return rows.map((row) => ({ ...row, confirmed: means.get(`${row.lga_pcode!.slice(0, 5)} ${row.period}`)! }));
    }),
  }),
  ...of('climate', {
    'at most 100 mm': map('rain_mm', (value) => Math.min(value, 100)),
    'cumulative rain since January': table((rows) => {
      let sum = 0;
      return rows.map((row) => {
        sum = (row.month === '1' ? 0 : sum) + Number(row.rain_mm);
        return { ...row, rain_mm: String(sum) };
      });
    }),
    'rain and temperature swapped': swap('rain_mm', 'tmean_c'),
    'the first year replaced by the last': table((rows) => {
      const key = (row: Record<string, string>) => `${row.ADM2_PCODE} ${row.month}`;
      const last = new Map(rows.filter(({ year }) => year === '2016').map((row) => [key(row), row.rain_mm!]));
      return rows.map((row) => (row.year === '2001' ? { ...row, rain_mm: last.get(key(row))! } : row));
    }),
  }),
  ...of('population_census', {
    'only women': map('T_TL', (value) => Math.round(value / 2)),
    'sorted by size': table((rows) => {
      const values = rows.map(({ T_TL }) => Number(T_TL)).sort((a, b) => a - b);
      return rows.map((row, i) => ({ ...row, T_TL: String(values[i]!), T_00_04: String(Math.round(values[i]! / 6)) }));
    }),
  }),
  ...of('itn_use', {
    'highest and lowest reversed': map('itn_use', (value) => 0.9 - value),
    'increased by 30%': times('itn_use', 1.3),
  }),
  ...of('itn_access', {
    'in reverse order': reversed('itn_access_percent'),
    'codes of two states swapped': rename('state_pcode', { NG020: 'NG025', NG025: 'NG020' }),
  }),
  ...of('travel_minutes_to_care', {
    'all people in one class': table((rows) =>
      rows.map((row) => ({ ...row, tt_below30: row.pop_total!, tt_30_60: '0', tt_60_110: '0', tt_above110: '0' })),
    ),
  }),
  ...of('population', {
    'half of the people': each((value) => value / 2),
    'each cell averaged with the one to the east': each((value, x, y, { values, columns }) =>
      x + 1 < columns ? (value + values[y * columns + x + 1]!) / 2 : value,
    ),
  }),
  ...of('elevation', {
    flat: each((value) => (value === -9999 ? value : 300)),
    'ten cells too far east': from((x, y) => [x - 10, y]),
  }),
  ...of('effective_treatment', {
    'the northern half doubled': each((value, _, y, { rows }) => (y < rows / 2 ? Math.min(1, 2 * value) : value)),
  }),
];
