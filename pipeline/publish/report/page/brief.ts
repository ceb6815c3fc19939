import { describeAge } from './age.ts';
import { seriesPlot } from './area-plots.ts';
import { FIGURES } from './context.ts';
import { citation } from './files.ts';
import {
  areaChance,
  areaChange,
  areaName,
  areaScore,
  byTest,
  CERTAIN,
  certaintyInWords,
  data,
  fullName,
  HAS_CHANCES,
  isState,
  levelIndex,
  levelName,
  lgaByCode,
  monthInWords,
  setView,
  stateByCode,
  view,
} from './store.ts';
import { byFigure } from './tab.ts';
import { testedInWords } from './tested.ts';
import { adviceInWords } from './when.ts';
import { about, capital, count, h, share, signed, withRange } from './words.ts';

/** A button that prints one page on a place: what is known of it, what to do by when, and how old each figure is. */
export const briefButton = (code: string) =>
  h('button', { type: 'button', id: 'brief-button', click: () => print(code) }, 'Print one page');

function print(code: string): void {
  const root = document.documentElement;
  setView({ tab: 'where' });
  const brief = briefOf(code);
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
const LISTED = 12;

function briefOf(code: string): HTMLElement {
  const state = stateByCode(isState(code) ? code : lgaByCode(code).state_code);
  const figures = isState(code) ? state : lgaByCode(code);
  const { lga } = data.words;
  const lgas = byFigure(
    data.lgas.filter((row) => row.state_code === state.state_code).map((row) => row.lga_code),
    (one) => areaScore(one, view.month).score,
  );
  const number = new Map((isState(code) ? lgas : [code]).map((one, i) => [one, isState(code) ? String(i + 1) : '']));
  const score = areaScore(code, view.month);
  const change = areaChange(code, view.month, 'survey');
  const survey = data.trend.states[data.states.indexOf(state)]!.at(-1);
  const inHundred = (value: number) => Math.round(100 * value);
  const points = [
    `Score, ${monthInWords(view.month)}: ${withRange(score)}. About ${inHundred(score.score)} of 100 children aged ${data.ages_months.join('–')} months would test positive; the 90% range is ${inHundred(score.low)} to ${inHundred(score.high)}. Level: ${levelName(levelIndex(score.score))}${certaintyInWords(code)}. It counts neither cases nor severe illness.`,
    ...(data.windows.length > 0 ? [`Seasonal chemoprevention: ${adviceInWords(code)}`] : []),
    ...(isState(code)
      ? [
          `Highest: ${lgas
            .slice(0, 3)
            .map((one) => `${areaName(one)} ${withRange(areaScore(one, view.month))}`)
            .join('; ')}.`,
        ]
      : []),
    ...(change
      ? [
          `Change since the last survey: ${signed(change.change)} (${signed(change.low)} to ${signed(change.high)}); ${change.low > 0 || change.high < 0 ? 'more than chance would explain' : 'may be chance'}.`,
        ]
      : []),
    ...(survey
      ? [
          `Last survey of ${state.state}, ${survey.survey_year}: ${share(survey.positivity)}${survey.low === null ? ' (published without a range)' : ` (95% range ${share(survey.low)}–${share(survey.high!)})`} tested positive${byTest(survey.survey_year)}.`,
        ]
      : []),
    ...(data.tested ? [`${capital(testedInWords(code))}.`] : []),
    ...FIGURES.flatMap(([figure, name, format]) => {
      const layer = data.layers.find((one) => one.figure === figure);
      const value = figures[figure];
      return layer && typeof value === 'number' ? [`${name}: ${format(value)} (${layer.title}).`] : [];
    }),
  ];
  const heads = ['', capital(lga.one), 'Score', '90% range', 'Level', ...(HAS_CHANCES ? ['Certainty'] : []), 'People'];
  const rest = lgas.length - LISTED;
  const list = h(
    'table',
    {},
    h('thead', {}, h('tr', {}, ...heads.map((head) => h('th', { scope: 'col' }, head)))),
    h(
      'tbody',
      {},
      ...lgas.slice(0, LISTED).map((one) => {
        const { score: own, low, high } = areaScore(one, view.month);
        const cells = [
          share(own),
          `${share(low)}–${share(high)}`,
          levelName(levelIndex(own)),
          ...(HAS_CHANCES ? [`${areaChance(one, view.month, 'level')}%`] : []),
          about(lgaByCode(one).population),
        ];
        return h(
          'tr',
          {},
          h('td', {}, number.get(one)!),
          h('th', { scope: 'row' }, areaName(one)),
          ...cells.map((text) => h('td', {}, text)),
        );
      }),
    ),
  );
  return h(
    'article',
    { class: 'brief' },
    h('h1', {}, `${data.synthetic ? 'MADE UP: ' : ''}Malaria risk in ${fullName(code)}, ${monthInWords(view.month)}`),
    h('p', {}, h('strong', {}, describeAge(data.periods, data.estimated, new Date()))),
    h(
      'p',
      { class: 'note' },
      `${about(figures.population)} people${isState(code) ? ` in ${count(lgas.length, lga)}` : ''}`,
    ),
    h('ul', {}, ...points.map((point) => h('li', {}, point))),
    h(
      'div',
      { class: 'brief-pictures' },
      mapOf(state.state_code, number),
      h(
        'figure',
        {},
        h('figcaption', {}, `Score month by month with its 90% range${isState(code) ? '; dots are surveys' : ''}`),
        seriesPlot(code, isState(code) ? data.trend.states[data.states.indexOf(state)]! : []),
      ),
    ),
    legend(),
    h(
      'p',
      { class: 'note' },
      `Darker is higher${HAS_CHANCES ? `; hatched where the level is less than ${CERTAIN}% certain` : ''}.${isState(code) ? ' Numbers refer to the table.' : ''}`,
    ),
    ...(isState(code)
      ? [list, ...(rest > 0 ? [h('p', { class: 'note' }, `and ${count(rest, lga)} with lower scores`)] : [])]
      : []),
    h('p', { class: 'note' }, citation()),
  );
}

/** The state's part of the map, with each LGA's number in the table. */
function mapOf(code: string, number: ReadonlyMap<string, string>): Element {
  const map = document.getElementById('map')!.cloneNode(true) as SVGSVGElement;
  const shown = document.querySelector<SVGPathElement>(`#states [data-code="${code}"]`)!.getBBox();
  const room = 0.04 * Math.max(shown.width, shown.height);
  for (const path of [...map.querySelectorAll<SVGPathElement>('.lgas path')])
    if (!number.has(path.dataset.code!)) path.remove();
  for (const path of [...map.querySelectorAll<SVGPathElement>('.states path')])
    if (path.dataset.code !== code) path.remove();
  map.querySelector('.lga-names')!.replaceChildren();
  const labels = map.querySelector('.labels')!;
  labels.replaceChildren(
    ...[...number].map(([one, text]) => {
      const { x, y, width, height } = document.querySelector<SVGPathElement>(`#lgas [data-code="${one}"]`)!.getBBox();
      const made = document.createElementNS(map.namespaceURI, 'text');
      made.setAttribute('x', String(x + width / 2));
      made.setAttribute('y', String(y + height / 2));
      made.textContent = text;
      return made;
    }),
  );
  // The page's own map, which is not printed, has patterns of the same ids.
  for (const pattern of map.querySelectorAll('pattern')) pattern.id = `brief-${pattern.id}`;
  for (const path of map.querySelectorAll('.lgas path'))
    path.setAttribute('fill', path.getAttribute('fill')!.replace('url(#', 'url(#brief-'));
  for (const one of [map, ...map.querySelectorAll('[id]:not(pattern)')]) one.removeAttribute('id');
  map.style.setProperty('--unit', String(Math.max(shown.width, shown.height) / 14_000));
  map.setAttribute(
    'viewBox',
    [shown.x - room, shown.y - room, shown.width + 2 * room, shown.height + 2 * room].join(' '),
  );
  return map;
}

function legend(): Node {
  const made = document.getElementById('legend')!.cloneNode(true) as Element;
  made.removeAttribute('id');
  return made;
}
