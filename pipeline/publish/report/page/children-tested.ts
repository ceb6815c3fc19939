import * as d3 from 'd3';
import { h } from './dom.ts';
import { formatCount, formatInteger, inSentence } from './format.ts';
import { areaIndex, data, fullName, isState, lgasInView, untestedNote } from './store.ts';
import { type Column, figureColumn } from './tab.ts';

const CLUSTER_WORDS = { one: 'cluster', many: 'clusters' };
const CHILD_WORDS = { one: 'child', many: 'children' };
const ROUND_WORDS = { one: 'round', many: 'rounds' };
const { lga } = data.words;
const lgaCodesWithin = (code: string) =>
  isState(code) ? data.lgas.filter((row) => row.state_code === code).map((row) => row.lga_code) : [code];

/** A note beside the name of a place; empty where a child was tested. */
export const untestedMark = (code: string): Node | string => {
  const text = untestedNote(code);
  return text && h('small', { class: 'untested' }, text);
};

/** Children tested in a place, their clusters and positive ones, by round and in all; a state's are those of its LGAs. */
export function countTested(code: string) {
  const lgaRows = lgaCodesWithin(code).map((lgaCode) => data.tested!.lgas[areaIndex(lgaCode) - data.states.length]!);
  const rounds = data.tested!.rounds.map((year, i) => ({
    year,
    children: d3.sum(lgaRows, (row) => row[i]![0]!),
    clusters: d3.sum(lgaRows, (row) => row[i]![1]!),
    positive: d3.sum(lgaRows, (row) => row[i]![2]!),
  }));
  return {
    rounds,
    children: d3.sum(rounds, ({ children }) => children),
    clusters: d3.sum(rounds, ({ clusters }) => clusters),
    positive: d3.sum(rounds, ({ positive }) => positive),
  };
}

/** `482 children in 24 clusters were tested here (230 in 2015, 252 in 2018), about 90 of them positive`. */
export function testedInWords(code: string): string {
  const { rounds, children, clusters, positive } = countTested(code);
  if (clusters === 0)
    return `no child was tested here in ${formatCount(rounds.length, ROUND_WORDS)}; the score is carried from neighbours`;
  const years = rounds.flatMap((round) =>
    round.clusters > 0 ? [`${formatInteger(round.children)} in ${round.year}`] : [],
  );
  return `${formatCount(children, CHILD_WORDS)} in ${formatCount(clusters, CLUSTER_WORDS)} ${children === 1 ? 'was' : 'were'} tested here (${years.join(', ')}), about ${formatInteger(positive)} of them positive`;
}

export const untestedLgas = () => lgasInView().filter((code) => countTested(code).clusters === 0);

/** The states with the fewest children tested, for their number of people. */
export function fewestTestedInWords(): string {
  const testedPerPerson = ({ state_code, population }: (typeof data.states)[number]) =>
    countTested(state_code).children / population;
  const leastTested = d3.sort(data.states, testedPerPerson).slice(0, 3);
  return `Fewest for their number of people: ${inSentence(leastTested.map(({ state_code }) => `${fullName(state_code)} (${formatInteger(countTested(state_code).children)})`))}. Rounds known only by ${data.words.state.one} are not counted; ${lga.many} without any child are scored from their neighbours.`;
}

export const TESTED_COLUMNS: Column[] = [
  ...(data.tested?.rounds ?? []).map((year, i) =>
    figureColumn(String(year), (code) => countTested(code).rounds[i]!.children),
  ),
  figureColumn('Children', (code) => countTested(code).children),
  figureColumn('Positive', (code) => countTested(code).positive),
  figureColumn('Clusters', (code) => countTested(code).clusters),
];
