import * as d3 from 'd3';
import { periodName } from '../shared/names.ts';
import { legendKey, NO_VALUE_FILL, SCORE_SCALE, scaleFill, scaleLegend } from './colours.ts';
import { h } from './dom.ts';
import { formatCount, formatInteger, formatPeople, formatShare, inSentence } from './format.ts';
import { drawRanks, hasDraws } from './joint-draws.ts';
import {
  areaName,
  areaScore,
  CERTAIN_PERCENT,
  data,
  lgaByCode,
  lgasInView,
  monthInWords,
  nameInList,
  setView,
  untestedNote,
  view,
} from './store.ts';
import { figureColumn, mapChoice, scopeName, sortByFigure, type Tab } from './tab.ts';
import { scoreColumn, scoreFields } from './where-tab.ts';

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
const population = (code: string) => lgaByCode(code).population;
const netsNeeded = (code: string) => Math.ceil(population(code) / peoplePerNet());
const minutesToCare = (code: string) => lgaByCode(code).travel_minutes_to_care ?? 0;
const { lga } = data.words;

/** Enough nets for a tenth of the people in view, rounded. */
const defaultNets = () => Number((d3.sum(lgasInView(), population) / PEOPLE_PER_NET / 10).toPrecision(1));
/** Nets to distribute if the number of LGAs is not: as many as declared, or enough for the people declared. */
const netsDeclared = () => {
  const { nets, people } = view.plan;
  return people > 0 ? Math.ceil(people / peoplePerNet()) : nets || defaultNets();
};

interface Plan {
  /** LGAs that meet the thresholds, those in greatest need first. */
  order: string[];
  /** LGAs that get nets for all their people. */
  recipients: Set<string>;
  /** Nets to distribute. */
  nets: number;
  /** Ranks in need of each LGA, one a draw, ascending; empty if they are unknown. */
  ranks: Map<string, Uint16Array>;
}

function makePlan(): Plan {
  const { areas, score, travel } = view.plan;
  const order = sortByFigure(
    lgasInView().filter((code) => areaScore(code, view.month).score >= score && minutesToCare(code) >= travel),
    (code) => needAtScore(code, areaScore(code, view.month).score),
  );
  const recipients = new Set(areas > 0 ? order.slice(0, areas) : affordable(order));
  return {
    order,
    recipients,
    nets: areas > 0 ? d3.sum(recipients, netsNeeded) : netsDeclared(),
    ranks: hasDraws() ? drawRanks(order, needAtScore) : new Map(),
  };
}

/** Those for which the nets suffice, up to the first that needs more than are left: a small one far behind is no need. */
function affordable(order: readonly string[]): readonly string[] {
  let netsLeft = netsDeclared();
  const end = order.findIndex((code) => {
    netsLeft -= netsNeeded(code);
    return netsLeft < 0;
  });
  return end === -1 ? order : order.slice(0, end);
}

let cachedPlan: { viewKey: string; plan: Plan } | null = null;
/** The plan for the present view, made once. */
function currentPlan(): Plan {
  const viewKey = JSON.stringify([view.month, view.state, view.plan, mapChoice(netsTab)]);
  if (cachedPlan?.viewKey !== viewKey) cachedPlan = { viewKey, plan: makePlan() };
  return cachedPlan.plan;
}
const unprotectedRisk = (code: string) => areaScore(code, view.month).score * shareWithoutNet(code) * population(code);
const MAX_NAMED = 4;

