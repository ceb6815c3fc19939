import { gzipSync } from 'node:zlib';
import { describe, expect, test } from 'vitest';
import type { ClimateRow, Polygons } from '../../../pipeline/ingest/ingest-tables.ts';
import { outputRows } from '../../support/stage-io.ts';
import { replaceLine, sourceIn, type TinyCountry } from '../../support/tiny-country.ts';
import { accepts, type Case, edit, line, read, refuses } from './broken.ts';

const bytes = (file: string, change: (content: Buffer) => Buffer | string) => (country: TinyCountry) => {
  country.files[file] = change(Buffer.from(country.files[file]!));
};
const catalog = (id: string, change: (source: Record<string, any>) => void) => (country: TinyCountry) =>
  change(sourceIn(country, id));
const together =
  (...changes: ((c: TinyCountry) => void)[]) =>
  (country: TinyCountry) => {
    for (const change of changes) change(country);
  };
/** Removes the last `count` rows. */
const cutRows = (file: string, count: number) =>
  edit(
    file,
    (text) =>
      `${text
        .split('\n')
        .slice(0, -1 - count)
        .join('\n')}\n`,
  );
const cell = (file: string, row: number, column: number, value: string) =>
  line(file, row, (old) => old.split(',').with(column, value).join(','));
/** Four months of rain, of different areas, in the way of a meteorological office that has none. */
const markMissing = edit('climate.csv', (text) =>
  [3, 60, 110, 165].reduce(
    (changed, number) => replaceLine(changed, number, (row) => row.replace(/[\d.]+$/, '999.9')),
    text,
  ),
);

const zipped = (change: (packed: Buffer) => Buffer | string) => (country: TinyCountry) => {
  country.files['climate.csv.gz'] = change(gzipSync(String(country.files['climate.csv'])));
  sourceIn(country, 'climate').files[0].path = 'climate.csv.gz';
};
/** The nets table with an additional column of names. */
const named = (names: string[]) => (country: TinyCountry) => {
  edit('nets.csv', (text) =>
    text
      .split('\n')
      .map((row, i) => (row ? `${row},${['place', ...names][i]}` : ''))
      .join('\n'),
  )(country);
  sourceIn(country, 'itn_use').columns.lga = 'place';
};
const walk = (rows: string) => (country: TinyCountry) => {
  country.files['walk.csv'] = `lga,near,far,all\n${rows}`;
  country.sources.push({
    ...sourceIn(country, 'itn_use'),
    id: 'travel',
    figure: 'travel_minutes_to_care',
    unit: 'minutes',
    columns: { lga_pcode: 'lga' },
    classes: [
      { column: 'near', midpoint: 15 },
      { column: 'far', midpoint: 45 },
    ],
    classes_total: 'all',
    files: [{ path: 'walk.csv', rows: 4 }],
  });
};
const WALK = 'NG001001,30,10,40\nNG001002,0,5,5\nNG002001,2,2,4.1\nNG002002,1,1,2\n';
/** The survey clusters with coordinates and a state, as in DHS surveys; the first cluster is at `x`, `y`. */
const points = (x: number, y: number) => (country: TinyCountry) => {
  const west = { NG001001: 3, NG001002: 4, NG002001: 5, NG002002: 6 } as Record<string, number>;
  edit('surveys.csv', (text) =>
    text
      .split('\n')
      .map((row, i) => {
        if (i === 0) return `${row},x,y`;
        return row && `${row},${i === 1 ? `${x},${y}` : `${west[row.split(',')[4]!]! + 0.5},4.5`}`;
      })
      .join('\n'),
  )(country);
  const { columns } = sourceIn(country, 'surveys');
  delete columns.lga_pcode;
  Object.assign(columns, { longitude: 'x', latitude: 'y' });
};

