import { describe, expect, test } from 'vitest';
import { readCountry } from '../../../pipeline/catalog/country.ts';
import { sourceIn, type TinyCountry, writeTiny } from '../../support/tiny-country.ts';
import { type Case, refuses } from '../ingest/broken.ts';

const on = (id: string, change: (source: Record<string, any>) => void) => (country: TinyCountry) =>
  change(sourceIn(country, id));
const set = (id: string, fields: Record<string, unknown>) => on(id, (source) => Object.assign(source, fields));
const column = (id: string, columns: Record<string, unknown>) =>
  on(id, (source) => Object.assign(source.columns, columns));
const gap = (id: string, fields: Record<string, unknown>) => set(id, { gaps: [{ reason: 'test', ...fields }] });
const model = (field: string, value: unknown) => (country: TinyCountry) => {
  const steps = field.split('.');
  const last = steps.pop()!;
  let at: Record<string, any> = country.model;
  for (const step of steps) at = at[step];
  at[last] = value;
};

const sources: Case[] = [
  [
    'a table without its rows',
    on('itn_use', (source) => delete source.files[0].rows),
    /source itn_use: found no rows, expected/,
  ],
  [
    'records without a span',
    on('cases', (source) => delete source.span),
    /source cases: found no span, expected the first and/,
  ],
  ['a climate without a span', on('climate', (source) => delete source.span), /source climate: found no span/],
  [
    'a span the wrong way round',
    set('cases', { span: { first: '2021-12', last: '2018-01' } }),
    /source cases: found span from 2021-12/,
  ],
  [
    'surveys without rounds',
    on('surveys', (source) => delete source.rounds),
    /source surveys: found no rounds, expected/,
  ],
  [
    'a round twice',
    on('surveys', (source) => source.rounds.push(source.rounds[0])),
    /source surveys: found the round 2018 twice/,
  ],
  [
    'a raster without a range',
    on('elevation', (source) => delete source.range),
    /source elevation: found no range, expected the smallest/,
  ],
  ['a range the wrong way round', set('population', { range: [9, 0] }), /source population: found the range 9 to 0/],
  ['a range of three', set('population', { range: [0, 1, 2] }), /sources\.json, \/sources\/\d+\/range: found/],
  [
    'people without repeats',
    on('population', (source) => delete source.repeats),
    /source population: found no repeats, expected the largest number/,
  ],
  [
    'a column that the role does not have',
    column('surveys', { wieght: 'n' }),
    /source surveys: found a column wieght, expected one of/,
  ],
  [
    'a column missing',
    on('surveys', (source) => delete source.columns.examined),
    /source surveys: found no column examined/,
  ],
  [
    'no positives',
    on('surveys', (source) => delete source.columns.positivity),
    /source surveys: found no column positive or positivity/,
  ],
  [
    'both positives and positivity',
    column('surveys', { positive: 'n' }),
    /source surveys: found positive and positivity, expected one of them/,
  ],
  [
    'only one coordinate',
    column('surveys', { longitude: 'n' }),
    /source surveys: found longitude alone, expected longitude and/,
  ],
  [
    'a layer without a column for the place',
    on('itn_use', (source) => delete source.columns.lga_pcode),
    /source itn_use: found no column lga_pcode or/,
  ],
  [
    'two deliveries of a table without months',
    on('itn_use', (source) => source.files.push({ path: 'cases.csv', rows: 1 })),
    /source itn_use: found 2 files, expected one table: only monthly records may come in several deliveries/,
  ],
  [
    'a later delivery without its rows',
    on('cases', (source) => source.files.push({ path: 'nets.csv' })),
    /source cases: found no rows, expected the file's rows/,
  ],
  [
    'a column and a sum',
    set('cases', { sums: { confirmed: ['a', 'b'] } }),
    /source cases: found confirmed in `columns` and in `sums`, expected it in one of them/,
  ],
  [
    'a sum of words',
    set('cases', { sums: { state: ['a', 'b'] } }),
    /source cases: found a sum of state, expected counts/,
  ],
  [
    'a sum of one column',
    set('cases', { sums: { confirmed: ['a'] } }),
    /sources\.json, \/sources\/\d+\/sums\/confirmed/,
  ],
  [
    'a range of a column that does not exist',
    set('itn_use', { ranges: { nets: [0, 1] } }),
    /source itn_use: found a range of nets, expected/,
  ],
  [
    'a format that the role does not support',
    set('population', { format: 'csv' }),
    /source population: found the format csv/,
  ],
  [
    'a second elevation',
    (country) => country.sources.push({ ...sourceIn(country, 'elevation'), id: 'more' }),
    /role elevation: found 2 sources/,
  ],
  [
    'a file twice in a role',
    (country) => {
      country.sources.push({ ...sourceIn(country, 'cases'), id: 'again' });
    },
    /cases\.csv: found the file twice as cases_states, expected each file once for a role/,
  ],
  [
    'a dialect of a raster',
    set('elevation', { dialect: { decimal_comma: true } }),
    /source elevation, dialect: found the format geotiff, expected a table/,
  ],
  [
    'an order of months without months',
    set('itn_use', { dialect: { months: 'month year' } }),
    /source itn_use, dialect: found months in the order month year, expected a column of months/,
  ],
  [
    'titles above a table that is no CSV',
    set('itn_use', { format: 'json', dialect: { title_rows: 2 } }),
    /source itn_use, dialect: found title_rows, expected none: only CSV files and workbooks have them/,
  ],
  [
    'a pivot to columns that are not read',
    set('cases', { dialect: { pivot: { months: 'month', values: 'n' } } }),
    /source cases, dialect, pivot: found n, expected a name that `columns` refers to/,
  ],
  [
    'tests of cases',
    set('cases', { dialect: { tests: { rdt: { examined: 'n', positive: 'cases' } } } }),
    /source cases, dialect: found tests, expected none: only clusters of surveys have them/,
  ],
  [
    'counts of one test beside shares of another',
    set('surveys', {
      dialect: { tests: { rdt: { examined: 'n', positive: 'x' }, microscopy: { examined: 'n', positivity: 'y' } } },
    }),
    /source surveys, dialect, tests: found examined and positivity, expected .* the same for each test/,
  ],
  [
    'a file joined to cases',
    on('cases', (source) => source.files.push({ path: 'nets.csv', join: { on: { state: 'lga' }, format: 'csv' } })),
    /source cases: found join, expected none: only the clusters of surveys have one/,
  ],
  [
    'a survey of which all files are joined',
    on('surveys', (source) => {
      source.files[0].join = { on: { cluster: 'lga' }, format: 'csv' };
    }),
    /source surveys: found join in the first of `files`/,
  ],
  [
    'rounds that nothing tells apart',
    on('surveys', (source) => {
      delete source.columns.survey_year;
      source.rounds[1].first = '2018-10';
    }),
    /source surveys: found the rounds 2018 and 2021 with months in common, and no column survey_year/,
  ],
  [
    'a rule that the role does not support',
    gap('itn_use', { rule: 'mask', lga_pcode: 'NG001001' }),
    /itn_use, gaps: found the rule mask, expected null or/,
  ],
  [
    'a gap without a place',
    gap('itn_use', { rule: 'null' }),
    /itn_use, gaps: found `null` without its place, expected lga_pcode/,
  ],
  [
    'a gap for an unknown LGA',
    gap('itn_use', { rule: 'null', lga_pcode: 'NG009001' }),
    /itn_use, gaps: found NG009001, expected the p-code of an area/,
  ],
  [
    'a gap for an unknown state',
    gap('cases', { rule: 'mask', state_pcode: 'NG9' }),
    /cases, gaps: found NG9, expected the p-code of one of `states`/,
  ],
  [
    'a mask without effect',
    gap('cases', { rule: 'mask', state_pcode: 'NG001', first: '2029-01' }),
    /cases, gaps: found a mask that matches no month: NG001 2029-01/,
  ],
  [
    'a mask the wrong way round',
    gap('cases', { rule: 'mask', first: '2020-02', last: '2020-01' }),
    /cases, gaps: found 2020-02 to 2020-01/,
  ],
  [
    'slivers of a table',
    set('climate', { sliver_km2: 1 }),
    /climate: found sliver_km2, expected none: only the role lga_boundaries/,
  ],
  [
    'rain of two months as rasters',
    set('climate', {
      format: 'geotiff',
      range: [0, 900],
      files: [
        { path: 'a.tif', period: '2018-01' },
        { path: 'b.tif', period: '2018-02' },
      ],
    }),
    /climate: found 2 months of rain, expected every month of the year/,
  ],
  [
    'an unknown method',
    set('surveys', { methods: { pcr: 'PCR' } }),
    /sources\.json, \/sources\/\d+\/methods: found a field pcr, expected one of microscopy, rdt/,
  ],
];

