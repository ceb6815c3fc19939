/** The sentence on the nation: its share of children, one and three years before, and whether the change is sure. */
import * as d3 from 'd3';
import { periodName } from '../shared/names.ts';
import { formatShare, formatWithRange, inSentence } from './format.ts';
import { areaScore, type Change, data, exceedsChance, monthInWords, view } from './store.ts';

const YEARS = { 1: 'a year', 3: 'three years' };

export function nationInWords(): string[] {
  const children = `of children aged ${data.ages_months.join('–')} months would test positive`;
  const nation = data.nation[view.month];
  if (!nation) {
    const share = d3.sum(data.states, (state) => state.population * areaScore(state.state_code, view.month).score);
    const people = d3.sum(data.states, ({ population }) => population);
    return [
      `${data.country}, ${monthInWords(view.month)}: ${formatShare(share / people)} ${children}. The simple baseline gives neither a range of this nor how certain a change of it is.`,
    ];
  }
  const comparisons = nation.changes.map(({ years, ...change }) => {
    const earlier = view.month - 12 * years;
    const surveyed = data.rounds.some(
      ({ middle }) => middle > data.periods[earlier]! && middle <= data.periods[view.month]!,
    );
    const evidence = surveyed ? '' : ', and no survey lies between';
    return `${formatWithRange(data.nation[earlier]!)} ${YEARS[years as keyof typeof YEARS]} before (${changeInWords(change)}${evidence})`;
  });
  const unknown = Object.entries(YEARS).filter(([years]) => !nation.changes.some((one) => one.years === Number(years)));
  return [
    `${data.country}, ${monthInWords(view.month)}: ${formatWithRange(nation)} ${children}${comparisons.length > 0 ? `, against ${inSentence(comparisons)}` : ''}.${
      unknown.length > 0
        ? ` Estimates begin in ${periodName(data.periods[0]!)}, so there is none ${inSentence(unknown.map(([, words]) => words))} before.`
        : ''
    }`,
  ];
}

/** `a fall of 0.02, 97% likely: more than chance would explain`. */
function changeInWords(change: Change): string {
  const [name, chance] = change.change < 0 ? ['fall', 1 - change.chance] : ['rise', change.chance];
  const verdict = exceedsChance(change) ? 'more than chance would explain' : 'may be chance';
  const size = formatShare(Math.max(0.01, Math.abs(change.change)));
  return `a ${name} of ${Math.abs(change.change) < 0.005 ? 'less than ' : ''}${size}, ${Math.round(100 * chance)}% likely: ${verdict}`;
}
