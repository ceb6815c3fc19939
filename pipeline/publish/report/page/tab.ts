import type { Legend, Paint } from './colours.ts';
import { formatInteger } from './format.ts';
import { data, lgasInView, view } from './store.ts';

/** A column of a tab's list. */
export interface Column {
  head: string;
  cell: (code: string, rank: number) => Node | string;
  kind?: string;
  /** What a click on the head sorts by; without it the column cannot be sorted by. */
  sortValue?: (code: string) => number;
}

/** A column of figures that the list can be sorted by. */
export const figureColumn = (
  head: string,
  value: (code: string) => number,
  cell: (code: string) => string = (code) => formatInteger(value(code)),
  kind = 'number',
): Column => ({ head, kind, cell, sortValue: value });

/** A question, and how map, sentences, list and files answer it for the present view. */
export interface Tab {
  id: string;
  /** Values and labels of what its map can show; the first is the default. */
  choices: readonly (readonly [string, string])[];
  paint: (code: string) => Paint;
  legend: () => Legend;
  /** The answer for the selected place, or else for the country. */
  headline: () => string;
  /** What else it takes to act on it: one or two sentences. */
  sentences: () => string[];
  /** Definitions, method and caveats, which are folded. */
  method: () => string[];
  /** Lines of an LGA's tooltip. */
  tooltip: (code: string) => string[];
  /** Whether it rests on surveys, so that places without any child tested are marked. */
  restsOnSurveys?: true;
  /** The areas that it lists whatever the reader chooses; without it, states or LGAs. */
  lists?: 'lga' | 'all' | undefined;
  /** Those that have an answer, in the order of the list. */
  sortCodes: (codes: string[]) => string[];
  columns: () => Column[];
  /** Whether nothing is to be said of an area, whose row is not printed. */
  isQuiet?: (code: string) => boolean;
  /** The line above its list. */
  caption: () => string;
  /** Makes what the reader may set; it is told of every change of the view by the event `follow`. */
  controls?: () => HTMLElement;
  /** Figures of an area for downloaded files, at full precision. */
  downloadFields: (code: string) => Record<string, string | number | null>;
  /** Indices of the months that have an answer; empty for a question that no month is chosen for. Default: all. */
  months?: readonly number[];
  /** What its figures are of, where that is not the month shown; empty for a year like any other. */
  period?: () => string;
}

/** The value that the tab's map shows. */
export const mapChoice = ({ id, choices }: Pick<Tab, 'id' | 'choices'>): string => {
  const storedChoice = view.mapChoices[id];
  return choices.find(([value]) => value === storedChoice)?.[0] ?? choices[0]?.[0] ?? '';
};

/** Code of the selected place; null for the country. */
export const selectedCode = (): string | null => view.lga ?? view.state;

/** States and LGAs of the country, or the selected state and its LGAs. */
export const listAreas = () => [
  ...(view.state === null ? data.states.map(({ state_code }) => state_code) : [view.state]),
  ...lgasInView(),
];
/** Name of the selected state, or of the country. */
export const scopeName = () =>
  view.state === null ? data.country : data.states.find(({ state_code }) => state_code === view.state)!.state;
/** Sorts codes by a figure, descending, and ties by code. */
export const sortByFigure = (codes: string[], figure: (code: string) => number) => {
  const figures = new Map(codes.map((code) => [code, figure(code)]));
  return codes.sort((a, b) => figures.get(b)! - figures.get(a)! || (a < b ? -1 : 1));
};
