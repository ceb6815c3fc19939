import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';
import { query } from '../../../../../pipeline/cli/commands/query.ts';
import type { DataValue } from '../../../../../pipeline/publish/dhis2/data-values.ts';
import { currentVersion } from '../../../../../pipeline/release/current.ts';
import { publishedTiny, rewriteManifest } from '../../../../support/built-tiny.ts';
import { temporary } from '../../../../support/command-line.ts';
import { runHere } from '../../../../support/run-here.ts';

const out = publishedTiny();
const version = currentVersion(out)!;

/** Units of a state, by its ISO code, and of three of the four LGAs, with a hospital and a unit without a code. */
const UNITS = {
  organisationUnits: [
    { id: 'Abcdefghij1', code: 'NG-AB', name: 'Abia', level: 2 },
    { id: 'Abcdefghij2', code: 'NG001001', name: 'Place 1', level: 3, parent: { id: 'Abcdefghij1' } },
    { id: 'Abcdefghij3', code: 'NG001002', name: 'Place 2', level: 3, parent: { id: 'Abcdefghij1' } },
    { id: 'Abcdefghij4', code: 'NG002001', name: 'Place 3', level: 3 },
    { id: 'Abcdefghij5', code: 'H-17', name: 'Hospital', level: 4 },
    { id: 'Abcdefghij6', name: 'Place 4', level: 3 },
  ],
};
const AREAS = { Abcdefghij1: 'AB', Abcdefghij2: 'NG001001', Abcdefghij3: 'NG001002', Abcdefghij4: 'NG002001' };

function mapOf(content: string, name = 'units.csv'): string {
  const file = path.join(temporary(), name);
  writeFileSync(file, content);
  return file;
}
const asJson = () => mapOf(JSON.stringify(UNITS), 'organisationUnits.json');

async function exported(...args: string[]) {
  const to = path.join(temporary(), 'dhis2');
  const ended = await runHere(['export', 'dhis2', '--out', out, '--to', to, ...args]);
  const files = ended.code === 0 ? readdirSync(to).sort() : [];
  const read = (name: string) => readFileSync(path.join(to, name), 'utf8');
  return { ...ended, to, files, read };
}

/** The values as `code of the element, area, month: value`. */
function labelled(values: readonly DataValue[], metadata: { dataElements: { id: string; code: string }[] }) {
  const codes = new Map(metadata.dataElements.map(({ id, code }) => [id, code]));
  return values
    .map(
      ({ dataElement, orgUnit, period, value }) =>
        `${codes.get(dataElement)} ${AREAS[orgUnit as keyof typeof AREAS]} ${period}: ${value}`,
    )
    .sort();
}

/** The same of a snapshot's tables, by a query of its own. */
async function expectedOf(figures: string[], table: string, prefix: string, period = "'0' AND '9'") {
  const rows = await query(
    `SELECT upper(figure || '_' || area) AS element, code, replace(period, '-', '') AS month, value
     FROM (UNPIVOT (${table}) ON ${figures} INTO NAME figure VALUE value)
     WHERE code IN ('AB', 'NG001001', 'NG001002', 'NG002001') AND period BETWEEN ${period}`,
    { out },
  );
  return rows.map(({ element, code, month, value }) => `${prefix}${element} ${code} ${month}: ${Number(value)}`);
}
const SCORES = `SELECT 'state' AS area, state_code AS code, period, score, score_low, score_high FROM risk_states
  UNION ALL SELECT 'state', state_code, period, score, score_low, score_high FROM forecasts_states
  UNION ALL SELECT 'lga', lga_code, period, score, score_low, score_high FROM risk_lgas
  UNION ALL SELECT 'lga', lga_code, period, score, score_low, score_high FROM forecasts_lgas`;
const CLASSES = `SELECT area, code, period, CASE WHEN score < 0.01 THEN 1 WHEN score < 0.1 THEN 2 WHEN score < 0.35 THEN 3
  WHEN score < 0.5 THEN 4 ELSE 5 END AS class FROM (${SCORES})`;
const alertNumber = (column: string) => `list_position(['none', 'watch', 'alert', 'fall'], ${column}) - 1`;
const DETECTIONS = `SELECT area, code, period, ${alertNumber('detection_class')} AS detection FROM alerts`;
const WARNINGS = `SELECT area, code, strftime(strptime(period || '-01', '%Y-%m-%d') + INTERVAL 1 MONTH, '%Y-%m') AS period,
  ${alertNumber('warning_class')} AS warning FROM alerts`;
