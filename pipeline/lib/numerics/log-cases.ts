import { mean } from './averages.ts';

/**
 * ln cases, where a month without a case counts as half a case. It has no logarithm, but leaving it out would hide the
 * lowest months of a record.
 */
export const logCases = (cases: number): number => Math.log(Math.max(cases, 0.5));

/** Whether there is a case a month on average: the logarithms of fewer are level for want of cases. */
export const hasEnoughCasesForLogs = (cases: ArrayLike<number>): boolean => mean(cases) >= 1;
