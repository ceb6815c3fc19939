import { untestedMark } from './children-tested.ts';
import { h, note } from './dom.ts';
import { saveCsv } from './downloads.ts';
import { capitalize } from './format.ts';
import { getsNets } from './nets-tab.ts';
import {
  areaName,
  areaSelection,
  data,
  elementById,
  fullName,
  lgasInView,
  monthInWords,
  onViewChange,
  setView,
  view,
} from './store.ts';
import { listAreas, scopeName, type Tab } from './tab.ts';
import { openTab } from './tabs.ts';
import { markFill } from './where-tab.ts';

/** Rows drawn at first; the rest on request, since 774 of them take long to draw. */
const FIRST_ROWS = 30;
/** What the reader wants of the list. */
const settings = {
  /** LGAs of the country rather than its states. */
  showsLgas: false,
  /** All rows, not only the first. */
  showsAllRows: false,
  /** The head of the column that it is sorted by, or NAME_COLUMN; null for the tab's own order. */
  sortColumn: null as string | null,
  /** Whether a second click has reversed the column's order. */
  isReversed: false,
};
const NAME_COLUMN = 'name';

/** Keeps the list of areas in the order of the open question. */
export function startList(): void {
  onViewChange((previous) => {
    if (previous.tab !== view.tab || previous.state !== view.state) settings.showsAllRows = false;
    if (previous.tab !== view.tab) settings.sortColumn = null;
    drawList();
  });
  addEventListener('beforeprint', () => {
    settings.showsAllRows = true;
    drawList();
  });
}

function drawList(): void {
  const tab = openTab();
  if (!tab) return;
  elementById('ranking').replaceChildren(...listNodes(tab));
  // The selected LGA is seen without scrolling to it; of a state, what is first among its LGAs.
  const [scrollBox, row] = ['.tall', '.chosen'].map((selector) =>
    elementById('ranking').querySelector<HTMLElement>(selector),
  );
  if (scrollBox && row && view.lga !== null) scrollBox.scrollTop = row.offsetTop - scrollBox.clientHeight / 2;
}

/** Moves the focus to the place's card, since the list with the clicked button is drawn again. */
function goTo(code: string): void {
  setView(areaSelection(code));
  elementById('place').querySelector('h3')!.focus();
}

/** What is listed: by the tab, or else by the reader's choice. */
const listKind = (tab: Tab) => tab.lists ?? (view.state !== null || settings.showsLgas ? 'lga' : 'state');
const listWords = (tab: Tab) => {
  const kind = listKind(tab);
  return kind === 'all' ? { one: 'area', many: 'areas' } : data.words[kind];
};
const areasByKind = {
  all: listAreas,
  lga: lgasInView,
  state: () => data.states.map(({ state_code }) => state_code),
};

/** Codes of the areas in the list, in its order. */
export function listedCodes(tab: Tab): string[] {
  const codes = tab.sortCodes(areasByKind[listKind(tab)]());
  const sign = settings.isReversed ? 1 : -1;
  if (settings.sortColumn === NAME_COLUMN)
    return codes.sort((a, b) => -sign * areaName(a).localeCompare(areaName(b), 'en'));
  const sortValue = tab.columns().find(({ head }) => head === settings.sortColumn)?.sortValue;
  return sortValue ? codes.sort((a, b) => sign * (sortValue(a) - sortValue(b))) : codes;
}

/** A head that sorts by its column; a second click turns the order round. */
function sortableHead(text: string, key: string, isSortable: boolean, kind?: string): HTMLElement {
  const isSortColumn = settings.sortColumn === key;
  const sort = () => {
    Object.assign(settings, { sortColumn: key, isReversed: isSortColumn && !settings.isReversed });
    drawList();
    elementById('ranking').querySelector<HTMLElement>('[aria-sort] button')?.focus();
  };
  // Names ascend at the first click, figures descend.
  const isAscending = (key === NAME_COLUMN) !== settings.isReversed;
  return h(
    'th',
    {
      scope: 'col',
      ...(kind ? { class: kind } : {}),
      ...(isSortColumn ? { 'aria-sort': isAscending ? 'ascending' : 'descending' } : {}),
    },
    isSortable ? h('button', { type: 'button', class: 'sort', click: sort }, text) : text,
  );
}

