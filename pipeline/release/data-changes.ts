import type { Acceptance, Source } from '../catalog/sources.ts';
import type { Manifest } from '../contract/manifest.ts';
import { changedNames, describeValueChanges } from '../engine/explain-run.ts';

type Change = 'new' | 'gone' | 'changed';

/** Changes of a source's raw data since another version. */
export interface SourceChange {
  source: string;
  title: string;
  change: Change;
  release: { was: string | null; is: string | null };
  files: { path: string; change: Change; sha256: { was: string | null; is: string | null } }[];
  /** Acceptances of files since then. */
  accepted: Acceptance[];
  /** Changes of other fields of the catalog's entry, each as `field was …, is …`. */
  catalog: string[];
}

/** Sources whose files, release or catalog entry differ, in the catalog's order. */
export function changedSources(before: Manifest, after: Manifest): SourceChange[] {
  const [earlierSources, laterSources] = [before, after].map(
    ({ sources }) => new Map((sources as Source[]).map((source) => [source.id, source])),
  ) as [Map<string, Source>, Map<string, Source>];
  return [...new Set([...laterSources.keys(), ...earlierSources.keys()])]
    .map((id) => sourceChange(earlierSources.get(id), laterSources.get(id)))
    .filter((change) => change !== null);
}

function sourceChange(before: Source | undefined, after: Source | undefined): SourceChange | null {
  const { id, title } = (after ?? before)!;
  const files = changedFiles(before, after);
  const release = { was: before?.release ?? null, is: after?.release ?? null };
  const catalog = before && after ? describeValueChanges(withoutFiles(before), withoutFiles(after)) : [];
  const change = !before ? 'new' : !after ? 'gone' : 'changed';
  if (change === 'changed' && files.length === 0 && release.was === release.is && catalog.length === 0) return null;
  return { source: id, title, change, release, files, accepted: acceptedSince(before, after), catalog };
}

const withoutFiles = ({ files: _, release: __, accepted: ___, ...otherFields }: Source) => otherFields;

function acceptedSince(before: Source | undefined, after: Source | undefined): Acceptance[] {
  const earlierAcceptances = new Set((before?.accepted ?? []).map((acceptance) => JSON.stringify(acceptance)));
  return (after?.accepted ?? []).filter((acceptance) => !earlierAcceptances.has(JSON.stringify(acceptance)));
}

function changedFiles(before: Source | undefined, after: Source | undefined): SourceChange['files'] {
  const [earlierHashes, laterHashes] = [before, after].map(
    (source) => new Map((source?.files ?? []).map(({ path, sha256 }) => [path, sha256!])),
  ) as [Map<string, string>, Map<string, string>];
  return [...new Set([...laterHashes.keys(), ...earlierHashes.keys()])].sort().flatMap((path) => {
    const sha256 = { was: earlierHashes.get(path) ?? null, is: laterHashes.get(path) ?? null };
    if (sha256.was === sha256.is) return [];
    return [{ path, change: sha256.was === null ? 'new' : sha256.is === null ? 'gone' : 'changed', sha256 }];
  });
}

/** Changes other than those of the data: lines of model.json, files of code and the lock file. */
export interface MakingChange {
  model: string[];
  code: string[];
}

export function changedMaking(before: Manifest, after: Manifest): MakingChange {
  const snapshotParameters = ({ stages }: Manifest) => stages.find(({ stage }) => stage === 'snapshot')?.parameters;
  const codeIn = ({ stages }: Manifest): Record<string, string> => Object.assign({}, ...stages.map(({ code }) => code));
  return {
    model: describeValueChanges(snapshotParameters(before), snapshotParameters(after)),
    code: changedNames(codeIn(after), codeIn(before)),
  };
}
