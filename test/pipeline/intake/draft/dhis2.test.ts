import path from 'node:path';
import { expect, test } from 'vitest';
import type { Source } from '../../../../pipeline/catalog/sources.ts';
import type { ReportLine } from '../../../../pipeline/engine/stage.ts';
import { ingestAreas } from '../../../../pipeline/ingest/areas.ts';
import { ingestCases } from '../../../../pipeline/ingest/cases.ts';
import { ingestCensus } from '../../../../pipeline/ingest/layers.ts';
import { Locator } from '../../../../pipeline/ingest/locator.ts';
import { readPolygons } from '../../../../pipeline/ingest/readers/polygons.ts';
import { readTextTable } from '../../../../pipeline/ingest/readers/raw-table.ts';
import { LGAS, tinyCountry } from '../../../support/tiny-country.ts';
import { catalogOf, filesOf } from './drafted.ts';

const GIVEN = { name: 'Tiny country', iso_code: 'NG', upper_one: 'state', upper_many: 'states' };
const STATES = ['StateUnit01', 'StateUnit02'];
const UNITS = ['LgaUnit0001', 'LgaUnit0002', 'LgaUnit0003', 'LgaUnit0004'];
const MONTHS = Array.from(
  { length: 36 },
  (_, i) => `${2018 + Math.floor(i / 12)}${String((i % 12) + 1).padStart(2, '0')}`,
);
const iso = (month: string) => `${month.slice(0, 4)}-${month.slice(4)}`;
const cases = (unit: number, month: number) => 100 + 10 * unit + ((7 * month) % 40);

const { 'lgas.geojson': outlines, 'states.geojson': upper, ...others } = tinyCountry().files;
const geometries = (content: string | Buffer | undefined): object[] =>
  JSON.parse(String(content)).features.map((feature: { geometry: object }) => feature.geometry);

/** What /api/organisationUnits.json gives of a level, with the geometry. */
const unitsOf = (level: 2 | 3) =>
  (level === 2 ? STATES : UNITS).map((id, i) => ({
    name: level === 2 ? ['Abia', 'Adamawa'][i] : `Place ${i + 1}`,
    id,
    level,
    ...(level === 3 ? { code: LGAS[i] } : {}),
    parent:
      level === 2
        ? { id: 'CountryUni1', name: 'Country' }
        : { id: STATES[Math.floor(i / 2)], name: ['Abia', 'Adamawa'][Math.floor(i / 2)] },
    geometry: geometries(level === 2 ? upper : outlines)[i],
  }));
const asJson = (level: 2 | 3) =>
  JSON.stringify({ pager: { page: 1, total: 4, pageSize: 50 }, organisationUnits: unitsOf(level) });
/** The same as /api/organisationUnits.geojson gives it. */
const asGeoJson = (level: 2 | 3) =>
  JSON.stringify({
    type: 'FeatureCollection',
    features: unitsOf(level).map(({ id, geometry, parent, level: own, ...properties }) => ({
      type: 'Feature',
      id,
      geometry,
      properties: { ...properties, level: String(own), parent: parent.id, parentGraph: parent.id, groups: [] },
    })),
  });

const header = (name: string, meta = true) => ({
  name,
  column: name,
  valueType: meta ? 'TEXT' : 'NUMBER',
  hidden: false,
  meta,
});
/** /api/analytics.json, as it writes numbers. What is null is left out. */
function analytics(
  rate: ((unit: number, month: number) => number | null) | null,
  byName = false,
  element = 'Malaria cases confirmed',
  count: (unit: number, month: number) => number | null = cases,
) {
  const items: Record<string, { name: string }> = {
    CasesDataEl: { name: element },
    'MalariaDset.REPORTING_RATE': { name: 'Malaria monthly - Reporting rate' },
    ...Object.fromEntries(UNITS.map((id, i) => [id, { name: `Place ${i + 1}` }])),
    ...Object.fromEntries(MONTHS.map((month) => [month, { name: `Month ${month}` }])),
  };
  const spelled = (id: string) => (byName ? items[id]!.name : id);
  const rows = UNITS.flatMap((unit, u) =>
    MONTHS.flatMap((month, m) => {
      const own = rate?.(u, m) ?? null;
      const value = count(u, m);
      return [
        ...(value === null ? [] : [[spelled('CasesDataEl'), spelled(unit), month, `${value}.0`]]),
        ...(own === null ? [] : [[spelled('MalariaDset.REPORTING_RATE'), spelled(unit), month, String(own)]]),
      ];
    }),
  );
  return JSON.stringify({
    headers: [header('dx'), header('ou'), header('pe'), header('value', false)],
    metaData: byName ? { items: {}, dimensions: {} } : { items, dimensions: { ou: UNITS, pe: MONTHS } },
    rows,
    width: 4,
    height: rows.length,
  });
}