export const netsTab: Tab = {
  id: 'who',
  restsOnSurveys: true,
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
    const { order, recipients, nets } = currentPlan();
    if (order.length === 0) return `No ${lga.one} meets these thresholds`;
    const inState = view.state === null ? '' : ` in ${scopeName()}`;
    if (recipients.size === 0)
      return `${formatInteger(nets)} nets are too few for ${areaName(order[0]!)}, the first in need${inState}, which needs ${formatInteger(netsNeeded(order[0]!))}`;
    const names = order
      .filter((code) => recipients.has(code))
      .map((code) => (view.state === null ? nameInList(code, untestedNote(code)) : areaName(code)));
    const unnamedCount = recipients.size - MAX_NAMED;
    const recipientsText =
      unnamedCount <= 0
        ? inSentence(names)
        : `${names.slice(0, MAX_NAMED).join(', ')} and ${formatInteger(unnamedCount)} more ${unnamedCount === 1 ? lga.one : lga.many}`;
    const used = formatInteger(d3.sum(recipients, netsNeeded));
    return `${used}${view.plan.areas > 0 ? '' : ` of ${formatInteger(nets)}`} nets${inState} go to ${recipientsText}`;
  },
  sentences: () => {
    const { order, recipients, nets } = currentPlan();
    if (recipients.size === 0) return [];
    const netsLeft = nets - d3.sum(recipients, netsNeeded);
    const lgasWithout = order.filter((code) => !recipients.has(code));
    const next = lgasWithout[0];
    const riskShare = d3.sum(recipients, unprotectedRisk) / d3.sum(lgasInView(), unprotectedRisk);
    const sureCount = [...recipients].filter((code) => (chanceFirst(code) ?? 0) >= CERTAIN_PERCENT / 100).length;
    const untested = [...recipients].filter(untestedNote);
    return [
      `They cover ${recipientsInWords()}, who bear ${Math.round(100 * riskShare)}% of the unprotected risk${view.state === null ? '' : ` of ${scopeName()}`}.`,
      ...(hasDraws()
        ? [
            `${sureCount === 0 ? 'None' : formatInteger(sureCount)} of them ${sureCount === 1 ? 'is' : 'are'} at least ${CERTAIN_PERCENT}% certain to be among the ${firstInWords()} in need${sureCount === 0 ? ': the order may be chance' : sureCount === recipients.size ? '' : '; for the others the order may be chance'}.`,
          ]
        : []),
      ...(data.tested
        ? [
            untested.length === 0
              ? 'Children were tested in each of them.'
              : `No child was ever tested in ${formatInteger(untested.length)} of them: their scores are carried from neighbours.`,
          ]
        : []),
      ...(next === undefined || netsLeft === 0
        ? []
        : [
            `${formatInteger(netsLeft)} nets are left over: too few for ${areaName(next)}, the next in order, which needs ${formatInteger(netsNeeded(next))}.`,
          ]),
    ];
  },
  method: () => [
    `${monthInWords(view.month)}. Unprotected risk is people × score${HAS_NETS ? ' × share who do not sleep under a net' : ''}. Each ${lga.one} gets nets for all its people or none, up to the first that needs more than are left. ${
      mapChoice(netsTab) === 'each'
        ? 'Ordered by the unprotected risk per person, which puts each net where it counts most.'
        : 'Ordered by the unprotected risk of all people together, so places with many people come first.'
    }`,
    `WHO counts one net for ${PEOPLE_PER_NET} people in a mass campaign. The chance of being among the first comes from draws of all scores that belong together, since errors of neighbours are alike; those of ${periodName(data.periods[data.estimated - 1]!)} serve for every month, within the ranges of the month shown.`,
    `The score of children is used for people of all ages. ${data.layers
      .filter(({ figure }) => figure === 'itn_use' || figure === 'travel_minutes_to_care')
      .map(({ title, notes }) => `${title}${notes[0] ? `: ${notes[0]}` : ''}.`)
      .join(' ')}`,
  ],
  tooltip: (code) => [
    getsNets(code) ? `${formatInteger(netsNeeded(code))} nets` : 'no nets in this plan',
    ...(chanceCell(code) === '' ? [] : [`${chanceCell(code)} chance of being among the ${firstInWords()}`]),
    `score ${formatShare(areaScore(code, view.month).score)}${HAS_NETS ? ` · ${formatPercent(lgaByCode(code).itn_use)} sleep under a net` : ''}`,
  ],
  sortCodes: (codes) => {
    const listedAreas = new Set(codes);
    return currentPlan().order.filter((code) => listedAreas.has(code));
  },
  columns: () => [
    figureColumn('Nets', netsNeeded),
    ...(hasDraws()
      ? [
          figureColumn(
            'Place, 90% range',
            (code) => rankRange(code)?.[1] ?? 0,
            (code) => rankRange(code)?.join('–') ?? '',
          ),
          ...(currentPlan().recipients.size > 0
            ? [figureColumn(`Among ${firstInWords()}`, (code) => chanceFirst(code) ?? 0, chanceCell)]
            : []),
        ]
      : []),
    scoreColumn('Score'),
    figureColumn('People', population, (code) => formatPeople(population(code))),
    ...(HAS_NETS
      ? [
          figureColumn(
            'Under a net',
            (code) => lgaByCode(code).itn_use ?? 0,
            (code) => formatPercent(lgaByCode(code).itn_use),
          ),
        ]
      : []),
    ...(HAS_TRAVEL ? [figureColumn('Minutes to care', minutesToCare)] : []),
  ],
  caption: () =>
    `${currentPlan().recipients.size === 0 ? 'None gets nets.' : `${recipientsInWords()} get ${formatInteger(d3.sum(currentPlan().recipients, netsNeeded))} nets: the marked ones.`} ${formatCount(currentPlan().order.length, lga)} meet the thresholds, in the order of need.`,
  controls: planControls,
  downloadFields: (code) => ({
    ...scoreFields(code),
    population: population(code),
    itn_use: lgaByCode(code).itn_use,
    travel_minutes_to_care: lgaByCode(code).travel_minutes_to_care,
    unprotected_risk: Math.round(unprotectedRisk(code)),
    nets: netsNeeded(code),
    gets_nets: getsNets(code) ? 'yes' : 'no',
    probability_among_first: chanceFirst(code),
    rank_low: rankRange(code)?.[0] ?? null,
    rank_high: rankRange(code)?.[1] ?? null,
    first: currentPlan().recipients.size,
  }),
};

