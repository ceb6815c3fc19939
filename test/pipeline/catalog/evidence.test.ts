import { expect, test } from 'vitest';
import { caseRecords, surveyRounds } from '../../../pipeline/catalog/evidence.ts';
import { checkEvidence, newEvidence } from '../../../pipeline/catalog/evidence-rules.ts';
import type { Source } from '../../../pipeline/catalog/sources.ts';

const clusters = (...years: number[]) => ({
  id: 'clusters',
  role: 'survey_clusters' as const,
  files: [{ path: 'clusters.csv', rows: 30 * years.length }],
  rounds: years.map((year) => ({ survey_year: year, first: `${year}-10`, last: `${year}-11` })),
});
const states = {
  id: 'states',
  role: 'survey_states' as const,
  files: [{ path: 'states.csv', rows: 37 }],
  fieldwork: { first: '2021-10', last: '2021-12' },
};
const cases = (last: string) => ({
  id: 'cases',
  role: 'cases_states' as const,
  files: [{ path: 'c.csv' }],
  span: { first: '2021-01', last },
});
const rain = {
  id: 'rain',
  role: 'climate' as const,
  files: [{ path: 'r.csv' }],
  span: { first: '2001-01', last: '2030-12' },
};

test('surveys and case records are evidence, rain is not', () => {
  const sources = [clusters(2015, 2018), states, cases('2021-03'), rain];
  expect(surveyRounds(sources).map(({ label: what, last }) => [what, last])).toEqual([
    ['survey 2015', '2015-11'],
    ['survey 2018', '2018-11'],
    ['survey 2021', '2021-12'],
  ]);
  expect(caseRecords(sources)).toEqual([{ label: 'cases_states', id: 'cases', first: '2021-01', last: '2021-03' }]);
});

test('a later round or record is said, with what may be estimated from it', () => {
  const model = {
    last_estimated: '2021-03',
    parameters: { evidence: { max_months_after_survey: 36 } },
  } as Parameters<typeof newEvidence>[0];
  const notes = (before: object[], after: object[]) => newEvidence(model, before as Source[], after as Source[]);
  const before = [clusters(2017, 2018), cases('2021-03')];
  expect(notes(before, before)).toEqual([]);
  expect(notes(before, [{ ...clusters(2017, 2018), id: 'renamed' }, cases('2021-03')])).toEqual([]);
  expect(notes(before, [...before, states])).toEqual([
    'states: survey 2021 ends in 2021-12; months are estimated up to 2021-03; scores of later months need case records up to then: once there are, `malaria-risk catalog update cases FILE --last-estimated 2021-12`',
  ]);
  expect(notes(before, [clusters(2017, 2018), cases('2021-06')])).toEqual([
    'months are estimated up to 2021-03; --last-estimated 2021-06 (catalog update) estimates up to that month',
  ]);
  expect(notes([clusters(2018)], [clusters(2017, 2018), cases('2021-03')])).toEqual([]);
});

test('surveys too small for scores limit no months', () => {
  const model = (lgas: number, scores?: object) =>
    ({
      last_estimated: '2021-03',
      expected: { lgas },
      parameters: { evidence: { max_months_after_survey: 24, scores } },
    }) as Parameters<typeof checkEvidence>[0];
  const check = (sources: object[], ...country: Parameters<typeof model>) =>
    checkEvidence(model(...country), sources as Source[]);
  // 60 rows are clusters enough, 30 are not; 12 areas are too few whatever the survey.
  expect(() => check([clusters(2015, 2018), cases('2021-03')], 30)).toThrow(
    /at most 2020-11: 24 months after the last/,
  );
  check([clusters(2018), cases('2021-03')], 30);
  check([clusters(2015, 2018), cases('2021-03')], 12);
  expect(() => check([clusters(2018), cases('2021-03')], 12, { clusters: 9, areas: 9, children: 9 })).toThrow();
  expect(() => check([clusters(2018), cases('2021-02')], 30)).toThrow(/at most 2021-02: the case records end there/);
});
