import * as d3 from 'd3';
import { fillIn, key, NOTHING, SCORES, scaleKey } from './colours.ts';
import { data, lgaOf, lgasInView, nameOf, scoreOf, setView, view } from './store.ts';
import { byFigure, chosen, scope, type Tab } from './tab.ts';
import { scoreRecord } from './where.ts';
import { about, count, h, integer, monthInWords, share } from './words.ts';

/** People per net, as WHO counts for a mass campaign. */
const PEOPLE_PER_NET = 1.8;
const has = (figure: string) => data.layers.some((layer) => layer.figure === figure);
const HAS_NETS = has('itn_use');
const HAS_TRAVEL = has('travel_minutes_to_care');
/** Share of people who do not sleep under a net; 1 if that is unknown. */
const withoutNet = (code: string) => 1 - ((HAS_NETS && lgaOf(code).itn_use) || 0);
/** Share of people who are at risk and without a net. */
const need = (code: string) => scoreOf(code, view.month).score * withoutNet(code);
const peopleInNeed = (code: string) => need(code) * lgaOf(code).population;
const netsFor = (code: string) => Math.ceil(lgaOf(code).population / PEOPLE_PER_NET);
const travelTo = (code: string) => lgaOf(code).travel_minutes_to_care ?? 0;
const { lga } = data.words;

/** Enough nets for a twentieth of the country, rounded. */
const DEFAULT_NETS = Number((d3.sum(data.lgas, ({ population }) => population) / PEOPLE_PER_NET / 20).toPrecision(1));
/** Enough nets for everybody, rounded up in each LGA. */
const MOST_NETS = d3.sum(data.lgas, ({ lga_code }) => netsFor(lga_code));
const nets = () => Math.min(MOST_NETS, view.plan.nets || DEFAULT_NETS);

interface Plan {
  order: string[];
  /** The first LGAs of `order`, which get nets for all their people. */
  given: Set<string>;
  people: number;
  inNeed: number;
  all: number;
}

/** Distributes the nets to the LGAs that meet the thresholds, those in greatest need first. */
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
    order,
    given,
    people: sum(given, (code) => lgaOf(code).population),
    inNeed: sum(given, peopleInNeed),
    all: sum(all, peopleInNeed),
  };
}
let planned: { of: string; plan: Plan } | null = null;
/** The plan for the present view, computed once. */
function current(): Plan {
  const of = JSON.stringify([view.month, view.state, view.plan, chosen(who)]);
  if (planned?.of !== of) planned = { of, plan: plan() };
  return planned.plan;
}

export const who: Tab = {
  id: 'who',
  choices: [
    ['each', 'Most risk per net'],
    ['total', 'Most people at risk'],
  ],
  paint: (code) => {
    const { given } = current();
    return given.has(code) ? { fill: fillIn(SCORES, scoreOf(code, view.month).score) } : { fill: NOTHING };
  },
  legend: () => ({
    keys: [scaleKey(SCORES), key(NOTHING, 'no nets in this plan')],
    note: `Scores of the ${lga.many} that get nets.`,
  }),
  headline: () => {
    const { given, people, inNeed, all } = current();
    const [first] = current().order;
    if (first === undefined) return `No ${lga.one} meets these thresholds`;
    if (given.size === 0) return `${about(nets())} nets are too few for ${nameOf(first)}, the first in order`;
    const where = view.state === null ? '' : ` of ${scope()}`;
    return `${about(nets())} nets cover ${about(people)} people in ${count(given.size, lga)}${where}, who bear ${Math.round((100 * inNeed) / all)}% of the unprotected risk`;
  },
  words: () => [
    ...leftOver(),
    `${monthInWords(view.month)}. Unprotected risk is people × score${HAS_NETS ? ' × share who do not sleep under a net' : ''}. One net is counted for ${PEOPLE_PER_NET} people, and each ${lga.one} gets nets for all its people or none. ${
      chosen(who) === 'each'
        ? 'Ordered by the unprotected risk per person, which puts each net where it counts most.'
        : 'Ordered by the unprotected risk of all people together, so places with many people come first.'
    }`,
    `The score of children is used for people of all ages. ${data.layers
      .filter(({ figure }) => figure === 'itn_use' || figure === 'travel_minutes_to_care')
      .map(({ title, notes }) => `${title}${notes[0] ? `: ${notes[0]}` : ''}.`)
      .join(' ')}`,
  ],
  tip: (code) => [
    current().given.has(code) ? `${integer(netsFor(code))} nets` : 'no nets in this plan',
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
      { head: 'Nets', kind: 'number', cell: (code) => integer(netsFor(code)) },
      { head: 'Cumulative nets', kind: 'number', cell: (code) => integer(rank.get(code)!) },
      { head: 'Score', kind: 'number', cell: (code) => share(scoreOf(code, view.month).score) },
      { head: 'People', kind: 'number', cell: (code) => integer(lgaOf(code).population) },
      ...(HAS_NETS
        ? [{ head: 'Under a net', kind: 'number', cell: (code: string) => percent(lgaOf(code).itn_use) }]
        : []),
      ...(HAS_TRAVEL
        ? [{ head: 'Minutes to care', kind: 'number', cell: (code: string) => String(Math.round(travelTo(code))) }]
        : []),
    ];
  },
  caption: () => `${count(current().order.length, lga)} meet the thresholds; the marked ones get nets.`,
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

