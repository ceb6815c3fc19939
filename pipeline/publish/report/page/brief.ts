import { seriesPlot } from './area-plots.ts';
import { testedInWords, untestedMark } from './children-tested.ts';
import { CONTEXT_FIGURES } from './context.ts';
import { describeAge } from './describe-age.ts';
import { h, note, svgElement } from './dom.ts';
import { citation } from './downloads.ts';
import { capitalize, formatCount, formatDifference, formatPeople, formatShare, formatWithRange } from './format.ts';
import {
  areaChance,
  areaFigures,
  areaName,
  areaScore,
  CERTAIN_PERCENT,
  certaintyInWords,
  data,
  exceedsChance,
  fullName,
  HAS_CHANCES,
  isState,
  levelOfScore,
  lgaByCode,
  monthInWords,
  setView,
  stateByCode,
  stateTrend,
  surveyChange,
  testSuffix,
  view,
} from './store.ts';
import { sortByFigure } from './tab.ts';
import { adviceInWords } from './when-tab.ts';
import { scoreInChildren } from './where-tab.ts';

/** A button that prints one page on a place: its figures, what to do by when, and how old each figure is. */
export const briefButton = (code: string) =>
  h('button', { type: 'button', id: 'brief-button', click: () => printBrief(code) }, 'Print one page');

function printBrief(code: string): void {
  const root = document.documentElement;
  setView({ tab: 'where' });
  const brief = makeBrief(code);
  document.body.append(brief);
  root.classList.add('briefing');
  addEventListener(
    'afterprint',
    () => {
      brief.remove();
      root.classList.remove('briefing');
    },
    { once: true },
  );
  window.print();
}

/** LGAs of a state that are listed. */
const MAX_LISTED = 12;

type State = (typeof data.states)[number];

function makeBrief(code: string): HTMLElement {
  const state = stateByCode(isState(code) ? code : lgaByCode(code).state_code);
  const lgas = sortByFigure(
    data.lgas.filter((row) => row.state_code === state.state_code).map((row) => row.lga_code),
    (lga_code) => areaScore(lga_code, view.month).score,
  );
  /** Row numbers in the table, shown on the map; one LGA alone has none. */
  const numberByLga = new Map(isState(code) ? lgas.map((lga_code, i) => [lga_code, String(i + 1)]) : [[code, '']]);
  const sentences = [
    scoreInWords(code),
    ...(data.windows?.length ? [`Seasonal chemoprevention: ${adviceInWords(code)}`] : []),
    ...(isState(code) ? [highestInWords(lgas)] : []),
    ...changeInWords(code),
    ...surveyInWords(state),
    ...(data.tested ? [`${capitalize(testedInWords(code))}.`] : []),
    ...contextInWords(code),
  ];
  return h(
    'article',
    { class: 'brief' },
    ...heading(code, lgas.length),
    h('ul', {}, ...sentences.map((point) => h('li', {}, point))),
    h('div', { class: 'brief-pictures' }, stateMap(state.state_code, numberByLga), seriesFigure(code)),
    cloneLegend(),
    legendNote(code),
    ...(isState(code) ? lgaTable(lgas) : []),
    note(citation()),
  );
}

function heading(code: string, lgas: number): HTMLElement[] {
  const title = `${data.synthetic ? 'MADE UP: ' : ''}Malaria risk in ${fullName(code)}, ${monthInWords(view.month)}`;
  const lgasText = isState(code) ? ` in ${formatCount(lgas, data.words.lga)}` : '';
  return [
    h('h1', {}, title),
    h('p', {}, h('strong', {}, describeAge(data.periods, data.estimated, new Date()))),
    note(`${formatPeople(areaFigures(code).population)} people${lgasText}`),
  ];
}

function scoreInWords(code: string): string {
  const score = areaScore(code, view.month);
  return (
    `Score, ${monthInWords(view.month)}: ${formatWithRange(score)}. ${scoreInChildren(code)} ` +
    `Level: ${levelOfScore(score.score)}${certaintyInWords(code)}. It counts neither cases nor severe illness.`
  );
}

/** @param lgas highest first */
function highestInWords(lgas: readonly string[]): string {
  const highest = lgas.slice(0, 3).map((code) => `${areaName(code)} ${formatWithRange(areaScore(code, view.month))}`);
  return `Highest: ${highest.join('; ')}.`;
}

function changeInWords(code: string): string[] {
  const change = surveyChange(code, view.month);
  if (!change) return [];
  return [
    `Change since the last survey: ${formatDifference(change.change)} (${formatDifference(change.low)} to ${formatDifference(change.high)}); ` +
      `${exceedsChance(change) ? 'more than chance would explain' : 'may be chance'}.`,
  ];
}

function surveyInWords(state: State): string[] {
  const survey = stateTrend(state.state_code).at(-1);
  if (!survey) return [];
  const { survey_year, positivity, low, high } = survey;
  const range =
    low === null ? ' (published without a range)' : ` (95% range ${formatShare(low)}–${formatShare(high!)})`;
  return [
    `Last survey of ${state.state}, ${survey_year}: ${formatShare(positivity)}${range} tested positive${testSuffix(survey_year)}.`,
  ];
}