const dialect: Case[] = [
  [
    'a missing cell',
    line('surveys.csv', 5, (old) => old.replace(/,[^,]*$/, '')),
    /surveys\.csv, row 5: found 7 cells, expected 8 as in the header/,
  ],
  [
    'an extra cell',
    line('surveys.csv', 5, (old) => `${old},9`),
    /surveys\.csv, row 5: found 9 cells, expected 8 as in/,
  ],
  ['a decimal comma', cell('nets.csv', 3, 1, '0,4'), /nets\.csv, row 3: found 3 cells, expected 2 as in the header/],
  [
    'a decimal comma in quotes',
    cell('nets.csv', 3, 1, '"0,4"'),
    /nets\.csv, row 3, itn_use: found "0,4", expected a number/,
  ],
  [
    'truncated within a row',
    edit('surveys.csv', (text) => text.slice(0, -20)),
    /surveys\.csv, row 26: found no line end and 5 of 8 cells, expected a complete last row/,
  ],
  [
    'an unclosed quote',
    line('surveys.csv', 5, (old) => `"${old}`),
    /surveys\.csv, row 5: found a quote that is not closed/,
  ],
  [
    'semicolons',
    edit('nets.csv', (text) => text.replaceAll(',', ';')),
    /nets\.csv, header: found columns lga;use, expected columns between commas.*"separator": ";"/,
  ],
  [
    'tabs',
    edit('nets.csv', (text) => text.replaceAll(',', '\t')),
    /nets\.csv, header: found columns lga\tuse, expected columns between commas.*"separator": "\\t"/,
  ],
  [
    'carriage returns only',
    edit('nets.csv', (text) => text.replaceAll('\n', '\r')),
    /nets\.csv, row 1: found a zero byte or a carriage return/,
  ],
  [
    'one different line end',
    line('nets.csv', 3, (old) => `${old}\r`),
    /nets\.csv, row 3: found a line end that differs from row 1/,
  ],
  [
    'Latin-1',
    bytes('nets.csv', (bytes) => Buffer.from(String(bytes).replace('002,', '00\xe9,'), 'latin1')),
    /nets\.csv, row 3: found bytes that are not UTF-8/,
  ],
  [
    'UTF-16 without its mark',
    bytes('nets.csv', (bytes) => Buffer.from(String(bytes), 'utf16le')),
    /nets\.csv, row 1: found a zero byte or a carriage return/,
  ],
  ['a zero byte', cell('nets.csv', 4, 1, '0.5\0'), /nets\.csv, row 4: found a zero byte or a carriage return/],
  ['an empty file', edit('nets.csv', () => ''), /nets\.csv, row 1: found .*expected/],
  [
    'a web page instead of the table',
    edit('nets.csv', () => '<!DOCTYPE html>\n<p>404</p>\n'),
    /nets\.csv: found the format a web page, expected the file itself/,
  ],
  [
    'a title above the header',
    edit('nets.csv', (text) => `Nets 2018\n${text}`),
    /nets\.csv, row 2: found 2 cells, expected 1|nets\.csv, header: found columns Nets 2018/,
  ],
  [
    'no header',
    edit('nets.csv', (text) => text.split('\n').slice(1).join('\n')),
    /nets\.csv, header: found columns NG001001, 0\.3, expected a column "lga"/,
  ],
  [
    'a column twice',
    edit('nets.csv', (text) => text.replaceAll(/,(.*)$/gm, ',$1,$1')),
    /nets\.csv, header: found the column "use" twice, expected each column once/,
  ],
  [
    'a column without a value',
    edit('nets.csv', (text) => text.replaceAll(/,0.*$/gm, ',')),
    /nets\.csv, column use: found nothing in any row/,
  ],
  [
    'a truncated gzip file',
    zipped((packed) => packed.subarray(0, -30)),
    /climate\.csv\.gz: found data that cannot be unpacked \(unexpected end of file\)/,
  ],
  [
    'plain text with a gzip extension',
    zipped(() => 'lga,month,mm\n'),
    /climate\.csv\.gz: found data that cannot be unpacked \(incorrect header check\)/,
  ],
];