const CASES = 'SELECT area, code, period, q05, q50, q95 FROM forecasts_cases';

test('every value is that of the tables, for the areas that have a unit', async () => {
  const { code, files, read, stdout } = await exported('--map', asJson(), '--cases', 'counts');
  expect(code).toBe(0);
  expect(files).toEqual([
    'data-values-001.json',
    'metadata-delete-1.json',
    'metadata-delete-2.json',
    'metadata-delete-3.json',
    'metadata.json',
    'units-proposed.csv',
    'units-unmatched.csv',
    'values-left-out.csv',
  ]);
  const metadata = JSON.parse(read('metadata.json'));
  const { dataSet, dataValues } = JSON.parse(read('data-values-001.json'));
  expect(dataSet).toBe(metadata.dataSets[0].id);
  const expected = [
    ...(await expectedOf(['score', 'score_low', 'score_high'], SCORES, 'MALARIA_')),
    ...(await expectedOf(['class'], CLASSES, 'MALARIA_')),
    ...(await expectedOf(['detection'], DETECTIONS, 'MALARIA_')),
    ...(await expectedOf(['warning'], WARNINGS, 'MALARIA_')),
    ...(await expectedOf(['q05', 'q50', 'q95'], CASES, 'MALARIA_CASES_')),
  ];
  expect(expected.length).toBeGreaterThan(200);
  expect(labelled(dataValues, metadata)).toEqual(expected.sort());
  expect(stdout).toContain(`${version}: ${expected.length} values in 1 files of`);
  expect(stdout).toContain('4 areas have an organisation unit, 2 have none');
  expect(stdout).toContain('2 rows of the map are no area');
  expect(read('units-unmatched.csv')).toBe('area,code,name,state_code\nstate,AD,Adamawa,AD\nlga,NG002002,Place 4,AD\n');
  // A forecast says so, an estimate does not.
  const comments = Object.groupBy(dataValues as DataValue[], ({ period }) => period);
  expect(new Set(comments['202112']!.map(({ comment }) => comment))).toEqual(new Set([undefined]));
  expect(new Set(comments['202201']!.map(({ comment }) => comment))).toEqual(new Set(['month 1 of the forecast']));
});

test('the dashboard shows classes of single months in maps, and a range in a chart; three files take all back', async () => {
  const { read } = await exported('--map', asJson(), '--cases', 'counts');
  const metadata = JSON.parse(read('metadata.json'));
  const elements = new Map(metadata.dataElements.map((element: { id: string; code: string }) => [element.id, element]));
  const codesIn = ({ dataDimensionItems }: { dataDimensionItems: { dataElement: { id: string } }[] }) =>
    dataDimensionItems.map(({ dataElement }) => (elements.get(dataElement.id) as { code: string }).code);
  const views = metadata.maps.map(({ mapViews: [view] }: { mapViews: [object] }) => view);
  expect(views.map(codesIn)).toEqual([
    ['MALARIA_CLASS_LGA'],
    ['MALARIA_CLASS_LGA'],
    // The country's records are by state.
    ['MALARIA_DETECTION_STATE'],
    ['MALARIA_WARNING_STATE'],
  ]);
  expect(views.map(({ rawPeriods }: { rawPeriods: string[] }) => rawPeriods)).toEqual([
    ['202112'],
    ['202204'],
    ['202112'],
    ['202201'],
  ]);
  // All units of the level below the units of the states: their own ids would not fit into DHIS2's request.
  for (const view of views.slice(0, 2))
    expect(view).toMatchObject({ organisationUnits: [{ id: 'Abcdefghij1' }], organisationUnitLevels: [3] });
  expect(metadata.visualizations.map(codesIn)).toEqual([
    ['MALARIA_CASES_Q05_STATE', 'MALARIA_CASES_Q50_STATE', 'MALARIA_CASES_Q95_STATE'],
  ]);
  const [{ dashboardItems }] = metadata.dashboards;
  expect(dashboardItems.map(({ type }: { type: string }) => type)).toEqual([
    ...Array(4).fill('MAP'),
    'VISUALIZATION',
    'TEXT',
  ]);
  const removed = [1, 2, 3].map((step) => JSON.parse(read(`metadata-delete-${step}.json`)));
  expect(removed.map((content) => Object.keys(content))).toEqual([
    ['maps', 'visualizations', 'dashboards'],
    ['dataSets', 'dataElementGroups'],
    ['dataElements', 'legendSets'],
  ]);
  expect(Object.assign({}, ...removed)).toEqual(metadata);
});

