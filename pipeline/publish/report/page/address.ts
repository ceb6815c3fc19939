import { data, isArea, isState, lgaByCode, onViewChange, setView, type View, view } from './store.ts';

/** Tabs of the report by id; the first one opens by default. */
const TAB_IDS = ['where', 'sure', 'changed', 'when', 'who', 'good', 'sources'];

/** The view as an address: `#when?m=2023-09&c=CODE&pins=CODE,CODE`. */
export function viewAddress({ tab, month, state, lga, pins, mapChoices: by, plan }: View): string {
  const parts = new URLSearchParams();
  if (month !== data.estimated - 1) parts.set('m', data.periods[month]!);
  if (state !== null) parts.set('c', lga ?? state);
  if (by[tab] !== undefined) parts.set('by', by[tab]);
  if (pins.length > 0) parts.set('pins', pins.join(','));
  for (const [name, value] of Object.entries(plan)) if (value > 0) parts.set(name, String(value));
  const text = String(parts).replaceAll('%2C', ',');
  return `#${tab}${text && `?${text}`}`;
}

/** The view that an address names, or null if it names no tab; unknown months and places are ignored. */
export function parseAddress(address: string): Partial<View> | null {
  const [, tab, query] = /^#(\w+)(?:\?(.*))?$/.exec(address) ?? [];
  if (tab === undefined || !TAB_IDS.includes(tab)) return null;
  const parts = new URLSearchParams(query);
  const month = (data.periods as readonly (string | null)[]).indexOf(parts.get('m'));
  const code = (parts.get('c') ?? '').toUpperCase();
  const place = !isArea(code)
    ? { state: null, lga: null }
    : isState(code)
      ? { state: code, lga: null }
      : { state: lgaByCode(code).state_code, lga: code };
  const number = (name: string) => Math.max(0, Number(parts.get(name)) || 0);
  const by = parts.get('by');
  return {
    ...place,
    tab,
    month: month < 0 ? data.estimated - 1 : month,
    pins: (parts.get('pins') ?? '').toUpperCase().split(',').filter(isArea).slice(0, 4),
    mapChoices: { ...view.mapChoices, ...(by === null ? {} : { [tab]: by }) },
    plan: {
      people: number('people'),
      nets: number('nets'),
      each: number('each'),
      score: number('score'),
      travel: number('travel'),
    },
  };
}

/** Whether Back undoes the change: it does for a place or a tab, not for a month or a slider. */
const isNavigation = (before: View) =>
  before.tab !== view.tab || before.state !== view.state || before.lga !== view.lga;

/** Keeps the address and the view in step. Links to a part of the page open the tab that contains it. */
export function startAddress(): void {
  let following = false;
  const follow = () => {
    const requested = parseAddress(location.hash);
    const target = requested ? null : document.getElementById(location.hash.slice(1));
    const tab = target?.closest<HTMLElement>('[data-tab]')?.dataset.tab;
    following = true;
    if (requested) setView(requested);
    else if (tab !== undefined) setView({ tab });
    following = false;
    if (target instanceof HTMLDetailsElement) target.open = true;
    target?.scrollIntoView();
  };
  onViewChange((before) => {
    const address = viewAddress(view);
    if (following || address === location.hash) return;
    if (isNavigation(before)) history.pushState(null, '', address);
    else history.replaceState(null, '', address);
  });
  // Fires for Back and Forward within this page, and for links.
  addEventListener('popstate', follow);
  follow();
}
