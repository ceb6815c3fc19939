import type { Legend, Paint } from './colours.ts';
import { data, view } from './store.ts';

/** A column of a tab's list. */
export interface Column {
  head: string;
  cell: (code: string, rank: number) => Node | string;
  kind?: string;
}

/** A question, and what map, sentences, list and files say to it, all of the view as it is. */
export interface Tab {
  id: string;
  /** What its map may show: value and label; the first unasked. */
  choices: readonly (readonly [string, string])[];
  paint: (code: string) => Paint;
  legend: () => Legend;
  /** What is to be seen, in a sentence made from the data. */
  headline: () => string;
  /** What to know beside it. */
  words: () => (string | Node)[];
  /** What the pointer is told of an LGA. */
  tip: (code: string) => string[];
  /** Areas in the order of the list. */
  order: (codes: string[]) => string[];
  columns: () => Column[];
  /** What its list says, above it. */
  caption: () => string;
  /** Figures of an area for files: all decimals. */
  record: (code: string) => Record<string, string | number | null>;
  /** Which months it can tell of, indices; none where it is of the year as a whole. Left out: all. */
  months?: readonly number[];
}

/** What the tab's map shows. */
export const chosen = ({ id, choices }: Pick<Tab, 'id' | 'choices'>): string => {
  const asked = view.by[id];
  return choices.find(([value]) => value === asked)?.[0] ?? choices[0]?.[0] ?? '';
};

/** The scope in words: the state that is looked at, or the country. */
export const scope = () =>
  view.state === null ? data.country : data.states.find(({ state_code }) => state_code === view.state)!.state;
/** Descending by a figure, equal ones by code. */
export const byFigure = (codes: string[], of: (code: string) => number) => {
  const figures = new Map(codes.map((code) => [code, of(code)]));
  return codes.sort((a, b) => figures.get(b)! - figures.get(a)! || (a < b ? -1 : 1));
};