const numbers: Case[] = [
  ...(['NaN', 'Infinity', '0x1f', '1_000', 'n/a', '1.2.3', '--'] as const).map(
    (value): Case => [
      `${value} instead of a number`,
      cell('nets.csv', 2, 1, value),
      new RegExp(`nets\\.csv, row 2, itn_use: found "${value.replaceAll('.', '\\.')}", expected a number`),
    ],
  ),
  [
    'a code with a letter in place of a digit',
    cell('nets.csv', 2, 0, 'NG00100l'),
    /nets\.csv, row 2, lga_pcode: found NG00100l, expected the p-code/,
  ],
  [
    "a value outside the catalog's range",
    together(
      catalog('itn_use', (source) => Object.assign(source, { ranges: { itn_use: [0.1, 0.9] } })),
      cell('nets.csv', 3, 1, '0.01'),
    ),
    /nets\.csv, row 3, itn_use: found 0\.01, expected 0\.1 to 0\.9 \(sources\.json, ranges\)/,
  ],
  [
    'a number of cases that is not an integer',
    cell('cases.csv', 4, 2, '12.5'),
    /cases\.csv, row 4, confirmed: found "12\.5", expected a whole number/,
  ],
  [
    'more cases than people',
    cell('cases.csv', 4, 2, '999999'),
    /cases\.csv, row 4, confirmed: found 999999, expected at most the 200001 people of AB/,
  ],
  [
    'a number of children that is not an integer',
    cell('census.csv', 2, 2, '17000.5'),
    /census\.csv, row 2, children_0_4: found "17000\.5", expected a whole number/,
  ],
  [
    'hardly any children',
    cell('census.csv', 2, 2, '255'),
    /census\.csv, row 2, children_0_4: found 255 of 100000 people, expected 0\.02 to 0\.4/,
  ],
  [
    'rain in metres',
    edit('climate.csv', (text) => text.replaceAll(/,(\d+\.\d)$/gm, (_, mm) => `,${mm / 1000}`)),
    /climate\.csv, rain_mm: found 1\.\d mm a year on average, expected 50 or more/,
  ],
  [
    'nines for missing rain, which are no measurements',
    markMissing,
    /climate\.csv, column rain_mm: found 999\.9 in 4 rows of rain_mm, where the next is \d+\.\d, expected measurements: nines mark missing values/,
  ],
  [
    'percentages in place of positives',
    together(
      catalog('surveys', (source) => {
        Object.assign(source, { weighted_counts: true });
        delete source.columns.positivity;
        source.columns.positive = 'share';
      }),
      edit('surveys.csv', (text) =>
        text
          .split('\n')
          .map((row, i) => row.replace(/(\d+),[\d.]+$/, (_, n) => `${n},${((100 * (1 + (i % 7))) / n).toFixed(2)}`))
          .join('\n'),
      ),
    ),
    /surveys\.csv, column positive: found the percent of those examined, expected counts, or the column as `positivity` in percent/,
  ],
  [
    'a month of cases in the next century',
    edit('cases.csv', (text) => text.replace('NG001,2021-12', 'NG001,2112-12')),
    /cases\.csv, row \d+: found 2112-12, and all other months from 2018-01 to 2021-11, expected a month near these: correct it/,
  ],
  [
    'a month of rain years before the others',
    edit('climate.csv', (text) => text.replace(',2018-03,', ',2008-03,')),
    /climate\.csv, row \d+: found 2008-03, and all other months from 2018-01 to 2021-12/,
  ],
  [
    'a month of a survey decades after the others',
    edit('surveys.csv', (text) => text.replace(',2021-10,', ',2041-10,')),
    /surveys\.csv, row \d+: found 2041-10, and all other months from 2018-10 to 2021-10/,
  ],
  [
    'a climate month in another form',
    cell('climate.csv', 2, 1, '2018/01'),
    /climate\.csv, row 2, period: found 2018\/01, expected a month YYYY-MM/,
  ],
  [
    'a class without its people',
    walk(WALK.replace('0,5,5', '0,,5')),
    /walk\.csv, row 3, far: found nothing, expected a value/,
  ],
  [
    'classes that do not add up to their total',
    walk(WALK.replace('0,5,5', '0,65535,5')),
    /walk\.csv, row 3, all: found 5, expected 65535, the sum of its classes/,
  ],
];

