import { changedTab } from './changed.ts';
import { data, HAS_CHANCES, view } from './store.ts';
import { sureTab } from './sure.ts';
import type { Tab } from './tab.ts';
import { whenTab } from './when.ts';
import { whereTab } from './where.ts';
import { whoTab } from './who.ts';

/** Questions that the map answers; some countries' models cannot answer all of them. */
const TABS: readonly Tab[] = [
  whereTab,
  ...(HAS_CHANCES ? [sureTab] : []),
  ...(data.changes.months.length > 0 ? [changedTab] : []),
  ...(data.windows.length > 0 ? [whenTab] : []),
  whoTab,
];

/** The open tab; null if it has no map. */
export const openTab = (): Tab | null => TABS.find(({ id }) => id === view.tab) ?? null;
