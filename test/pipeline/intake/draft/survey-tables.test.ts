import { expect, test } from 'vitest';
import { LGAS } from '../../../support/tiny-country.ts';
import { catalogOf, draftOf } from './drafted.ts';
import { country, GIVEN, table } from './drafted-tables.ts';

test('columns of surveys and nets are recognised with filler words in any place', async () => {
  const survey = (header: string) =>
    table(header, ['2018,2018-10,1,3.4,4.5,20,3,RDT', '2018,2018-10,2,3.5,4.5,10,0,RDT']);
  const drafted = async (header: string) => {
    const { draft } = await draftOf(
      country(
        {
          'x.csv': survey(header),
          'nets.csv': table(
            'code;Accès Aux MILDA (%);Utilisation Des MILDA (%);MILDA Distribuées',
            LGAS.map((code) => `${code};57,8;43,7;9`),
          ),
        },
        ['surveys.csv'],
      ),
    );
    return draft;
  };
  for (const [examined, positive] of [
    ['number_examined', 'number_positive'],
    ['examined_n', 'positive_n'],
    ['num_tested', 'num_positive'],
    ['Nombre examinés', 'Nombre de positifs'],
  ]) {
    const { entries } = await drafted(`year,period,cluster_number,longitude,latitude,${examined},${positive},test`);
    const columns = (role: string) => entries.find(({ entry }) => (entry.figure ?? entry.role) === role)?.entry.columns;
    expect(columns('survey_clusters')).toMatchObject({ examined, positive, cluster_id: 'cluster_number' });
    expect(columns('itn_access')).toMatchObject({ itn_access: 'Accès Aux MILDA (%)' });
    expect(columns('itn_use')).toMatchObject({ itn_use: 'Utilisation Des MILDA (%)' });
  }
  const { leftOut } = await drafted('year,period,site,longitude,latitude,a,b,test');
  expect(leftOut.find(({ file }) => file === 'x.csv')!.why).toBe(
    'a survey without a column of the children examined (such as examined), a column of the children positive (such as positive), a column of the cluster (such as clusterid)',
  );
});

test.each([
  ['percent', 100, 2],
  ['share', 1, 2],
  ['percent', 100, 0],
])('positives that are whole children only as the %s of those examined are read so', async (unit, whole, decimals) => {
  const rows = Array.from({ length: 20 }, (_, i) => [
    i,
    3.4,
    4.5,
    20 + i,
    ((whole * (i % 7)) / (20 + i)).toFixed(decimals),
  ]);
  const clusters = rows.map((row) => ['2018,2018-10', ...row, 'RDT'].join(','));
  const header = 'year,period,cluster_id,longitude,latitude,examined,pos,test';
  const { draft } = await draftOf(country({ 'x.csv': table(header, clusters) }, ['surveys.csv']));
  const { entry } = draft.entries.find(({ entry }) => entry.role === 'survey_clusters')!;
  expect(entry).toMatchObject({ unit, columns: { examined: 'examined', positivity: 'pos' } });
  expect(entry.columns).not.toHaveProperty('positive');
  expect(entry).not.toHaveProperty('weighted_counts');
  expect(draft.doubts).toContainEqual(expect.stringMatching(/^x\.csv: "pos" is read as the (percent|share) of/));
});

test('counts of a survey in which hardly any child is positive are counts', async () => {
  const header = 'year,period,cluster_id,longitude,latitude,examined,pos,test';
  const rows = Array.from(
    { length: 400 },
    (_, i) => `2018,2018-10,${i},3.4,4.5,${20 + (i % 9)},${i % 25 === 0 ? 1 : 0},RDT`,
  );
  const { draft } = await draftOf(country({ 'x.csv': table(header, rows) }, ['surveys.csv']));
  const { entry } = draft.entries.find(({ entry }) => entry.role === 'survey_clusters')!;
  expect(entry.columns).toMatchObject({ examined: 'examined', positive: 'pos' });
});

test('of figures by area and survey, those of the latest survey in its name are used', async () => {
  const nets = table(
    'Survey,state,Children under 5 who slept under an ITN last night (%)',
    ['MIS 2014-15', 'MIS 2018-19', 'DHS 2016'].flatMap((name, i) => [`${name},Abia,4${i}.5`, `${name},Adamawa,6${i}`]),
  );
  const { draft } = await draftOf(country({ 'nets.csv': nets }));
  const [source] = draft.entries.filter(({ entry }) => entry.figure === 'itn_use');
  expect(source!.entry).toMatchObject({ columns: { state: 'state' }, where: { Survey: 'MIS 2018-19' } });
});

