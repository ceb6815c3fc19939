/**
 * Whether figures that are computed from several sources may be published: the strictest term of any source holds, and
 * all licences together (`AND` in SPDX). A source's terms are
 *
 * 1. what the catalog says of figures computed from it (`derived`), as its producer told;
 * 2. otherwise those of its licence: none, or to cite it, with an SA or ODbL to share under the same licence, with an
 *    NC not to use it commercially, with an ND not to publish what is derived from it;
 * 3. if its licence is none of those, to cite it, and to ask its producer unless even the raw file may be passed on.
 *
 * Rows that must not be passed on are no obstacle by themselves: what is published is computed from them.
 */
import type { Source } from './sources.ts';

export interface Licence {
  /** In words. */
  may_publish: string;
  /** As an SPDX expression. */
  spdx: string;
}
type Term = 'cite' | Exclude<Source['derived'], 'yes' | undefined>;
export type LicensedSource = Pick<Source, 'id' | 'producer' | 'licence' | 'spdx' | 'derived' | 'pass_on'>;

const FREE = /^(CC0|PDDL)-[\d.]+$/;
const CITED = /^(CC-BY|Apache|BSD|MIT|ODC-By|ODbL)[A-Za-z0-9.-]*$/;
const TERM_MARKS = { 'share-alike': /-SA|ODbL/, 'non-commercial': /-NC/, no: /-ND/ } as const;

/** SPDX identifier of a source's licence; one that SPDX does not list refers to the source's entry in the catalog. */
export const spdxId = ({ id, licence, spdx }: LicensedSource): string =>
  spdx ?? (FREE.test(licence) || CITED.test(licence) ? licence : `LicenseRef-${id.replaceAll('_', '-')}`);

function sourceTerms(source: LicensedSource): Term[] {
  const { derived, pass_on } = source;
  if (derived !== undefined) return derived === 'yes' ? ['cite'] : ['cite', derived];
  const id = spdxId(source);
  if (FREE.test(id)) return [];
  if (!CITED.test(id)) return pass_on === 'yes' ? ['cite'] : ['cite', 'ask'];
  const marked = (Object.keys(TERM_MARKS) as (keyof typeof TERM_MARKS)[]).filter((term) => TERM_MARKS[term].test(id));
  return ['cite', ...marked];
}

/** Whether figures computed from it may be published only by its producer's leave. */
export const needsLeave = (source: LicensedSource): boolean => sourceTerms(source).includes('ask');

export function combineLicences(sources: readonly LicensedSource[]): Licence {
  const withTerm = (term: Term) => sources.filter((source) => sourceTerms(source).includes(term));
  const identifiers = (some: readonly LicensedSource[]) => [...new Set(some.map(spdxId))].sort();
  const producers = (some: readonly LicensedSource[]) => [...new Set(some.map(({ producer }) => producer))].join('; ');
  const shareAlike = withTerm('share-alike');
  const notCommercial = withTerm('non-commercial');
  // Each asks that the whole is under its own licence, which allows no further restriction.
  const isContradictory = shareAlike.length > 0 && identifiers([...shareAlike, ...notCommercial]).length > 1;
  const toAsk = [...withTerm('ask'), ...(isContradictory ? shareAlike : [])];
  const forbidding = withTerm('no');
  const conditions = [
    withTerm('cite').length > 0 && 'cite the sources',
    shareAlike.length > 0 && `share it under the same licence (${identifiers(shareAlike).join(', ')})`,
    notCommercial.length > 0 && `no commercial use (${producers(notCommercial)})`,
  ].filter((condition) => condition !== false);
  const spdx = identifiers(sources).join(' AND ');
  if (forbidding.length > 0) return { may_publish: `No: not allowed by ${producers(forbidding)}.`, spdx };
  const verdict = toAsk.length > 0 ? `Ask first: ${producers(toAsk)}.` : 'Yes.';
  const text = conditions.length > 0 ? `${verdict} Conditions: ${conditions.join('; ')}.` : verdict;
  return { may_publish: text, spdx };
}
