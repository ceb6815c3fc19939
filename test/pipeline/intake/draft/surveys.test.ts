/** Forms in which people keep surveys by cluster: tests side by side, and the year in a name or in dates alone. */
import { expect, test } from 'vitest';
import { readCountry } from '../../../../pipeline/catalog/country.ts';
import { run } from '../../../../pipeline/ingest/ingest-stage.ts';
import type { Cluster } from '../../../../pipeline/ingest/ingest-tables.ts';
import { testColumnsIn } from '../../../../pipeline/intake/columns.ts';
import type { Answers } from '../../../../pipeline/intake/draft/questions.ts';
import { ioOf, outputRows } from '../../../support/stage-io.ts';
import { LGAS, tinyCountry } from '../../../support/tiny-country.ts';
import { catalogOf, draftOf, filesOf } from './drafted.ts';

const GIVEN = { name: 'Tiny country', iso_code: 'NG', upper_one: 'state', upper_many: 'states' };
const { 'surveys.csv': _, ...OTHERS } = tinyCountry().files;

/** A table of four clusters, one in each area. */
const clusters = (header: string, cells: (cluster: number) => (string | number)[]) =>
  `${[header, ...[1, 2, 3, 4].map((cluster) => cells(cluster).join(','))].join('\n')}\n`;
const at = (cluster: number) => [2.5 + cluster, 4.5];
const states = ['Abia', 'Abia', 'Adamawa', 'Adamawa'];
const stateOf = (cluster: number) => states[cluster - 1]!;

/** What a draft says of some files. */
const linesOn = (names: readonly string[], { leftOut, doubts }: Awaited<ReturnType<typeof draftOf>>['draft']) => ({
  leftOut: leftOut.filter(({ file }) => names.includes(file)).map(({ file, why }) => `${file}: ${why}`),
  doubts,
});

/** The catalog of the tiny country with these files in place of its survey, and its clusters. */
async function surveyed(files: Record<string, string>) {
  const directory = filesOf({ ...OTHERS, ...files });
  const found = await catalogOf(directory, GIVEN);
  expect(found.faults).toEqual([]);
  const catalog = filesOf({
    'sources.json': JSON.stringify({ sources: found.sources }),
    'model.json': JSON.stringify(found.model),
  });
  const { clusters: table, report } = await run(ioOf({}, readCountry(catalog, directory))).then((output) => ({
    clusters: outputRows<Cluster>(output.clusters),
    report: output.report as { rule: string; what: string }[],
  }));
  const surveys = found.sources.filter(({ role }) => role === 'survey_clusters');
  return { surveys, clusters: table, report, said: linesOn(Object.keys(files), found.draft) };
}

