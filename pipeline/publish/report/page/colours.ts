import { LEVEL_FILLS } from '../names.ts';
import { data, levelName, levelOf, scoreOf, view } from './store.ts';
import { h } from './words.ts';

/** As in the legend that the page came with. */
const LEVELS = data.levels.map(({ level }) => LEVEL_FILLS[level]);
const NO_CHANGE = '#b9b9b9';

/** Highest value that the score's and the width's colours tell apart, over all LGAs and months. */
const most = { score: 0, width: 0, change: 0 };
for (const { lga_code } of data.lgas)
  for (let month = 0; month < data.periods.length; month += 3) {
    const { score, low, high } = scoreOf(lga_code, month);
    most.score = Math.max(most.score, score);
    most.width = Math.max(most.width, high - low);
    if (month >= 12) most.change = Math.max(most.change, Math.abs(score - scoreOf(lga_code, month - 12).score));
  }
const upTo = (value: number) => Math.max(0.05, Math.ceil(value * 20) / 20);
const scales = {
  score: d3
    .scaleSequential(d3.interpolateRgbBasis(LEVELS))
    .domain([0, upTo(most.score)])
    .clamp(true),
  width: d3
    .scaleSequential(d3.interpolateBuPu)
    .domain([0, upTo(most.width)])
    .clamp(true),
  change: d3
    .scaleDiverging(d3.interpolatePuOr)
    .domain([-upTo(most.change), 0, upTo(most.change)])
    .clamp(true),
};

export const levelFill = (score: number) => LEVELS[levelOf(score)]!;

/** Fill of an LGA in the month and colouring that are looked at. */
export function fillOf(code: string): string {
  const { score, low, high } = scoreOf(code, view.month);
  if (view.colour === 'level') return levelFill(score);
  if (view.colour === 'score') return scales.score(score);
  if (view.colour === 'width') return scales.width(high - low);
  return view.month < 12 ? NO_CHANGE : scales.change(score - scoreOf(code, view.month - 12).score);
}

const NOTES = {
  level: 'Classes of the score by WHO’s transmission cut-offs: below 0.01, 0.10 and 0.35; the highest split at 0.50.',
  score: 'The score itself, 0 to 1.',
  width: 'Width of the 90% range: the darker, the less is known.',
  change:
    'Score less the same month’s a year before: orange is more, purple less. Changes smaller than the ranges may be nothing.',
};

/** The key of the colouring that is looked at. */
export function legendParts(): { keys: Node[]; note: string } {
  if (view.colour === 'level') return { keys: LEVELS.map((fill, i) => key(fill, levelName(i))), note: NOTES.level };
  if (view.colour === 'change' && view.month < 12)
    return { keys: [key(NO_CHANGE, 'no month a year before')], note: NOTES.change };
  const scale = scales[view.colour];
  const ends = view.colour === 'change' ? [-upTo(most.change), upTo(most.change)] : [0, scale.domain()[1]!];
  const steps = d3.range(21).map((i) => scale(ends[0]! + ((ends[1]! - ends[0]!) * i) / 20));
  const sign = view.colour === 'change' ? '+' : '';
  return {
    keys: [
      h('b', {}, ends[0]!.toFixed(2)),
      h('span', { class: 'ramp', style: `background:linear-gradient(90deg,${steps.join(',')})` }),
      h('b', {}, sign + ends[1]!.toFixed(2)),
    ],
    note: NOTES[view.colour],
  };
}

const key = (fill: string, name: string) => h('span', {}, h('i', { style: `background:${fill}` }), name);
