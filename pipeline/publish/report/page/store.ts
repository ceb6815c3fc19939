import type { Period } from '../../../contract/months.ts';
import { normalCdf } from '../../../lib/numerics/normal.ts';
import { periodName } from '../shared/names.ts';
import { CERTAINTY, CONTRAST_SCALE, MISSING_CHANGE, type PageData } from '../shared/page-data.ts';
import { Z90 } from '../shared/spread.ts';
import { makeTestSuffix, monthDate } from './format.ts';

/** Element by an id that the page's HTML has. */
export const elementById = <T extends Element = HTMLElement>(id: string): T =>
  document.getElementById(id) as Element as T;

export const data: PageData = JSON.parse(elementById('data').textContent!);

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
   * People to get nets, or else nets to distribute, and people per net; 0 for the default. Then the least score and
   * minutes to care for a place to get any.
   */
  plan: { people: number; nets: number; each: number; score: number; travel: number };
}
export const view: View = {
  tab: 'where',
  month: data.estimated - 1,
  state: null,
  lga: null,
  pins: [],
  chosen: [],
  mapChoices: {},
  plan: { people: 0, nets: 0, each: 0, score: 0, travel: 0 },
};

/** A spread that is not known. */
const UNKNOWN_SPREAD = 255;

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
const monthCount = data.periods.length;
export const areaCodes: readonly string[] = [
  ...data.states.map((row) => row.state_code),
  ...data.lgas.map((row) => row.lga_code),
];
const areaIndices = new Map(areaCodes.map((code, i) => [code, i]));
/** Index of a state or LGA among all areas. */
export const areaIndex = (code: string): number => areaIndices.get(code)!;
export const isArea = (code: string): boolean => areaIndices.has(code);

/** Score × 10⁴ of every area and month: see page-data.ts. */
const encodedScores = new Uint16Array(decodeBase64(data.scores).buffer);
export interface Score {
  score: number;
  low: number;
  high: number;
}
/** Score and range of a state or LGA in a month. */
export function areaScore(code: string, month: number): Score {
  const offset = (areaIndex(code) * monthCount + month) * 3;
  return {
    score: encodedScores[offset]! / 1e4,
    low: encodedScores[offset + 1]! / 1e4,
    high: encodedScores[offset + 2]! / 1e4,
  };
}

/** Whether the model gives the probabilities of levels and ranks. */
export const HAS_CHANCES = data.certainty !== '';
const encodedChances = decodeBase64(data.certainty);
export type ChanceName = (typeof CERTAINTY)[number];
/** A chance in a month, in per cent: see page-data.ts. */
export const areaChance = (code: string, month: number, name: ChanceName): number =>
  encodedChances[(areaIndex(code) * monthCount + month) * CERTAINTY.length + CERTAINTY.indexOf(name)]!;

/** Chance, in per cent, from which a level counts as certain. */
export const CERTAIN_PERCENT = 80;
export const isUncertain = (code: string) => HAS_CHANCES && areaChance(code, view.month, 'level') < CERTAIN_PERCENT;
/** `, 93% certain` for the level of a score; empty if that is unknown. */
export const certaintyInWords = (code: string) =>
  HAS_CHANCES ? `, ${areaChance(code, view.month, 'level')}% certain` : '';

const encodedChanges = new Int16Array(decodeBase64(data.changes.values).buffer);
export type ChangeBase = 'year' | 'survey';
export interface Change {
  change: number;
  low: number;
  high: number;
  /** Chance of a rise. */
  chance: number;
}
/** Change of a score up to a month; null if there is nothing to compare with. */
export function areaChange(code: string, month: number, base: ChangeBase): Change | null {
  const monthPosition = data.changes.months.indexOf(month);
  if (monthPosition < 0) return null;
  const offset = (areaIndex(code) * data.changes.months.length + monthPosition) * 8 + (base === 'year' ? 0 : 4);
  if (encodedChanges[offset] === MISSING_CHANGE) return null;
  const [change, low, high, chance] = [0, 1, 2, 3].map((i) => encodedChanges[offset + i]! / 1e4) as [
    number,
    number,
    number,
    number,
  ];
  return { change, low, high, chance };
}

const encodedSpreads = decodeBase64(data.contrasts.values);
/**
 * Change of a score since the same month of another year, whose range and chance are those of a normal distribution;
 * null if it is the same year, or unknown.
 */
export function yearContrast(code: string, month: number, year: number): Change | null {
  const otherMonth = data.periods.indexOf(`${year}${data.periods[month]!.slice(4)}` as Period);
  const years = Math.abs(month - otherMonth) / 12;
  if (otherMonth < 0 || years === 0) return null;
  const offset = (areaIndex(code) * monthCount + Math.max(month, otherMonth)) * data.contrasts.years + years - 1;
  const spread = encodedSpreads[offset] ?? UNKNOWN_SPREAD;
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
/** The survey rounds of a state. */
export const stateTrend = (code: string) =>
  data.trend.states[data.states.findIndex(({ state_code }) => state_code === code)]!;
export const areaName = (code: string) => (isState(code) ? stateByCode(code).state : lgaByCode(code).lga);
/** An LGA's name with that of its state, for lists of the whole country. */
export const fullName = (code: string) =>
  isState(code) ? areaName(code) : `${areaName(code)}, ${stateByCode(lgaByCode(code).state_code).state}`;
/** The same within a list: `Borgu (Niger)`. */
export const nameInList = (code: string) =>
  isState(code) ? areaName(code) : `${areaName(code)} (${stateByCode(lgaByCode(code).state_code).state})`;
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
