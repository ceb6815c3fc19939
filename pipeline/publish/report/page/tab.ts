import type { Legend, Paint } from './colours.ts';
import { data, view } from './store.ts';

/** A column of a tab's list. */
export interface Column {
  head: string;
  cell: (code: string, rank: number) => Node | string;
  kind?: string;
}

/** A question, and how map, sentences, list and files answer it for the present view. */
export interface Tab {
  id: string;
  /** Values and labels of what its map can show; the first is the default. */
  choices: readonly (readonly [string, string])[];
  paint: (code: string) => Paint;
  legend: () => Legend;
  /** The main result, in a sentence made from the data. */
  headline: () => string;
  /** Explanations below the headline. */
  words: () => (string | Node)[];
  /** Lines of an LGA's tooltip. */
  tip: (code: string) => string[];
  /** Areas in the order of the list. */
  order: (codes: string[]) => string[];
  columns: () => Column[];
  /** The line above its list. */
  caption: () => string;
  /** Figures of an area for downloaded files, at full precision. */
  record: (code: string) => Record<string, string | number | null>;
  /** Indices of the months that have an answer; empty for a question about the whole year. Default: all months. */
  months?: readonly number[];
}

/** The value that the tab's map shows. */
export const chosen = ({ id, choices }: Pick<Tab, 'id' | 'choices'>): string => {
  const selected = view.by[id];
  return choices.find(([value]) => value === selected)?.[0] ?? choices[0]?.[0] ?? '';
};

/** Name of the selected state, or of the country. */
export const scope = () =>
  view.state === null ? data.country : data.states.find(({ state_code }) => state_code === view.state)!.state;
/** Sorts codes by a figure, descending, and ties by code. */
export const byFigure = (codes: string[], of: (code: string) => number) => {
  const figures = new Map(codes.map((code) => [code, of(code)]));
  return codes.sort((a, b) => figures.get(b)! - figures.get(a)! || (a < b ? -1 : 1));
};