test('three rounds in three forms become one row for each cluster, by microscopy, without an edit', async () => {
  const {
    surveys,
    clusters: rows,
    said,
  } = await surveyed({
    'enquete.csv': clusters(
      'survey,grappe,date_enquete,longitude,latitude,province,milieu,altitude,tdr_examines,tdr_positifs,ge_examines,ge_positifs',
      (k) => ['IIM 2018', k, `${12 + k}/09/2018`, ...at(k), stateOf(k), k % 2 ? 'Urbain' : 'Rural', 9, 30, 9, 28, k],
    ),
    'MIS2021.csv': clusters('cluster,interview_date,lon,lat,residence,n_rdt,pos_rdt,n_mic,pos_mic', (k) => [
      k,
      `2021-1${k % 2}-15`,
      ...at(k),
      k % 2 ? 'urban' : 'rural',
      30,
      9,
      28,
      k,
    ]),
    'places.csv': clusters('cluster_id,longitude,latitude,wealth', (k) => [k, ...at(k), 3]),
    'results_2015.csv': clusters('cluster_id,year,month,examined_rdt,positive_rdt,bs_examined,bs_positive', (k) => [
      k,
      2015,
      10,
      30,
      9,
      28,
      k,
    ]),
  });
  expect(said).toEqual({ leftOut: [], doubts: [] });
  expect(rows.map(({ survey_year, cluster_id, lga_code }) => `${survey_year} ${cluster_id} ${lga_code}`)).toEqual(
    [2015, 2018, 2021].flatMap((year) =>
      ['NG001001', 'NG001002', 'NG002001', 'NG002002'].map((code, i) => `${year} ${i + 1} ${code}`),
    ),
  );
  expect(
    rows.every(({ examined }) => examined === 28),
    'no child counts twice',
  ).toBe(true);
  expect(rows.map(({ positivity }) => Math.round(28 * positivity))).toEqual([1, 2, 3, 4, 1, 2, 3, 4, 1, 2, 3, 4]);
  expect(rows.map(({ urban }) => urban)).toEqual([
    null,
    null,
    null,
    null,
    ...[1, 2].flatMap(() => [true, false, true, false]),
  ]);
  const [mis, iim, parts] = surveys;
  expect(mis).toMatchObject({
    dialect: { months: 'year month day', tests: { rdt: { examined: 'n_rdt', positive: 'pos_rdt' } } },
    rounds: [{ survey_year: 2021, first: '2021-10', last: '2021-11' }],
    notes: [expect.anything(), expect.stringMatching(/a row for each test .*, survey 2021 by the name of the file$/)],
  });
  expect(mis!.columns).not.toHaveProperty('survey_year');
  expect(iim).toMatchObject({
    columns: { survey_year: 'survey', state: 'province', urban: 'milieu' },
    recode: { survey_year: { 'IIM 2018': '2018' } },
    dialect: { months: 'day month year' },
  });
  expect(parts!.files).toMatchObject([
    { path: 'results_2015.csv', rows: 8 },
    { path: 'places.csv', join: { on: { cluster_id: 'cluster_id' }, format: 'csv' } },
  ]);
});

test.each([
  ['rdt_n,rdt_pos,mic_n,mic_pos', { rdt: 'rdt_n', microscopy: 'mic_n' }],
  ['n_rdt,npos_rdt,n_bs,npos_bs', { rdt: 'n_rdt', microscopy: 'n_bs' }],
  ['Enfants examinés TDR,Enfants positifs TDR', { rdt: 'Enfants examinés TDR' }],
  ['goutte_epaisse_examines,goutte_epaisse_positifs', { microscopy: 'goutte_epaisse_examines' }],
  ['tested,rdt_positive,slide_positive', { rdt: 'tested', microscopy: 'tested' }],
  ['rdt_tested,rdt_pfpr', { rdt: 'rdt_tested' }],
  ['RDTexamined,RDTpositive,examinedBS,positiveBS', { rdt: 'RDTexamined', microscopy: 'examinedBS' }],
  ['children_6_59m_rdt_tested,children_6_59m_rdt_positive', { rdt: 'children_6_59m_rdt_tested' }],
  ['slides_read,slides_positive', { microscopy: 'slides_read' }],
  ['Enfants 6-59 mois testés GE,GE positives', { microscopy: 'Enfants 6-59 mois testés GE' }],
  ['MICRO_TESTED,MICRO_POS', { microscopy: 'MICRO_TESTED' }],
  ['Crianças 6-59 meses testadas TDR,TDR positivas', { rdt: 'Crianças 6-59 meses testadas TDR' }],
  ['n,rdt_pos,mic_pos', {}],
  ['pcr_n,pcr_pos', {}],
])('the tests in columns %s', (header, examined) => {
  expect(Object.fromEntries(testColumnsIn(header.split(',')).map((one) => [one.method, one.examined]))).toEqual(
    examined,
  );
});

test("columns by DHS's names are read, with its codes of residence and its weights", async () => {
  const content = clusters('v000,v001,v007,v006,v025,v005,longnum,latnum,method,examined,positive', (cluster) => [
    'NG7',
    cluster,
    2018,
    10,
    1 + (cluster % 2),
    1_000_000 + cluster,
    ...at(cluster),
    'RDT',
    20,
    cluster,
  ]);
  const { clusters: found } = await surveyed({ 'recode.csv': content });
  expect(
    found.map(({ cluster_id, survey_year, urban, weight }) => ({ cluster_id, survey_year, urban, weight })),
  ).toEqual(
    [1, 2, 3, 4].map((cluster) => ({
      cluster_id: String(cluster),
      survey_year: 2018,
      urban: cluster % 2 === 0,
      weight: 1_000_000 + cluster,
    })),
  );
});

