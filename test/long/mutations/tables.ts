/** Ways in which a table of the real country could be wrong, each as a change of its rows. */
import { gunzipSync, gzipSync } from 'node:zlib';
import type { Mutation } from './mutation.ts';

type Row = Record<string, string>;

/** Changes the rows of a CSV table without quoted cells. */
export function table(change: (rows: Row[], header: string[]) => Row[]) {
  return (bytes: Buffer, name: string): Buffer => {
    const zipped = name.endsWith('.gz');
    const [head, ...lines] = (zipped ? gunzipSync(bytes) : bytes).toString('utf8').trimEnd().split('\n');
    const header = head!.split(',');
    const rows = lines.map((line) => {
      const cells = line.split(',');
      return Object.fromEntries(header.map((column, i) => [column, cells[i]!]));
    });
    const text = [head, ...change(rows, header).map((row) => header.map((column) => row[column] ?? '').join(','))];
    const made = Buffer.from(`${text.join('\n')}\n`);
    return zipped ? gzipSync(made) : made;
  };
}

const number = (value: number) => String(Number(value.toPrecision(8)));
/** Changes a column's values in some rows; blanks are kept. */
export const map = (
  column: string,
  value: (value: number, row: Row) => number,
  which: (row: Row) => boolean = () => true,
) =>
  table((rows) =>
    rows.map((row) =>
      which(row) && row[column] !== '' ? { ...row, [column]: number(value(Number(row[column]), row)) } : row,
    ),
  );
export const times = (column: string, factor: number, which?: (row: Row) => boolean) =>
  map(column, (value) => value * factor, which);
/** Takes the columns' values from the next row, among the rows that `which` selects. */
export const shift = (columns: string[], which: (row: Row) => boolean = () => true) =>
  table((rows) => {
    const own = rows.filter(which);
    const next = new Map(own.map((row, i) => [row, own[(i + 1) % own.length]!]));
    return rows.map((row) => {
      const other = next.get(row);
      return other ? { ...row, ...Object.fromEntries(columns.map((name) => [name, other[name]!])) } : row;
    });
  });
export const swap = (a: string, b: string, which: (row: Row) => boolean = () => true) =>
  table((rows) => rows.map((row) => (which(row) ? { ...row, [a]: row[b]!, [b]: row[a]! } : row)));
export const rename = (column: string, names: Record<string, string>, which: (row: Row) => boolean = () => true) =>
  table((rows) => rows.map((row) => (which(row) ? { ...row, [column]: names[row[column]!] ?? row[column]! } : row)));
export const without = (which: (row: Row) => boolean) => table((rows) => rows.filter((row) => !which(row)));
/** Exchanges columns' values between the rows of two places, in order; `places` are codes or starts of codes. */
export const exchange = ({
  columns,
  key,
  places,
  which = () => true,
}: {
  columns: string[];
  key: string;
  places: [string, string];
  which?: (row: Row) => boolean;
}) =>
  table((rows) => {
    const [as, bs] = places.map((code) => rows.filter((row) => row[key]!.startsWith(code) && which(row)));
    const other = new Map([
      ...as!.map((row, i) => [row, bs![i]] as const),
      ...bs!.map((row, i) => [row, as![i]] as const),
    ]);
    return rows.map((row) => {
      const values = other.get(row);
      return values ? { ...row, ...Object.fromEntries(columns.map((name) => [name, values[name]!])) } : row;
    });
  });
const METHODS = { microscopy: 'rdt', rdt: 'microscopy' };
export const inYear = (year: string) => (row: Row) => row.survey_year === year || row.period?.startsWith(year) === true;
export const inState = (pcode: string) => (row: Row) =>
  (row.state_pcode ?? row.lga_pcode ?? row.ADM2_PCODE)!.startsWith(pcode);

/** Adds a month with the values of the same month a year earlier, changed by `value`. */
const extraMonth = (value: (value: number) => number, which: (row: Row, i: number) => boolean = () => true) =>
  table((rows) => [
    ...rows,
    ...rows
      .filter(({ period }) => period === '2023-01')
      .filter(which)
      .map((row) => ({ ...row, period: '2024-01', confirmed: number(Math.round(value(Number(row.confirmed)))) })),
  ]);
const NEXT_MONTH = (period: string) => {
  const [year, month] = period.split('-').map(Number) as [number, number];
  return month === 12 ? `${year + 1}-01` : `${year}-${String(month + 1).padStart(2, '0')}`;
};

export const of = (
  source: string,
  kinds: Record<string, Mutation['change']>,
  before?: Mutation['before'],
): Mutation[] =>
  Object.entries(kinds).map(([name, change]) => ({ source, name, change, ...(before ? { before } : {}) }));