/** The nets that are too few for the next LGA in order. */
function leftOver(): string[] {
  const { order, given } = current();
  const left = nets() - d3.sum(given, netsFor);
  const next = order[given.size];
  return next === undefined || left === 0 || given.size === 0
    ? []
    : [
        `${integer(left)} nets are left over: too few for ${nameOf(next)}, the next in order, which needs ${integer(netsFor(next))}.`,
      ];
}

export const getsNets = (code: string) => current().given.has(code);
const percent = (value: number | null) => (value === null ? '—' : `${Math.round(100 * value)}%`);

/** Inputs for the number of nets and the thresholds. They are made once; their values follow the view. */
export function planControls(): HTMLElement {
  const set = (name: keyof typeof view.plan, value: number) => setView({ plan: { ...view.plan, [name]: value } });
  const slider = (name: keyof typeof view.plan, max: number, step: number) => {
    const input = h('input', { type: 'range', min: '0', max: String(max), step: String(step), id: `plan-${name}` });
    input.addEventListener('input', () => set(name, Number((input as HTMLInputElement).value)));
    return input as HTMLInputElement;
  };
  const number = h('input', { type: 'number', min: '1', max: String(MOST_NETS), step: '1', id: 'plan-nets' });
  number.addEventListener('change', () => set('nets', Math.round(Number((number as HTMLInputElement).value))));
  const thresholds: [keyof typeof view.plan, string, HTMLInputElement, (value: number) => string][] = [
    ['score', 'Only where the score is at least', slider('score', 0.5, 0.01), share],
  ];
  const furthest = Math.max(...data.lgas.map(({ lga_code }) => travelTo(lga_code)));
  if (HAS_TRAVEL)
    thresholds.push([
      'travel',
      'Only where travel to care takes at least',
      slider('travel', 5 * Math.floor(furthest / 5), 5),
      (value) => `${value} min`,
    ]);
  const rows = thresholds.map(([name, label, input, format]) => {
    const output = h('output', { for: input.id });
    const follow = () => {
      input.value = String(view.plan[name]);
      output.textContent = format(view.plan[name]);
      input.setAttribute('aria-valuetext', output.textContent);
    };
    return { row: h('label', {}, h('span', {}, label), input, output), follow };
  });
  const made = h(
    'div',
    { class: 'plan', hidden: '' },
    h('label', {}, h('span', {}, 'Nets to distribute'), number),
    ...rows.map(({ row }) => row),
  );
  made.addEventListener('follow', () => {
    (number as HTMLInputElement).value = String(nets());
    for (const { follow } of rows) follow();
  });
  return made;
}