test.each(['facility', 'siteid'])('monthly records of a %s with tests side by side are no survey', async (id) => {
  const rows = [1, 2, 3].flatMap((month) =>
    [1, 2, 3, 4].map((k) => [`F${k}`, ...at(k), `2021-0${month}`, 30, 3, 20, 2]),
  );
  const content = `${[`${id},lon,lat,month,rdt_tested,rdt_pos,mic_tested,mic_pos`, ...rows].join('\n')}\n`;
  const { draft } = await draftOf(filesOf({ ...OTHERS, 'records.csv': content }));
  expect(draft.entries.map(({ entry }) => entry.role)).not.toContain('survey_clusters');
});

/** Clusters with coordinates and one test, in the columns `header`. */
const plainSurvey = (header: string, cells: (cluster: number) => (string | number)[]) =>
  clusters(`cluster,lon,lat,rdt_n,rdt_pos,${header}`, (k) => [k, ...at(k), 30, k, ...cells(k)]);

test.each([
  [
    'a round over the turn of a year',
    'survey.csv',
    plainSurvey('date', (k) => [`20${k < 3 ? 20 : 21}-${k < 3 ? 12 : '01'}-2${k}`]),
    [{ survey_year: 2020, first: '2020-12', last: '2021-01' }],
    [/^survey\.csv: the survey of 2020-12 to 2021-01 is called 2020, the year in which it began$/],
  ],
  [
    'two rounds by their dates',
    'survey.csv',
    plainSurvey('date', (k) => [`${k < 3 ? 2018 : 2021}-10-1${k}`]),
    [2018, 2021].map((year) => ({ survey_year: year, first: `${year}-10`, last: `${year}-10` })),
    [],
  ],
  [
    'a name that is not that of the dates',
    'MIS2010.csv',
    plainSurvey('date', (k) => [`2021-10-1${k}`]),
    [{ survey_year: 2021, first: '2021-10', last: '2021-10' }],
    [/^MIS2010\.csv: its name says 2010, and its clusters are of 2021-10 to 2021-10; rounds go by the months$/],
  ],
  [
    'two years in the name of a survey',
    'survey.csv',
    plainSurvey('survey,date', (k) => ['DHS 2020-21', `2020-12-1${k}`]),
    [{ survey_year: 2020, first: '2020-12', last: '2020-12' }],
    [/^survey\.csv: the survey "DHS 2020-21" is called 2020, its first year$/],
  ],
  [
    'a survey by its name although its interviews are of two years',
    'survey.csv',
    plainSurvey('survey,year,month', (k) => ['EIPM 2017-18', k < 3 ? 2017 : 2018, k < 3 ? 12 : 1]),
    [{ survey_year: 2017, first: '2017-12', last: '2018-01' }],
    [/^survey\.csv: the survey "EIPM 2017-18" is called 2017, its first year$/],
  ],
  [
    "DHS's year with the month of the interview",
    'survey.csv',
    plainSurvey('DHSYEAR,INTMONTH', () => [2018, 5]),
    [{ survey_year: 2018, first: '2018-05', last: '2018-05' }],
    [],
  ],
  [
    'days that may be months',
    'survey.csv',
    plainSurvey('survey,date', (k) => ['MIS2018', `0${k}/09/2018`]),
    [{ survey_year: 2018, first: '2018-09', last: '2018-09' }],
    [/day and month of "01\/09\/2018" in "date" cannot be told apart; read as "day month year", .*2018-01 to 2018-04/],
  ],
  [
    'the same day of several months, as if it were a month',
    'survey.csv',
    plainSurvey('survey,date', (k) => ['MIS2018', `05/0${k}/2018`]),
    [{ survey_year: 2018, first: '2018-05', last: '2018-05' }],
    [/read as "month day year", fieldwork is 2018-05; as "day month year" it would be 2018-01 to 2018-04/],
  ],
])('%s is read with a doubt where it may be read in two ways', async (_what, name, content, rounds, doubts) => {
  const { draft } = await draftOf(filesOf({ ...OTHERS, [name]: content }));
  const survey = draft.entries.find(({ entry }) => entry.role === 'survey_clusters');
  expect(survey?.entry.rounds).toEqual(rounds);
  expect(draft.doubts).toEqual(doubts.map((doubt) => expect.stringMatching(doubt)));
});

