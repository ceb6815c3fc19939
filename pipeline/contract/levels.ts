/** WHO's transmission cut-offs, the highest class split at the classical hyperendemic 0.50; ascending. */
export const LEVELS = [
  { level: 'very_low', below: 0.01 },
  { level: 'low', below: 0.1 },
  { level: 'moderate', below: 0.35 },
  { level: 'high', below: 0.5 },
  { level: 'very_high', below: Number.POSITIVE_INFINITY },
] as const;
export type Level = (typeof LEVELS)[number]['level'];

/** Level of a rounded score. */
export const riskLevel = (score: number): Level => LEVELS.find(({ below }) => score < below)!.level;

/** `very_low below 0.01, …, very_high from 0.5`. */
export const levelsInWords = (): string =>
  LEVELS.map(({ level, below }, i) =>
    Number.isFinite(below) ? `${level} below ${below}` : `${level} from ${LEVELS[i - 1]!.below}`,
  ).join(', ');
