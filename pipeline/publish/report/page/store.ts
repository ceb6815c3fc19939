import type { PageData } from '../page-data.ts';

/** Element by id, which the page's HTML is known to have. */
export const element = <T extends Element = HTMLElement>(id: string): T => document.getElementById(id) as Element as T;

export const data: PageData = JSON.parse(element('data').textContent!);

export type Colour = 'level' | 'score' | 'width' | 'change';
/** The view: what the page shows at the moment. */
export interface View {
  /** Index into the data's periods. */
  month: number;
  colour: Colour;
  state: string | null;
  lga: string | null;
}
export const view: View = { month: data.estimated - 1, colour: 'level', state: null, lga: null };

const listeners: (() => void)[] = [];
/** Calls `draw` at every change of the view. */
export const onView = (draw: () => void) => listeners.push(draw);
/** Changes the view and redraws. */
export function setView(change: Partial<View>): void {
  Object.assign(view, change);
  for (const draw of listeners) draw();
}

/** Score × 10⁴ of every area and month: see page-data.ts. */
const numbers = new Uint16Array(Uint8Array.from(atob(data.scores), (c) => c.charCodeAt(0)).buffer);
const months = data.periods.length;
const codes = new Map(
  [...data.states.map((s) => s.state_code), ...data.lgas.map((l) => l.lga_code)].map((code, i) => [code, i]),
);

export interface Score {
  score: number;
  low: number;
  high: number;
}
/** Score and range of a state or LGA in a month. */
export function scoreOf(code: string, month: number): Score {
  const at = (codes.get(code)! * months + month) * 3;
  return { score: numbers[at]! / 1e4, low: numbers[at + 1]! / 1e4, high: numbers[at + 2]! / 1e4 };
}

export const stateOf = (code: string) => data.states.find((state) => state.state_code === code)!;
export const lgaOf = (code: string) => data.lgas.find((lga) => lga.lga_code === code)!;
export const isForecast = (month: number) => month >= data.estimated;
/** Class of a score, as the answers have it. */
export const levelOf = (score: number) => data.levels.findIndex(({ below }) => below === null || score < below);
export const levelName = (level: number) => data.levels[level]!.level.replace('_', ' ');