/** The catalog drafted from the tiny country with its areas and cases in the forms of DHIS2. */
function drafted(files: Record<string, string>, answers: Record<string, string> = {}) {
  const { 'cases.csv': _, 'nets.csv': _nets, 'access.csv': _access, 'surveys.csv': surveys, ...rest } = others;
  const directory = filesOf({
    ...rest,
    'surveys.csv': String(surveys).replaceAll(/,NG00\d,(NG\d{6}),/g, ',,$1,'),
    ...files,
  });
  return catalogOf(directory, { ...GIVEN, ...answers });
}

/** What a build reads by it. */
async function ingested(
  files: Record<string, string>,
  reporting?: Source['reporting'],
  answers: Record<string, string> = {},
) {
  const { sources, model, root, draft, faults } = await drafted(files, answers);
  expect(faults).toEqual([]);
  if (reporting) Object.assign(sources.find(({ role }) => role === 'cases_lgas')!, { reporting });
  const report: ReportLine[] = [];
  const input = { rawData: root, sources, model, report };
  const { areas, polygons } = await ingestAreas(input);
  const census = Object.fromEntries((await ingestCensus(input, areas)).census.map((row) => [row.lga_code, row]));
  const records = await ingestCases(input, areas, census, new Locator(areas, polygons));
  return { draft, model, source: sources.find(({ role }) => role === 'cases_lgas')!, records, report };
}
type Found = Awaited<ReturnType<typeof ingested>>;
const figures = ({ records }: Found) => records.map(({ lga_code, period, confirmed }) => [lga_code, period, confirmed]);
const EXPECTED = LGAS.flatMap((code, unit) => MONTHS.map((month, m) => [code, iso(month), cases(unit, m)]));

test('organisation units with geometry and analytics become a draft without doubts', async () => {
  const found = await ingested({
    'units2.geojson': asGeoJson(2),
    'units3.json': asJson(3),
    'analytics.json': analytics(() => 95),
  });
  expect({ doubts: found.draft.doubts, leftOut: found.draft.leftOut }).toEqual({ doubts: [], leftOut: [] });
  expect(figures(found)).toEqual(EXPECTED);
  expect(found.model.states.map(({ state_pcode, state }) => [state_pcode, state])).toEqual([
    ['StateUnit01', 'Abia'],
    ['StateUnit02', 'Adamawa'],
  ]);
  expect(found.source).toMatchObject({
    format: 'json',
    dialect: { wide: { names: 'dx.name', values: 'value' } },
    columns: {
      period: 'pe',
      confirmed: 'Malaria cases confirmed',
      reporting_rate: 'Malaria monthly - Reporting rate',
    },
  });
});

test.each([
  ['ids of units that the outlines have, without a rate', asGeoJson(3), analytics(null)],
  ['names in place of ids', asJson(3), analytics(() => 90, true)],
  ['parents from the units themselves', asJson(3), analytics(() => 80)],
])('%s are read', async (_, units, table) => {
  const found = await ingested({ 'units.json': units, 'analytics.json': table });
  expect({ doubts: found.draft.doubts, leftOut: found.draft.leftOut }).toEqual({ doubts: [], leftOut: [] });
  expect(figures(found)).toEqual(EXPECTED);
});

test('a data element whose name says nothing is asked about, if it is the only one beside a rate', async () => {
  const table = analytics(() => 90, false, 'SNIS 12b: TDR+ et GE+');
  const found = await ingested({ 'units.json': asJson(3), 'analytics.json': table });
  expect(figures(found)).toEqual(EXPECTED);
  expect(found.draft.questions.map(({ id }) => id)).toContain('numbers of analytics.json');
  expect(found.source.columns).toMatchObject({ reporting_rate: 'Malaria monthly - Reporting rate' });
});

