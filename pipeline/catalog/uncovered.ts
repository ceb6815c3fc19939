import type { Source } from './sources.ts';

/** Whether a source tells of ground that belongs to no LGA, such as a lagoon. */
export const tellsUncovered = ({ gaps }: Pick<Source, 'gaps'>): boolean =>
  gaps?.some(({ rule }) => rule === 'uncovered') ?? false;
