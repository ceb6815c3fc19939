import { fillIn, key, NOTHING, SCORES, scaleKey } from './colours.ts';
import { data, lgaOf, lgasInView, scoreOf, setView, view } from './store.ts';
import { byFigure, chosen, scope, type Tab } from './tab.ts';
import { scoreRecord } from './where.ts';
import { about, count, h, monthInWords, share, whole } from './words.ts';

/** People for each net, as WHO counts them for a mass campaign. */
const PEOPLE_PER_NET = 1.8;
const has = (figure: string) => data.layers.some((layer) => layer.figure === figure);
const HAS_NETS = has('itn_use');
const HAS_TRAVEL = has('travel_minutes_to_care');
/** Share of people without the protection that nets give already; all of them where that is unknown. */
const withoutNet = (code: string) => 1 - ((HAS_NETS && lgaOf(code).itn_use) || 0);
/** Share of people who are at risk and without a net. */
const need = (code: string) => scoreOf(code, view.month).score * withoutNet(code);
const peopleInNeed = (code: string) => need(code) * lgaOf(code).population;
const netsFor = (code: string) => Math.ceil(lgaOf(code).population / PEOPLE_PER_NET);
const travelTo = (code: string) => lgaOf(code).travel_minutes_to_care ?? 0;
const { lga } = data.words;

/** Enough for a twentieth of the country, in round numbers. */
const USUAL_NETS = Number((d3.sum(data.lgas, ({ population }) => population) / PEOPLE_PER_NET / 20).toPrecision(1));
const nets = () => view.plan.nets || USUAL_NETS;

interface Plan {
  order: string[];
  /** The first so many of `order` get nets for all their people. */
  given: Set<string>;
  people: number;
  inNeed: number;
  all: number;
}

/** LGAs that pass the thresholds, the neediest first, and how far the nets go. */
function plan(): Plan {
  const { score, travel } = view.plan;
  const all = lgasInView();
  const order = byFigure(
    all.filter((code) => scoreOf(code, view.month).score >= score && travelTo(code) >= travel),
    chosen(who) === 'each' ? need : peopleInNeed,
  );
  const given = new Set<string>();
  let left = nets();
  for (const code of order) {
    left -= netsFor(code);
    if (left < 0) break;
    given.add(code);
  }
  const sum = (codes: Iterable<string>, of: (code: string) => number) => d3.sum(codes, of);
  return {
    ...{ order, given },
    people: sum(given, (code) => lgaOf(code).population),
    inNeed: sum(given, peopleInNeed),
    all: sum(all, peopleInNeed),
  };
}
let planned: { of: string; plan: Plan } | null = null;
/** The plan for the view, made once for all that ask. */
function current(): Plan {
  const of = JSON.stringify([view.month, view.state, view.plan, chosen(who)]);
  if (planned?.of !== of) planned = { of, plan: plan() };
  return planned.plan;
}

