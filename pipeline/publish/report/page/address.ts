import { VIEWS } from '../shared/page-data.ts';
import { areaSelection, data, hasArrived, isArea, onViewChange, setView, type View, view } from './store.ts';

/** The view as an address: `#when?m=2023-09&c=CODE&pins=CODE,CODE`. */
export function viewAddress({ tab, month, state, lga, pins, chosen, mapChoices, plan }: View): string {
  const parameters = new URLSearchParams();
  if (month !== data.estimated - 1) parameters.set('m', data.periods[month]!);
  if (state !== null) parameters.set('c', lga ?? state);
  if (mapChoices[tab] !== undefined) parameters.set('by', mapChoices[tab]);
  for (const [name, codes] of Object.entries({ pins, chosen }))
    if (codes.length > 0) parameters.set(name, codes.join(','));
  for (const [name, value] of Object.entries(plan)) if (value > 0) parameters.set(name, String(value));
  const text = String(parameters).replaceAll('%2C', ',');
  return `#${tab}${text && `?${text}`}`;
}

/** The view that an address names, or null if it names no tab; unknown months and places are ignored. */
export function parseAddress(address: string): Partial<View> | null {
  const [, tab, query] = /^#(\w+)(?:\?(.*))?$/.exec(address) ?? [];
  if (tab === undefined || !(tab in VIEWS)) return null;
  const parameters = new URLSearchParams(query);
  const month = (data.periods as readonly (string | null)[]).indexOf(parameters.get('m'));
  const code = (parameters.get('c') ?? '').toUpperCase();
  const area = isArea(code) ? areaSelection(code) : { state: null, lga: null };
  const readNumber = (name: string) => Math.max(0, Number(parameters.get(name)) || 0);
  const readCodes = (name: string) => (parameters.get(name) ?? '').toUpperCase().split(',').filter(isArea);
  const choice = parameters.get('by');
  return {
    ...area,
    tab,
    month: month < 0 ? data.estimated - 1 : month,
    pins: readCodes('pins').slice(0, 4),
    chosen: readCodes('chosen'),
    mapChoices: { ...view.mapChoices, ...(choice === null ? {} : { [tab]: choice }) },
    plan: {
      areas: readNumber('areas'),
      people: readNumber('people'),
      nets: readNumber('nets'),
      each: readNumber('each'),
      score: readNumber('score'),
      travel: readNumber('travel'),
    },
  };
}

/** Whether the view that an address names can be shown: its tab may wait for its data, but not a month. */
export const hasWhatItNeeds = (address: string) => hasArrived('history') || !/[?&](?:m|pins)=/.test(address);

/** Whether Back undoes the change: it does for a place or a tab, not for a month or a slider. */
const isNavigation = (previous: View) =>
  previous.tab !== view.tab || previous.state !== view.state || previous.lga !== view.lga;

/** Keeps the address and the view in step. Links to a part of the page open the tab that contains it. */
export function startAddress(): void {
  let isFollowing = false;
  const followAddress = () => {
    const requested = parseAddress(location.hash);
    const target = requested ? null : document.getElementById(location.hash.slice(1));
    const tab = target?.closest<HTMLElement>('[data-tab]')?.dataset.tab;
    isFollowing = true;
    if (requested) setView(requested);
    else if (tab !== undefined) setView({ tab });
    isFollowing = false;
    if (target instanceof HTMLDetailsElement) target.open = true;
    target?.scrollIntoView();
  };
  onViewChange((previous) => {
    const address = viewAddress(view);
    if (isFollowing || address === location.hash) return;
    if (isNavigation(previous)) history.pushState(null, '', address);
    else history.replaceState(null, '', address);
  });
  // Fires for Back and Forward within this page, and for links.
  addEventListener('popstate', followAddress);
  followAddress();
}
