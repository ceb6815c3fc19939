/** Names and colours that the page's HTML and its scripts share. Imports nothing: it runs in the browser too. */
import type { Level } from '../../contract/schemas.ts';

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

const MODEL_NAMES: Record<string, string> = {
  spatial: 'Spatial',
  baseline: 'Baseline',
  national: 'National mean',
};

/** A risk model in words. */
export const modelName = (model: string): string => MODEL_NAMES[model] ?? model.replaceAll('_', ' ');
