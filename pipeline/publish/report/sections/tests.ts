/** The diagnostic tests of the survey rounds and, if there are several, their effect on scores and survey results. */
import { METHOD_NAMES, type Method } from '../../../catalog/shared-schemas.ts';
import type { Contents } from '../../snapshot/contents.ts';
import type { Evidence } from '../shared/evidence.ts';
import { inSentence, periodName } from '../shared/names.ts';

type Observed = Pick<Evidence, 'surveys'>;
type Parameters = Pick<Contents['model'], 'parameters'>;

/** The tests that surveys may use, that of the score first. */
const surveyMethods = ({ parameters }: Parameters): Method[] => [parameters.survey.method].flat();

const named = (tests: readonly Method[]) => tests.map((test) => METHOD_NAMES[test]);

/** The tests of each round by ascending year; those of one round in the country's order. */
function testsByRound(model: Parameters, { surveys }: Observed): [number, Method[]][] {
  const rows = Map.groupBy([...surveys.clusters, ...surveys.state_rounds], ({ survey_year }) => survey_year);
  return [...rows]
    .map(([year, roundClusters]): [number, Method[]] => [
      year,
      surveyMethods(model).filter((test) => roundClusters.some(({ method }) => method === test)),
    ])
    .sort(([a], [b]) => a - b);
}

/** The tests, in words, of each round that used a test other than the score's, by year. */
export function otherTests(model: Parameters, observed: Observed): Record<number, string> {
  const [first] = surveyMethods(model);
  const exceptions = testsByRound(model, observed).filter(([, tests]) => tests.some((test) => test !== first));
  return Object.fromEntries(exceptions.map(([year, tests]) => [year, inSentence(named(tests))]));
}

/** `round 2021`, `rounds 2013 and 2016`. */
const roundsInWords = (years: readonly (number | string)[]): string =>
  `${years.length === 1 ? 'round' : 'rounds'} ${inSentence(years.map(String))}`;

/** Caveats for a country whose surveys used several tests; empty if all results are by the score's test. */
export function describeTests(contents: Pick<Contents, 'model' | 'tables'>, evidence: Evidence): string[] {
  const { model } = contents;
  const [first, ...alternatives] = surveyMethods(model);
  const years = Object.entries(otherTests(model, evidence));
  if (years.length === 0) return [];
  if (evidence.risk.model === 'baseline')
    return [
      'Results of different tests are treated as if they were of one test: each place enters with the first of ' +
        `${named([first!, ...alternatives]).join(', ')} that was used there. A change between rounds with ` +
        'different tests may be due to the tests.',
    ];
  const score = METHOD_NAMES[first!];
  const rounds = testsByRound(model, evidence);
  const plain = rounds.flatMap(([year, tests]) => (tests.length === 1 && tests[0] === first ? [year] : []));
  const both = rounds.flatMap(([year, tests]) => (tests.length > 1 ? [year] : []));
  const tested = [
    ...(plain.length > 0 ? [`by ${score} in ${roundsInWords(plain)}`] : []),
    ...[...Map.groupBy(years, ([, words]) => words)].map(
      ([words, rows]) => `by ${words} in ${roundsInWords(rows.map(([year]) => year))}`,
    ),
  ];
  const { mean, sd } = model.parameters.risk.test_offset!;
  const informed =
    both.length === 0
      ? 'a prior that no survey here can check, since no round used both tests'
      : `a prior, on which only ${roundsInWords(both)}, with both tests, ` +
        `${both.length === 1 ? 'provides' : 'provide'} further evidence`;
  return [
    `The score refers to one test, ${score}, in every month. Surveys tested ${inSentence(tested)}. The model ` +
      `takes logit positivity by ${METHOD_NAMES.rdt} in each round to be ${Math.abs(mean)} ± ${sd} ` +
      `${mean < 0 ? 'below' : 'above'} that by ${METHOD_NAMES.microscopy}: ${informed}. Levels after a round with ` +
      'another test, and changes to or from it, depend on this.',
    'The survey results are by the test of each round. Do not compare them with the score if that is another ' +
      `test: ${years.map(([year, words]) => sideBySide(contents, evidence, Number(year), words)).join('; ')}.`,
  ];
}

/** The national result of a round, and the national score in the middle month of its fieldwork if that is estimated. */
function sideBySide({ tables }: Pick<Contents, 'tables'>, { risk }: Evidence, year: number, words: string): string {
  const percent = (value: number) => `${(100 * value).toFixed(1)}%`;
  const row = tables.survey_trend.find(({ state_code, survey_year }) => state_code === null && survey_year === year)!;
  const figure = `${percent(row.positivity)} positive by ${words} in ${year}`;
  const middle = risk.baseline?.rounds.find(({ survey_year }) => survey_year === year)?.middle;
  const scores = tables.risk_states.filter(({ period }) => period === middle);
  const people = scores.reduce((sum, { population }) => sum + population, 0);
  if (people === 0) return figure;
  const score = scores.reduce((sum, row) => sum + row.population * row.score, 0) / people;
  return `${figure}, but a national score of ${percent(score)} in ${periodName(middle!)}`;
}
