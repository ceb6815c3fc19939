import { describe, expect, test } from 'vitest';
import { groupCases } from '../../../pipeline/ingest/case-series.ts';
import type { ClimateRow } from '../../../pipeline/ingest/ingest-tables.ts';
import { outputRows } from '../../support/stage-io.ts';
import { GRID, sourceIn } from '../../support/tiny-country.ts';
import { type Case, edit, features, line, raster, read, refuses } from './broken.ts';

test('a valid country is read; its one row by another method is left out and reported', async () => {
  const { tables, rasters } = await read();
  expect(tables.report).toContainEqual({
    source: 'surveys',
    rule: 'one method only',
    what: '1 of 25 rows left out: each sample counts once, by microscopy',
  });
  expect(outputRows(rasters.lgas)).toHaveLength(4);
});

const cases: Case[] = [
  ['a missing file', (country) => delete country.files['nets.csv'], /nets\.csv: found no such file/],
  [
    'a column with another name',
    line('nets.csv', 1, 'lga,usage'),
    /nets\.csv, header: found columns lga, usage, expected a column "use"/,
  ],
  ['an empty table', edit('nets.csv', () => 'lga,use\n'), /nets\.csv: found no rows/],
  ['a truncated table', edit('climate.csv', (text) => text.slice(0, -9)), /climate\.csv/],
  ['an unknown LGA', line('nets.csv', 2, 'NG009009,0.3'), /nets\.csv, row 2, lga_pcode: found NG009009, expected/],
  [
    'a duplicate',
    line('nets.csv', 3, 'NG001001,0.3'),
    /nets\.csv, row 3: found lga_pcode NG001001, as in row 2, expected a single row/,
  ],
  ['an LGA missing', line('nets.csv', 3, ''), /nets\.csv, NG001002 Place 2: found no row, expected a figure, or a gap/],
  ['a share above 1', line('nets.csv', 2, 'NG001001,1.2'), /nets\.csv, row 2, itn_use: found 1\.2, expected 0 to 1/],
  [
    'percent instead of shares',
    line('nets.csv', 2, 'NG001001,30'),
    /nets\.csv, row 2, itn_use: found 30, expected 0 to 1/,
  ],
  [
    'shares instead of percent',
    edit('access.csv', () => 'state,percent\nNG001,0.45\nNG002,0.6\n'),
    /access\.csv, itn_access: found no value above 0\.6, expected percent/,
  ],
  [
    'text instead of a number',
    line('nets.csv', 2, 'NG001001,n/a'),
    /nets\.csv, row 2, itn_use: found "n\/a", expected a number/,
  ],
  [
    'a negative count',
    line('cases.csv', 4, 'NG001,2018-03,-4'),
    /cases\.csv, row 4, confirmed: found -4, expected at least 0/,
  ],
  [
    'a month missing from a series of cases',
    edit('cases.csv', (text) => text.replace(/NG001,2019-05,.*\n/, '')),
    /cases\.csv, AB: found no month 2019-05, expected every month from 2018-01 to 2021-12/,
  ],
  [
    'quarters among months',
    edit('cases.csv', (text) => text.replaceAll(/NG001,2021-(0[124578]|1[01]),.*\n/g, '')),
    /AB: found no month 2021-01, .* 2021-12; from 2021-03 on there is one row every 3 months: if each counts all 3/,
  ],
  [
    'a month missing from the climate',
    edit('climate.csv', (text) => text.replace(/NG002001,2019-05,.*\n/, '')),
    /climate\.csv, NG002001 Place 3: found no month 2019-05/,
  ],
  [
    'an LGA without climate',
    edit('climate.csv', (text) => text.replace(/NG002001,.*\n/g, '')),
    /climate\.csv, NG002001 Place 3: found no row, expected every month, or a gap/,
  ],
  [
    'positivity above 1',
    line('surveys.csv', 5, (old) => old.replace(/,[^,]*$/, ',1.4')),
    /surveys\.csv, row 5, positivity: found 1\.4, expected 0 to 1/,
  ],
  [
    'a survey in percent',
    line('surveys.csv', 5, (old) => old.replace(/,[^,]*$/, ',21')),
    /surveys\.csv, row 5, positivity: found 21, expected 0 to 1/,
  ],
  [
    'an LGA with another state',
    line('surveys.csv', 2, (old) => old.replace('NG001,', 'NG002,')),
    /surveys\.csv, row 2: found NG001001 in AD, expected the area of the upper level that it lies in/,
  ],
  [
    'a repeated cluster',
    line('surveys.csv', 3, (old) => old.replace('NG001001-2', 'NG001001-1')),
    /surveys\.csv, row 3: found .*, as in row 2/,
  ],
  [
    'an invalid survey month',
    line('surveys.csv', 2, (old) => old.replace('2018-10', '2018-13')),
    /surveys\.csv, row 2, period: found 2018-13, expected a month YYYY-MM/,
  ],
  [
    'positive > examined',
    (country) => {
      sourceIn(country, 'surveys').columns = { ...sourceIn(country, 'surveys').columns, positive: 'share' };
      delete sourceIn(country, 'surveys').columns.positivity;
      edit('surveys.csv', (text) => text.replace(/,0\.\d+$/gm, ',7'))(country);
      line('surveys.csv', 4, (old) => old.replace(/,[^,]*$/, ',99'))(country);
    },
    /surveys\.csv, row 4, positive: found 99 of 23 examined, expected no more positive than examined/,
  ],
  [
    'more children than people',
    line('census.csv', 2, 'NG001001,100,300'),
    /census\.csv, row 2, children_0_4: found 300, expected 0 to 100/,
  ],
  [
    'an LGA missing from the outlines',
    features('lgas.geojson', (list) => list.slice(1)),
    /lgas\.geojson: found 3 polygons, none for NG001001, expected 4/,
  ],
  [
    'a state missing from the outlines',
    features('states.geojson', (list) => list.slice(1)),
    /states\.geojson: found 1 polygons, expected 2/,
  ],
  [
    'a duplicate code among outlines',
    features('lgas.geojson', (list) => {
      list[1].properties.pcode = 'NG001001';
      return list;
    }),
    /lgas\.geojson: found the code NG001001 for both .* and .*, expected each code once/,
  ],
  [
    'an LGA that names another state',
    features('lgas.geojson', (list) => {
      list[1].properties.state = 'NG002';
      return list;
    }),
    /lgas\.geojson, NG001002 Place 2: found a location outside the outline of NG002, its state, expected areas inside those of the upper level/,
  ],
  [
    'overlapping polygons',
    features('lgas.geojson', (list) => {
      list[0].geometry.coordinates[0][1][0] = 4.2;
      list[0].geometry.coordinates[0][2][0] = 4.2;
      return list;
    }),
    /lgas\.geojson, NG001001 and NG001002: found an overlap of/,
  ],
  [
    'an outline that crosses itself',
    features('lgas.geojson', (list) => {
      const ring = list[0].geometry.coordinates[0];
      [ring[1], ring[2]] = [ring[2], ring[1]];
      return list;
    }),
    /lgas\.geojson, NG001001: found an outline that crosses or overlaps itself at/,
  ],
  [
    'outlines in metres',
    features('lgas.geojson', (list) => {
      list[0].geometry.coordinates[0][1] = [400000, 50];
      return list;
    }),
    /lgas\.geojson.*400000/,
  ],
  [
    'outlines in another part of the world',
    features('lgas.geojson', (list) => {
      for (const p of list[0].geometry.coordinates[0]) p[0] += 60;
      return list;
    }),
    /lgas\.geojson, NG001001: found a vertex at 63, 4, expected longitude 3 to 7/,
  ],
  [
    'another coordinate system',
    edit('lgas.geojson', (text) =>
      JSON.stringify({ ...JSON.parse(text), crs: { type: 'name', properties: { name: 'EPSG:32632' } } }),
    ),
    /lgas\.geojson.*EPSG:32632.*expected WGS 84/,
  ],
  [
    'a state that is not the union of its LGAs',
    features('states.geojson', (list) => {
      list[1].geometry.coordinates[0][2][1] = 4.9;
      return list;
    }),
    /states\.geojson, NG002 Adamawa: found LGAs that it does not contain: they reach beyond it by [\d.]+ of its/,
  ],
  [
    'an unreadable raster',
    (country) => {
      country.files['people.tif'] = 'not a tiff';
    },
    /people\.tif/,
  ],
  [
    'a truncated raster',
    (country) => {
      country.files['people.tif'] = (country.files['people.tif'] as Buffer).subarray(0, -400);
    },
    /people\.tif/,
  ],
  [
    'an untagged nodata value',
    raster('people.tif', (i) => (i === GRID.columns + 5 ? -3.4e38 : 250 + i / 100)),
    /people\.tif, row 1, column 5.*found -3\.399/,
  ],
  [
    'a raster of another place',
    raster('people.tif', (i) => 250 + i / 100, { ...GRID, west: 30 }),
    /people\.tif, NG001001 Place 1: found 0\.0% of the area inside the raster, expected all of it/,
  ],
  [
    'an LGA that the raster does not cover',
    raster('people.tif', (i) => 250 + i / 100, { ...GRID, columns: 30 }),
    /people\.tif, NG002002 Place 4/,
  ],
];

