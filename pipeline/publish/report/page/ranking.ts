import { periodName } from '../names.ts';
import { levelFill } from './colours.ts';
import { data, element, isForecast, levelName, levelOf, onView, scoreOf, setView, stateOf, view } from './store.ts';
import { h, share, whole } from './words.ts';

/** States, or the LGAs of the state that is looked at, highest first: the answers' own order. */
export function startRanking(): void {
  onView(() => element('ranking').replaceChildren(...ranking()));
}

/** The list is made anew and the place stands above it: who picked here goes on reading there. */
function goTo(place: { state: string; lga: string | null }): void {
  setView(place);
  element('place').querySelector('h3')!.focus();
}

function ranking(): Node[] {
  const rows =
    view.state === null
      ? data.states.map((row) => ({
          code: row.state_code,
          name: row.state,
          population: row.population,
          pick: { state: row.state_code, lga: null },
        }))
      : data.lgas
          .filter((row) => row.state_code === view.state)
          .map((row) => ({
            code: row.lga_code,
            name: row.lga,
            population: row.population,
            pick: { state: row.state_code, lga: row.lga_code },
          }));
  const scored = rows
    .map((row) => ({ ...row, ...scoreOf(row.code, view.month) }))
    .sort((a, b) => b.score - a.score || (a.code < b.code ? -1 : 1));
  const top = Math.max(...scored.map((row) => row.high), 0.01);
  const at = (value: number) => `${((100 * value) / top).toFixed(2)}%`;
  const where = view.state === null ? 'States' : `LGAs of ${stateOf(view.state).state}`;
  const body = scored.map((row, i) =>
    h(
      'tr',
      row.code === view.lga ? { class: 'chosen' } : {},
      h('td', { class: 'number' }, String(i + 1)),
      h('th', { scope: 'row' }, h('button', { type: 'button', class: 'link', click: () => goTo(row.pick) }, row.name)),
      h(
        'td',
        { class: 'bar' },
        h(
          'span',
          { class: 'track' },
          h('span', {
            class: 'extent',
            style: `left:${at(row.low)};width:${at(row.high - row.low)};background:${levelFill(row.score)}`,
          }),
          h('span', { class: 'at', style: `left:${at(row.score)}` }),
        ),
      ),
      h('td', { class: 'number' }, share(row.score)),
      h('td', { class: 'number range' }, `${share(row.low)}–${share(row.high)}`),
      h('td', { class: 'level' }, levelName(levelOf(row.score))),
      h('td', { class: 'number people' }, whole(row.population)),
    ),
  );
  const head = [
    '#',
    view.state === null ? 'State' : 'LGA',
    'Score and 90% range',
    'Score',
    '90% range',
    'Level',
    'People',
  ];
  const kinds = ['number', '', 'bar', 'number', 'number range', 'level', 'number people'];
  return [
    h('h3', {}, `${where}, ${periodName(data.periods[view.month]!)}${isForecast(view.month) ? ' (forecast)' : ''}`),
    h('p', { class: 'note' }, 'Highest score first. Where bars overlap, the order may be by chance.'),
    h(
      'div',
      { class: 'scroll tall', tabindex: '0', role: 'group', 'aria-label': where },
      h(
        'table',
        { class: 'ranking' },
        h('thead', {}, h('tr', {}, ...head.map((name, i) => h('th', { scope: 'col', class: kinds[i]! }, name)))),
        h('tbody', {}, ...body),
      ),
    ),
  ];
}
