import { changed } from './changed.ts';
import { data, HAS_CHANCES, view } from './store.ts';
import { sure } from './sure.ts';
import type { Tab } from './tab.ts';
import { when } from './when.ts';
import { where } from './where.ts';
import { who } from './who.ts';

/** Questions that the map answers; some countries' models cannot answer all of them. */
const TABS: readonly Tab[] = [
  where,
  ...(HAS_CHANCES ? [sure] : []),
  ...(data.changes.months.length > 0 ? [changed] : []),
  ...(data.windows.length > 0 ? [when] : []),
  who,
];

/** The open tab; null if it has no map. */
export const openTab = (): Tab | null => TABS.find(({ id }) => id === view.tab) ?? null;