export const getsNets = (code: string) => currentPlan().recipients.has(code);
const firstInWords = () => (currentPlan().recipients.size === 1 ? 'first' : `first ${currentPlan().recipients.size}`);
/** `1.2 million people in 3 LGAs`. */
const recipientsInWords = () => {
  const { recipients } = currentPlan();
  return `${formatPeople(d3.sum(recipients, population))} people in ${formatCount(recipients.size, lga)}`;
};
/** The chance of an LGA to be among the first in need, as many as get nets; null if it is unknown. */
function chanceFirst(code: string): number | null {
  const ranks = currentPlan().ranks.get(code);
  return ranks ? d3.bisectRight(ranks, currentPlan().recipients.size) / ranks.length : null;
}
/** The central 90% of its ranks. */
const rankRange = (code: string) => {
  const ranks = currentPlan().ranks.get(code);
  return ranks && [0.05, 0.95].map((share) => ranks[Math.round(share * (ranks.length - 1))]!);
};
const chanceCell = (code: string) => {
  const chance = chanceFirst(code);
  return chance === null ? '' : `${Math.round(100 * chance)}%`;
};
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
  const amountInput = (name: 'areas' | 'people' | 'nets') =>
    numberInput(name, '1', (value) => setPlan({ areas: 0, people: 0, nets: 0, [name]: Math.round(value) }));
  const [areasInput, peopleInput, netsInput] = [amountInput('areas'), amountInput('people'), amountInput('nets')];
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
    h('label', {}, h('span', {}, `Number of ${lga.many} to get nets`), areasInput),
    h('label', {}, h('span', {}, 'or of people'), peopleInput),
    h('label', {}, h('span', {}, 'or of nets'), netsInput),
    h('label', {}, h('span', {}, 'People per net'), perNetInput),
    ...rows.map(({ row }) => row),
  );
  controls.addEventListener('follow', () => {
    // A field that is being typed into keeps what is typed.
    const showValue = (input: HTMLInputElement, value: number) => {
      if (input !== document.activeElement) input.value = String(value);
    };
    const { recipients, nets } = currentPlan();
    showValue(areasInput, recipients.size);
    showValue(peopleInput, view.plan.people || Math.round(nets * peoplePerNet()));
    showValue(netsInput, nets);
    showValue(perNetInput, peoplePerNet());
    for (const { followView } of rows) followView();
  });
  return controls;
}
