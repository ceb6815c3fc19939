import { VIEW_PARTS } from '../shared/page-data.ts';
import { certaintyTab } from './certainty-tab.ts';
import { changesTab } from './changes-tab.ts';
import { netsTab } from './nets-tab.ts';
import { hasArrived, view } from './store.ts';
import type { Tab } from './tab.ts';
import { totalTab } from './total-tab.ts';
import { warningsTab } from './warnings-tab.ts';
import { whenTab } from './when-tab.ts';
import { whereTab } from './where-tab.ts';

const TABS: readonly Tab[] = [whereTab, warningsTab, certaintyTab, changesTab, whenTab, netsTab, totalTab];

/** Whether the open view waits for a part of the data that has not arrived. */
export const isWaiting = (): boolean => {
  const part = VIEW_PARTS[view.tab];
  return part !== undefined && !hasArrived(part);
};
/** The open tab; null if it has no map, or waits for its data. Some countries' pages lack some, and links to them. */
export const openTab = (): Tab | null =>
  isWaiting() || !document.querySelector(`nav a[href="#${view.tab}"]`)
    ? null
    : (TABS.find(({ id }) => id === view.tab) ?? null);