const short: Case[] = [
  [
    'surveys',
    cutRows('surveys.csv', 2),
    /surveys\.csv: found 23 rows, expected 25 or more \(sources\.json\); is the file cut short\?/,
  ],
  [
    'a survey round',
    edit('surveys.csv', (text) => text.replaceAll(/^2021.*\n/gm, '')),
    /surveys\.csv, round 2021: found no row, expected rows for ages 6 to 59 months by microscopy, because the catalog lists/,
  ],
  [
    'a survey round by the other method',
    edit('surveys.csv', (text) => text.replaceAll(/^(2021.*)microscopy/gm, '$1rdt')),
    /surveys\.csv, round 2021: found 12 rows, by rdt, none of which can be used, expected rows for ages 6 to 59 months by/,
  ],
  [
    'the end of a series of cases',
    cutRows('cases.csv', 3),
    /cases\.csv, AB: found no month 2021-10, expected every month from 2018-01 to 2021-12/,
  ],
  [
    'the beginning of a series of cases',
    edit('cases.csv', (text) => text.replaceAll(/^NG001,2018-0[1-3].*\n/gm, '')),
    /cases\.csv: found no month before 2018-04, expected records from 2018-01 on/,
  ],
  [
    'the end of the climate',
    edit('climate.csv', (text) => text.replaceAll(/^.*,2021-12,.*\n/gm, '')),
    /climate\.csv: found no row of 2021-12, expected every month from 2018-01 to 2021-12: get this month for all/,
  ],
  [
    'the beginning of the climate',
    edit('climate.csv', (text) => text.replaceAll(/^.*,2018-01,.*\n/gm, '')),
    /climate\.csv: found no row of 2018-01, expected every month from 2018-01 to 2021-12: get this month for all/,
  ],
  ['a table of states', cutRows('access.csv', 1), /access\.csv, NG002001 Place 3: found no row/],
  ['the census', cutRows('census.csv', 1), /census\.csv, NG002002 Place 4: found no row/],
  [
    'only blank cases',
    edit('cases.csv', (text) => text.replaceAll(/^(NG001,.*),\d+$/gm, '$1,')),
    /cases\.csv, column cases: found nothing in any row/,
  ],
];

const surveys: Case[] = [
  [
    'a month outside its round',
    cell('surveys.csv', 2, 1, '2018-12'),
    /surveys\.csv, row 2, period: found 2018-12, expected 2018-09 to 2018-11, the fieldwork of round 2018/,
  ],
  [
    'a month of another round',
    cell('surveys.csv', 2, 1, '2021-10'),
    /surveys\.csv, row 2, period: found 2021-10, expected 2018-09 to 2018-11/,
  ],
  [
    'a round that is not in the catalog',
    cell('surveys.csv', 2, 0, '2019'),
    /surveys\.csv, row 2, survey_year: found 2019, expected a round of the catalog: 2018, 2021/,
  ],
  ...['pcr', 'Microscopy', 'RDT'].map(
    (method): Case => [
      `the method ${method}`,
      cell('surveys.csv', 2, 5, method),
      new RegExp(
        `surveys\\.csv, row 2, method: found ${method}, expected microscopy or rdt \\(sources\\.json, methods\\)`,
      ),
    ],
  ),
  [
    'half a child examined',
    cell('surveys.csv', 2, 6, '3.5'),
    /surveys\.csv, row 2, examined: found "3\.5", expected a whole number/,
  ],
  ['nobody examined', cell('surveys.csv', 2, 6, '0'), /surveys\.csv, row 2, examined: found 0, expected 1 to 10000/],
  [
    'impossibly many children',
    cell('surveys.csv', 2, 6, '1e300'),
    /surveys\.csv, row 2, examined: found 1e300, expected 1 to 10000/,
  ],
  [
    'an error in a row by the other method',
    cell('surveys.csv', 26, 7, '1.5'),
    /surveys\.csv, row 26, positivity: found 1\.5, expected 0 to 1/,
  ],
  [
    'a cluster far from its state',
    points(6.5, 4.5),
    /surveys\.csv, row 2: found coordinates 6\.5, 4\.5, \d+ km from AB, expected at most 11 km/,
  ],
  [
    'coordinates swapped',
    points(4.5, 3.5),
    /surveys\.csv, row 2: found longitude 4\.5 and latitude 3\.5, which look exchanged/,
  ],
  ['coordinates left at 0', points(0, 0), /surveys\.csv, row 2: found the coordinates 0, 0, expected a location/],
  [
    'a round in two tables',
    (country) => {
      country.files['again.csv'] = country.files['surveys.csv']!;
      country.sources.push({ ...sourceIn(country, 'surveys'), id: 'again', files: [{ path: 'again.csv', rows: 25 }] });
    },
    /sources\.json, survey sources: found the cluster 2018 .* in two sources, expected each cluster once/,
  ],
];

