import { expect, test } from 'vitest';
import { describeTests, otherTests } from '../../../../pipeline/publish/report/sections/tests.ts';

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
    surveys: { clusters: rows.map(([survey_year, method]) => ({ survey_year, method })), state_rounds: [] },
  }) as unknown as Evidence;

const APART: [number, string][] = [
  [2021, 'rdt'],
  [2016, 'microscopy'],
  [2013, 'microscopy'],
];
const BOTH = ['microscopy', 'rdt'];

test('rounds by another test than the score’s: which, by how much they are set off, and their figures beside the score', () => {
  expect(describeTests(contents(BOTH), evidence(APART))).toEqual([
    'The score is of one test, microscopy, in every month. Surveys tested by microscopy: rounds 2013 and 2016; by rapid diagnostic test: round 2021. In each round logit positivity by rapid diagnostic test is taken to lie 0.6 ± 0.4 above that by microscopy: a prior that no survey here checks, as no round has both. Levels after a round by another test, and changes to or from it, rest on that.',
    'The surveys’ own figures are by each round’s own test and are not to be held against the score where that is another: 9.2% positive by rapid diagnostic test in 2021 stands beside a score of 5.0% for the whole country in May 2021.',
  ]);
  expect(describeTests(contents(BOTH, -0.3), evidence(APART))[0]).toContain('0.3 ± 0.4 below that by microscopy');
});

test('a round by both tells more of the difference; of a month without a score there is none to compare', () => {
  const [of, figures] = describeTests(contents(BOTH), evidence([...APART, [2021, 'microscopy']], 'spatial', '2009-05'));
  expect(of).toContain('by microscopy and rapid diagnostic test: round 2021.');
  expect(of).toContain('a prior, of which only round 2021 tells more');
  expect(figures).toMatch(/: 9\.2% positive by microscopy and rapid diagnostic test in 2021\.$/);
});

test('the baseline takes all tests as one, and says so', () => {
  expect(describeTests(contents(BOTH), evidence(APART, 'baseline'))).toEqual([
    expect.stringMatching(/^Surveys by different tests enter as if they were one/),
  ]);
});

test('nothing is said where all rows are by the score’s test', () => {
  expect(describeTests(contents('microscopy'), evidence([[2018, 'microscopy']]))).toEqual([]);
  expect(describeTests(contents(BOTH), evidence([[2018, 'microscopy']]))).toEqual([]);
  expect(otherTests(contents(BOTH).model, evidence(APART))).toEqual({ 2021: 'rapid diagnostic test' });
});
