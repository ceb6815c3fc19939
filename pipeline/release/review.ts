import { newEvidence } from '../catalog/evidence-rules.ts';
import type { Model } from '../catalog/model.ts';
import type { Source } from '../catalog/sources.ts';
import { tableFile } from '../contract/table-list.ts';
import { summarizeAccounts } from '../ingest/accounts.ts';
import type { AccountRow } from '../ingest/ingest-tables.ts';
import { withDatabase } from '../lib/tables/duckdb.ts';
import { diffSnapshots, type SnapshotDiff } from '../publish/snapshot/diff.ts';
import { controlLines } from '../publish/snapshot/findings.ts';
import type { Snapshot } from '../publish/snapshot/open-snapshot.ts';
import type { Finding } from '../publish/snapshot/provenance.ts';
import { createViews } from '../publish/snapshot/views.ts';
import { type Approval, approvalsOfChanges, approvalsOfFindings, substances } from './approvals.ts';
import { changedMaking, changedSources, type MakingChange, type SourceChange } from './data-changes.ts';

/** The changes that publishing a version would make, for the person who approves it. */
export interface Review {
  model_version: string;
  /** The version that it would replace; null if nothing is published yet. */
  replaces: string | null;
  synthetic: boolean;
  /** Why it cannot be published. */
  refused: string[];
  /** Why publishing it needs a reason (`publish --approve`). */
  approvals: Approval[];
  /** The counts that were read from the files, as an annual report has them. */
  read: string[];
  /** Null if there is nothing to compare with. */
  diff: SnapshotDiff | null;
  /** Findings of the build compared with those of the version that it would replace. */
  findings: { new: Finding[]; known: Finding[]; gone: Finding[] };
  sources: SourceChange[];
  /** What new surveys and records mean for the months that are estimated. */
  evidence: string[];
  making: MakingChange;
}

/** @param before the current version; null if there is none */
export async function reviewSnapshot(before: Snapshot | null, after: Snapshot): Promise<Review> {
  const { manifest } = after;
  const isSameCountry = before?.manifest.country === manifest.country;
  const diff = before && isSameCountry ? await diffSnapshots(before, after) : null;
  const findings = compareFindings(before && readFindings(before), readFindings(after));
  return {
    model_version: manifest.model_version,
    replaces: before?.manifest.model_version ?? null,
    synthetic: manifest.synthetic,
    refused: refusals(before, after),
    approvals: [
      ...(before && !isSameCountry
        ? [{ kind: 'country', places: [], what: `${manifest.country} in place of ${before.manifest.country}` }]
        : []),
      ...(diff ? approvalsOfChanges(diff, before!.manifest, manifest) : []),
      ...approvalsOfFindings(readFindings(after), before ? readFindings(before) : []),
    ],
    read: [...summarizeAccounts(await readAccounts(after)), ...controlLines(readFindings(after))],
    diff,
    findings,
    sources: before && isSameCountry ? changedSources(before.manifest, manifest) : [],
    evidence: before && isSameCountry ? evidenceNotes(before, after) : [],
    making: before && isSameCountry ? changedMaking(before.manifest, manifest) : { model: [], code: [] },
  };
}

const evidenceNotes = (before: Snapshot, after: Snapshot) =>
  newEvidence(
    {
      ...after.json<Pick<Model, 'parameters'>>('model-card.json'),
      last_estimated: after.manifest.coverage.last_estimated,
    },
    before.manifest.sources as Source[],
    after.manifest.sources as Source[],
  );

const readAccounts = ({ directory, manifest }: Snapshot): Promise<AccountRow[]> =>
  withDatabase(async (db) => {
    if (!(tableFile('accounts', 'parquet') in manifest.files)) return [];
    await createViews(db, 'reviewed', directory);
    return db.rows<AccountRow>('FROM reviewed.accounts');
  });

function refusals(before: Snapshot | null, { manifest }: Snapshot): string[] {
  const reasons = (manifest.unpublishable ?? []).map((reason) => `cannot be published: ${reason}`);
  if (before && manifest.synthetic && !before.manifest.synthetic)
    reasons.push(`a made-up country cannot replace a real one: build it into another --out`);
  return reasons;
}

const readFindings = (snapshot: Snapshot): Finding[] => snapshot.json<Finding[]>('findings.json');

function compareFindings(before: Finding[] | null, after: Finding[]): Review['findings'] {
  const [earlier, later] = [before ?? [], after].map((findings) => new Set(findings.flatMap(substances)));
  const isIn = (there: ReadonlySet<string>) => (finding: Finding) =>
    substances(finding).every((substance) => there.has(substance));
  return {
    new: after.filter((finding) => !isIn(earlier!)(finding)),
    known: after.filter(isIn(earlier!)),
    gone: (before ?? []).filter((finding) => !isIn(later!)(finding)),
  };
}