test('blanks beside complete reports are zeros that the export leaves out, if no month has 0 and others are near it', async () => {
  const few = (unit: number, month: number) => (cases(unit, month) % 4 === 0 ? null : cases(unit, month) % 7 || null);
  const table = (counts: typeof few) => analytics(() => 100, false, 'Malaria cases confirmed', counts);
  const found = await ingested({ 'units.json': asJson(3), 'analytics.json': table(few) });
  expect(figures(found)).toEqual(
    LGAS.flatMap((code, unit) => MONTHS.map((month, m) => [code, iso(month), few(unit, m) ?? 0])),
  );
  expect(found.source.reporting).toEqual({ blank: 'zero' });
  expect(found.draft.doubts).toEqual([
    expect.stringMatching(/"Malaria cases confirmed" is never 0, and blank in \d+ /),
  ]);
  // Of hundreds of cases, none is left but by an error.
  const lost = (unit: number, month: number) => (month === 7 ? null : cases(unit, month));
  const blank = await ingested({ 'units.json': asJson(3), 'analytics.json': table(lost) });
  expect(figures(blank)).toEqual(EXPECTED.map((row, i) => (i % MONTHS.length === 7 ? [row[0], row[1], null] : row)));
  expect(blank.report).toContainEqual(
    expect.objectContaining({
      rule: 'hard to believe',
      what: expect.stringMatching(/^cases are blank although the reports came in: in 4 of 144 months\. /),
      needs_approval: true,
    }),
  );
});

test('months with too few reports are unknown, areas that never have enough are left out, and a finding says so', async () => {
  // The second unit has half its reports in every month, the third one in the first year, the fourth no rate in 2019.
  const rate = (unit: number, month: number) =>
    unit === 1 || (unit === 2 && month < 12) ? 50 : unit === 3 && month >= 12 && month < 24 ? null : 104;
  const found = await ingested({ 'units.json': asJson(3), 'analytics.json': analytics(rate) });
  const expected = EXPECTED.filter(([code]) => code !== LGAS[1]).map(([code, period, count]) => {
    const isUnknown = (code === LGAS[2] && period! < '2019') || (code === LGAS[3] && String(period).startsWith('2019'));
    return [code, period, isUnknown ? null : count];
  });
  expect(figures(found)).toEqual(expected);
  const told = found.report.filter(({ rule }) => rule === 'reporting' || rule === 'left out').map(({ what }) => what);
  expect(JSON.stringify(told)).toMatch(/cases of .* months are unknown/);
  expect(JSON.stringify(told)).toContain('24');
  expect(JSON.stringify(told)).toContain(`too few reports in every month: ${LGAS[1]}`);
  const { faults } = await drafted({ 'units.json': asJson(3), 'analytics.json': analytics(() => 10) });
  expect(faults.map(({ what }) => what)).toEqual([
    expect.stringMatching(/less than 80% or nothing in every month of every area, expected .*leave the column out/),
  ]);
});

test('missing reports are made up for if the catalog says so, and more reports than expected are not', async () => {
  const rate = (unit: number) => [100, 50, 80, 125][unit]!;
  const files = { 'units.json': asJson(3), 'analytics.json': analytics(rate) };
  const found = await ingested(files, { least: 0.5, scaled: true });
  const scale = Object.fromEntries(LGAS.map((code, unit) => [code, Math.min(rate(unit), 100) / 100]));
  expect(figures(found)).toEqual(
    EXPECTED.map(([code, period, count]) => [code, period, Math.round(Number(count) / scale[code!]!)]),
  );
});

test('raw data of facilities are summed by the list of the units, which have points', async () => {
  const facilities = UNITS.flatMap((unit, u) =>
    ['a', 'b'].map((part, k) => ({
      name: `Clinic ${u}${part}`,
      id: `Facility${u}${part}1`,
      level: 4,
      parent: { id: unit, name: `Place ${u + 1}` },
      geometry: { type: 'Point', coordinates: [3.2 + u + 0.3 * k, 4.4] },
    })),
  );
  const rows = facilities.flatMap(({ id }, f) =>
    MONTHS.map((month, m) => ['CasesDataEl', id, month, String(cases(Math.floor(f / 2), m))]),
  );
  const found = await ingested({
    'units.json': asJson(3),
    'facilities.json': JSON.stringify({ organisationUnits: facilities }),
    'rawData.json': JSON.stringify({
      headers: ['dx', 'ou', 'pe', 'value'].map((name) => header(name)),
      metaData: { items: { CasesDataEl: { name: 'Malaria cases confirmed' } } },
      rows,
    }),
  });
  expect(figures(found)).toEqual(EXPECTED.map(([code, period, count]) => [code, period, 2 * Number(count)]));
});

