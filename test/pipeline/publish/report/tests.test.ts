import { expect, test } from 'vitest';
import { describeTests, otherTestsByYear } from '../../../../pipeline/publish/report/sections/diagnostic-tests.ts';

type Contents = Parameters<typeof describeTests>[0];
type Evidence = Parameters<typeof describeTests>[1];

const contents = (method: string | string[], mean = 0.6) =>
  ({
    model: { parameters: { survey: { method }, risk: { test_offset: { mean, sd: 0.4 } } } },
    tables: {
      survey_trend: [{ state_code: null, survey_year: 2021, positivity: 0.092 }],
      risk_states: [
        { period: '2021-05', population: 3, score: 0.06 },
        { period: '2021-05', population: 1, score: 0.02 },
        { period: '2021-06', population: 1, score: 0.9 },
      ],
    },
  }) as unknown as Contents;

const evidence = (rows: [number, string][], model = 'spatial', middle = '2021-05') =>
  ({
    risk: { model, baseline: { rounds: [{ survey_year: 2021, middle }] } },
    surveys: { clusters: rows.map(([survey_year, method]) => ({ survey_year, method })), area_rounds: [] },
  }) as unknown as Evidence;

const APART: [number, string][] = [
  [2021, 'rdt'],
  [2016, 'microscopy'],
  [2013, 'microscopy'],
];
const BOTH = ['microscopy', 'rdt'];

test('rounds with another test than the score’s are listed, with the assumed offset and a comparison with the score', () => {
  expect(describeTests(contents(BOTH), evidence(APART))).toEqual([
    'The score refers to one test, microscopy, in every month. Surveys tested by microscopy in rounds 2013 and 2016 and by rapid diagnostic test in round 2021. The model takes logit positivity by rapid diagnostic test in each round to be 0.6 ± 0.4 above that by microscopy: a prior that no survey here can check, since no round used both tests. Levels after a round with another test, and changes to or from it, depend on this.',
    'The survey results are by the test of each round. Do not compare them with the score if that is another test: 9.2% positive by rapid diagnostic test in 2021, but a national score of 5.0% in May 2021.',
  ]);
  expect(describeTests(contents(BOTH, -0.3), evidence(APART))[0]).toContain('0.3 ± 0.4 below that by microscopy');
});

test('a round with both tests is evidence on the difference; a month without a score is not compared', () => {
  const [of, figures] = describeTests(contents(BOTH), evidence([...APART, [2021, 'microscopy']], 'spatial', '2009-05'));
  expect(of).toContain('by microscopy and rapid diagnostic test in round 2021.');
  expect(of).toContain('a prior, on which only round 2021, with both tests, provides further evidence');
  expect(figures).toMatch(/: 9\.2% positive by microscopy and rapid diagnostic test in 2021\.$/);
});

test('the baseline treats all tests as one, and the text says so', () => {
  expect(describeTests(contents(BOTH), evidence(APART, 'baseline'))).toEqual([
    expect.stringMatching(/^Results of different tests are treated as if they were of one test/),
  ]);
});

test('there is no text on tests if all results are by the score’s test', () => {
  expect(describeTests(contents('microscopy'), evidence([[2018, 'microscopy']]))).toEqual([]);
  expect(describeTests(contents(BOTH), evidence([[2018, 'microscopy']]))).toEqual([]);
  expect(otherTestsByYear(contents(BOTH).model, evidence(APART))).toEqual({ 2021: 'rapid diagnostic test' });
});
