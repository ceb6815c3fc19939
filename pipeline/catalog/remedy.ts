import type { Alias } from './aliases.ts';
import type { LeaveOutRule } from './leave-out-rule.ts';
import type { Gap } from './sources.ts';

/** A declaration in the catalog that would resolve a fault; `catalog repair` proposes it. */
export type Remedy =
  | { declare: 'gap'; gap: Omit<Gap, 'reason'> }
  | { declare: 'leave_out'; where: LeaveOutRule['where'] }
  | { declare: 'recode'; column: string; from: string; to: string }
  | { declare: 'alias'; alias: Alias }
  | { declare: 'dissolve' }
  | { declare: 'merge'; part: string; code: string }
  | { declare: 'sliver_km2'; km2: number };
