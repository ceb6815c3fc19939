import * as d3 from 'd3';
import { expit } from '../../../lib/numerics/special.ts';
import { logitNormal } from '../shared/spread.ts';
import { legendKey, NO_VALUE_FILL, SCORE_SCALE, scaleFill, scaleLegend } from './colours.ts';
import { h } from './dom.ts';
import { formatCount, formatInteger, formatPeople, formatShare, inSentence } from './format.ts';
import { areaName, areaScore, data, lgaByCode, lgasInView, monthInWords, nameInList, setView, view } from './store.ts';
import { mapChoice, scopeName, sortByFigure, type Tab } from './tab.ts';
import { scoreFields } from './where-tab.ts';

/** People per net, as WHO counts for a mass campaign. */
const PEOPLE_PER_NET = 1.8;
const hasLayer = (figure: string) => data.layers.some((layer) => layer.figure === figure);
const HAS_NETS = hasLayer('itn_use');
const HAS_TRAVEL = hasLayer('travel_minutes_to_care');
/** Share of people who do not sleep under a net; 1 if that is unknown. */
const shareWithoutNet = (code: string) => 1 - ((HAS_NETS && lgaByCode(code).itn_use) || 0);
/** The figure that areas are ordered by: people at risk and without a net, as a share of all or in number. */
const needAtScore = (code: string, score: number) =>
  score * shareWithoutNet(code) * (mapChoice(netsTab) === 'each' ? 1 : lgaByCode(code).population);
const peoplePerNet = () => view.plan.each || PEOPLE_PER_NET;
const netsNeeded = (code: string) => Math.ceil(lgaByCode(code).population / peoplePerNet());
const minutesToCare = (code: string) => lgaByCode(code).travel_minutes_to_care ?? 0;
const { lga } = data.words;

/** Enough nets for a tenth of the people in view, rounded. */
const defaultNets = () =>
  Number((d3.sum(lgasInView(), (code) => lgaByCode(code).population) / PEOPLE_PER_NET / 10).toPrecision(1));
/** Nets to distribute: as many as declared, or enough for the people declared. */
const netsAvailable = () => {
  const { nets, people } = view.plan;
  return people > 0 ? Math.ceil(people / peoplePerNet()) : nets || defaultNets();
};

interface Plan {
  order: string[];
  /** LGAs that get nets for all their people. */
  recipients: Set<string>;
}

/** Distributes the nets to the LGAs that meet the thresholds, those in greatest need first, as long as they suffice. */
function makePlan(need: (code: string) => number): Plan {
  const { score, travel } = view.plan;
  const order = sortByFigure(
    lgasInView().filter((code) => areaScore(code, view.month).score >= score && minutesToCare(code) >= travel),
    need,
  );
  const recipients = new Set<string>();
  let netsLeft = netsAvailable();
  for (const code of order) {
    if (netsNeeded(code) > netsLeft) continue;
    netsLeft -= netsNeeded(code);
    recipients.add(code);
  }
  return { order, recipients };
}

const DRAWS = 200;

/**
 * How often each LGA is in the plan when every score is drawn from its own range, as a logit-normal share. Errors of
 * neighbours are in truth alike, so an order among neighbours is more certain than this says.
 */
function chancesInPlan(): Map<string, number> {
  const normal = d3.randomNormal.source(d3.randomLcg(1))();
  const counts = new Map<string, number>();
  const distributions = new Map(lgasInView().map((code) => [code, logitNormal(areaScore(code, view.month))]));
  for (let i = 0; i < DRAWS; i++) {
    const drawnScores = new Map([...distributions].map(([code, { mean, sd }]) => [code, expit(mean + sd * normal())]));
    for (const code of makePlan((code) => needAtScore(code, drawnScores.get(code)!)).recipients)
      counts.set(code, (counts.get(code) ?? 0) + 1 / DRAWS);
  }
  return counts;
}

let cachedPlan: { viewKey: string; plan: Plan; chances: Map<string, number> } | null = null;
/** The plan for the present view and the chances of being in it, computed once. */
function currentPlan() {
  const viewKey = JSON.stringify([view.month, view.state, view.plan, mapChoice(netsTab)]);
  if (cachedPlan?.viewKey !== viewKey)
    cachedPlan = {
      viewKey,
      plan: makePlan((code) => needAtScore(code, areaScore(code, view.month).score)),
      chances: chancesInPlan(),
    };
  return cachedPlan;
}
const unprotectedRisk = (code: string) =>
  areaScore(code, view.month).score * shareWithoutNet(code) * lgaByCode(code).population;
const MAX_NAMED = 4;