const codes: Case[] = [
  [
    'codes swapped between rows',
    named(['Place 2', 'Place 1', 'Place 3', 'Place 4']),
    /nets\.csv, row 2, lga: found Place 2 with the code NG001001, expected Place 1, the name for that code/,
  ],
  [
    'a column shifted down by one row',
    named(['Place 4', 'Place 1', 'Place 2', 'Place 3']),
    /nets\.csv, row 2, lga: found Place 4 with the code NG001001/,
  ],
];

test('a declared number of nines is missing rain, and gets the mean of the neighbours', async () => {
  const { tables } = await read(
    together(
      markMissing,
      catalog('climate', (source) => {
        source.gaps = [{ rule: 'neighbours', value: 999.9, reason: 'no report' }];
      }),
    ),
  );
  const climate = outputRows<ClimateRow>(tables.climate);
  const unchanged = outputRows<ClimateRow>((await read()).tables.climate);
  const changed = climate.filter(({ rain_mm }, i) => rain_mm !== unchanged[i]!.rain_mm);
  expect(changed).toHaveLength(4);
  const { neighbours } = tables.polygons as Polygons;
  for (const { lga_code, period, rain_mm } of changed) {
    const around = unchanged.filter((row) => row.period === period && neighbours[lga_code]!.includes(row.lga_code));
    expect(rain_mm).toBeCloseTo(around.reduce((sum, row) => sum + row.rain_mm, 0) / around.length, 9);
  }
});

describe('a table in another dialect is refused', () => refuses(dialect));
describe('an invalid value is refused', () => refuses(numbers));
describe('a table with missing rows is refused', () => refuses(short));
describe('a survey that differs from its catalog entry is refused', () => refuses(surveys));
describe('codes with the names of other places are refused', () => refuses(codes));
describe('valid variations are accepted', () =>
  accepts([
    ['UTF-16, as Excel writes Unicode text', bytes('nets.csv', (bytes) => Buffer.from(`\ufeff${bytes}`, 'utf16le'))],
    ['a byte order mark', edit('nets.csv', (text) => `\ufeff${text}`)],
    ['carriage returns before line feeds', edit('nets.csv', (text) => text.replaceAll('\n', '\r\n'))],
    ['blank lines', edit('nets.csv', (text) => text.replaceAll('\n', '\n\n'))],
    ['quotes', edit('nets.csv', (text) => text.replaceAll(/[^,\n]+/g, '"$&"'))],
    [
      'additional columns and another order of columns',
      edit('nets.csv', (text) => text.replaceAll(/^(.*),(.*)$/gm, '$2,x,$1')),
    ],
    [
      'rows in another order',
      edit(
        'cases.csv',
        (text) =>
          `${text
            .split('\n')
            .toSpliced(1, 48, ...text.split('\n').slice(1, 49).reverse())
            .join('\n')}`,
      ),
    ],
    ['gzip', zipped((packed) => packed)],
    ['blanks around cells', edit('nets.csv', (text) => text.replaceAll(',', ' ,\u00a0'))],
    ['rows of empty cells', edit('nets.csv', (text) => text.replaceAll('\n', '\n,\n'))],
    ['no line end after the last row', edit('nets.csv', (text) => text.slice(0, -1))],
    [
      'counts written with decimals',
      edit('cases.csv', (text) => text.replaceAll(/(\d)$/gm, '$1.0').replace('cases.0', 'cases')),
    ],
    ['people of a projection, with decimals', cell('census.csv', 2, 1, '100000.5')],
    ['differently spelled names', named(['PLACE-1', 'place 2', 'Plaice 3', ''])],
    [
      'weighted counts',
      together(
        catalog('surveys', (source) => Object.assign(source, { weighted_counts: true })),
        cell('surveys.csv', 2, 6, '3.5'),
      ),
    ],
    [
      "the file's own names of methods",
      together(
        catalog('surveys', (source) => Object.assign(source, { methods: { microscopy: 'Microscopy' } })),
        edit('surveys.csv', (text) => text.replaceAll('microscopy', 'Microscopy')),
      ),
    ],
    ['a cluster displaced across the border', points(5.05, 4.5)],
    ['more rows than in the catalog', catalog('surveys', (source) => Object.assign(source.files[0], { rows: 20 }))],
    ['classes with a total', walk(WALK)],
  ]));