test('units of several levels in one file are refused with what to save, and a figure twice with its row', async () => {
  const both = JSON.stringify({ organisationUnits: [...unitsOf(2), ...unitsOf(3)] });
  await expect(ingested({ 'units.json': both })).rejects.toThrow(/no outlines/);
  const file = path.join(filesOf({ 'units.json': both }), 'units.json');
  await expect(readPolygons(file)).rejects.toThrow(
    /organisation units of the levels 2, 3, expected a file for each level, such as …&filter=level:eq:3/,
  );
  // A page of many looks whole.
  const page = JSON.stringify({ pager: { page: 1, pageCount: 17 }, organisationUnits: unitsOf(3) });
  const paged = filesOf({ 'page.json': page });
  const message = /page\.json: found page 1 of 17, expected all of it: add paging=false to the URL/;
  await expect(readPolygons(path.join(paged, 'page.json'))).rejects.toThrow(message);
  await expect(readTextTable(paged, { files: [{ path: 'page.json' }], format: 'json' })).rejects.toThrow(message);
  const twice = JSON.parse(analytics(() => 90));
  twice.rows.push(twice.rows[0]);
  const { format, dialect } = (await ingested({ 'units.json': asJson(3), 'analytics.json': analytics(() => 90) }))
    .source;
  const directory = filesOf({ 'analytics.json': JSON.stringify(twice) });
  await expect(
    readTextTable(directory, { files: [{ path: 'analytics.json' }], format, dialect: dialect! }),
  ).rejects.toThrow(/analytics\.json, row 290: found Malaria cases confirmed a second time, expected each figure once/);
});

const ELEMENTS = {
  PositiveRd1: 'Malaria cases confirmed by RDT',
  PositiveMi1: 'Malaria cases confirmed by microscopy',
};
const SUSPECTED = { SuspectedM1: 'Malaria suspected cases' };
const OPTIONS = { UnderFiveO1: '<5 years', FiveAndOve1: '5 years and above' };
/** A fifth by microscopy, a quarter of the children: the four parts of the cases of a unit and month. */
const part = (unit: number, month: number, element: string, option: string) => {
  const all = cases(unit, month);
  const slides = Math.floor(all / 5);
  const tested = element === 'PositiveMi1' ? slides : element === 'PositiveRd1' ? all - slides : 9 * all;
  const children = Math.floor(tested / 4);
  return option === 'UnderFiveO1' ? children : tested - children;
};
/** Records of each element, option, unit and month, as `read` writes them. */
const parts = <Row>(read: (keys: { dx: string; co: string; ou: string; pe: string; value: number }) => Row): Row[] =>
  UNITS.flatMap((ou, u) =>
    MONTHS.flatMap((pe, m) =>
      Object.keys({ ...ELEMENTS, ...SUSPECTED }).flatMap((dx) =>
        Object.keys(OPTIONS).map((co) => read({ dx, co, ou, pe, value: part(u, m, dx, co) })),
      ),
    ),
  );
const csv = (...lines: string[]) => `${lines.join('\n')}\n`;
const listOf = (kind: string, names: Record<string, string>) =>
  JSON.stringify({ [kind]: Object.entries(names).map(([id, name]) => ({ id, name })) });
/** By ids alone, of units too, while the table of people has codes. */
const BY_IDS = {
  'units.json': asJson(3),
  'analytics.csv': csv(
    'Data,Category option combo,Organisation unit,Period,Value',
    ...parts(({ dx, co, ou, pe, value }) => `${dx},${co},${ou},${pe},${value}`),
  ),
};

