/** What a person must give a reason for before a version is published, by kind and place. */
import type { Manifest } from '../contract/manifest.ts';
import { UsageError } from '../lib/errors.ts';
import { firstFew } from '../lib/first-few.ts';
import type { SnapshotDiff } from '../publish/snapshot/diff.ts';
import type { Finding } from '../publish/snapshot/provenance.ts';

export interface Approval {
  /** What is approved, such as `cases-do-not-fit-the-people`. */
  kind: string;
  /** Where: areas, sources, answers or tables; empty if it is about all of them. */
  places: string[];
  what: string;
}

/** Changes of the scores and of what is served that require a reason. */
export function approvalsOfChanges(diff: SnapshotDiff, earlier: Manifest, later: Manifest): Approval[] {
  const missing = (place: string, what: string): Approval => ({ kind: 'missing', places: [place], what });
  return [
    ...diff.over.map((what) => ({ kind: 'thresholds', places: [], what })),
    ...(earlier.coverage.transmission && !later.coverage.transmission
      ? [missing('transmission', 'the transmission model is missing')]
      : []),
    // Removed estimated months show here; forecasts have the same files whatever their months.
    ...diff.answers.flatMap(({ operation, only_in_a }) =>
      only_in_a > 0 ? [missing(operation, `${only_in_a} answers of ${operation} are missing`)] : [],
    ),
    ...diff.tables.flatMap(({ table, rows, columns_only_in_a }) =>
      rows.b === null
        ? [missing(table, `the table ${table} is missing`)]
        : columns_only_in_a.map((column) => missing(table, `the column ${table}.${column} is missing`)),
    ),
  ];
}

/** Findings that require a reason, without the kinds and places for which the earlier version was given one. */
export function approvalsOfFindings(findings: readonly Finding[], earlier: readonly Finding[]): Approval[] {
  const approved = new Set(earlier.filter(({ needs_approval }) => needs_approval).flatMap(substances));
  return findings.flatMap((finding): Approval[] => {
    const { source, rule, what, places, needs_approval } = finding;
    const isNew = substances(finding).map((substance) => !approved.has(substance));
    if (!needs_approval || !isNew.includes(true)) return [];
    if (!places) return [{ kind: slug(rule), places: [source], what: `${source} (${rule}): ${what}` }];
    const newPlaces = places.filter((_, index) => isNew[index]);
    const title = findingTitle(what);
    const line = `${source} (${title}): ${firstFew(newPlaces, 5, '; ')}`;
    return [{ kind: slug(title), places: newPlaces.map(findingTitle), what: line }];
  });
}

const slug = (text: string) => text.toLowerCase().replace(/[^\p{L}\p{N}]+/gu, '-');
/** The text before the colon: of a finding what is wrong, of one of its places the area. */
const findingTitle = (text: string) => text.split(':')[0]!;

/**
 * What a finding says, place by place, whatever its numbers: they may change a little from build to build. Years,
 * months and the numbers in codes tell findings apart.
 */
export function substances({ stage, source, rule, what, places }: Finding): string[] {
  const removeNumbers = (text: string) => text.replace(/(?<![\w.]|\w-)-?(?!(?:19|20)\d\d\b)\d[\d.,]*(?![\w-])/g, '#');
  // The code of a place may be a number.
  const texts = places?.map((place) => [findingTitle(what), place.split(' ')[0]!, removeNumbers(place)]);
  return (texts ?? [[removeNumbers(what)]]).map((text) => JSON.stringify([stage, source, rule, ...text]));
}

/**
 * What is left without a reason after `--finding KIND[:PLACE]`.
 * @param selected kinds, with or without a place; none selects all
 * @throws UsageError for one that selects nothing
 */
export function remainingApprovals(approvals: readonly Approval[], selected: readonly string[]): Approval[] {
  if (selected.length === 0) return [];
  const selections = new Set(selected);
  const matchedSelections = new Set<string>();
  const isSelected = (kind: string, place: string) => {
    const texts = [kind, ...[place, ...place.split(' ')].map((name) => `${kind}:${name}`)];
    const matches = texts.filter((text) => selections.has(text));
    for (const text of matches) matchedSelections.add(text);
    return matches.length > 0;
  };
  const remaining = approvals.flatMap((approval) => {
    const { kind, places } = approval;
    const remainingPlaces = places.filter((place) => !isSelected(kind, place));
    const isRemaining = places.length === 0 ? !isSelected(kind, '') : remainingPlaces.length > 0;
    return isRemaining ? [{ ...approval, places: remainingPlaces }] : [];
  });
  const unmatched = selected.find((text) => !matchedSelections.has(text));
  if (unmatched === undefined) return remaining;
  const kinds = [...new Set(approvals.map(({ kind }) => kind))].join(' or ') || 'none, as nothing needs a reason';
  throw new UsageError(`--finding: found ${unmatched}, expected ${kinds}, perhaps with :PLACE`);
}

/** The options of `publish` with which these are approved. */
export const approveOptions = (approvals: readonly Approval[]): string =>
  ['--approve REASON', ...new Set(approvals.map(({ kind }) => `--finding ${kind}`))].join(' ');

/** An approval as a line, which begins with what `--finding` takes. */
export const describeApproval = ({ kind, places, what }: Approval): string =>
  `${[kind, ...(places.length === 1 ? [places[0]!.split(' ')[0]] : [])].join(':')}: ${what}`;
