import type { Random } from '../lib/numerics/random.ts';

const FIRST =
  'Ba Da Fa Ga Ka La Ma Na Ra Sa Ta Wa Za Be De Ke Le Me Re Te Bi Di Gi Ki Li Mi Bo Do Ko Lo Mo So Bu Du'.split(' ');
const MIDDLE =
  'ba da fa ga ka la ma na ra sa ta wa ya be ke le me re bi di ki li mi ri bo do ko lo mo ro bu du ku lu'.split(' ');
const LAST = 'ri ra na ma la ki ko do ro mi bo ta wa ye si ru nu le gu ja'.split(' ');
const SIDES = ['North', 'South', 'East', 'West'];

/**
 * Invented LGA names, `counts[i]` for state i, in alphabetical order and unique within each state. As in the real
 * country, one name occurs in two states (a join by name should fail here), and some names have two words.
 */
export function inventNames(random: Random, counts: number[]): string[][] {
  const used = new Set<string>();
  const pick = (list: string[]) => list[Math.floor(random.uniform() * list.length)]!;
  const invent = () => {
    for (;;) {
      const name = pick(FIRST) + (random.uniform() < 0.6 ? pick(MIDDLE) : '') + pick(LAST);
      if (used.has(name)) continue;
      used.add(name);
      return random.uniform() < 0.12 ? `${name} ${pick(SIDES)}` : name;
    }
  };
  const names = counts.map((count) => Array.from({ length: count }, invent));
  if (names.length > 1) names.at(-1)![0] = names[0]![0]!;
  // By code units, independent of the locale.
  return names.map((list) => list.sort());
}
