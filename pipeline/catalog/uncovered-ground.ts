import type { Source } from './sources.ts';

/** Whether a source declares ground that belongs to no LGA, such as a lagoon. */
export const hasUncoveredGround = ({ gaps }: Pick<Source, 'gaps'>): boolean =>
  gaps?.some(({ rule }) => rule === 'uncovered') ?? false;