const models: Case[] = [
  ['an impossible date', model('updated_at', '2022-02-30T00:00:00.000Z'), /model\.json, updated_at: found 2022-02-30/],
  [
    'an extent the wrong way round',
    model('extent', [7, 4, 3, 5]),
    /model\.json, extent: found 7, 4, 3, 5, expected west/,
  ],
  ['an extent off the globe', model('extent', [3, 4, 700, 5]), /model\.json, extent: found 3, 4, 700, 5/],
  [
    'too many estimated months',
    model('first_estimated', '1901-01'),
    /model\.json, first_estimated: found 1452 estimated months, expected at most 1200/,
  ],
  [
    'development after the held-back year',
    model('parameters.transmission.development_first', 2021),
    /development_first: found 2021, expected a year before/,
  ],
  [
    'a pattern of codes that is no regular expression',
    model('territory.lga.code', '^NG[0-9'),
    /model\.json, \/territory\/lga\/code: found "\^NG\[0-9", expected Regular expression for its codes, from \^ to \$: it must match format "regex"/,
  ],
  [
    'words for another method than that of the surveys',
    model('territory.method', 'microscopy, or rapid test'),
    /territory\.method: found microscopy, or rapid test, expected words for microscopy, which parameters\.survey\.method/,
  ],
  [
    'a mask of months the wrong way round',
    model('parameters.season.masked', [{ first: '2020-02', last: '2020-01', reason: 'x' }]),
    /season\.masked: found 2020-02/,
  ],
  ...(
    [
      ['survey.confidence', 1.5],
      ['survey.small_sample', 0],
      ['survey.method', 'pcr'],
      ['season.high_share', 0],
      ['risk.draws', 1],
      ['risk.state_only_effective_size', -1],
      ['risk.season_exponent.sd', 0],
      ['transmission.infectious_months', 0],
      ['transmission.starts', 0],
      ['boundaries.tolerance_m', -1],
      ['diff.max_moved_share', 2],
      ['seed', 'one'],
    ] as const
  ).map(
    ([field, value]): Case => [
      `${field} ${value}`,
      model(`parameters.${field}`, value),
      new RegExp(`model\\.json, /parameters/${field.replaceAll('.', '/')}: found .+, expected .*(must|one of)`),
    ],
  ),
];

describe('a source with a missing field, or one without effect, is refused', () => refuses(sources));
describe('a model with absurd parameters is refused', () => refuses(models));

test('the tiny country itself is valid', () => {
  expect(readCountry(writeTiny().directory).sources).toHaveLength(10);
});