/** The context figures, each with its source. */
const contextInWords = (code: string): string[] =>
  CONTEXT_FIGURES.flatMap(([figure, name, format]) => {
    const layer = data.layers.find((candidate) => candidate.figure === figure);
    const value = areaFigures(code)[figure];
    return layer && typeof value === 'number' ? [`${name}: ${format(value)} (${layer.title}).`] : [];
  });

function seriesFigure(code: string): HTMLElement {
  const dots = isState(code) ? '; dots are surveys' : '';
  return h(
    'figure',
    {},
    h('figcaption', {}, `Score month by month with its 90% range${dots}`),
    seriesPlot(code, isState(code) ? stateTrend(code) : []),
  );
}

function legendNote(code: string): HTMLElement {
  const hatchingText = HAS_CHANCES ? `; hatched where the level is less than ${CERTAIN_PERCENT}% certain` : '';
  const numbersText = isState(code) ? ' Numbers refer to the table.' : '';
  return note(`Darker is higher${hatchingText}.${numbersText}`);
}

/** The first LGAs of a state, with their scores, and how many more there are. @param lgas highest first */
function lgaTable(lgas: readonly string[]): HTMLElement[] {
  const { lga } = data.words;
  const heads = [
    '',
    capitalize(lga.one),
    'Score',
    '90% range',
    'Level',
    ...(HAS_CHANCES ? ['Certainty'] : []),
    'People',
  ];
  const table = h(
    'table',
    {},
    h('thead', {}, h('tr', {}, ...heads.map((head) => h('th', { scope: 'col' }, head)))),
    h('tbody', {}, ...lgas.slice(0, MAX_LISTED).map(lgaRow)),
  );
  const lower = lgas
    .slice(MAX_LISTED)
    .map((code) => `${areaName(code)} ${formatShare(areaScore(code, view.month).score)}`);
  return lower.length === 0
    ? [table]
    : [table, note(`Lower: ${lower.join(', ')}. Their ranges: view Where of the report, “Show all” below the list.`)];
}

function lgaRow(code: string, i: number): HTMLElement {
  const { score, low, high } = areaScore(code, view.month);
  const cells = [
    formatShare(score),
    `${formatShare(low)}–${formatShare(high)}`,
    levelOfScore(score),
    ...(HAS_CHANCES ? [`${areaChance(code, view.month, 'level')}%`] : []),
    formatPeople(lgaByCode(code).population),
  ];
  return h(
    'tr',
    {},
    h('td', {}, String(i + 1)),
    h('th', { scope: 'row' }, areaName(code), ' ', untestedMark(code)),
    ...cells.map((text) => h('td', {}, text)),
  );
}

/** The state's part of the map, with each LGA's number in the table. */
function stateMap(code: string, numberByLga: ReadonlyMap<string, string>): Element {
  const map = document.getElementById('map')!.cloneNode(true) as SVGSVGElement;
  const stateBox = document.querySelector<SVGPathElement>(`#states [data-code="${code}"]`)!.getBBox();
  const margin = 0.04 * Math.max(stateBox.width, stateBox.height);
  for (const path of [...map.querySelectorAll<SVGPathElement>('.lgas path')])
    if (!numberByLga.has(path.dataset.code!)) path.remove();
  for (const path of [...map.querySelectorAll<SVGPathElement>('.states path')])
    if (path.dataset.code !== code) path.remove();
  map.querySelector('.lga-names')!.replaceChildren();
  const labels = map.querySelector('.labels')!;
  labels.replaceChildren(
    ...[...numberByLga].map(([lgaCode, text]) => {
      const { x, y, width, height } = document
        .querySelector<SVGPathElement>(`#lgas [data-code="${lgaCode}"]`)!
        .getBBox();
      return svgElement('text', { x: x + width / 2, y: y + height / 2 }, text);
    }),
  );
  // The page's own map, which is not printed, has patterns of the same ids.
  for (const pattern of map.querySelectorAll('pattern')) pattern.id = `brief-${pattern.id}`;
  for (const path of map.querySelectorAll('.lgas path'))
    path.setAttribute('fill', path.getAttribute('fill')!.replace('url(#', 'url(#brief-'));
  for (const node of [map, ...map.querySelectorAll('[id]:not(pattern)')]) node.removeAttribute('id');
  map.style.setProperty('--unit', String(Math.max(stateBox.width, stateBox.height) / 14_000));
  map.setAttribute(
    'viewBox',
    [stateBox.x - margin, stateBox.y - margin, stateBox.width + 2 * margin, stateBox.height + 2 * margin].join(' '),
  );
  return map;
}

function cloneLegend(): Node {
  const copy = document.getElementById('legend')!.cloneNode(true) as Element;
  copy.removeAttribute('id');
  return copy;
}