test('ids of data elements are asked about with their sums, and the ids of units are those of the outlines', async () => {
  const { draft } = await drafted(BY_IDS);
  const total = (element: string) =>
    UNITS.flatMap((_, u) => MONTHS.slice(0, 12).map((_, m) => part(u, m, element, 'UnderFiveO1')))
      .reduce((a, b) => a + b)
      .toLocaleString('en-US');
  const [{ why, lost }] = draft.leftOut as [(typeof draft.leftOut)[number]];
  expect(lost).not.toBeNull();
  for (const element of Object.keys({ ...ELEMENTS, ...SUSPECTED }))
    expect(why).toContain(`"${element} UnderFiveO1" (2018 ${total(element)}`);
  expect(why).toMatch(/answer "numbers of analytics\.csv", or save their names beside it: \/api\/dataElements\.json\?/);
  const columns = Object.keys(ELEMENTS).flatMap((dx) => Object.keys(OPTIONS).map((co) => `${dx} ${co} = cases`));
  const found = await ingested(BY_IDS, undefined, { 'numbers of analytics.csv': columns.join('; ') });
  expect(figures(found)).toEqual(EXPECTED);
  expect(found.source.columns).toMatchObject({ lga_pcode: 'Organisation unit' });
});

test('names of ids beside the file settle what is counted, and ages are added up', async () => {
  const names = {
    'dataElements.json': listOf('dataElements', { ...ELEMENTS, ...SUSPECTED, UnusedElem1: 'Malaria deaths' }),
    'categoryOptionCombos.json': listOf('categoryOptionCombos', OPTIONS),
  };
  const found = await ingested({ ...BY_IDS, ...names });
  expect(figures(found)).toEqual(EXPECTED);
  expect(found.source.sums!.confirmed).toContain('Malaria cases confirmed by microscopy <5 years');
  // A category with a name beside one without is no total, and two of one name are two.
  for (const options of [{ UnderFiveO1: '<5 years' }, { UnderFiveO1: 'Age', FiveAndOve1: 'Age' }, {}]) {
    const combos = { 'categoryOptionCombos.json': listOf('categoryOptionCombos', { OtherCombo1: 'x', ...options }) };
    const byElement = await ingested({ ...BY_IDS, ...names, ...combos });
    expect(figures(byElement)).toEqual(EXPECTED);
    expect(byElement.source.sums!.confirmed).toContain('Malaria cases confirmed by RDT FiveAndOve1');
  }
});

test('a single data element that counts something else, or has no name, is no count of cases', async () => {
  const rows = (element: string) =>
    csv(
      'Data,Organisation unit,Period,Value',
      ...UNITS.flatMap((unit, u) => MONTHS.map((month, m) => `${element},${unit},${month},${cases(u, m)}`)),
    );
  const guess = async (element: string) => {
    const { draft } = await drafted({ 'units.json': asJson(3), 'analytics.csv': rows(element) });
    return draft.questions.find(({ id }) => id === 'numbers of analytics.csv')?.guess;
  };
  expect(await guess('Malaria cases tested by RDT')).toBe('other');
  expect(await guess('Malaria suspected cases')).toBe('other');
  expect(await guess('PositiveRd1')).toBe('other');
  const found = await ingested({ 'units.json': asJson(3), 'analytics.csv': rows('Malaria cases confirmed') });
  expect(figures(found)).toEqual(EXPECTED);
});

/** Two facilities in a ward of each unit, by their paths; each has the cases of the unit. */
const FACILITIES = UNITS.flatMap((unit, u) =>
  ['a', 'b'].map((end) => ({
    id: `Facility${u}${end}1`,
    name: `Clinic ${u}${end}`,
    level: 5,
    path: `/CountryUni1/${STATES[Math.floor(u / 2)]}/${unit}/WardUnit${u}11/Facility${u}${end}1`,
  })),
);
const OF_FACILITIES = {
  'units.json': asJson(3),
  'facilities.json': JSON.stringify({ organisationUnits: FACILITIES }),
  'dataElements.json': listOf('dataElements', { ...ELEMENTS, ...SUSPECTED }),
};
const twice = EXPECTED.map(([code, period, count]) => [code, period, 2 * Number(count)]);
const dataValues = FACILITIES.flatMap(({ id, path }) =>
  parts(({ dx, co, ou, pe, value }) => ({ dataElement: dx, period: pe, orgUnit: ou, categoryOptionCombo: co, value }))
    .filter(({ orgUnit }) => path.includes(orgUnit))
    .map((row, i) => ({
      ...row,
      orgUnit: id,
      value: `${row.value}`,
      storedBy: 'x',
      lastUpdated: `2026-01-02T00:00:${i}`,
    })),
);

