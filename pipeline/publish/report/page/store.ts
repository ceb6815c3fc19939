import type { Period } from '../../../contract/months.ts';
import { normalCdf } from '../../../lib/numerics/normal.ts';
import { periodName } from '../shared/names.ts';
import {
  CERTAINTY,
  CONTRAST_SCALE,
  type Grid,
  MISSING_CHANGE,
  PARTS,
  type PageData,
  type Part,
  UNKNOWN_SPREAD,
} from '../shared/page-data.ts';
import { Z90 } from '../shared/spread.ts';
import { makeTestSuffix, monthDate } from './format.ts';

/** Element by an id that the page's HTML has. */
export const elementById = <T extends Element = HTMLElement>(id: string): T =>
  document.getElementById(id) as Element as T;

/** What has arrived of the data: at first what the first view needs, then part by part the rest. */
export const data: PageData = JSON.parse(elementById('data').textContent!);
const arrived = new Set<Part>();
export const hasArrived = (part: Part): boolean => arrived.has(part);
/** Takes in the parts that have arrived since it was last called. */
export function readParts(): void {
  for (const part of Object.keys(PARTS) as Part[]) {
    const script = document.getElementById(`data-${part}`);
    if (arrived.has(part) || !script) continue;
    Object.assign(data, JSON.parse(script.textContent!));
    arrived.add(part);
  }
}

/** What the page shows at the moment; its address contains the same. */
export interface View {
  tab: string;
  /** Index into the data's periods. */
  month: number;
  state: string | null;
  lga: string | null;
  /** Up to four areas whose series are drawn together. */
  pins: string[];
  /** States whose cases are added up; empty for all that have records. */
  chosen: string[];
  /** What each tab's map shows, where it has a choice. */
  mapChoices: Record<string, string>;
  /**
   * LGAs to get nets, or else people, or else nets to distribute, and people per net; 0 for the default. Then the
   * least score and minutes to care for a place to get any.
   */
  plan: { areas: number; people: number; nets: number; each: number; score: number; travel: number };
}
export const view: View = {
  tab: 'where',
  month: data.estimated - 1,
  state: null,
  lga: null,
  pins: [],
  chosen: [],
  mapChoices: {},
  plan: { areas: 0, people: 0, nets: 0, each: 0, score: 0, travel: 0 },
};

const listeners: ((before: View) => void)[] = [];
/** Calls the listener after every change of the view, with the previous view. */
export const onViewChange = (listener: (before: View) => void) => listeners.push(listener);
/** Changes the view and redraws. */
export function setView(change: Partial<View>): void {
  const previous = { ...view };
  Object.assign(view, change);
  for (const listener of listeners) listener(previous);
}

export const decodeBase64 = (text: string) => Uint8Array.from(atob(text), (character) => character.charCodeAt(0));
export const areaCodes: readonly string[] = [
  ...data.states.map((row) => row.state_code),
  ...data.lgas.map((row) => row.lga_code),
];
const areaIndices = new Map(areaCodes.map((code, i) => [code, i]));
/** Index of a state or LGA among all areas. */
export const areaIndex = (code: string): number => areaIndices.get(code)!;
export const isArea = (code: string): boolean => areaIndices.has(code);

const decodedGrids = new Map<Grid, Uint8Array | Int16Array>();
/** A number of a grid; undefined for a month that it lacks. */
function gridValue(grid: Grid, column: number, code: string, month: number): number | undefined {
  const position = month - grid.months[0]!;
  let numbers = decodedGrids.get(grid);
  if (!numbers) {
    const bytes = decodeBase64(grid.values);
    numbers = grid.bits === 8 ? bytes : new Int16Array(bytes.buffer);
    decodedGrids.set(grid, numbers);
  }
  return position < 0 || position >= grid.months.length
    ? undefined
    : numbers[(column * areaCodes.length + areaIndex(code)) * grid.months.length + position];
}
const scoreGrids = () => (hasArrived('history') ? data.history : data.now);

export interface Score {
  score: number;
  low: number;
  high: number;
}
/** Score and range of a state or LGA in a month. */
export function areaScore(code: string, month: number): Score {
  const { scores } = scoreGrids();
  const [score, low, high] = [0, 1, 2].map((column) => gridValue(scores, column, code, month)! / 1e4);
  return { score: score!, low: low!, high: high! };
}

/** Whether the model gives the probabilities of levels and ranks. */
export const HAS_CHANCES = data.now.chances !== null;
export type ChanceName = (typeof CERTAINTY)[number];
/** A chance in a month, in per cent: see page-data.ts. */
export const areaChance = (code: string, month: number, name: ChanceName): number =>
  gridValue(scoreGrids().chances!, CERTAINTY.indexOf(name), code, month)!;