test('tests that were not made are left out by repair, and their clusters go by the other test', async () => {
  const results = ['30,9,28,4', '30,9,0,0', '30,9,NA,NA', '30,9,,'];
  const content = clusters('cluster,date,lon,lat,rdt_n,rdt_pos,mic_n,mic_pos', (k) => [
    k,
    '2021-10-01',
    ...at(k),
    results[k - 1]!,
  ]);
  const { faults } = await catalogOf(filesOf({ ...OTHERS, 'MIS2021.csv': content }), GIVEN);
  expect(faults.map(({ what, remedy }) => [what, remedy])).toEqual([
    [expect.stringMatching(/row 3, examined: found 0/), { declare: 'leave_out', where: { examined: 0 } }],
    [expect.stringMatching(/row 4, examined: found NA/), { declare: 'leave_out', where: { examined: 'NA' } }],
  ]);
});

test('shares of each test are read beside a total of positives', async () => {
  const content = clusters('cluster,date,lon,lat,positive,rdt_n,rdt_prevalence,mic_n,mic_prevalence', (k) => [
    k,
    '2021-10-01',
    ...at(k),
    9,
    30,
    30,
    25,
    4 * k,
  ]);
  const { surveys, clusters: rows, said } = await surveyed({ 'MIS2021.csv': content });
  expect(said.leftOut).toEqual([]);
  expect(surveys[0]).toMatchObject({ unit: 'percent', columns: { positivity: 'positivity' } });
  expect(rows.map(({ positivity }) => positivity)).toEqual([0.04, 0.08, 0.12, 0.16]);
});

test('of two files of one round, each with a test, that of microscopy is used', async () => {
  const rdt = plainSurvey('date', (k) => [`2018-10-1${k}`]);
  const files = { 'a_2018.csv': rdt, 'b_2018.csv': rdt.replaceAll('rdt', 'mic') };
  const { draft } = await draftOf(filesOf({ ...OTHERS, ...files }));
  expect(linesOn(Object.keys(files), draft).leftOut).toEqual([
    'a_2018.csv: has the rounds of b_2018.csv (survey_clusters)',
  ]);
});

test('a cluster far from the upper-level area in its row is put in doubt with its row', async () => {
  const { report } = await surveyed({
    'MIS2021.csv': plainSurvey('date,region', (k) => [`2021-10-1${k}`, k === 4 ? 'Abia' : stateOf(k)]),
  });
  expect(report.filter(({ rule }) => rule === 'other area')).toEqual([
    expect.objectContaining({
      what: expect.stringMatching(/of a cluster .*: row 5 \(4\) lies in Adamawa, and its row says Abia\./),
      needs_approval: true,
    }),
  ]);
});

test('a cluster far from the area that its row names is put in doubt, whatever its upper-level area', async () => {
  const { report } = await surveyed({
    'MIS2021.csv': plainSurvey('date,district', (k) => [`2021-10-1${k}`, `Place ${k === 4 ? 1 : k}`]),
  });
  expect(report.filter(({ rule }) => rule === 'other area')).toEqual([
    expect.objectContaining({ what: expect.stringMatching(/row 5 \(4\) lies in Place 4, and its row says Place 1\./) }),
  ]);
});

