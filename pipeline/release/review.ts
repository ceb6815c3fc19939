import { tableFile } from '../contract/table-list.ts';
import { summarizeAccounts } from '../ingest/accounts.ts';
import type { AccountRow } from '../ingest/ingest-tables.ts';
import { withDatabase } from '../lib/tables/duckdb.ts';
import { diffSnapshots, type SnapshotDiff } from '../publish/snapshot/diff.ts';
import { controlLines, findingLines } from '../publish/snapshot/findings.ts';
import type { Snapshot } from '../publish/snapshot/open-snapshot.ts';
import type { Finding } from '../publish/snapshot/provenance.ts';
import { createViews } from '../publish/snapshot/views.ts';
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
  approvals: string[];
  /** The counts that were read from the files, as an annual report has them. */
  read: string[];
  /** Null if there is nothing to compare with. */
  diff: SnapshotDiff | null;
  /** Findings of the build compared with those of the version that it would replace. */
  findings: { new: Finding[]; known: Finding[]; gone: Finding[] };
  sources: SourceChange[];
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
        ? [`another country: ${manifest.country} in place of ${before.manifest.country}`]
        : []),
      ...(diff ? changesToApprove(diff, before!, after) : []),
      ...findingLines(findings.new.filter((finding) => finding.needs_approval)),
    ],
    read: [...summarizeAccounts(await readAccounts(after)), ...controlLines(readFindings(after))],
    diff,
    findings,
    sources: before && isSameCountry ? changedSources(before.manifest, manifest) : [],
    making: before && isSameCountry ? changedMaking(before.manifest, manifest) : { model: [], code: [] },
  };
}

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

function changesToApprove(
  diff: SnapshotDiff,
  { manifest: earlier }: Snapshot,
  { manifest: later }: Snapshot,
): string[] {
  const missingAnswers = diff.answers.filter(({ only_in_a }) => only_in_a > 0);
  return [
    ...diff.over,
    ...(earlier.coverage.transmission && !later.coverage.transmission ? ['the transmission model is missing'] : []),
    // Removed estimated months show here; forecasts have the same files whatever their months.
    ...missingAnswers.map(({ operation, only_in_a }) => `${only_in_a} answers of ${operation} are missing`),
    ...diff.tables.flatMap(({ table, rows, columns_only_in_a }) => [
      ...(rows.b === null
        ? [`the table ${table} is missing`]
        : columns_only_in_a.map((column) => `the column ${table}.${column} is missing`)),
    ]),
  ];
}

const readFindings = (snapshot: Snapshot): Finding[] => snapshot.json<Finding[]>('findings.json');

function compareFindings(before: Finding[] | null, after: Finding[]): Review['findings'] {
  const key = ({ stage, source, rule, what }: Finding) => JSON.stringify([stage, source, rule, what]);
  const [earlierKeys, laterKeys] = [before ?? [], after].map((findings) => new Set(findings.map(key))) as [
    Set<string>,
    Set<string>,
  ];
  return {
    new: after.filter((finding) => !earlierKeys.has(key(finding))),
    known: after.filter((finding) => earlierKeys.has(key(finding))),
    gone: (before ?? []).filter((finding) => !laterKeys.has(key(finding))),
  };
}
