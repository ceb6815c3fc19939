/** Types and formats of the data embedded in the page, for encode.ts and the scripts under page/. */
import type { AlertScores } from '../../../catalog/alert-evaluation.ts';
import type { Level } from '../../../contract/levels.ts';
import type { Period } from '../../../contract/months.ts';
import type {
  Alert,
  ContextLga,
  ContextState,
  NationalSurveyTrend,
  Season,
  SeasonWindow,
  SurveyTrend,
} from '../../../contract/schemas.ts';
import type { JointRisk } from '../../../model/risk/risk-tables.ts';
import type { NextSurvey } from './spread.ts';

/** The report's questions, one per tab, by the id in its address; the first one opens by default. */
export const VIEWS = {
  where: 'Where',
  warnings: 'Warnings',
  sure: 'How certain',
  changed: 'What changed',
  when: 'When',
  who: 'Who first',
  total: 'How many',
  good: 'How reliable',
  sources: 'Data',
};

export interface PageData {
  country: string;
  model_version: string;
  synthetic: boolean;
  /** Youngest and oldest age of the children that scores describe. */
  ages_months: readonly number[];
  /** Estimated months, then forecast months. */
  periods: Period[];
  /** How many of `periods` are estimated. */
  estimated: number;
  /** `below` is null for the highest level, which has no upper end. */
  levels: { level: Level; below: number | null }[];
  /** Ascending by code. */
  states: ContextState[];
  lgas: (ContextLga & { state_code: string })[];
  /** By month; empty without the spatial model, as are the draws. */
  nation: JointRisk['nation'];
  /** Of the last estimated month, which is shown first, and of all. */
  now: ScoreGrids;
  history: ScoreGrids;
  /**
   * Since the last survey: change, its low and high and the chance of a rise × 10⁴, MISSING_CHANGE if there is none.
   */
  changes: {
    grid: Grid;
    /** For each of its months, the month of the last survey; null if there is none. */
    survey_months: (Period | null)[];
  };
  /**
   * Standard deviation × CONTRAST_SCALE of the change of a score from the same month of one, two … years before;
   * UNKNOWN_SPREAD if it is unknown. Null without the spatial model.
   */
  contrasts: Grid | null;
  /** Base64: draws of the last estimated month, a byte each (`toDeviation`), by LGA. */
  draws: string;
  /** The best four months to act, by area: see WINDOW_COLUMNS. Empty if the season is unknown. */
  windows: (number | null)[][];
  /** Codes of each area's neighbours, by area. */
  neighbours: string[];
  /** Other names of each area, by area, separated by a semicolon and a space. */
  aliases: string[];
  /**
   * Children tested, their clusters and about how many were positive, by LGA and then round; null if the LGA of a
   * cluster is unknown.
   */
  tested: { rounds: number[]; lgas: [children: number, clusters: number, positive: number][][] } | null;
  /** What a new survey would be like; null without the spatial model or clusters. */
  next_survey: NextSurvey | null;
  /** Unit of all figures of cases; index: 100 is the mean of an area's last twelve known months. */
  cases_in: Alert['cases_in'];
  /** What else the spatial model's scores follow. */
  covariates: readonly string[];
  /** Reported cases and their forecasts, by code of the areas that have records. */
  cases: Record<string, PageCases>;
  /** Who produces such records. */
  case_producers: string;
  /** Whether the last month is unusual and the next likely to be, by code of the areas that have records. */
  alerts: Record<string, PageAlert>;
  /** How alerts did on the country's own records, by level; empty if it was not measured. */
  alert_scores: AlertScores[];
  /** The probabilities by which a month has its class, and the next month its own. */
  alert_limits: Record<'alert' | 'widespread' | 'watch' | 'fall', { forecast: number; usual: number }>;
  warning_limits: { alert: number; watch: number };
  totals: PageTotals;
  /** Whether the season is known. */
  has_season: boolean;
  /** Context figures with their sources and caveats. */
  layers: { figure: string; title: string; notes: string[] }[];
  /** The observations and their dates. */
  observed: { what: string; months: Period[]; span: boolean }[];
  /** The country's words for the two kinds of areas. */
  words: { state: AreaWords; lga: AreaWords };
  citation: string;
  /** Whether all figures together may be published. */
  may_publish: string;
  seasons: { national: Season; states: Season[]; lgas: Season[] };
  trend: { national: NationalSurveyTrend[]; states: SurveyTrend[][] };
  /** Middle month of each survey round's fieldwork, if known. */
  rounds: { survey_year: number; middle: Period }[];
  /**
   * The tests, in words, of each round that used a test other than the score's, by year.
   */
  other_tests: Record<number, string>;
}

