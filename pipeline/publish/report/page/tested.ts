import * as d3 from 'd3';
import { areaIndex, data, fullName, isState, lgasInView } from './store.ts';
import type { Column } from './tab.ts';
import { count, inSentence, integer } from './words.ts';

const CLUSTERS = { one: 'cluster', many: 'clusters' };
const CHILDREN = { one: 'child', many: 'children' };
const ROUNDS = { one: 'round', many: 'rounds' };
const { lga } = data.words;
const lgasIn = (code: string) =>
  isState(code) ? data.lgas.filter((row) => row.state_code === code).map((row) => row.lga_code) : [code];

/** Children tested in a place and their clusters, by round and in all; a state's are those of its LGAs. */
export function testedIn(code: string) {
  const lgaRows = lgasIn(code).map((one) => data.tested!.lgas[areaIndex(one) - data.states.length]!);
  const rounds = data.tested!.rounds.map((year, i) => ({
    year,
    children: d3.sum(lgaRows, (row) => row[i]![0]!),
    clusters: d3.sum(lgaRows, (row) => row[i]![1]!),
  }));
  return {
    rounds,
    children: d3.sum(rounds, ({ children }) => children),
    clusters: d3.sum(rounds, ({ clusters }) => clusters),
  };
}

/** `482 children in 24 clusters were tested here (230 in 2015, 252 in 2018)`. */
export function testedInWords(code: string): string {
  const { rounds, children, clusters } = testedIn(code);
  if (clusters === 0)
    return `no child was tested here in ${count(rounds.length, ROUNDS)}; the score is carried from neighbours`;
  const years = rounds.flatMap((round) => (round.clusters > 0 ? [`${integer(round.children)} in ${round.year}`] : []));
  return `${count(children, CHILDREN)} in ${count(clusters, CLUSTERS)} ${children === 1 ? 'was' : 'were'} tested here (${years.join(', ')})`;
}

/** LGAs in view in which no child was tested. */
export const untested = () => lgasInView().filter((code) => testedIn(code).clusters === 0);

/** The states with the fewest children tested, for their number of people. */
export function fewest(): string {
  const per = ({ state_code, population }: (typeof data.states)[number]) => testedIn(state_code).children / population;
  const least = d3.sort(data.states, per).slice(0, 3);
  return `Fewest for their number of people: ${inSentence(least.map(({ state_code }) => `${fullName(state_code)} (${integer(testedIn(state_code).children)})`))}. Rounds known only by ${data.words.state.one} are not counted; ${lga.many} without any child are scored from their neighbours.`;
}

const numberColumn = (head: string, by: (code: string) => number): Column => ({
  head,
  kind: 'number',
  cell: (code) => integer(by(code)),
  by,
});
/** Columns of the list of children tested. */
export const TESTED: Column[] = [
  ...(data.tested?.rounds ?? []).map((year, i) =>
    numberColumn(String(year), (code) => testedIn(code).rounds[i]!.children),
  ),
  numberColumn('Children', (code) => testedIn(code).children),
  numberColumn('Clusters', (code) => testedIn(code).clusters),
];