test('prevalence by area, as reports print it, is drafted with its interval or asked for it', async () => {
  const printed = (header: string, cells: (i: number) => (string | number)[]) =>
    `${[header, ...LGAS.map((code, i) => [code, ...cells(i)].join(','))].join('\n')}\n`;
  const drafted = async (file: string, content: string) => {
    const { draft } = await draftOf(filesOf({ ...OTHERS, [file]: content }));
    return {
      survey: draft.entries.find(({ entry }) => entry.role === 'survey_states')?.entry,
      nets: draft.entries.find(({ entry, files }) => entry.figure === 'itn_use' && files[0]!.path === file)?.entry,
      why: draft.leftOut.find((skipped) => skipped.file === file)?.why,
      doubts: draft.doubts.join('\n'),
    };
  };
  const { 'nets.csv': _nets, ...withoutNets } = OTHERS;
  const found = await catalogOf(
    filesOf({
      ...withoutNets,
      'eipm_2021.csv': printed('District;Prévalence TDR 6-59 mois (%);IC 95%;ITN use (%)'.replaceAll(';', ','), (i) => [
        `${20 + i}.5`,
        `${12 + i}.1 - ${30 + i}.4`,
        40 + i,
      ]),
    }),
    GIVEN,
  );
  expect(found.faults).toEqual([]);
  expect(found.sources.find(({ role }) => role === 'survey_states')).toMatchObject({
    unit: 'percent',
    columns: { positivity: 'Prévalence TDR 6-59 mois (%)', interval: 'IC 95%' },
    methods: { rdt: 'rdt' },
    rounds: [{ survey_year: 2021, first: '2021-06', last: '2021-06' }],
  });
  expect(found.sources.find(({ figure }) => figure === 'itn_use')).toMatchObject({ unit: 'percent' });
  expect(found.draft.doubts.join()).toContain('eipm_2021.csv: the months of fieldwork are taken for 2021-06');
  expect(found.model.parameters.survey.method).toBe('rdt');

  const bounds = 'district,year,prevalence_microscopy_6_59_months,lower_ci,upper_ci';
  expect(
    (
      await drafted(
        'mis.csv',
        printed(bounds, (i) => [2016, 0.1, 0.05, 0.2 + i / 100]),
      )
    ).survey,
  ).toMatchObject({
    unit: 'share',
    columns: { survey_year: 'year', low: 'lower_ci', high: 'upper_ci' },
    methods: { microscopy: 'microscopy' },
  });
  const why = async (header: string, cells: (string | number)[], file = 'mis_2016.csv') =>
    (
      await drafted(
        file,
        printed(header, () => cells),
      )
    ).why;
  expect(await why('district,PfPR RDT', [0.1])).toBe(
    '"PfPR RDT" is a share by area without the number examined; add it, or their 95% confidence interval (columns low and high, or interval with both), or their standard error (standard_error)',
  );
  expect(await why('district,PfPR RDT,low 90%,high 90%', [0.1, 0.05, 0.2])).toContain('without the number examined');
  expect(await why('district,prevalence,se', [0.1, 0.02])).toContain('without a test that is known; name it');
  expect(await why('district,PfPR RDT,se', [0.1, 0.02], 'mis.csv')).toContain('without the year of the survey');
});

test('prevalence is taken for that of children of the score if its name gives their ages, else asked about', async () => {
  const drafted = async (header: string, cells: (string | number)[], answers: Answers = {}, file = 'mis_2016.csv') => {
    const rows = LGAS.map((code) => [code, ...cells].join(','));
    const { draft } = await draftOf(filesOf({ ...OTHERS, [file]: [header, ...rows, ''].join('\n') }), answers);
    return {
      columns: draft.entries.find(({ entry }) => entry.role === 'survey_states')?.entry.columns,
      why: draft.leftOut.find((skipped) => skipped.file === file)?.why,
      question: draft.questions.find(({ id }) => id === `prevalence of ${file}`),
    };
  };
  const beside = (heading: string) => `district,${heading},low,high`;
  const [percent, score] = [[12, 7.7, 18.2], { 'prevalence of mis_2016.csv': '6-59' }];
  for (const heading of [
    'Malaria prevalence RDT (%)',
    'Malaria prevalence pregnant women RDT (%)',
    'RDT malaria prevalence 5-14 years (%)',
    'PfPR 2-10 RDT (%)',
  ]) {
    const { columns, why, question } = await drafted(beside(heading), percent);
    expect([columns, question?.guess]).toEqual([undefined, 'other']);
    expect(why).toBe(
      `"${heading}" is a share by area without ages of 6-59 months in its name; if it is of these children, answer "prevalence of mis_2016.csv" with 6-59`,
    );
    expect((await drafted(beside(heading), percent, { 'prevalence of mis_2016.csv': '60-168' })).columns).toBe(
      undefined,
    );
    expect((await drafted(beside(heading), percent, score)).columns).toMatchObject({ positivity: heading });
  }
  for (const [heading, file, answers] of [
    ['RDT prevalence in children 6 to 59 months (%)', 'mis_2016.csv', {}],
    ['Prévalence TDR 6–59 mois', 'mis_2016.csv', {}],
    ['RDT prevalence', 'mis_2016_6-59_months.csv', {}],
    ['PfPR RDT 2-10 years', 'mis_2016.csv', { ages_months: '24-120' }],
  ] as const) {
    const { columns, question } = await drafted(beside(heading), percent, answers, file);
    expect([columns?.positivity, question]).toEqual([heading, undefined]);
  }

  // Of two tests side by side it is not asked for an interval that both have.
  const two = 'district,RDT prevalence 6-59 months,low,high,Microscopy prevalence 6-59 months,low mic,high mic';
  expect((await drafted(two, [13, 8.7, 19.2, ...percent])).why).toBe(
    '"RDT prevalence 6-59 months" is a share by area without a file of its own, as "Microscopy prevalence 6-59 months" is another; keep one, or one file for each test, each with its interval',
  );
});