export const TABLES: Mutation[] = [
  ...of('survey_clusters', {
    'positivity of 2018 divided by a hundred': times('positivity', 0.01, inYear('2018')),
    'positivity of a state in percent': times('positivity', 100, inState('NG019')),
    'one minus positivity': map('positivity', (value) => 1 - value),
    'methods swapped': rename('method', METHODS),
    'methods swapped in one round': rename('method', METHODS, inYear('2015')),
    'positivity shifted by a row': shift(['positivity']),
    'positivity shifted by a row in one state': shift(['positivity'], inState('NG020')),
    'positivity 0 in a state': map('positivity', () => 0, inState('NG025')),
    'numbers examined multiplied by ten': times('examined', 10, (row) => Number(row.examined) < 30),
    'examined and positivity swapped': swap('examined', 'positivity'),
    'a state left out': without(inState('NG031')),
    'a round left out': without(inYear('2010')),
    'half of the rows': table((rows) => rows.slice(0, rows.length / 2)),
    'one round with the months of another': rename('period', { '2015-10': '2018-10', '2015-11': '2018-11' }),
    'codes of two states swapped, but not their names': table((rows) =>
      rows.map((row) => ({
        ...row,
        lga_pcode: row.lga_pcode!.replace(/^NG0(19|20)/, (_, state) => `NG0${state === '19' ? '20' : '19'}`),
      })),
    ),
    'every row twice': table((rows) => [...rows, ...rows]),
  }),
  ...of('survey_states', {
    'methods swapped': rename('method', METHODS),
    'positivity divided by a hundred': times('positivity', 0.01),
    'percent instead of shares': times('positivity', 100),
    'positivity shifted by a row': shift(['positivity']),
    'a state left out': without(inState('NG031')),
  }),
  ...of('cases_states', {
    'two states swapped': rename('state_pcode', { NG013: 'NG024', NG024: 'NG013' }),
    'two states swapped, names too': table((rows) =>
      rows.map((row) => {
        const other: Record<string, [string, string]> = { NG013: ['NG024', 'Kwara'], NG024: ['NG013', 'Ekiti'] };
        const [state_pcode, state] = other[row.state_pcode!] ?? [row.state_pcode!, row.state!];
        return { ...row, state_pcode, state };
      }),
    ),
    'months shifted by one': shift(['confirmed'], inState('NG013')),
    'months shifted by one in every state': table((rows) =>
      rows.map((row, i) => ({ ...row, confirmed: (rows[i + 1] ?? rows[i])!.confirmed! })),
    ),
    'one year multiplied by ten': times(
      'confirmed',
      10,
      (row) => row.period!.startsWith('2019') && row.state_pcode !== 'NG022',
    ),
    'one state in thousands': map('confirmed', (value) => Math.round(value / 1000), inState('NG024')),
    'cumulative within the year': table((rows) => {
      let sum = 0;
      return rows.map((row) => {
        sum = (row.period!.endsWith('-01') ? 0 : sum) + Number(row.confirmed);
        return { ...row, confirmed: String(sum) };
      });
    }),
    'a year left out': without(({ period }) => period!.startsWith('2018')),
    'the last year 0': map(
      'confirmed',
      () => 0,
      ({ period }) => period!.startsWith('2023'),
    ),
    'a new month, one state of three': extraMonth(
      (value) => value,
      (row) => row.state_pcode === 'NG024',
    ),
    'a new month, two states of three': extraMonth(
      (value) => value,
      (row) => row.state_pcode !== 'NG022',
    ),
    'a new month with the sum of a year': extraMonth((value) => 12 * value),
    'a new month of zeros': extraMonth(() => 0),
    'a new month in thousands': extraMonth((value) => value / 1000),
  }),
  ...of('cases_lgas', {
    'cases shifted by a row': shift(['confirmed']),
    'LGAs shifted by one': table((rows) =>
      rows.map((row, i) => ({ ...row, confirmed: rows[(i + 48) % rows.length]!.confirmed! })),
    ),
    'months shifted by one': table((rows) => rows.map((row) => ({ ...row, period: NEXT_MONTH(row.period!) }))),
    'blanks as 0': table((rows) =>
      rows.map((row) => ({ ...row, confirmed: row.confirmed === '' ? '0' : row.confirmed! })),
    ),
    'one state divided by ten': map('confirmed', (value) => Math.round(value / 10), inState('NG022')),
    'a new month, two thirds of the LGAs': extraMonth(
      (value) => value,
      (_, i) => i % 3 !== 0,
    ),
    'a new month, a third of the LGAs': extraMonth(
      (value) => value,
      (_, i) => i % 3 === 0,
    ),
    'a new month multiplied by twelve': extraMonth((value) => 12 * value),
  }),
  ...of('climate', {
    'rain in cm': times('rain_mm', 0.1),
    "one state's rain in inches": times('rain_mm', 1 / 25.4, inState('NG020')),
    'months shifted by one': table((rows) =>
      rows.map((row, i) => ({ ...row, rain_mm: rows[(i + 1) % rows.length]!.rain_mm! })),
    ),
    'LGAs shifted by one': table((rows) =>
      rows.map((row, i) => ({ ...row, rain_mm: rows[(i + 192) % rows.length]!.rain_mm! })),
    ),
    'one year in cm': times('rain_mm', 0.1, ({ year }) => year === '2016'),
    'temperature in Fahrenheit': map('tmean_c', (value) => 1.8 * value + 32),
    'years and months swapped': swap('year', 'month'),
    'zero rain in a state': map('rain_mm', () => 0, inState('NG009')),
    'the last year left out': without(({ year }) => year === '2016'),
  }),
  ...of('population_census', {
    'people and children swapped': swap('T_TL', 'T_00_04'),
    'one state multiplied by ten': times('T_TL', 10, inState('NG001')),
    'people shifted by a row': shift(['T_TL', 'T_00_04']),
    'in thousands': map('T_TL', (value) => Math.round(value / 1000)),
    'children under one': map('T_00_04', (value) => Math.round(value / 5)),
  }),
  ...of('itn_use', {
    'shifted by a row': shift(['itn_use']),
    'shifted by a row in one state': shift(['itn_use'], inState('NG020')),
    'one minus the value': map('itn_use', (value) => 1 - value),
    'divided by ten': times('itn_use', 0.1),
    'divided by a hundred': times('itn_use', 0.01),
    'a state left out': without(inState('NG002')),
  }),
  ...of('itn_access', {
    'years swapped': rename('survey_year', { '2018': '2021', '2021': '2018' }),
    'shares instead of percent': times('itn_access_percent', 0.01),
    'shifted by a row': shift(['itn_access_percent']),
    'a hundred minus the value': map('itn_access_percent', (value) => 100 - value),
  }),
  ...of('travel_minutes_to_care', {
    'first and last class swapped': swap('tt_below30', 'tt_above110'),
    'two middle classes swapped': swap('tt_30_60', 'tt_60_110'),
    'first and last class swapped in one state': swap('tt_below30', 'tt_above110', (row) => row.state === 'Abia'),
    'shifted by a row': shift(['tt_below30', 'tt_30_60', 'tt_60_110', 'tt_above110', 'pop_total']),
    'classes shifted by one': table((rows) =>
      rows.map((row) => ({
        ...row,
        tt_below30: row.tt_above110!,
        tt_30_60: row.tt_below30!,
        tt_60_110: row.tt_30_60!,
        tt_above110: row.tt_60_110!,
      })),
    ),
  }),
  ...of(
    'survey_clusters',
    {
      'a new round divided by a hundred': times('positivity', 0.01, inYear('2018')),
      'a new round, methods swapped': rename('method', METHODS, inYear('2018')),
      'a new round, one minus positivity': map('positivity', (value) => 1 - value, inYear('2018')),
      'a new round, shifted by a row': shift(['positivity'], inYear('2018')),
    },
    without(inYear('2018')),
  ),
  ...of(
    'climate',
    {
      'a new year in cm': times('rain_mm', 0.1, ({ year }) => year === '2016'),
      "a new year, one state's rain in inches": times(
        'rain_mm',
        1 / 25.4,
        (row) => row.year === '2016' && inState('NG020')(row),
      ),
      'a new year, months shifted by one': shift(['rain_mm'], ({ year }) => year === '2016'),
      'a new year, LGAs shifted by ten': table((rows) => {
        const own = rows.filter(({ year }) => year === '2016');
        const other = new Map(own.map((row, i) => [row, own[(i + 120) % own.length]!]));
        return rows.map((row) => ({ ...row, rain_mm: (other.get(row) ?? row).rain_mm! }));
      }),
    },
    without(({ year }) => year === '2016'),
  ),
  ...of(
    'cases_lgas',
    {
      'a new month, LGAs shifted by one': shift(['confirmed'], ({ period }) => period === '2023-12'),
      'a new month divided by ten': map(
        'confirmed',
        (value) => Math.round(value / 10),
        ({ period }) => period === '2023-12',
      ),
      'a new month of zeros in one state': map(
        'confirmed',
        () => 0,
        (row) => row.period === '2023-12' && inState('NG022')(row),
      ),
    },
    without(({ period }) => period === '2023-12'),
  ),
];

/** Valid new data, which must be accepted without doubts. */
export const VALID: Mutation[] = [
  ...of('survey_clusters', { 'a new round': (bytes) => bytes }, without(inYear('2018'))),
  ...of(
    'climate',
    { 'a new year': (bytes) => bytes },
    without(({ year }) => year === '2016'),
  ),
  ...of(
    'cases_lgas',
    { 'a new month': (bytes) => bytes },
    without(({ period }) => period === '2023-12'),
  ),
  ...of('cases_states', { 'a new month': extraMonth((value) => 1.2 * value) }),
];
