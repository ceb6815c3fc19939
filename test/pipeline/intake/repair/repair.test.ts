import { readFileSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';
import { readCountry } from '../../../../pipeline/catalog/country.ts';
import { periodRange } from '../../../../pipeline/contract/months.ts';
import type { ReportLine } from '../../../../pipeline/engine/stage.ts';
import { ingestAreas } from '../../../../pipeline/ingest/areas.ts';
import { ingestCases } from '../../../../pipeline/ingest/cases.ts';
import { ingestClimate } from '../../../../pipeline/ingest/climate.ts';
import { Locator } from '../../../../pipeline/ingest/locator.ts';
import { ingestSurveys } from '../../../../pipeline/ingest/surveys.ts';
import { checkCountry } from '../../../../pipeline/intake/check/check-country.ts';
import { groupRepairs, repairCountry } from '../../../../pipeline/intake/repair/repair.ts';
import { areaKm2 } from '../../../../pipeline/lib/numerics/area.ts';
import { pairedSources } from '../../../support/paired-sources.ts';
import { runHere } from '../../../support/run-here.ts';
import { LGAS, replaceLine, sourceIn, type TinyCountry, writeTiny } from '../../../support/tiny-country.ts';

const ACCEPT = { at: '2026-01-02T03:04:05.000Z', by: 'Ada', reason: 'so it came' };
const withoutLine = (text: string | Buffer, line: number) =>
  String(text)
    .split('\n')
    .filter((_, i) => i !== line - 1)
    .join('\n');

/** Repairs a country's catalog, and checks that its files are not changed. */
async function repaired(change: (country: TinyCountry) => void) {
  const { directory, files } = writeTiny(change);
  const proposed = await repairCountry(directory);
  expect(await checkCountry(directory), 'nothing is written without a reason').not.toEqual([]);
  expect(await repairCountry(directory, directory, ACCEPT)).toEqual(proposed);
  const { sources } = JSON.parse(readFileSync(path.join(directory, 'sources.json'), 'utf8'));
  for (const [name, content] of Object.entries(files))
    expect(readFileSync(path.join(directory, name)).equals(Buffer.from(content)), `${name} is unchanged`).toBe(true);
  return { directory, sources, ...proposed };
}

test('places without a row and months without a record become gaps with the rule of their source', async () => {
  const { directory, sources, repairs, left } = await repaired((country) => {
    country.files['nets.csv'] = withoutLine(country.files['nets.csv']!, 3);
    country.files['census.csv'] = withoutLine(country.files['census.csv']!, 5);
    country.files['cases.csv'] = withoutLine(withoutLine(country.files['cases.csv']!, 14), 14);
    for (const id of ['itn_use', 'population_census', 'cases']) sourceIn(country, id).files[0].rows = 1;
  });
  expect(left).toEqual([]);
  expect(repairs.map(({ source, declares }) => `${source}, ${declares}`).sort()).toEqual([
    'cases, gap mask: NG001 2019-01',
    'cases, gap mask: NG001 2019-02',
    'itn_use, gap null: NG001002',
    'population_census, gap omit: NG002002',
  ]);
  const cases = sources.find(({ id }: { id: string }) => id === 'cases');
  expect(cases.gaps).toEqual([
    {
      rule: 'mask',
      state_pcode: 'NG001',
      first: '2019-01',
      last: '2019-02',
      reason: 'no rows of these months; accepted: so it came',
    },
  ]);
  expect(cases.accepted).toEqual([{ ...ACCEPT, what: 'declared: gap mask: NG001 2019-01; gap mask: NG001 2019-02' }]);
  expect(await checkCountry(directory)).toEqual([]);
});

test('the new part of a divided area that no table has is merged with it: no figure changes', async () => {
  const ring = (west: number, east: number) => [
    [west, 4],
    [east, 4],
    [east, 5],
    [west, 5],
    [west, 4],
  ];
  const divide = (country: TinyCountry) => {
    const outlines = JSON.parse(String(country.files['lgas.geojson']));
    const part = structuredClone(outlines.features[0]);
    Object.assign(part.properties, { pcode: 'NG001009', name: 'Place 9' });
    part.geometry.coordinates = [ring(3, 3.4)];
    outlines.features[0].geometry.coordinates = [ring(3.4, 4)];
    outlines.features.unshift(part);
    country.files['lgas.geojson'] = JSON.stringify(outlines);
    country.model.expected.lgas = 5;
    const divided = [{ code: LGAS[0], parts: ['NG001009'] }];
    sourceIn(country, 'lga_boundaries').accepted = [{ ...ACCEPT, what: 'changed', divided }];
  };
  const areasOf = async (directory: string) => {
    const { sources, model } = readCountry(directory);
    const { areas, polygons } = await ingestAreas({ rawData: directory, sources, model, report: [] });
    return { areas, km2: polygons.lgas.map(({ polygons: outline }) => areaKm2(outline)) };
  };
  const { directory, repairs, left } = await repaired(divide);
  expect([repairs.map(({ declares }) => declares), left]).toEqual([
    ['merge NG001009 with NG001001, of which it was a part (recode and dissolve)'],
    [],
  ]);
  expect(await checkCountry(directory)).toEqual([]);
  const [merged, undivided] = [await areasOf(directory), await areasOf(writeTiny().directory)];
  expect(merged.areas).toEqual(undivided.areas);
  for (const [i, km2] of undivided.km2.entries()) expect(merged.km2[i]).toBeCloseTo(km2, 6);
  // With people of its own it is an area.
  const counted = await repaired((country) => {
    divide(country);
    country.files['census.csv'] += String(country.files['census.csv']).split('\n')[1]!.replace(LGAS[0], 'NG001009');
  });
  expect(counted.repairs.map(({ declares }) => declares)).toContain('gap null: NG001009');
});

test('a month and a cell that a table of rain lacks have the mean of the neighbours, once it is declared', async () => {
  const { directory, repairs, left } = await repaired((country) => {
    const lines = String(country.files['climate.csv']).split('\n');
    const blank = lines.map((row) => (row.startsWith('NG001001,2018-03') ? 'NG001001,2018-03,' : row));
    country.files['climate.csv'] = blank.filter((row) => !row.startsWith('NG001001,2019-07')).join('\n');
    sourceIn(country, 'climate').files[0].rows = 1;
  });
  expect([repairs.map(({ declares }) => declares), left]).toEqual([['gap neighbours: NG001001'], []]);
  const { sources, model } = readCountry(directory);
  const input = { rawData: directory, sources, model, report: [] };
  const { areas, polygons } = await ingestAreas(input);
  const rain = (lga: string, month: string, rows: Awaited<ReturnType<typeof ingestClimate>>) =>
    rows.find(({ lga_code, period }) => lga_code === lga && period === month)!.rain_mm;
  const rows = await ingestClimate(input, areas, polygons);
  for (const month of ['2018-03', '2019-07']) expect(rain(LGAS[0], month, rows)).toBe(rain(LGAS[1], month, rows));
  expect(rain(LGAS[0], '2018-04', rows)).not.toBe(rain(LGAS[1], '2018-04', rows));
});

/** Cases by LGA, of which June 2018 has none. */
function withoutJune(country: TinyCountry): void {
  const months = periodRange('2018-01', '2021-12').filter((month) => month !== '2018-06');
  const rows = LGAS.flatMap((lga) => months.map((month, i) => `${lga},${month},${100 + (i % 7)}`));
  country.files['cases.csv'] = `lga,month,cases\n${rows.join('\n')}\n`;
  const cases = sourceIn(country, 'cases');
  cases.role = 'cases_lgas';
  cases.columns = { lga_pcode: 'lga', period: 'month', confirmed: 'cases' };
  cases.files[0].rows = 1;
}

test('a month without records in many places is one line, of the repair and of the findings', async () => {
  const { directory, sources, repairs } = await repaired(withoutJune);
  expect(repairs).toHaveLength(4);
  expect(groupRepairs(repairs)).toEqual([
    {
      source: 'cases',
      declares: 'gap mask: NG001001, NG001002, NG002001 and 1 more 2018-06',
      remedy: repairs[0]!.remedy,
      fault: expect.stringMatching(/^cases\.csv, NG001001 Place 1: found no month 2018-06, .*; and 3 more like it$/),
    },
  ]);
  const country = readCountry(directory, directory);
  const report: ReportLine[] = [];
  const input = { rawData: directory, sources, model: country.model, report };
  const { areas, polygons } = await ingestAreas(input);
  await ingestCases(input, areas, {}, new Locator(areas, polygons));
  expect(report.filter(({ rule }) => rule === 'mask')).toEqual([
    {
      source: 'cases',
      rule: 'mask',
      what: 'NG001001, NG001002, NG002001, NG002002 2018-06 to 2018-06: no rows of these months; accepted: so it came',
    },
  ]);
});

test('what is accepted is listed in full, every place of a line, with the reason that is written', async () => {
  const { directory } = writeTiny(withoutJune);
  const gaps = (stdout: string) => stdout.split('\n').filter((line) => line.startsWith('cases'));
  const { stdout: proposed } = await runHere(['catalog', 'repair', '--country', directory]);
  expect(gaps(proposed)).toEqual(['cases, gap mask: NG001001, NG001002, NG002001 and 1 more 2018-06']);
  const { stdout } = await runHere(['catalog', 'repair', '--country', directory, '--accept', 'floods']);
  expect(gaps(stdout)).toEqual([`cases, gap mask: ${LGAS.join(', ')} 2018-06`]);
  expect(stdout).toMatch(/\n {2}reason: no rows of these months; accepted: floods\nEach of these is written/);
});

test('a name that is like that of one area is proposed for aliases.csv, once for all tables', async () => {
  const byName = (country: TinyCountry, file: string, id: string) => {
    const names = ['Place 1', 'Plaice 2', 'Place 3', 'Place 4'];
    const text = String(country.files[file]);
    country.files[file] = LGAS.reduce((rows, code, i) => rows.replace(code, names[i]!), text);
    const { lga_pcode, ...columns } = sourceIn(country, id).columns;
    sourceIn(country, id).columns = { lga: lga_pcode, ...columns };
  };
  const { directory, repairs, left } = await repaired((country) => {
    byName(country, 'nets.csv', 'itn_use');
    byName(country, 'census.csv', 'population_census');
  });
  expect(left).toEqual([]);
  expect(repairs.map(({ source, declares }) => `${source}, ${declares}`).sort()).toEqual([
    'itn_use, name "Plaice 2" is NG001002 (aliases.csv)',
    'population_census, name "Plaice 2" is NG001002 (aliases.csv)',
  ]);
  const written = readFileSync(path.join(directory, 'aliases.csv'), 'utf8');
  expect(written).toBe('name,parent,code,from\nPlaice 2,,NG001002,\n');
  expect(await checkCountry(directory)).toEqual([]);
});

test('rows of totals in a table by names may be left out', async () => {
  const { directory, repairs, left } = await repaired((country) => {
    const [header, ...rows] = String(country.files['census.csv']).trim().split('\n');
    const named = rows.map((row, i) => row.replace(/^[^,]+/, `Place ${i + 1}`));
    country.files['census.csv'] = `${[header, ...named, 'Total Abia,200001,36000', 'TOTAL,400006,72000'].join('\n')}\n`;
    const { columns } = sourceIn(country, 'population_census');
    columns.lga = columns.lga_pcode;
    delete columns.lga_pcode;
  });
  expect(left).toEqual([]);
  expect(repairs.map(({ declares }) => declares)).toEqual([
    'leave_out: rows with lga Total Abia',
    'leave_out: rows with lga TOTAL',
  ]);
  expect(await checkCountry(directory)).toEqual([]);
});

test('a cluster without a name, in a survey that goes by names, may be left out', async () => {
  const { directory, repairs } = await repaired((country) => {
    const { state_pcode: _, lga_pcode: __, ...columns } = sourceIn(country, 'surveys').columns;
    sourceIn(country, 'surveys').columns = { ...columns, lga: 'lga' };
    const named = String(country.files['surveys.csv']).replaceAll(
      /,NG00\d{4},/g,
      (code) => `,Place ${LGAS.indexOf(code.slice(1, -1) as never) + 1},`,
    );
    country.files['surveys.csv'] = replaceLine(named, 3, (row) => row.replace('Place 1', ''));
  });
  expect(repairs.map(({ declares }) => declares)).toEqual(['leave_out: rows with a blank lga']);
  expect(await checkCountry(directory)).toEqual([]);
});

test('faults that no declaration resolves are reported; the other repairs are still written', async () => {
  const { directory, repairs, left } = await repaired((country) => {
    country.files['nets.csv'] = withoutLine(country.files['nets.csv']!, 3);
    sourceIn(country, 'itn_use').files[0].rows = 1;
    country.files['surveys.csv'] = replaceLine(country.files['surveys.csv']!, 4, (row) => row.replace(/[^,]+$/, '1.2'));
  });
  expect(repairs).toHaveLength(1);
  expect(left.map(({ what }) => what)).toEqual([expect.stringMatching(/^surveys\.csv, row 4, positivity: found 1\.2/)]);
  expect(await checkCountry(directory)).toEqual(left);
  const { stdout } = await runHere(['catalog', 'repair', '--country', directory]);
  expect(stdout.trim().split('\n').at(-1)).toMatch(
    /^Correct these in the files .*: malaria-risk catalog update surveys --country .* --accept REASON$/,
  );
});

test('names spelled differently in the table of codes are recoded, and an area in two features is dissolved', async () => {
  const { directory, sources, repairs } = await repaired((country) => {
    pairedSources(country);
    const outlines = JSON.parse(String(country.files['lgas.geojson']));
    outlines.features[1].properties.name = 'PLACE-2';
    const [first] = outlines.features;
    const half = (west: number) => ({
      ...first,
      geometry: {
        type: 'Polygon',
        coordinates: [
          [
            [west, 4],
            [west + 0.5, 4],
            [west + 0.5, 5],
            [west, 5],
            [west, 4],
          ],
        ],
      },
    });
    outlines.features.splice(0, 1, half(3), half(3.5));
    country.files['lgas.geojson'] = JSON.stringify(outlines);
  });
  expect(repairs.map(({ declares }) => declares)).toEqual([
    'recode lga: "PLACE-2" means "Place 2"',
    'dissolve: features with the same code are one area',
  ]);
  expect(await checkCountry(directory)).toEqual([]);
  const model = JSON.parse(readFileSync(path.join(directory, 'model.json'), 'utf8'));
  const { areas, polygons } = await ingestAreas({ rawData: directory, model, sources, report: [] });
  expect(areas.lgas.map(({ lga }) => lga)).toEqual(['Place 1', 'Place 2', 'Place 3', 'Place 4']);
  const [ring, ...more] = polygons.lgas[0]!.polygons.flat();
  expect([new Set(ring!.map(([x]) => x)), more]).toEqual([new Set([3, 3.5, 4]), []]);
});

test('a small overlap of outlines is declared with its size; a large one is not', async () => {
  const overlapping = (east: number) => (country: TinyCountry) => {
    const outlines = JSON.parse(String(country.files['lgas.geojson']));
    const [ring] = outlines.features[0].geometry.coordinates;
    ring[1][0] = east;
    ring[2][0] = east;
    country.files['lgas.geojson'] = JSON.stringify(outlines);
  };
  const { directory, sources, repairs } = await repaired(overlapping(4.005));
  expect(repairs.map(({ declares }) => declares)).toEqual([
    expect.stringMatching(/^sliver_km2: overlaps and gaps of outlines up to 6\d\.\d+ km² are drawing errors$/),
  ]);
  expect(await checkCountry(directory)).toEqual([]);
  const model = JSON.parse(readFileSync(path.join(directory, 'model.json'), 'utf8'));
  const report: ReportLine[] = [];
  await ingestAreas({ rawData: directory, model, sources, report });
  expect(report).toContainEqual(expect.objectContaining({ rule: 'slivers cleaned' }));
  const { left } = await repaired(overlapping(4.2));
  expect(left.map(({ what }) => what)).toEqual([expect.stringContaining('found an overlap of')]);
});

test('clusters without a location, a weight or a result are left out by their kind; findings count and name them', async () => {
  const { directory, sources, repairs, left } = await repaired((country) => {
    const [header, ...rows] = String(country.files['surveys.csv']).trim().split('\n');
    const incomplete = ['0,0.00,1,20', '3.5,4.5,,20', '3.5,4.5,1,0', '0.0,0,2,20', '3.5,4.5,1,'].map(
      (values, i) =>
        `2018,2018-10,incomplete-${i},,,microscopy,${values.split(',')[3]},0.2,${values.replace(/,[^,]*$/, '')}`,
    );
    const complete = rows.map(
      (row, i) => `${row},${3.5 + LGAS.findIndex((code) => row.includes(`,${code},`))},${4.2 + i / 50},1`,
    );
    country.files['surveys.csv'] = `${[`${header},x,y,w`, ...complete, ...incomplete].join('\n')}\n`;
    Object.assign(sourceIn(country, 'surveys').columns, { longitude: 'x', latitude: 'y', weight: 'w' });
  });
  expect(left).toEqual([]);
  expect(repairs.map(({ declares }) => declares)).toEqual([
    'leave_out: rows with longitude 0 and latitude 0',
    'leave_out: rows with a blank weight',
    'leave_out: rows with examined 0',
    'leave_out: rows with a blank examined',
  ]);
  const surveys = sources.find(({ id }: { id: string }) => id === 'surveys');
  expect(surveys.leave_out).toContainEqual({
    where: { weight: null },
    reason: 'rows that cannot be used; accepted: so it came',
  });
  expect(await checkCountry(directory)).toEqual([]);
  const model = JSON.parse(readFileSync(path.join(directory, 'model.json'), 'utf8'));
  const report: ReportLine[] = [];
  const { areas, polygons } = await ingestAreas({ rawData: directory, model, sources, report: [] });
  const input = { rawData: directory, model, sources, report };
  const { clusters } = await ingestSurveys(input, areas, new Locator(areas, polygons));
  expect(clusters).toHaveLength(24);
  expect(report.filter(({ rule }) => rule === 'left out').map(({ what }) => what)).toEqual([
    '2 of 30 rows with longitude 0 and latitude 0: rows that cannot be used; accepted: so it came; row 27 (incomplete-0), row 30 (incomplete-3)',
    '1 of 30 rows with a blank weight: rows that cannot be used; accepted: so it came; row 28 (incomplete-1)',
    '1 of 30 rows with examined 0: rows that cannot be used; accepted: so it came; row 29 (incomplete-2)',
    '1 of 30 rows with a blank examined: rows that cannot be used; accepted: so it came; row 31 (incomplete-4)',
  ]);
});

test('rows can be left out by a text; a column that the table lacks, or a source without rows, is refused', async () => {
  const leaveOut = (id: string, where: Record<string, unknown>) => (country: TinyCountry) => {
    sourceIn(country, id).leave_out = [{ where, reason: 'a test' }];
  };
  const { directory } = writeTiny(leaveOut('surveys', { method: 'rdt' }));
  expect(await checkCountry(directory)).toEqual([]);
  const faultsOf = async (id: string, where: Record<string, unknown>) =>
    (await checkCountry(writeTiny(leaveOut(id, where)).directory)).map(({ what }) => what);
  expect(await faultsOf('surveys', { weight: null })).toEqual([
    expect.stringMatching(
      /^sources\.json, source surveys, leave_out: found the column weight, expected one of survey_year/,
    ),
  ]);
  expect(await faultsOf('population', { people: 0 })).toEqual([
    'sources.json, source population: found leave_out, expected none: only tables have rows',
  ]);
  expect(await faultsOf('surveys', { survey_year: 2018 })).toEqual([
    expect.stringMatching(/^surveys\.csv, round 2018: found no row/),
  ]);
});