export const netsTab: Tab = {
  id: 'who',
  lists: 'lga',
  choices: [
    ['each', 'Most risk per net'],
    ['total', 'Most people at risk'],
  ],
  paint: (code) =>
    getsNets(code) ? { fill: scaleFill(SCORE_SCALE, areaScore(code, view.month).score) } : { fill: NO_VALUE_FILL },
  legend: () => ({
    keys: [scaleLegend(SCORE_SCALE), legendKey(NO_VALUE_FILL, 'no nets in this plan')],
    note: `Scores of the ${lga.many} that get nets.`,
  }),
  headline: () => {
    const { order, recipients } = currentPlan().plan;
    if (order.length === 0) return `No ${lga.one} meets these thresholds`;
    const inState = view.state === null ? '' : ` in ${scopeName()}`;
    if (recipients.size === 0) {
      const smallest = d3.least(order, netsNeeded)!;
      return `${formatInteger(netsAvailable())} nets are too few for any ${lga.one}${inState}: the smallest, ${areaName(smallest)}, needs ${formatInteger(netsNeeded(smallest))}`;
    }
    const names = order.filter((code) => recipients.has(code)).map(view.state === null ? nameInList : areaName);
    const unnamedCount = recipients.size - MAX_NAMED;
    const recipientsText =
      unnamedCount <= 0
        ? inSentence(names)
        : `${names.slice(0, MAX_NAMED).join(', ')} and ${formatInteger(unnamedCount)} more ${unnamedCount === 1 ? lga.one : lga.many}`;
    return `${formatInteger(d3.sum(recipients, netsNeeded))} of ${formatInteger(netsAvailable())} nets${inState} go to ${recipientsText}`;
  },
  sentences: () => {
    const { order, recipients } = currentPlan().plan;
    if (recipients.size === 0) return [];
    const netsLeft = netsAvailable() - d3.sum(recipients, netsNeeded);
    const lgasWithout = order.filter((code) => !recipients.has(code));
    const next = lgasWithout[0];
    const riskShare = d3.sum(recipients, unprotectedRisk) / d3.sum(lgasInView(), unprotectedRisk);
    const likelyCount = order.filter(
      (code) => recipients.has(code) && (currentPlan().chances.get(code) ?? 0) >= 0.8,
    ).length;
    return [
      `They cover ${formatPeople(d3.sum(recipients, (code) => lgaByCode(code).population))} people in ${formatCount(recipients.size, lga)}, who bear ${Math.round(100 * riskShare)}% of the unprotected risk${view.state === null ? '' : ` of ${scopeName()}`}; the chance of belonging there is 80% or more for ${formatInteger(likelyCount)} of ${formatInteger(recipients.size)}.`,
      ...(next === undefined || netsLeft === 0
        ? []
        : [
            `${formatInteger(netsLeft)} nets are left over: too few for ${areaName(next)}, the next in order, which needs ${formatInteger(netsNeeded(next))}.`,
          ]),
    ];
  },
  method: () => [
    `${monthInWords(view.month)}. Unprotected risk is people × score${HAS_NETS ? ' × share who do not sleep under a net' : ''}. Each ${lga.one} gets nets for all its people or none; one that needs more than are left is passed over. ${
      mapChoice(netsTab) === 'each'
        ? 'Ordered by the unprotected risk per person, which puts each net where it counts most.'
        : 'Ordered by the unprotected risk of all people together, so places with many people come first.'
    }`,
    `WHO counts one net for ${PEOPLE_PER_NET} people in a mass campaign. The chance of being in the plan comes from ${DRAWS} draws of each score from its range, each ${lga.one} on its own; errors of neighbours are alike, so an order among neighbours is more certain than that.`,
    `The score of children is used for people of all ages. ${data.layers
      .filter(({ figure }) => figure === 'itn_use' || figure === 'travel_minutes_to_care')
      .map(({ title, notes }) => `${title}${notes[0] ? `: ${notes[0]}` : ''}.`)
      .join(' ')}`,
  ],
  tooltip: (code) => [
    getsNets(code) ? `${formatInteger(netsNeeded(code))} nets` : 'no nets in this plan',
    `${Math.round(100 * chanceInPlan(code))}% chance of being in the plan`,
    `score ${formatShare(areaScore(code, view.month).score)}${HAS_NETS ? ` · ${formatPercent(lgaByCode(code).itn_use)} sleep under a net` : ''}`,
  ],
  sortCodes: (codes) => {
    const listedAreas = new Set(codes);
    return currentPlan().plan.order.filter((code) => listedAreas.has(code));
  },
  columns: () => [
    { head: 'Nets', kind: 'number', cell: (code) => formatInteger(netsNeeded(code)), sortValue: netsNeeded },
    {
      head: 'Chance in plan',
      kind: 'number',
      cell: (code) => (netsNeeded(code) > netsAvailable() ? 'too large' : `${Math.round(100 * chanceInPlan(code))}%`),
      sortValue: chanceInPlan,
    },
    {
      head: 'Score',
      kind: 'number',
      cell: (code) => formatShare(areaScore(code, view.month).score),
      sortValue: (code) => areaScore(code, view.month).score,
    },
    {
      head: 'People',
      kind: 'number',
      cell: (code) => formatPeople(lgaByCode(code).population),
      sortValue: (code) => lgaByCode(code).population,
    },
    ...(HAS_NETS
      ? [
          {
            head: 'Under a net',
            kind: 'number',
            cell: (code: string) => formatPercent(lgaByCode(code).itn_use),
            sortValue: (code: string) => lgaByCode(code).itn_use ?? 0,
          },
        ]
      : []),
    ...(HAS_TRAVEL
      ? [
          {
            head: 'Minutes to care',
            kind: 'number',
            cell: (code: string) => String(Math.round(minutesToCare(code))),
            sortValue: minutesToCare,
          },
        ]
      : []),
  ],
  caption: () =>
    `${formatCount(currentPlan().plan.order.length, lga)} meet the thresholds, in the order of need; the marked ones get nets.`,
  controls: planControls,
  downloadFields: (code) => ({
    ...scoreFields(code),
    population: lgaByCode(code).population,
    itn_use: lgaByCode(code).itn_use,
    travel_minutes_to_care: lgaByCode(code).travel_minutes_to_care,
    unprotected_risk: Math.round(unprotectedRisk(code)),
    nets: netsNeeded(code),
    gets_nets: getsNets(code) ? 'yes' : 'no',
    probability_in_plan: Number(chanceInPlan(code).toFixed(2)),
  }),
};

