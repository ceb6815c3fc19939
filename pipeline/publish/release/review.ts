import { diffSnapshots, type SnapshotDiff } from '../snapshot/diff.ts';
import type { Finding } from '../snapshot/provenance.ts';
import type { Snapshot } from '../snapshot/read.ts';
import { changedMaking, changedSources, type MakingChange, type SourceChange } from './data-changes.ts';

/** What publishing a version in place of another would change, for whoever has to say yes. */
export interface Review {
  model_version: string;
  /** What it would replace; null where nothing is published yet. */
  replaces: string | null;
  synthetic: boolean;
  /** Why nobody can publish it. */
  refused: string[];
  /** What must not be published without a reason (`publish --approve`). */
  approvals: string[];
  /** Null where there is nothing to compare with. */
  diff: SnapshotDiff | null;
  /** What the build found: since the other version, in it too, and no longer. */
  findings: { new: Finding[]; known: Finding[]; gone: Finding[] };
  sources: SourceChange[];
  making: MakingChange;
}

/** @param before what is current; null where nothing is */
export async function reviewSnapshot(before: Snapshot | null, after: Snapshot): Promise<Review> {
  const { manifest } = after;
  const same = before?.manifest.country === manifest.country;
  const diff = before && same ? await diffSnapshots(before, after) : null;
  const findings = compareFindings(before && findingsOf(before), findingsOf(after));
  return {
    model_version: manifest.model_version,
    replaces: before?.manifest.model_version ?? null,
    synthetic: manifest.synthetic,
    refused: refusals(before, after),
    approvals: [
      ...(before && !same ? [`another country: ${manifest.country} in place of ${before.manifest.country}`] : []),
      ...(diff ? changesToApprove(diff, before!, after) : []),
      ...findings.new
        .filter((finding) => finding.needs_approval)
        .map(({ source, rule, what }) => `${source} (${rule}): ${what}`),
    ],
    diff,
    findings,
    sources: before && same ? changedSources(before.manifest, manifest) : [],
    making: before && same ? changedMaking(before.manifest, manifest) : { model: [], code: [], packages: [] },
  };
}

function refusals(before: Snapshot | null, { manifest }: Snapshot): string[] {
  const reasons = (manifest.unpublishable ?? []).map((reason) => `cannot be published: ${reason}`);
  if (before && manifest.synthetic && !before.manifest.synthetic)
    reasons.push(`a made-up country never replaces a real one: build it into another --out`);
  return reasons;
}

function changesToApprove(diff: SnapshotDiff, { manifest: was }: Snapshot, { manifest: is }: Snapshot): string[] {
  const gone = diff.answers.filter(({ only_in_a }) => only_in_a > 0);
  return [
    ...(diff.thresholds ? diff.over : ['its model.json has no parameters.diff to judge the changes by']),
    ...(was.coverage.transmission && !is.coverage.transmission ? ['the transmission model is gone'] : []),
    // A forecast of 1 to 4 months has the same files whatever its months; months that are gone show here.
    ...gone.map(({ operation, only_in_a }) => `${only_in_a} answers of ${operation} are gone`),
    ...diff.tables.flatMap(({ table, rows, columns_only_in_a }) => [
      ...(rows.b === null
        ? [`the table ${table} is gone`]
        : columns_only_in_a.map((column) => `${table}.${column} is gone`)),
    ]),
  ];
}

const findingsOf = (snapshot: Snapshot): Finding[] => snapshot.json<Finding[]>('findings.json') ?? [];

function compareFindings(before: Finding[] | null, after: Finding[]): Review['findings'] {
  const key = ({ stage, source, rule, what }: Finding) => JSON.stringify([stage, source, rule, what]);
  const [then, now] = [before ?? [], after].map((findings) => new Set(findings.map(key))) as [Set<string>, Set<string>];
  return {
    new: after.filter((finding) => !then.has(key(finding))),
    known: after.filter((finding) => then.has(key(finding))),
    gone: (before ?? []).filter((finding) => !now.has(key(finding))),
  };
}