test('a unit of the same name is proposed and taken from the proposal; one that is not open gets no value', async () => {
  const [state, ...others] = UNITS.organisationUnits;
  const ofAdamawa = { parent: { id: 'Abcdefghij7' } };
  const organisationUnits = [
    state,
    ...others.slice(0, 2).map((unit) => ({ ...unit, openingDate: '2021-12-05T00:00:00.000' })),
    { id: 'Abcdefghij7', code: 'AD', name: 'Adamawa', level: 2 },
    {
      id: 'Abcdefghij4',
      code: 'NG002001',
      name: 'Place 3',
      level: 3,
      closedDate: '2022-02-28T00:00:00.000',
      ...ofAdamawa,
    },
    { id: 'Abcdefghij6', name: 'Place 4', level: 3, ...ofAdamawa },
    { id: 'Abcdefghij8', name: 'Place 4', level: 3, parent: { id: 'Abcdefghij1' } },
  ];
  const first = await exported('--map', mapOf(JSON.stringify({ organisationUnits }), 'units.json'), '--cases', 'none');
  expect(first.stdout).toContain('1 more have a unit of the same name');
  expect(first.read('units-proposed.csv')).toContain('Abcdefghij6,NG002002,Place 4,Abcdefghij7,3,,,Place 4,name\n');
  const periodsOf = ({ read }: typeof first, unit: string) => {
    const { dataValues } = JSON.parse(read('data-values-001.json')) as { dataValues: DataValue[] };
    return [...new Set(dataValues.filter(({ orgUnit }) => orgUnit === unit).map(({ period }) => period))].sort();
  };
  expect(periodsOf(first, 'Abcdefghij2')).toEqual(['202201', '202202', '202203', '202204']);
  expect(periodsOf(first, 'Abcdefghij4').at(-1)).toBe('202201');
  expect(periodsOf(first, 'Abcdefghij6')).toEqual([]);
  expect(
    first
      .read('values-left-out.csv')
      .split('\n')
      .map((line) => line.split(',')[2]),
  ).toEqual(['code', 'NG001001', 'NG001002', 'NG002001', undefined]);
  const second = await exported('--map', mapOf(first.read('units-proposed.csv'), 'accepted.csv'), '--cases', 'none');
  expect(periodsOf(second, 'Abcdefghij6').length).toBeGreaterThan(4);
  expect(periodsOf(second, 'Abcdefghij2')).toEqual(periodsOf(first, 'Abcdefghij2'));
});

test('units without any code are proposed by their names, areas below the proposed unit of their state', async () => {
  const organisationUnits = [
    { id: 'Abcdefghij1', name: 'Abia', level: 2 },
    { id: 'Abcdefghij2', code: 'OU_1', name: 'Place 1', level: 3, parent: { id: 'Abcdefghij1' } },
    { id: 'Abcdefghij3', name: 'Place 1', level: 3, parent: { id: 'Abcdefghij9' } },
    { id: 'Abcdefghij4', name: 'Abia', level: 3, parent: { id: 'Abcdefghij9' } },
  ];
  const { read } = await exported(
    '--map',
    mapOf(JSON.stringify({ organisationUnits }), 'named.json'),
    '--cases',
    'none',
  );
  const proposed = read('units-proposed.csv').trimEnd().split('\n').slice(1);
  expect(proposed.map((line) => line.split(',').slice(0, 2))).toEqual([
    ['Abcdefghij1', 'AB'],
    ['Abcdefghij2', 'NG001001'],
  ]);
});

test('CSV has the same values, in the order of columns that DHIS2 reads', async () => {
  const map = mapOf('id,code\nAbcdefghij1,AB\nAbcdefghij2,NG001001\nAbcdefghij3,NG001002\nAbcdefghij4,NG002001\n');
  const { read } = await exported('--map', map, '--format', 'csv', '--periods', '2021-12..2022-01');
  const [header, ...lines] = read('data-values-001.csv').trimEnd().split('\n');
  expect(header).toBe(
    'dataelement,period,orgunit,categoryoptioncombo,attributeoptioncombo,value,storedby,lastupdated,comment',
  );
  const values = lines.map((line): DataValue => {
    const [dataElement, period, orgUnit, , , value] = line.split(',') as [string, string, string, '', '', string];
    return { dataElement, period, orgUnit, value };
  });
  const metadata = JSON.parse(read('metadata.json'));
  const found = labelled(values, metadata);
  const months = "'2021-12' AND '2022-01'";
  const scores = await expectedOf(['score', 'score_low', 'score_high'], SCORES, 'MALARIA_', months);
  expect(found.filter((line) => line.startsWith('MALARIA_SCORE'))).toEqual(scores.sort());
  expect(found.length).toBeGreaterThan(scores.length);
  // Months that are left out change no metadata, for which an import would remove elements from the data set.
  expect(metadata).toEqual(JSON.parse((await exported('--map', map)).read('metadata.json')));
});