test('data values by facility are summed by the path of its unit, whoever entered them and when', async () => {
  const found = await ingested({ ...OF_FACILITIES, 'dataValueSets.json': JSON.stringify({ dataValues }) });
  expect(figures(found)).toEqual(twice);
  const columns = Object.keys(dataValues[0]!) as (keyof (typeof dataValues)[number])[];
  const table = csv(columns.join().toLowerCase(), ...dataValues.map((row) => columns.map((name) => row[name]).join()));
  expect(figures(await ingested({ ...OF_FACILITIES, 'dataValueSets.csv': table }))).toEqual(twice);
  // Values that were taken back, as `includeDeleted` gives them.
  const [first, ...rest] = dataValues as [(typeof dataValues)[number], ...typeof dataValues];
  const deleted = { ...first, value: '900', deleted: true };
  for (const [values, refusal] of [
    [[deleted, ...rest], /2 rows for Facility0a1 2018-01/],
    [[...dataValues, deleted], /rows 2 and 1730 are both of Facility0a1 2018-01/],
  ] as const) {
    const { draft } = await drafted({ ...OF_FACILITIES, 'dataValueSets.json': JSON.stringify({ dataValues: values }) });
    expect(draft.leftOut.map(({ why }) => why)).toContainEqual(expect.stringMatching(refusal));
  }
});

test('what all data values have in common stands beside them, as 2.43 writes it', async () => {
  const [{ id }] = FACILITIES as [(typeof FACILITIES)[number]];
  const values = dataValues.filter(({ orgUnit }) => orgUnit === id).map(({ orgUnit: _, ...row }) => row);
  const content = { dataSet: 'MalariaDset', orgUnit: id, dataValues: values };
  const found = await ingested({ ...OF_FACILITIES, 'dataValueSets.json': JSON.stringify(content) });
  expect(figures(found)).toEqual(EXPECTED.filter(([code]) => code === LGAS[0]));
});

test('raw data that do not say which category each value is of are added up, and it is told', async () => {
  const columns = ['dx', 'ou', 'pe', 'pestartdate', 'value'];
  const rows = dataValues.map(({ dataElement, orgUnit, period, value }) => [
    dataElement,
    orgUnit,
    period,
    `${iso(period)}-01`,
    `${value}.0`,
  ]);
  const raw = (cells: string[][]) =>
    JSON.stringify({ headers: columns.map((name) => header(name)), metaData: { items: {} }, rows: cells });
  const found = await ingested({ ...OF_FACILITIES, 'rawData.json': raw(rows) });
  expect(figures(found)).toEqual(twice);
  expect(found.source.dialect!.wide).toMatchObject({ names: 'dx', sum: true });
  expect(found.draft.doubts).toContainEqual(expect.stringMatching(/are added up: raw data .*dimension=co/));
});

test('a heading may have a data element and a month', async () => {
  const elements = Object.values(ELEMENTS);
  const name = (month: string) =>
    new Date(`${iso(month)}-01T00:00Z`).toLocaleString('en-US', { month: 'long', year: 'numeric', timeZone: 'UTC' });
  const table = csv(
    `organisationunitid,${elements.flatMap((element) => MONTHS.map((month) => `${element} ${name(month)}`)).join()}`,
    ...UNITS.map((unit, u) => {
      const counts = Object.keys(ELEMENTS).flatMap((dx) =>
        MONTHS.map((_, m) => part(u, m, dx, 'UnderFiveO1') + part(u, m, dx, 'FiveAndOve1')),
      );
      return `${unit},${counts.join()}`;
    }),
  );
  const found = await ingested({ 'units.json': asJson(3), 'pivot.csv': table });
  expect(figures(found)).toEqual(EXPECTED);
  expect(found.source.dialect!.pivot).toEqual({ months: 'period', values: 'value', figures: 'figure' });
});

test('two areas of one name are told apart by the ids beside the names', async () => {
  const units = asJson(3).replaceAll('Place 4', 'Place 2');
  const found = await ingested({
    'units.json': units,
    'analytics.json': analytics(() => 95).replaceAll('Place 4', 'Place 2'),
  });
  expect(figures(found)).toEqual(EXPECTED);
});

test('codes stay the codes of areas if more tables have ids', async () => {
  const named = { 'dataElements.json': listOf('dataElements', { ...ELEMENTS, ...SUSPECTED }) };
  const found = await ingested({ ...OF_FACILITIES, ...named, 'analytics.csv': BY_IDS['analytics.csv'] });
  expect(found.draft.areas.columns).toMatchObject({ lga_pcode: 'code', lga_id: 'id' });
  expect(figures(found)).toEqual(EXPECTED);
});
