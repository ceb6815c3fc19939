import { describeAge } from './age.ts';
import { seriesPlot } from './area-plots.ts';
import { citation } from './files.ts';
import {
  CERTAIN,
  certaintyInWords,
  chanceOf,
  changeOf,
  data,
  HAS_CHANCES,
  isUncertain,
  levelName,
  levelOf,
  lgaOf,
  scoreOf,
  setView,
  stateOf,
  view,
} from './store.ts';
import { byFigure } from './tab.ts';
import { runInWords, runOf, togetherInWords } from './when.ts';
import { about, byTest, capital, count, h, integer, monthInWords, share, signed, withRange } from './words.ts';

/** A button that prints a two-page brief on a state: the main results, then every LGA. */
export const briefButton = (code: string) =>
  h('button', { type: 'button', id: 'brief-button', click: () => print(code) }, 'Print two-page brief');

function print(code: string): void {
  const root = document.documentElement;
  setView({ tab: 'where', state: code, lga: null });
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

function briefOf(code: string): HTMLElement {
  const { state, population } = stateOf(code);
  const { lga } = data.words;
  const lgas = byFigure(
    data.lgas.filter((row) => row.state_code === code).map((row) => row.lga_code),
    (one) => scoreOf(one, view.month).score,
  );
  const number = new Map(lgas.map((one, i) => [one, String(i + 1)]));
  const score = scoreOf(code, view.month);
  const certainty = HAS_CHANCES
    ? ` The level is at least ${CERTAIN}% certain in ${lgas.filter((one) => !isUncertain(one)).length} of ${count(lgas.length, lga)}.`
    : '';
  const change = changeOf(code, view.month, 'survey');
  const trend = data.trend.states[data.states.findIndex((row) => row.state_code === code)]!;
  const last = trend.at(-1);
  const points = [
    `The score of ${state} is ${withRange(score)}: about ${Math.round(100 * score.score)} of 100 children aged ${data.ages_months.join('–')} months would test positive. Level: ${levelName(levelOf(score.score))}${certaintyInWords(code)}.`,
    `Highest: ${lgas
      .slice(0, 3)
      .map((one) => `${lgaOf(one).lga} ${withRange(scoreOf(one, view.month))}`)
      .join('; ')}.${certainty}`,
    ...(change
      ? [
          `Change since the last survey: ${signed(change.change)} (${signed(change.low)} to ${signed(change.high)}); ${change.low > 0 || change.high < 0 ? 'more than chance would explain' : 'may be chance'}.`,
        ]
      : []),
    ...(last
      ? [
          `Last survey, ${last.survey_year}: ${share(last.positivity)}${last.low === null ? ' (published without a range)' : ` (95% range ${share(last.low)}–${share(last.high!)})`} tested positive${byTest(last.survey_year)}.`,
        ]
      : []),
    ...(data.windows.length > 0
      ? [
          `Best four months to act: by rain-driven transmission ${runInWords(runOf(code, 'rain_transmission', 4), 4)}, with ${runOf(code, 'rain_transmission', 4).share}% of the year; by reported cases ${runInWords(runOf(code, 'reported_cases', 4), 4)}, with ${runOf(code, 'reported_cases', 4).share}%. 60% in four months: ${togetherInWords(code)}.`,
        ]
      : []),
  ];
  const nets = data.layers.some(({ figure }) => figure === 'itn_use');
  const heads = [
    '',
    capital(lga.one),
    'Score',
    '90% range',
    'Level',
    ...(HAS_CHANCES ? ['Certainty'] : []),
    'People',
    ...(nets ? ['Under a net'] : []),
  ];
  return h(
    'article',
    { class: 'brief' },
    h(
      'section',
      {},
      h('h1', {}, `${data.synthetic ? 'MADE UP: ' : ''}Malaria risk in ${state}, ${monthInWords(view.month)}`),
      h('p', {}, h('strong', {}, describeAge(data.periods, data.estimated, new Date()))),
      h('p', { class: 'note' }, `${about(population)} people in ${count(lgas.length, lga)}`),
      h('ul', {}, ...points.map((point) => h('li', {}, point))),
      h(
        'div',
        { class: 'brief-pictures' },
        mapOf(code, number),
        h(
          'figure',
          {},
          h('figcaption', {}, 'Score month by month with its 90% range; dots are surveys'),
          seriesPlot(code, trend),
        ),
      ),
      legend(),
      h(
        'p',
        { class: 'note' },
        `Darker is higher${HAS_CHANCES ? `; hatched where the level is less than ${CERTAIN}% certain` : ''}. Numbers refer to the table.`,
      ),
    ),
    h(
      'section',
      {},
      h('h2', {}, `${capital(lga.many)}, highest score first`),
      h(
        'table',
        {},
        h('thead', {}, h('tr', {}, ...heads.map((head) => h('th', { scope: 'col' }, head)))),
        h(
          'tbody',
          {},
          ...lgas.map((one) => {
            const { score: own, low, high } = scoreOf(one, view.month);
            const row = lgaOf(one);
            const cells = [
              share(own),
              `${share(low)}–${share(high)}`,
              levelName(levelOf(own)),
              ...(HAS_CHANCES ? [`${chanceOf(one, view.month, 'level')}%`] : []),
              integer(row.population),
            ];
            return h(
              'tr',
              {},
              h('td', {}, number.get(one)!),
              h('th', { scope: 'row' }, row.lga),
              ...cells.map((text) => h('td', {}, text)),
              ...(nets ? [h('td', {}, row.itn_use === null ? '—' : `${Math.round(100 * row.itn_use)}%`)] : []),
            );
          }),
        ),
      ),
      h('p', { class: 'note' }, citation()),
    ),
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
