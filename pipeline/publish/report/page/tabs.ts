import { certaintyTab } from './certainty-tab.ts';
import { changesTab } from './changes-tab.ts';
import { netsTab } from './nets-tab.ts';
import { data, HAS_CHANCES, view } from './store.ts';
import type { Tab } from './tab.ts';
import { totalTab } from './total-tab.ts';
import { warningsTab } from './warnings-tab.ts';
import { whenTab } from './when-tab.ts';
import { whereTab } from './where-tab.ts';

/** Questions that the map answers; some countries' models cannot answer all of them. */
const TABS: readonly Tab[] = [
  whereTab,
  ...(Object.keys(data.alerts).length > 0 ? [warningsTab] : []),
  ...(HAS_CHANCES ? [certaintyTab] : []),
  ...(data.changes.months.length > 0 ? [changesTab] : []),
  ...(data.windows.length > 0 ? [whenTab] : []),
  netsTab,
  ...(data.totals.states.length > 0 ? [totalTab] : []),
];

/** The open tab; null if it has no map. */
export const openTab = (): Tab | null => TABS.find(({ id }) => id === view.tab) ?? null;
