/**
 * Errors in a whole column, year, round or state: values scaled, exchanged, repeated, sorted, flattened, or of another
 * quantity. No threshold of a check was chosen by them, so the share that is stopped says more than that of the others.
 */
import type { Mutation } from './mutation.ts';
import { each, from } from './rasters.ts';
import { exchange, inState, inYear, map, of, rename, shift, swap, table, times } from './tables.ts';

/** Replaces the cases of one year by those of another. */
const copied = ({ key, fromYear, toYear }: { key: string; fromYear: string; toYear: string }) =>
  table((rows) => {
    const id = (row: Record<string, string>, year: string) => `${row[key]} ${row.period!.replace(/^\d{4}/, year)}`;
    const values = new Map(rows.map((row) => [`${row[key]} ${row.period}`, row.confirmed!]));
    return rows.map((row) =>
      row.period!.startsWith(toYear) ? { ...row, confirmed: values.get(id(row, fromYear)) ?? row.confirmed! } : row,
    );
  });

const reversed = (column: string) =>
  table((rows) => rows.map((row, i) => ({ ...row, [column]: rows[rows.length - 1 - i]![column]! })));
const everywhere = (column: string, value: string) => table((rows) => rows.map((row) => ({ ...row, [column]: value })));

export const LARGE_ERRORS: Mutation[] = [
  ...of('survey_clusters', {
    'positivity rounded to 0 or 1': map('positivity', (value) => Math.round(value)),
    'positivity of one round halved': times('positivity', 0.5, inYear('2015')),
    'months of one round a year later': table((rows) =>
      rows.map((row) => ({ ...row, period: row.period!.replace('2015-', '2016-') })),
    ),
    'numbers positive instead of positivity in one state': map(
      'positivity',
      (value, row) => value * Number(row.examined),
      inState('NG005'),
    ),
    'the LGAs of one state shifted by a row': shift(['lga_pcode', 'lga'], inState('NG020')),
    'numbers examined divided by ten': map('examined', (value) => Math.max(1, Math.round(value / 10))),
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
    'values of two states swapped': exchange({
      columns: ['positivity'],
      key: 'state_pcode',
      places: ['NG020', 'NG025'],
    }),
    'all labelled as rapid tests': rename('method', { microscopy: 'rdt' }),
    halved: times('positivity', 0.5),
    'the mean everywhere': everywhere('positivity', '0.22'),
    'in reverse order': reversed('positivity'),
  }),
  ...of('cases_states', {
    'months of each year in reverse order': table((rows) =>
      rows.map((row, i) => ({ ...row, confirmed: rows[i - (i % 12) + 11 - (i % 12)]!.confirmed! })),
    ),
    'one year of one state in thousands': map(
      'confirmed',
      (value) => Math.round(value / 1000),
      (row) => row.period!.startsWith('2021') && inState('NG013')(row),
    ),
    'weekly instead of monthly counts in the last year': map(
      'confirmed',
      (value) => Math.round(value / 4.33),
      ({ period }) => period!.startsWith('2023'),
    ),
    'the previous year repeated': copied({ key: 'state_pcode', fromYear: '2022', toYear: '2023' }),
    'the same value in every month of a year': table((rows) =>
      rows.map((row, i) => ({ ...row, confirmed: rows[i - (i % 12)]!.confirmed! })),
    ),
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
    'cases of two LGAs swapped': exchange({
      columns: ['confirmed'],
      key: 'lga_pcode',
      places: ['NG003001', 'NG003002'],
    }),
    'one LGA multiplied by a hundred': times('confirmed', 100, (row) => row.lga_pcode === 'NG003001'),
    'a year without figures': table((rows) =>
      rows.map((row) => (row.period!.startsWith('2021') ? { ...row, confirmed: '' } : row)),
    ),
    'the previous year repeated': copied({ key: 'lga_pcode', fromYear: '2021', toYear: '2022' }),
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
    'rain per day': times('rain_mm', 1 / 30),
    'rain of two states swapped': exchange({ columns: ['rain_mm'], key: 'ADM2_PCODE', places: ['NG020', 'NG009'] }),
    'January and July of one year swapped': table((rows) => {
      const july = new Map(
        rows.filter(({ year, month }) => year === '2010' && month === '7').map((row) => [row.ADM2_PCODE, row.rain_mm!]),
      );
      const january = new Map(
        rows.filter(({ year, month }) => year === '2010' && month === '1').map((row) => [row.ADM2_PCODE, row.rain_mm!]),
      );
      return rows.map((row) => {
        if (row.year !== '2010' || !['1', '7'].includes(row.month!)) return row;
        return { ...row, rain_mm: (row.month === '1' ? july : january).get(row.ADM2_PCODE)! };
      });
    }),
    'temperature of one state in kelvin': map('tmean_c', (value) => value + 273.15, inState('NG020')),
    'the same rain everywhere': map('rain_mm', (_, row) => 10 * Number(row.month)),
    'rain of one LGA multiplied by ten': times('rain_mm', 10, (row) => row.ADM2_PCODE === 'NG020010'),
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
    'two states swapped': exchange({ columns: ['T_TL', 'T_00_04'], key: 'ADM2_PCODE', places: ['NG020', 'NG006'] }),
    'increased by a third': table((rows) =>
      rows.map((row) => ({
        ...row,
        T_TL: String(Math.round(Number(row.T_TL) * 1.33)),
        T_00_04: String(Math.round(Number(row.T_00_04) * 1.33)),
      })),
    ),
    'children under fifteen instead of five': map('T_00_04', (value, row) =>
      Math.min(Number(row.T_TL), Math.round(value * 2.6)),
    ),
    'only women': map('T_TL', (value) => Math.round(value / 2)),
    'sorted by size': table((rows) => {
      const values = rows.map(({ T_TL }) => Number(T_TL)).sort((a, b) => a - b);
      return rows.map((row, i) => ({ ...row, T_TL: String(values[i]!), T_00_04: String(Math.round(values[i]! / 6)) }));
    }),
  }),
  ...of('itn_use', {
    'the mean everywhere': map('itn_use', () => 0.42),
    'increased by 0.2': map('itn_use', (value) => Math.min(1, value + 0.2)),
    sorted: table((rows) => {
      const values = rows.map(({ itn_use }) => itn_use!).sort();
      return rows.map((row, i) => ({ ...row, itn_use: values[i]! }));
    }),
    'highest and lowest reversed': map('itn_use', (value) => 0.9 - value),
    'increased by 30%': times('itn_use', 1.3),
  }),
  ...of('itn_access', {
    'one state divided by ten': times('itn_access_percent', 0.1, inState('NG020')),
    'both years equal': table((rows) => {
      const first = new Map(rows.map((row) => [row.state_pcode, row.itn_access_percent!] as const).reverse());
      return rows.map((row) => ({ ...row, itn_access_percent: first.get(row.state_pcode)! }));
    }),
    'in reverse order': reversed('itn_access_percent'),
    'codes of two states swapped': rename('state_pcode', { NG020: 'NG025', NG025: 'NG020' }),
  }),
  ...of('travel_minutes_to_care', {
    'cumulative classes': table((rows) =>
      rows.map((row) => {
        const [a, b, c, d] = ['tt_below30', 'tt_30_60', 'tt_60_110', 'tt_above110'].map((name) => Number(row[name]));
        return {
          ...row,
          tt_30_60: String(a! + b!),
          tt_60_110: String(a! + b! + c!),
          tt_above110: String(a! + b! + c! + d!),
        };
      }),
    ),
    'shares instead of people': table((rows) =>
      rows.map((row) => ({
        ...row,
        ...Object.fromEntries(
          ['tt_below30', 'tt_30_60', 'tt_60_110', 'tt_above110'].map((name) => [
            name,
            String(Number(row[name]) / Number(row.pop_total)),
          ]),
        ),
      })),
    ),
    'all people in one class': table((rows) =>
      rows.map((row) => ({ ...row, tt_below30: row.pop_total!, tt_30_60: '0', tt_60_110: '0', tt_above110: '0' })),
    ),
  }),
  ...of('population', {
    'rotated by 180 degrees': from((x, y, { columns, rows }) => [columns - 1 - x, rows - 1 - y]),
    'every second cell empty': each((value, x, y) => ((x + y) % 2 ? value : 0)),
    'the eastern half doubled': each((value, x, _, { columns }) => (x > columns / 2 ? 2 * value : value)),
    'at most a hundred in a cell': each((value) => Math.min(value, 100)),
    'half of the people': each((value) => value / 2),
    'each cell averaged with the one to the east': each((value, x, y, { values, columns }) =>
      x + 1 < columns ? (value + values[y * columns + x + 1]!) / 2 : value,
    ),
  }),
  ...of('elevation', {
    negative: each((value) => (value === -9999 ? value : -value)),
    'in km': each((value) => (value === -9999 ? value : value / 1000)),
    flat: each((value) => (value === -9999 ? value : 300)),
    'ten cells too far east': from((x, y) => [x - 10, y]),
  }),
  ...of('effective_treatment', {
    'the mean everywhere': each((value) => (Number.isNaN(value) ? value : 0.5)),
    squared: each((value) => value * value),
    'the northern half doubled': each((value, _, y, { rows }) => (y < rows / 2 ? Math.min(1, 2 * value) : value)),
  }),
  ...of('irs_coverage', {
    'one minus the value': each((value) => 1 - value),
  }),
];
