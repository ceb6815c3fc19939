/** Names and colours shared by the page's HTML and its scripts. Imports no values, since it runs in the browser too. */
import type { Level } from '../../../contract/levels.ts';

export const MONTHS = [
  'January',
  'February',
  'March',
  'April',
  'May',
  'June',
  'July',
  'August',
  'September',
  'October',
  'November',
  'December',
] as const;

/** Name of month 1 to 12. */
export const monthName = (month: number): string => MONTHS[month - 1]!;

/** `September 2023` for `2023-09`. */
export const periodName = (period: string): string =>
  `${monthName(Number(period.slice(5)))} ${Number(period.slice(0, 4))}`;

/** Fills of the levels: each darker than the one before, so that they can be told apart without colour. */
export const LEVEL_FILLS: Record<Level, string> = {
  very_low: '#fff7d6',
  low: '#fdd98a',
  moderate: '#f29a3f',
  high: '#cc5410',
  very_high: '#6b1d05',
};

/**
 * Classes of the score on maps, with upper ends `below` that include those of the levels, in even steps of lightness.
 */
export const SCORE_CLASSES = [
  { below: 0.01, fill: '#fffbe8' },
  { below: 0.05, fill: '#fcdd9a' },
  { below: 0.1, fill: '#f9be65' },
  { below: 0.15, fill: '#f19e45' },
  { below: 0.2, fill: '#e47e2f' },
  { below: 0.25, fill: '#d1621f' },
  { below: 0.3, fill: '#b84914' },
  { below: 0.35, fill: '#9a350d' },
  { below: 0.4, fill: '#7c2508' },
  { below: 0.5, fill: '#5b1804' },
  { below: Number.POSITIVE_INFINITY, fill: '#3d0d02' },
] as const;

export const scoreFill = (score: number): string => SCORE_CLASSES.find(({ below }) => score < below)!.fill;

const MODEL_NAMES: Record<string, string> = {
  spatial: 'Spatial',
  baseline: 'Baseline',
  national: 'National mean',
};

export const modelName = (model: string): string => MODEL_NAMES[model] ?? model.replaceAll('_', ' ');

/** `a`, `a and b`, `a, b and c`. */
export function joinInSentence(words: readonly string[]): string {
  return words.length < 2 ? words.join('') : `${words.slice(0, -1).join(', ')} and ${words.at(-1)}`;
}
