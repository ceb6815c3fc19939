/** Which diagnostic test each survey round used, and what that makes of score and figures, where there are several. */
import { METHOD_NAMES, type Method } from '../../../catalog/values.ts';
import type { Contents } from '../../snapshot/contents.ts';
import type { Evidence } from '../evidence.ts';
import { inSentence, periodName } from '../names.ts';

type Observed = Pick<Evidence, 'surveys'>;
type Parameters = Pick<Contents['model'], 'parameters'>;

/** The tests that surveys may be by, that of the score first. */
const testsOf = ({ parameters }: Parameters): Method[] => [parameters.survey.method].flat();

const named = (tests: readonly Method[]) => tests.map((test) => METHOD_NAMES[test]);

/** The tests of each round, by its year, ascending; those of one round in the country's order. */
function testsByRound(model: Parameters, { surveys }: Observed): [number, Method[]][] {
  const rows = Map.groupBy([...surveys.clusters, ...surveys.state_rounds], ({ survey_year }) => survey_year);
  return [...rows]
    .map(([year, own]): [number, Method[]] => [
      year,
      testsOf(model).filter((test) => own.some(({ method }) => method === test)),
    ])
    .sort(([a], [b]) => a - b);
}

/** By year: the tests, in words, of each round that is not by the score's alone. */
export function otherTests(model: Parameters, observed: Observed): Record<number, string> {
  const [first] = testsOf(model);
  const others = testsByRound(model, observed).filter(([, tests]) => tests.some((test) => test !== first));
  return Object.fromEntries(others.map(([year, tests]) => [year, inSentence(named(tests))]));
}

/** `round 2021`, `rounds 2013 and 2016`. */
export const roundsInWords = (years: readonly (number | string)[]): string =>
  `${years.length === 1 ? 'round' : 'rounds'} ${inSentence(years.map(String))}`;

/** What a reader must know of a country whose surveys used several tests; nothing where all rows are by the score's. */
export function describeTests(contents: Pick<Contents, 'model' | 'tables'>, evidence: Evidence): string[] {
  const { model } = contents;
  const [first, ...others] = testsOf(model);
  const years = Object.entries(otherTests(model, evidence));
  if (years.length === 0) return [];
  if (evidence.risk.model === 'baseline')
    return [
      `Surveys by different tests enter as if they were one: each place by the first of ${named([first!, ...others]).join(', ')} that it was tested by. A change between rounds of different tests may be the test’s.`,
    ];
  const score = METHOD_NAMES[first!];
  const rounds = testsByRound(model, evidence);
  const plain = rounds.flatMap(([year, tests]) => (tests.length === 1 && tests[0] === first ? [year] : []));
  const both = rounds.flatMap(([year, tests]) => (tests.length > 1 ? [year] : []));
  const told = [
    ...(plain.length > 0 ? [`${score}: ${roundsInWords(plain)}`] : []),
    ...[...Map.groupBy(years, ([, words]) => words)].map(
      ([words, own]) => `${words}: ${roundsInWords(own.map(([year]) => year))}`,
    ),
  ];
  const { mean, sd } = model.parameters.risk.test_offset!;
  const informed =
    both.length === 0
      ? 'a prior that no survey here checks, as no round has both'
      : `a prior, of which only ${roundsInWords(both)} ${both.length === 1 ? 'tells' : 'tell'} more`;
  return [
    `The score is of one test, ${score}, in every month. Surveys tested by ${told.join('; by ')}. In each round logit positivity by ${METHOD_NAMES.rdt} is taken to lie ${Math.abs(mean)} ± ${sd} ${mean < 0 ? 'below' : 'above'} that by ${METHOD_NAMES.microscopy}: ${informed}. Levels after a round by another test, and changes to or from it, rest on that.`,
    `The surveys’ own figures are by each round’s own test and are not to be held against the score where that is another: ${years.map(([year, words]) => sideBySide(contents, evidence, Number(year), words)).join('; ')}.`,
  ];
}

/** The nation's figure of a round, and its score in the middle month of the fieldwork where that is estimated. */
function sideBySide({ tables }: Pick<Contents, 'tables'>, { risk }: Evidence, year: number, words: string): string {
  const percent = (value: number) => `${(100 * value).toFixed(1)}%`;
  const found = tables.survey_trend.find(({ state_code, survey_year }) => state_code === null && survey_year === year)!;
  const figure = `${percent(found.positivity)} positive by ${words} in ${year}`;
  const middle = risk.baseline?.rounds.find(({ survey_year }) => survey_year === year)?.middle;
  const scores = tables.risk_states.filter(({ period }) => period === middle);
  const people = scores.reduce((sum, { population }) => sum + population, 0);
  if (people === 0) return figure;
  const score = scores.reduce((sum, row) => sum + row.population * row.score, 0) / people;
  return `${figure} stands beside a score of ${percent(score)} for the whole country in ${periodName(middle!)}`;
}