test.each([
  ['survey_year', 'survey_month', 'cluster_id'],
  ['Année enquête', 'Mois enquête', 'cluster'],
  ['interview_year', 'interview_month', 'siteid'],
  ['hv007', 'hv006', 'hv001'],
  ['YY', 'MM', 'DHSCLUST'],
])("a survey's year and month may be columns of their own: %s, %s", async (year, month, cluster) => {
  const { draft } = await draftOf(
    country(
      {
        'x.csv': table(`${year},${month},${cluster},longitude,latitude,examined,positive,test`, [
          '2018,10,1,3.4,4.5,20,3,RDT',
          '2018,9,2,3.5,4.5,10,0,RDT',
        ]),
      },
      ['surveys.csv'],
    ),
  );
  const { entry } = draft.entries.find(({ entry: { role } }) => role === 'survey_clusters')!;
  expect(entry.columns).toMatchObject({ survey_year: year, year, month, cluster_id: cluster });
  expect(entry.rounds).toEqual([{ survey_year: 2018, first: '2018-09', last: '2018-10' }]);
});

test('the year of an interview, not the year that names the survey, goes with the month of the interview', async () => {
  const { draft } = await draftOf(
    country(
      {
        'x.csv': table('survey_year,interview_year,interview_month,cluster,longitude,latitude,examined,positive,test', [
          '2018,2018,12,1,3.4,4.5,20,3,RDT',
          '2018,2019,1,2,3.5,4.5,10,0,RDT',
        ]),
      },
      ['surveys.csv'],
    ),
  );
  const { entry } = draft.entries.find(({ entry: { role } }) => role === 'survey_clusters')!;
  expect(entry.rounds).toEqual([{ survey_year: 2018, first: '2018-12', last: '2019-01' }]);
});

test('clusters of which only the area of the upper level is known are a survey; its column MM is no rain', async () => {
  const header = 'YY,MM,cluster.number,Region,METHOD,Ex,Pf,LoAge,UpAge';
  const rows = ['2018,10,1,NG001,RDT,20,3,0.5,5', '2018,9,2,NG002,RDT,10,0,2,10'];
  const { draft } = await draftOf(country({ 'x.csv': table(header, rows) }, ['surveys.csv', 'climate.csv']));
  const entries = draft.entries.map(({ entry }) => entry);
  expect(entries.map(({ role }) => role)).not.toContain('climate');
  expect(entries.find(({ role }) => role === 'survey_clusters')?.columns).toMatchObject({
    month: 'MM',
    state_pcode: 'Region',
    examined: 'Ex',
    positive: 'Pf',
    cluster_id: 'cluster.number',
    youngest_years: 'LoAge',
    oldest_years: 'UpAge',
  });
});

test('a round of other ages than the others is left out with its method, so that a build takes the draft', async () => {
  const header = 'year,month,cluster,Latitude,Longitude,method,examined,positive,lower_age,upper_age';
  const round = (year: number, method: string, ages: string) =>
    LGAS.map((_, i) => `${year},10,${year}-${i},4.5,${3.5 + i},${method},20,${3 + i},${ages}`);
  const surveys = table(header, [
    ...round(2018, 'Microscopy', '2.0,10'),
    ...round(2019, 'RDT', '0.5,5'),
    ...round(2020, 'RDT', '0.5,5'),
  ]);
  const drafted = async (given: Record<string, string> = {}) => {
    const { sources, model, faults } = await catalogOf(country({ 'surveys.csv': surveys }), { ...GIVEN, ...given });
    const { rounds, methods, leave_out } = sources.find(({ role }) => role === 'survey_clusters')!;
    return { faults, years: rounds!.map((own) => own.survey_year), methods, leave_out, model };
  };
  const young = await drafted();
  expect(young).toMatchObject({ faults: [], years: [2019, 2020], methods: { rdt: 'RDT' } });
  expect(young.model.parameters.survey.method).toBe('rdt');
  expect(young.leave_out).toMatchObject([{ where: { survey_year: 2018 }, reason: expect.stringMatching(/ages/) }]);
  const old = await drafted({ ages_months: '24-120' });
  expect(old).toMatchObject({ faults: [], years: [2018], methods: { microscopy: 'Microscopy' } });
});
