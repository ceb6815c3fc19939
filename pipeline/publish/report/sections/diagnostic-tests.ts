/** The diagnostic tests of the survey rounds and, if there are several, their effect on scores and survey results. */
import { METHOD_NAMES, type Method } from '../../../catalog/shared-schemas.ts';
import type { Contents } from '../../snapshot/contents.ts';
import type { Evidence } from '../shared/evidence.ts';
import { joinInSentence, periodName } from '../shared/names.ts';

type SurveyEvidence = Pick<Evidence, 'surveys'>;
type ModelParameters = Pick<Contents['model'], 'parameters'>;

/** The tests that surveys may use, that of the score first. */
const surveyMethods = ({ parameters }: ModelParameters): Method[] => [parameters.survey.method].flat();

const testNames = (tests: readonly Method[]) => tests.map((test) => METHOD_NAMES[test]);

/** The tests of each round by ascending year; those of one round in the country's order. */
function testsByRound(model: ModelParameters, { surveys }: SurveyEvidence): [number, Method[]][] {
  const rows = Map.groupBy([...surveys.clusters, ...surveys.area_rounds], ({ survey_year }) => survey_year);
  return [...rows]
    .map(([year, roundClusters]): [number, Method[]] => [
      year,
      surveyMethods(model).filter((test) => roundClusters.some(({ method }) => method === test)),
    ])
    .sort(([a], [b]) => a - b);
}

/** The tests, in words, of each round that used a test other than the score's, by year. */
export function otherTestsByYear(model: ModelParameters, observed: SurveyEvidence): Record<number, string> {
  const [scoreMethod] = surveyMethods(model);
  const otherRounds = testsByRound(model, observed).filter(([, tests]) => tests.some((test) => test !== scoreMethod));
  return Object.fromEntries(otherRounds.map(([year, tests]) => [year, joinInSentence(testNames(tests))]));
}

/** `round 2021`, `rounds 2013 and 2016`. */
const describeRounds = (years: readonly (number | string)[]): string =>
  `${years.length === 1 ? 'round' : 'rounds'} ${joinInSentence(years.map(String))}`;

/** Caveats for a country whose surveys used several tests; empty if all results are by the score's test. */
export function describeTests(contents: Pick<Contents, 'model' | 'tables'>, evidence: Evidence): string[] {
  const { model } = contents;
  const [scoreMethod, ...alternatives] = surveyMethods(model);
  const years = Object.entries(otherTestsByYear(model, evidence));
  if (years.length === 0) return [];
  if (evidence.risk.model === 'baseline')
    return [
      'Results of different tests are treated as if they were of one test: each place enters with the first of ' +
        `${testNames([scoreMethod!, ...alternatives]).join(', ')} that was used there. A change between rounds with ` +
        'different tests may be due to the tests.',
    ];
  const score = METHOD_NAMES[scoreMethod!];
  const rounds = testsByRound(model, evidence);
  const scoreMethodYears = rounds.flatMap(([year, tests]) =>
    tests.length === 1 && tests[0] === scoreMethod ? [year] : [],
  );
  const mixedYears = rounds.flatMap(([year, tests]) => (tests.length > 1 ? [year] : []));
  const testPhrases = [
    ...(scoreMethodYears.length > 0 ? [`by ${score} in ${describeRounds(scoreMethodYears)}`] : []),
    ...[...Map.groupBy(years, ([, words]) => words)].map(
      ([words, rows]) => `by ${words} in ${describeRounds(rows.map(([year]) => year))}`,
    ),
  ];
  const { mean, sd } = model.parameters.risk.test_offset!;
  const evidenceText =
    mixedYears.length === 0
      ? 'a prior that no survey here can check, since no round used both tests'
      : `a prior, on which only ${describeRounds(mixedYears)}, with both tests, ` +
        `${mixedYears.length === 1 ? 'provides' : 'provide'} further evidence`;
  return [
    `The score refers to one test, ${score}, in every month. Surveys tested ${joinInSentence(testPhrases)}. The model ` +
      `takes logit positivity by ${METHOD_NAMES.rdt} in each round to be ${Math.abs(mean)} ± ${sd} ` +
      `${mean < 0 ? 'below' : 'above'} that by ${METHOD_NAMES.microscopy}: ${evidenceText}. Levels after a round with ` +
      'another test, and changes to or from it, depend on this.',
    'The survey results are by the test of each round. Do not compare them with the score if that is another ' +
      `test: ${years.map(([year, words]) => compareResultAndScore(contents, evidence, Number(year), words)).join('; ')}.`,
  ];
}

/** The national result of a round, and the national score in the middle month of its fieldwork if that is estimated. */
function compareResultAndScore(
  { tables }: Pick<Contents, 'tables'>,
  { risk }: Evidence,
  year: number,
  words: string,
): string {
  const percent = (value: number) => `${(100 * value).toFixed(1)}%`;
  const row = tables.survey_trend.find(({ state_code, survey_year }) => state_code === null && survey_year === year)!;
  const resultText = `${percent(row.positivity)} positive by ${words} in ${year}`;
  const middle = risk.baseline?.rounds.find(({ survey_year }) => survey_year === year)?.middle;
  const scores = tables.risk_states.filter(({ period }) => period === middle);
  const people = scores.reduce((sum, { population }) => sum + population, 0);
  if (people === 0) return resultText;
  const score = scores.reduce((sum, row) => sum + row.population * row.score, 0) / people;
  return `${resultText}, but a national score of ${percent(score)} in ${periodName(middle!)}`;
}