test('counts that may not be passed on become the index of the report, whose records must be at hand', async () => {
  const { stdout, read } = await exported('--map', asJson());
  expect(stdout).toContain('forecasts of cases: index');
  const metadata = JSON.parse(read('metadata.json'));
  const found = labelled(JSON.parse(read('data-values-001.json')).dataValues, metadata);
  const [record] = await query(
    `SELECT avg(confirmed) AS mean FROM (FROM ingest.cases WHERE state_code = 'AB' ORDER BY period DESC LIMIT 12)`,
    { out },
  );
  const counts = await query("FROM forecasts_cases WHERE code = 'AB' ORDER BY period", { out });
  const index = counts.flatMap(({ period, q05, q50, q95 }) =>
    Object.entries({ q05, q50, q95 }).map(
      ([name, value]) =>
        `MALARIA_CASES_INDEX_${name.toUpperCase()}_STATE AB ${String(period).replace('-', '')}: ${Math.round((100 * Number(value)) / Number(record!.mean))}`,
    ),
  );
  expect(index.length).toBeGreaterThan(5);
  expect(found.filter((line) => line.startsWith('MALARIA_CASES'))).toEqual(index.sort());

  const cache = path.join(out, 'cache', 'ingest');
  const none = await exported('--map', asJson(), '--cases', 'none');
  expect(none.read('metadata.json')).not.toMatch(/CASES/);
  rmSync(cache, { recursive: true });
  expect(await exported('--map', asJson())).toMatchObject({
    code: 2,
    stderr: expect.stringMatching(/found no case records of the version.*build it again, or choose --cases none/),
  });
});

test.each([
  ['an id of another form', 'id,code\nAbcdefghij,AB\n', /units\.csv, row 2, id: found Abcdefghij, expected an id of/],
  ['two units of an area', 'id,code\nAbcdefghij1,AB\nAbcdefghij2,AB\n', /row 3: found Abcdefghij2 for AB, beside A/],
  ['a unit of two areas', 'id,code\nAbcdefghij1,AB\nAbcdefghij1,AD\n', /row 3: found Abcdefghij1 for AD, beside AB/],
  [
    'no column of ids',
    'uid,code\nAbcdefghij1,AB\n',
    /header: found columns uid, code, expected the columns id, of the .* and code/,
  ],
  ['a column twice', 'id,code,code\nAbcdefghij1,AB,AD\n', /header: found columns id, code, code, expected the columns/],
  [
    'no code of an area',
    'id,code\nAbcdefghij1,Abia\n',
    /found no code or name of an area, expected codes such as NG002002/,
  ],
])('a map with %s is refused, and nothing is written', async (_, content, message) => {
  const { code, stderr, to } = await exported('--map', mapOf(content));
  expect(stderr).toMatch(message);
  expect(code).toBe(2);
  expect(() => readdirSync(to)).toThrow(/ENOENT/);
});

test('a trial is refused, and a directory that has files', async () => {
  const full = temporary();
  mkdirSync(path.join(full, 'old'));
  expect(await runHere(['export', 'dhis2', '--out', out, '--to', full, '--map', asJson()])).toMatchObject({
    code: 2,
    stderr: expect.stringMatching(/expected a new or empty directory/),
  });
  const nowhere = ['export', 'dhis2', '--out', temporary(), '--to', path.join(full, 'new'), '--map', asJson()];
  expect((await runHere(nowhere)).stderr).toMatch(/found nothing published, expected the name of a version/);
  rewriteManifest(path.join(out, 'snapshots', version), (manifest) => {
    manifest.unpublishable = ['built without validation'];
  });
  expect(await exported('--map', asJson(), version)).toMatchObject({
    code: 2,
    stderr: expect.stringMatching(/found a trial \(built without validation\)/),
  });
});