describe('a bad input is refused in one line: file, position, found, expected', () => refuses(cases));

describe('declared gaps are filled by their rule and reported', () => {
  test('a layer without an estimate is null', async () => {
    const { tables } = await read((country) => {
      line('nets.csv', 3, 'NG001002,')(country);
      sourceIn(country, 'itn_use').gaps = [{ rule: 'null', lga_pcode: 'NG001002', reason: 'too small' }];
    });
    expect(outputRows<any>(tables.layers).map((lga) => lga.itn_use)).toEqual([0.3, null, 0.5, 0.6]);
    expect(tables.report).toContainEqual({ source: 'itn_use', rule: 'null', what: 'NG001002 Place 2: too small' });
  });
  test('climate is the unweighted mean of the neighbours', async () => {
    const { tables } = await read((country) => {
      edit('climate.csv', (text) => text.replace(/NG001002,.*\n/g, ''))(country);
      sourceIn(country, 'climate').gaps = [{ rule: 'neighbours', lga_pcode: 'NG001002', reason: 'no station' }];
      sourceIn(country, 'climate').files[0].rows = 144;
    });
    const months = outputRows<ClimateRow>(tables.climate);
    const rain = (code: string) => months.filter(({ lga_code }) => lga_code === code)[7]!.rain_mm;
    expect(rain('NG001002')).toBeCloseTo((rain('NG001001') + rain('NG002001')) / 2, 12);
  });
  test('masked months are kept and listed; blanks are unknown, not 0, and named', async () => {
    const { tables } = await read((country) => {
      sourceIn(country, 'cases').gaps = [
        { rule: 'mask', state_pcode: 'NG001', first: '2018-03', last: '2018-04', reason: 'strike' },
      ];
      line('cases.csv', 6, 'NG001,2018-05,')(country);
    });
    const series = groupCases(outputRows(tables.cases)).states[0]!;
    expect(series.masked).toEqual([2, 3]);
    expect(series.confirmed[2]).toBeGreaterThan(0);
    expect(series.confirmed[4]).toBeNull();
    expect(tables.report).toContainEqual({
      source: 'cases',
      rule: 'blank is unknown',
      what: '1 blank month kept as unknown, never as 0: AB Abia, 2018-05',
    });
  });
  test('numbers of people by class of minutes become a mean of midpoints', async () => {
    const { tables } = await read((country) => {
      country.files['walk.csv'] = 'lga,near,far\nNG001001,30,10\nNG001002,0,5\nNG002001,,\nNG002002,1,1\n';
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
        files: [{ path: 'walk.csv', rows: 4 }],
        gaps: [{ rule: 'null', lga_pcode: 'NG002001', reason: 'empty row' }],
      });
    });
    expect(outputRows<any>(tables.layers).map((lga) => lga.travel_minutes_to_care)).toEqual([22.5, 45, null, 30]);
  });
});
