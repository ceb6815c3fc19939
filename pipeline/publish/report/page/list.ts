import { data, element, fullName, isState, lgaOf, lgasInView, nameOf, onView, setView, view } from './store.ts';
import { scope, type Tab } from './tab.ts';
import { openTab } from './tabs.ts';
import { mark } from './where.ts';
import { getsNets } from './who.ts';
import { capital, h, monthInWords } from './words.ts';

/** Rows drawn at first; the rest on request, since 774 of them take long to draw. */
const FIRST = 30;
/** Whether the country's list is of LGAs rather than of states, and whether to draw all its rows. */
const wanted = { lgas: false, all: false };

/** Keeps the list of areas in the order of the open question. */
export function startList(): void {
  onView((before) => {
    if (before.tab !== view.tab || before.state !== view.state) wanted.all = false;
    draw();
  });
}

function draw(): void {
  const tab = openTab();
  // For the country a reader looks at the list first; a place's card comes before its list.
  element('beside').classList.toggle('country', view.state === null);
  if (tab) element('ranking').replaceChildren(...list(tab));
}

/** Moves the focus to the place's card, since the list with the clicked button is drawn again. */
function goTo(code: string): void {
  setView(isState(code) ? { state: code, lga: null } : { state: lgaOf(code).state_code, lga: code });
  element('place').querySelector('h3')!.focus();
}

const listsLgas = (tab: Tab) => view.state !== null || wanted.lgas || tab.id === 'who';

/** Codes of the areas in the list, in its order. */
export const listed = (tab: Tab): string[] =>
  tab.order(listsLgas(tab) ? lgasInView() : data.states.map(({ state_code }) => state_code));

function list(tab: Tab): Node[] {
  const codes = listed(tab);
  const { lga, state } = data.words;
  const ofLgas = listsLgas(tab);
  const shown = wanted.all ? codes : codes.slice(0, FIRST);
  const columns = tab.columns();
  const name = (code: string) => (view.state === null ? fullName(code) : nameOf(code));
  const rows = shown.map((code, i) =>
    h(
      'tr',
      {
        class: [code === view.lga ? 'chosen' : '', tab.id === 'who' && getsNets(code) ? 'given' : ''].join(' ').trim(),
      },
      h('td', { class: 'number' }, String(i + 1)),
      h(
        'th',
        { scope: 'row' },
        h('i', { class: 'swatch', style: `background:${mark(code)}` }),
        h('button', { type: 'button', class: 'link', click: () => goTo(code) }, name(code)),
      ),
      ...columns.map(({ cell, kind }) => h('td', kind ? { class: kind } : {}, cell(code, i))),
    ),
  );
  const heads = columns.map(({ head, kind }) => h('th', { scope: 'col', ...(kind ? { class: kind } : {}) }, head));
  const title = `${capital(ofLgas ? lga.many : state.many)} of ${scope()}${tab.months?.length === 0 ? '' : `, ${monthInWords(view.month)}`}`;
  const kinds = (['state', 'lga'] as const).map((kind) =>
    h(
      'button',
      {
        type: 'button',
        'aria-pressed': String(wanted.lgas === (kind === 'lga')),
        click: () => {
          Object.assign(wanted, { lgas: kind === 'lga', all: false });
          draw();
        },
      },
      capital(data.words[kind].many),
    ),
  );
  return [
    h(
      'div',
      { class: 'list-head' },
      h('h3', {}, title),
      ...(view.state === null && tab.id !== 'who' ? [h('span', {}, ...kinds)] : []),
    ),
    h('p', { class: 'note' }, tab.caption()),
    h(
      'div',
      { class: 'scroll tall', tabindex: '0', role: 'group', 'aria-label': title },
      h(
        'table',
        { class: 'ranking' },
        h(
          'thead',
          {},
          h(
            'tr',
            {},
            h('th', { scope: 'col', class: 'number' }, '#'),
            h('th', { scope: 'col' }, capital(ofLgas ? lga.one : state.one)),
            ...heads,
          ),
        ),
        h('tbody', {}, ...rows),
      ),
    ),
    ...(shown.length < codes.length
      ? [
          h(
            'button',
            {
              type: 'button',
              click: () => {
                wanted.all = true;
                draw();
              },
            },
            `Show all ${codes.length}`,
          ),
        ]
      : []),
  ];
}