/** Chance, in per cent, from which a level counts as certain, and from which a rank or a comparison does. */
export const CERTAIN_PERCENT = 80;
export const SURE_PERCENT = 90;
export const isUncertain = (code: string) => HAS_CHANCES && areaChance(code, view.month, 'level') < CERTAIN_PERCENT;
/** `, 93% certain` for the level of a score; empty if that is unknown. */
export const certaintyInWords = (code: string) =>
  HAS_CHANCES ? `, ${areaChance(code, view.month, 'level')}% certain` : '';

export interface Change {
  change: number;
  low: number;
  high: number;
  /** Chance of a rise. */
  chance: number;
}
/** Change of a score since the last survey; null if there is nothing to compare with. */
export function surveyChange(code: string, month: number): Change | null {
  if (!hasArrived('changes')) return null;
  const values = [0, 1, 2, 3].map((column) => gridValue(data.changes.grid, column, code, month) ?? MISSING_CHANGE);
  if (values[0] === MISSING_CHANGE) return null;
  const [change, low, high, chance] = values.map((value) => value / 1e4) as [number, number, number, number];
  return { change, low, high, chance };
}

/**
 * Change of a score since the same month of another year, whose range and chance are those of a normal distribution;
 * null if it is the same year, or unknown.
 */
export function yearContrast(code: string, month: number, year: number): Change | null {
  const otherMonth = data.periods.indexOf(`${year}${data.periods[month]!.slice(4)}` as Period);
  const years = Math.abs(month - otherMonth) / 12;
  if (otherMonth < 0 || years === 0 || !hasArrived('changes') || !data.contrasts) return null;
  const spread = gridValue(data.contrasts, years - 1, code, Math.max(month, otherMonth)) ?? UNKNOWN_SPREAD;
  if (spread === UNKNOWN_SPREAD) return null;
  // A spread that rounds to 0 is below half a step.
  const sd = Math.max(0.5, spread) / CONTRAST_SCALE;
  const change = areaScore(code, month).score - areaScore(code, otherMonth).score;
  return { change, low: change - Z90 * sd, high: change + Z90 * sd, chance: normalCdf(change / sd) };
}

export const stateByCode = (code: string) => data.states.find((state) => state.state_code === code)!;
const lgasByCode = new Map(data.lgas.map((row) => [row.lga_code, row]));
export const lgaByCode = (code: string) => lgasByCode.get(code)!;
export const isState = (code: string) => !lgasByCode.has(code);
/** The row of a state or LGA with its context figures. */
export const areaFigures = (code: string) => (isState(code) ? stateByCode(code) : lgaByCode(code));
/** The part of the view that selects an area. */
export const areaSelection = (code: string): Pick<View, 'state' | 'lga'> =>
  isState(code) ? { state: code, lga: null } : { state: lgaByCode(code).state_code, lga: code };
export const areaSeason = (code: string) => [...data.seasons.states, ...data.seasons.lgas][areaIndex(code)]!;
/** The survey rounds of a state. */
export const stateTrend = (code: string) =>
  data.trend.states[data.states.findIndex(({ state_code }) => state_code === code)]!;
export const areaName = (code: string) => (isState(code) ? stateByCode(code).state : lgaByCode(code).lga);
/** An LGA's name with that of its state, for lists of the whole country. */
export const fullName = (code: string) =>
  isState(code) ? areaName(code) : `${areaName(code)}, ${stateByCode(lgaByCode(code).state_code).state}`;
/** The same within a list: `Borgu (Niger)`, or `Borgu (Niger; no child tested)` with that note. */
export const nameInList = (code: string, more = '') =>
  isState(code)
    ? areaName(code)
    : `${areaName(code)} (${stateByCode(lgaByCode(code).state_code).state}${more && `; ${more}`})`;
/** A note on an LGA in which no round tested a child; empty for others, and where that is unknown. */
export const untestedNote = (code: string): string =>
  data.tested?.lgas[areaIndex(code) - data.states.length]?.every(([, clusters]) => clusters === 0)
    ? 'no child tested'
    : '';
/** Codes of the LGAs of the selected state, or of the whole country. */
export const lgasInView = () =>
  data.lgas.filter((row) => view.state === null || row.state_code === view.state).map((row) => row.lga_code);
export const isForecast = (month: number) => month >= data.estimated;
export const monthDates = data.periods.map(monthDate);
/** `December 2023`, or `April 2024 (forecast)`. */
export const monthInWords = (month: number) =>
  `${periodName(data.periods[month]!)}${isForecast(month) ? ' (forecast)' : ''}`;
/** ` by` and the test of a round; empty if it is the score's test. */
export const testSuffix = makeTestSuffix(data.other_tests);
/** Index of a score's level, as in the API's answers. */
export const levelIndex = (score: number) => data.levels.findIndex(({ below }) => below === null || score < below);
export const levelName = (level: number) => data.levels[level]!.level.replace('_', ' ');
export const levelOfScore = (score: number) => levelName(levelIndex(score));
/** Whether a change is more than chance would explain: its range excludes 0. */
export const exceedsChance = ({ low, high }: Change) => low > 0 || high < 0;