function listNodes(tab: Tab): Node[] {
  const codes = listedCodes(tab);
  const shownCodes =
    settings.showsAllRows || codes.indexOf(view.lga ?? '') >= FIRST_ROWS ? codes : codes.slice(0, FIRST_ROWS);
  const month = tab.months?.length === 0 ? '' : `, ${monthInWords(view.month)}`;
  const title = `${capitalize(listWords(tab).many)} of ${scopeName()}${month}`;
  const quietCount = codes.filter((code) => tab.isQuiet?.(code)).length;
  return [
    h('div', { class: 'list-head' }, h('h3', {}, title), listButtons(tab)),
    note(tab.caption()),
    h(
      'div',
      { class: 'scroll tall', tabindex: '0', role: 'group', 'aria-label': title },
      rankingTable(tab, shownCodes),
    ),
    ...(shownCodes.length < codes.length ? [allButton(codes.length)] : []),
    ...(quietCount > 0 ? [h('p', { class: 'printed' }, `Not printed: ${quietCount} with nothing unusual.`)] : []),
  ];
}

/** Buttons for the kind of area, where both kinds can be listed, and for a file of the list. */
const listButtons = (tab: Tab) =>
  h(
    'span',
    {},
    ...(view.state === null && tab.lists === undefined ? kindButtons() : []),
    h('button', { type: 'button', id: 'download-list', click: () => saveCsv(tab, listedCodes(tab)) }, 'CSV'),
  );

const kindButtons = () =>
  (['state', 'lga'] as const).map((kind) => {
    const select = () => {
      Object.assign(settings, { showsLgas: kind === 'lga', showsAllRows: false });
      drawList();
    };
    const pressed = String(settings.showsLgas === (kind === 'lga'));
    return h('button', { type: 'button', 'aria-pressed': pressed, click: select }, capitalize(data.words[kind].many));
  });

function allButton(areas: number): HTMLElement {
  const showAll = () => {
    settings.showsAllRows = true;
    drawList();
  };
  return h('button', { type: 'button', click: showAll }, `Show all ${areas}`);
}

function rankingTable(tab: Tab, codes: readonly string[]): HTMLElement {
  const columns = tab.columns();
  const heads = [
    h('th', { scope: 'col', class: 'number' }, '#'),
    sortableHead(capitalize(listWords(tab).one), NAME_COLUMN, true),
    ...columns.map((column) => sortableHead(column.head, column.head, column.sortValue !== undefined, column.kind)),
  ];
  return h(
    'table',
    { class: 'ranking' },
    h('thead', {}, h('tr', {}, ...heads)),
    h('tbody', {}, ...codes.map((code, i) => areaRow(tab, columns, code, i))),
  );
}

function areaRow(tab: Tab, columns: ReturnType<Tab['columns']>, code: string, i: number): HTMLElement {
  const name = view.state === null ? fullName(code) : areaName(code);
  const classes = [
    code === (view.lga ?? view.state) ? 'chosen' : '',
    tab.id === 'who' && getsNets(code) ? 'given' : '',
    tab.isQuiet?.(code) ? 'unprinted' : '',
  ];
  return h(
    'tr',
    { class: classes.join(' ').trim() },
    h('td', { class: 'number' }, String(i + 1)),
    h(
      'th',
      { scope: 'row' },
      h('i', { class: 'swatch', style: `background:${tab.lists === 'all' ? tab.paint(code).fill : markFill(code)}` }),
      h('button', { type: 'button', class: 'link', click: () => goTo(code) }, name),
      ...(tab.restsOnSurveys ? [untestedMark(code)] : []),
    ),
    ...columns.map(({ cell, kind }) => h('td', kind ? { class: kind } : {}, cell(code, i))),
  );
}