/**
 * The data in the order in which the page has them: what the first view needs, then parts that other views wait for.
 * Each part arrives whole, while what came before it can be used.
 */
export const PARTS = {
  cases: ['cases', 'alerts', 'alert_scores', 'totals'],
  season: ['windows', 'seasons'],
  history: ['history'],
  draws: ['draws'],
  changes: ['changes', 'contrasts'],
} as const satisfies Record<string, (keyof PageData)[]>;
export type Part = keyof typeof PARTS;
/** The part that a view waits for. */
export const VIEW_PARTS: Partial<Record<string, Part>> = {
  warnings: 'cases',
  total: 'season',
  when: 'season',
  who: 'draws',
  changed: 'changes',
};

/** Numbers by column, area (states, then LGAs) and month. */
export interface Grid {
  /** Indices of `periods`, one after the other. */
  months: readonly number[];
  /** Bytes, or signed integers of 16 bits. */
  bits: 8 | 16;
  /** Base64; all of a column, then the next, since numbers that are alike pack best side by side. */
  values: string;
}

export interface ScoreGrids {
  /** Score, score_low and score_high × 10⁴, rounded as the answers are. */
  scores: Grid;
  /**
   * In per cent: the chances of lying above each level but the highest, of the score's own level (rounded down, so that
   * 80 means 80% or more), and of being among the highest tenth of the nation and of the state's LGAs (255 for a
   * state). Null if the model gives no chances.
   */
  chances: Grid | null;
}

/** Cases of an area. */
export interface PageCases {
  /** The last reported month. */
  last: Period;
  /** Reported months up to it, the last two years at most; null for a month without a report. */
  reported: (number | null)[];
  /** The 5%, 50% and 95% quantiles of each month to come. */
  ahead: number[][];
}

/** The table forecasts_totals, and what it takes to add up any states. */
export interface PageTotals {
  /** Runs of months: the first, and their number. */
  spans: { period: Period; months: number }[];
  /** The 5%, 50% and 95% quantiles by span: of all states with records together, and of areas by code. */
  nation: number[][];
  areas: Record<string, number[][]>;
  /** Codes of the states with records. */
  states: string[];
  draws: number;
  /**
   * Base64 of little-endian Uint32: draws by state, month and number, in the unit of `cases_in`. Draws of one number
   * belong together.
   */
  values: string;
}

/** A row of the table alerts, and what the notes of the case records say of its area. */
export type PageAlert = Omit<Alert, 'name'> & { doubts: string[] };

export interface AreaWords {
  one: string;
  many: string;
}

export const CONTRAST_SCALE = 500;

/** Marks of what is missing. */
export const MISSING_CHANGE = -32768;
export const UNKNOWN_SPREAD = 255;

/** The columns of `chances`. */
export const CERTAINTY = [
  'above_very_low',
  'above_low',
  'above_moderate',
  'above_high',
  'level',
  'nation',
  'state',
] as const satisfies readonly (`above_${Level}` | 'level' | 'nation' | 'state')[];

export const MEASURES = ['reported_cases', 'rain_transmission'] as const satisfies SeasonWindow['measure'][];
export const VERDICTS = ['reached', 'unlikely', 'unknown'] as const satisfies SeasonWindow['criterion'][];
/**
 * Figures of the four consecutive months with the largest share of the year. An area's entry in `windows` has them for
 * every measure; chances and shares in per cent, `verdict` an index into VERDICTS.
 */
export const WINDOW_COLUMNS = [
  'first',
  'share',
  'low',
  'high',
  'start',
  'verdict',
  'record_first',
  'record',
  'record_best',
] as const;