export const who: Tab = {
  id: 'who',
  choices: [
    ['each', 'Most risk a net'],
    ['total', 'Most people at risk'],
  ],
  paint: (code) => {
    const { given } = current();
    return given.has(code) ? { fill: fillIn(SCORES, scoreOf(code, view.month).score) } : { fill: NOTHING };
  },
  legend: () => ({
    keys: [scaleKey(SCORES), key(NOTHING, 'no nets in this plan')],
    note: `Score of the ${lga.many} that the nets reach.`,
  }),
  headline: () => {
    const { given, people, inNeed, all } = current();
    const [first] = current().order;
    if (first === undefined) return `No ${lga.one} passes these thresholds`;
    const where = view.state === null ? '' : ` of ${scope()}`;
    return `${about(nets())} nets cover ${about(people)} people in ${count(given.size, lga)}${where}, who bear ${Math.round((100 * inNeed) / all)}% of the unprotected risk`;
  },
  words: () => [
    `${monthInWords(view.month)}. Unprotected risk is people × score${HAS_NETS ? ' × share who do not sleep under a net' : ''}; a net is for ${PEOPLE_PER_NET} people, and an ${lga.one} gets nets for all its people or none. ${
      chosen(who) === 'each'
        ? 'Order: risk for each person, which is what makes a net count most.'
        : 'Order: risk of all people together, so the largest places come first.'
    }`,
    `The score is children’s, taken for everybody’s. ${data.layers
      .filter(({ figure }) => figure === 'itn_use' || figure === 'travel_minutes_to_care')
      .map(({ title, notes }) => `${title}${notes[0] ? `: ${notes[0]}` : ''}.`)
      .join(' ')}`,
  ],
  tip: (code) => [
    current().given.has(code) ? `${whole(netsFor(code))} nets` : 'no nets in this plan',
    `score ${share(scoreOf(code, view.month).score)}${HAS_NETS ? ` · ${percent(lgaOf(code).itn_use)} sleep under a net` : ''}`,
  ],
  order: (codes) => {
    const wanted = new Set(codes);
    return current().order.filter((code) => wanted.has(code));
  },
  columns: () => {
    const { order } = current();
    const sums = d3.cumsum(order, netsFor);
    const rank = new Map(order.map((code, i) => [code, sums[i]!]));
    return [
      { head: 'Nets', kind: 'number', cell: (code) => whole(netsFor(code)) },
      { head: 'Nets up to here', kind: 'number', cell: (code) => whole(rank.get(code)!) },
      { head: 'Score', kind: 'number', cell: (code) => share(scoreOf(code, view.month).score) },
      { head: 'People', kind: 'number', cell: (code) => whole(lgaOf(code).population) },
      ...(HAS_NETS
        ? [{ head: 'Under a net', kind: 'number', cell: (code: string) => percent(lgaOf(code).itn_use) }]
        : []),
      ...(HAS_TRAVEL
        ? [{ head: 'Minutes to care', kind: 'number', cell: (code: string) => String(Math.round(travelTo(code))) }]
        : []),
    ];
  },
  caption: () => `${count(current().order.length, lga)} pass the thresholds; those marked get nets.`,
  record: (code) => ({
    ...scoreRecord(code),
    population: lgaOf(code).population,
    itn_use: lgaOf(code).itn_use,
    travel_minutes_to_care: lgaOf(code).travel_minutes_to_care,
    unprotected_risk: Math.round(peopleInNeed(code)),
    nets: netsFor(code),
    gets_nets: current().given.has(code) ? 'yes' : 'no',
  }),
};

export const getsNets = (code: string) => current().given.has(code);
const percent = (value: number | null) => (value === null ? '—' : `${Math.round(100 * value)}%`);

/** What to hand out, and the thresholds. Their places stay; what they say follows the view. */
export function planControls(): HTMLElement {
  const slider = (
    name: 'nets' | 'score' | 'travel',
    label: string,
    max: number,
    step: number,
    told: (value: number) => string,
  ) => {
    const input = h('input', {
      type: 'range',
      min: name === 'nets' ? String(step) : '0',
      max: String(max),
      step: String(step),
      id: `plan-${name}`,
    }) as HTMLInputElement;
    const output = h('output', { for: `plan-${name}` });
    input.addEventListener('input', () => setView({ plan: { ...view.plan, [name]: Number(input.value) } }));
    const follow = () => {
      const value = name === 'nets' ? nets() : view.plan[name];
      input.value = String(value);
      output.textContent = told(value);
      input.setAttribute('aria-valuetext', told(value));
    };
    return { row: h('label', {}, h('span', {}, label), input, output), follow };
  };
  const most = Math.max(...data.lgas.map(({ lga_code }) => travelTo(lga_code)));
  const sliders = [
    slider('nets', 'Nets to hand out', 10 * USUAL_NETS, USUAL_NETS / 20, about),
    slider('score', 'Only where the score is at least', 0.5, 0.01, share),
    ...(HAS_TRAVEL
      ? [slider('travel', 'Only where care is at least so far', 5 * Math.floor(most / 5), 5, (value) => `${value} min`)]
      : []),
  ];
  const made = h('div', { class: 'plan', hidden: '' }, ...sliders.map(({ row }) => row));
  made.addEventListener('follow', () => {
    for (const { follow } of sliders) follow();
  });
  return made;
}
