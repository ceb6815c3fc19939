import { expect, test } from 'vitest';
import { caseRecords, newSurveyMonths, surveyRounds } from '../../../pipeline/catalog/evidence.ts';

const clusters = (...years: number[]) => ({
  id: 'clusters',
  role: 'survey_clusters' as const,
  rounds: years.map((year) => ({ survey_year: year, first: `${year}-10`, last: `${year}-11` })),
});
const states = {
  id: 'states',
  role: 'survey_states' as const,
  fieldwork: { first: '2021-10', last: '2021-12' },
};
const cases = (last: string) => ({ id: 'cases', role: 'cases_states' as const, span: { first: '2021-01', last } });
const rain = { id: 'rain', role: 'climate' as const, span: { first: '2001-01', last: '2030-12' } };

test('surveys and case records are evidence, rain is not', () => {
  const sources = [clusters(2015, 2018), states, cases('2021-03'), rain];
  expect(surveyRounds(sources).map(({ label: what, last }) => [what, last])).toEqual([
    ['survey 2015', '2015-11'],
    ['survey 2018', '2018-11'],
    ['survey 2021', '2021-12'],
  ]);
  expect(caseRecords(sources)).toEqual([{ label: 'cases_states', id: 'cases', first: '2021-01', last: '2021-03' }]);
});

test('a round is new if the older catalog did not have it under any source; case records do not count', () => {
  const before = [clusters(2018), cases('2021-11')];
  expect(newSurveyMonths(before, before)).toEqual([]);
  expect(newSurveyMonths(before, [{ ...clusters(2018), id: 'renamed' }, cases('2022-01')])).toEqual([]);
  expect(newSurveyMonths(before, [clusters(2018), states])).toEqual(['2021-10', '2021-11', '2021-12']);
  expect(newSurveyMonths(before, [clusters(2018, 2021), states])).toEqual(['2021-10', '2021-11', '2021-12']);
});