test('the method of a survey is asked for, unless the name of a column or of the file tells it', async () => {
  const content = (positive: string) =>
    clusters(`cluster,year,month,longitude,latitude,examined,${positive}`, (k) => [k, 2020, 10, ...at(k), 30, k]);
  const drafted = async (name: string, positive: string, answers: Answers = {}) => {
    const { draft } = await draftOf(filesOf({ ...OTHERS, [name]: content(positive) }), answers);
    const survey = draft.entries.find(({ entry }) => entry.role === 'survey_clusters');
    return {
      methods: survey?.entry.methods,
      asked: draft.questions.flatMap(({ id }) => (/^method of/.test(id) ? id : [])),
      why: draft.leftOut.flatMap(({ file, why }) => (file === name ? why : [])),
    };
  };
  expect(await drafted('mis.csv', 'positive')).toEqual({
    methods: undefined,
    asked: ['method of mis.csv'],
    why: [expect.stringContaining('answer "method of mis.csv" with microscopy or rdt')],
  });
  expect(await drafted('mis.csv', 'positive', { 'method of mis.csv': 'microscopy' })).toMatchObject({
    methods: { microscopy: 'microscopy' },
    why: [],
  });
  expect(await drafted('mis_rdt.csv', 'positive')).toEqual({ methods: { rdt: 'rdt' }, asked: [], why: [] });
});

test('the months of fieldwork are asked for where a survey has none, and its middle month stands for all', async () => {
  const files = {
    'mis_rdt_2020.csv': clusters('cluster,longitude,latitude,examined,positive', (k) => [k, ...at(k), 30, k]),
  };
  const { draft } = await draftOf(filesOf({ ...OTHERS, ...files }));
  expect(linesOn(['mis_rdt_2020.csv'], draft).leftOut).toEqual([
    expect.stringContaining('answer "fieldwork of mis_rdt_2020.csv" with those of fieldwork'),
  ]);
  const answers = { ...GIVEN, 'fieldwork of mis_rdt_2020.csv': '2020-08 to 2020-11' };
  const found = await catalogOf(filesOf({ ...OTHERS, ...files }), answers);
  expect(found.faults).toEqual([]);
  const survey = found.sources.find(({ role }) => role === 'survey_clusters')!;
  expect(survey.rounds).toEqual([{ survey_year: 2020, first: '2020-08', last: '2020-11' }]);
  const catalog = filesOf({
    'sources.json': JSON.stringify({ sources: found.sources }),
    'model.json': JSON.stringify(found.model),
  });
  const output = await run(ioOf({}, readCountry(catalog, found.root)));
  expect(outputRows<Cluster>(output.clusters).map(({ survey_year, period }) => [survey_year, period])).toEqual(
    Array(4).fill([2020, '2020-09']),
  );
});
