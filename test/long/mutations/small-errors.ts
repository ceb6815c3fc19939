/**
 * Errors in one place or one month or by a tenth, and in new rounds and months, where they are hard to detect. No
 * threshold of a check was chosen by them.
 */
import type { Mutation } from './mutation.ts';
import { each, from } from './rasters.ts';
import { exchange, inState, inYear, map, of, table, times, without } from './tables.ts';

type Row = Record<string, string>;
type Which = (row: Row) => boolean;
/** Gives the rows that `is` selects the values of those that `was` selects, matched by the columns of `key`. */
const again = (column: string, key: string[], is: Which, was: Which) =>
  table((rows) => {
    const id = (row: Row) => key.map((name) => row[name]).join(' ');
    const values = new Map(rows.filter(was).map((row) => [id(row), row[column]!]));
    return rows.map((row) => (is(row) ? { ...row, [column]: values.get(id(row)) ?? row[column]! } : row));
  });
const inMonth =
  (month: string): Which =>
  ({ period }) =>
    period === month;
const in2016: Which = ({ year }) => year === '2016';

export const SMALL_ERRORS: Mutation[] = [
  ...of('survey_clusters', {
    'one state in one round a fifth lower': times(
      'positivity',
      0.8,
      (row) => inState('NG020')(row) && inYear('2018')(row),
    ),
  }),
  ...of(
    'survey_clusters',
    {
      'a new round with half of the clusters': table((rows) =>
        rows.filter((row, i) => !inYear('2018')(row) || i % 2 === 0),
      ),
      'a new round with the positivity of the previous one': table((rows) => {
        const before = rows.filter(inYear('2015'));
        let i = 0;
        return rows.map((row) =>
          inYear('2018')(row) ? { ...row, positivity: before[i++ % before.length]!.positivity! } : row,
        );
      }),
    },
    without(inYear('2018')),
  ),
  ...of(
    'cases_lgas',
    {
      'a new month, two LGAs swapped': exchange({
        columns: ['confirmed'],
        key: 'lga_pcode',
        places: ['NG003001', 'NG003002'],
        which: inMonth('2023-12'),
      }),
      'a new month, one LGA multiplied by ten': times(
        'confirmed',
        10,
        (row) => inMonth('2023-12')(row) && row.lga_pcode === 'NG003001',
      ),
      'a new month that repeats the previous one': again(
        'confirmed',
        ['lga_pcode'],
        inMonth('2023-12'),
        inMonth('2023-11'),
      ),
    },
    without(inMonth('2023-12')),
  ),
  ...of(
    'climate',
    {
      'a new year that repeats the previous one': again(
        'rain_mm',
        ['ADM2_PCODE', 'month'],
        in2016,
        ({ year }) => year === '2015',
      ),
      'a new year a fifth drier': times('rain_mm', 0.8, in2016),
      'a new year with one month repeated': again(
        'rain_mm',
        ['ADM2_PCODE', 'year'],
        (row) => in2016(row) && row.month === '9',
        (row) => in2016(row) && row.month === '5',
      ),
    },
    without(in2016),
  ),
  ...of('population_census', {
    'two LGAs of a state swapped': exchange({
      columns: ['T_TL', 'T_00_04'],
      key: 'ADM2_PCODE',
      places: ['NG020001', 'NG020002'],
    }),
    'one LGA multiplied by ten': times('T_TL', 10, ({ ADM2_PCODE }) => ADM2_PCODE === 'NG020010'),
  }),
  ...of('itn_use', {
    'zero in one LGA': map(
      'itn_use',
      () => 0,
      (row) => Object.values(row).includes('NG020010'),
    ),
    'reduced by a tenth': times('itn_use', 0.9),
  }),
  ...of('elevation', { 'one cell too far east': from((x, y) => [x - 1, y]) }),
  ...of('effective_treatment', { 'reduced by a tenth': each((value) => value * 0.9) }),
];