export const getsNets = (code: string) => currentPlan().plan.recipients.has(code);
const chanceInPlan = (code: string) => currentPlan().chances.get(code) ?? 0;
const formatPercent = (value: number | null) => (value === null ? '—' : `${Math.round(100 * value)}%`);

/** Inputs for the number of nets and the thresholds, whose values follow the view. */
function planControls(): HTMLElement {
  const sliderInput = (name: keyof typeof view.plan, max: number, step: number) => {
    const input = h('input', { type: 'range', min: '0', max: String(max), step: String(step), id: `plan-${name}` });
    input.addEventListener('input', () => setPlan({ [name]: Number((input as HTMLInputElement).value) }));
    return input as HTMLInputElement;
  };
  const numberInput = (name: keyof typeof view.plan, least: string, change: (value: number) => void) => {
    const input = h('input', { type: 'number', min: least, step: 'any', id: `plan-${name}` }) as HTMLInputElement;
    input.addEventListener('input', () => {
      if (input.value !== '' && input.validity.valid) change(Number(input.value));
    });
    return input;
  };
  const setPlan = (change: Partial<typeof view.plan>) => setView({ plan: { ...view.plan, ...change } });
  const peopleInput = numberInput('people', '1', (value) => setPlan({ people: value, nets: 0 }));
  const netsInput = numberInput('nets', '1', (value) => setPlan({ nets: Math.round(value), people: 0 }));
  const perNetInput = numberInput('each', '0.5', (value) => setPlan({ each: value }));
  const thresholds: [keyof typeof view.plan, string, HTMLInputElement, (value: number) => string][] = [
    ['score', 'Only where the score is at least', sliderInput('score', 0.5, 0.01), formatShare],
  ];
  const longestTravel = Math.max(...data.lgas.map(({ lga_code }) => minutesToCare(lga_code)));
  if (HAS_TRAVEL)
    thresholds.push([
      'travel',
      'Only where travel to care takes at least',
      sliderInput('travel', 5 * Math.floor(longestTravel / 5), 5),
      (value) => `${value} min`,
    ]);
  const rows = thresholds.map(([name, label, input, format]) => {
    const output = h('output', { for: input.id });
    const followView = () => {
      input.value = String(view.plan[name]);
      output.textContent = format(view.plan[name]);
      input.setAttribute('aria-valuetext', output.textContent);
    };
    return { row: h('label', {}, h('span', {}, label), input, output), followView };
  });
  const controls = h(
    'div',
    { class: 'plan' },
    h('label', {}, h('span', {}, 'Nets for this many people'), peopleInput),
    h('label', {}, h('span', {}, 'or this many nets'), netsInput),
    h('label', {}, h('span', {}, 'People per net'), perNetInput),
    ...rows.map(({ row }) => row),
  );
  controls.addEventListener('follow', () => {
    // A field that is being typed into keeps what is typed.
    const showValue = (input: HTMLInputElement, value: number) => {
      if (input !== document.activeElement) input.value = String(value);
    };
    showValue(peopleInput, view.plan.people || Math.round(netsAvailable() * peoplePerNet()));
    showValue(netsInput, netsAvailable());
    showValue(perNetInput, peoplePerNet());
    for (const { followView } of rows) followView();
  });
  return controls;
}
