import { unpinnedFiles } from '../../catalog/pins.ts';
import { OPEN_QUESTION } from '../../catalog/shared-schemas.ts';
import type { Source } from '../../catalog/sources.ts';
import type { Manifest, StageRecord } from '../../contract/manifest.ts';
import { JSON_OPERATIONS, operationFiles } from '../../contract/operations.ts';
import type { CacheKey } from '../../engine/cache-key.ts';
import type { ReportLine } from '../../engine/stage.ts';
import { UsageError } from '../../lib/errors.ts';

/** A finding of the build in the country's words, and the stage that found it. */
export type Finding = Omit<ReportLine, 'what'> & { stage: string; what: string };

/** A stage's entry in the manifest, without its duration, which differs between equal builds. */
export function stageRecord(
  entry: CacheKey & { outputs?: Record<string, string>; counts?: Record<string, number> },
): StageRecord {
  const { stage, key, code, inputs, parameters, outputs = {}, counts = {} } = entry;
  return { stage, key, code, inputs, parameters, outputs, counts };
}

/** Catalog entries with the SHA-256 of the files that were read, and the catalog's own beside it if that differs. */
export function addFileHashes(sources: readonly Source[], raw: Record<string, string>) {
  return sources.map((source) => ({
    ...source,
    files: source.files.map(({ sha256, ...file }) => ({
      ...file,
      sha256: raw[file.path]!,
      ...(sha256 === undefined || sha256 === raw[file.path] ? {} : { catalogued_sha256: sha256 }),
    })),
  }));
}

/** Fields that a source needs before its figures can be passed on. */
const CREDIT_FIELDS = ['producer', 'citation', 'licence', 'release'] as const;

/** Findings about the catalog: files with unaccepted bytes, files accepted despite doubts, sources without credits. */
export function catalogFindings(sources: readonly Source[], raw: Record<string, string>): Finding[] {
  const stage = 'catalog';
  return [
    ...unpinnedFiles(sources, raw).map(({ source, path, found, pinned }) => ({
      stage,
      source,
      rule: 'unpinned',
      what: `${path}: SHA-256 ${found}, the catalog has ${pinned ?? 'none'}; the figures come from the file found`,
    })),
    ...sources.flatMap((source) => {
      const missingCredits = CREDIT_FIELDS.filter((name) => source[name] === OPEN_QUESTION);
      if (missingCredits.length === 0) return [];
      const what = `${missingCredits.join(', ')}: not filled in (sources.json); every answer based on this source will say so`;
      return [{ stage, source: source.id, rule: 'not credited', what, needs_approval: true as const }];
    }),
    ...sources.flatMap(({ id, accepted = [] }) =>
      accepted.flatMap(({ at, by, reason, doubts = [] }) =>
        doubts.map((doubt) => ({
          stage,
          source: id,
          rule: 'accepted in doubt',
          what: `${doubt}; accepted by ${by}, ${at.slice(0, 10)}: ${reason}`,
          needs_approval: true as const,
        })),
      ),
    ),
  ];
}

/** The origin of a snapshot's file, back to the raw files. */
export interface Provenance {
  file: string;
  sha256: string;
  bytes: number;
  model_version: string;
  updated_at: string;
  /** Artifacts that it is made of; all of them for a file that is not an answer, and for the API description. */
  made_of: string[];
  /** Stages behind it, last first. */
  stages: { stage: string; key: string; reads: string[]; code: string[]; parameters: unknown }[];
  /** Raw files behind it, with their sources. */
  raw: {
    path: string;
    sha256: string;
    source: string;
    title: string;
    producer: string;
    citation: string;
    licence: string;
    release: string;
    read_by: string[];
  }[];
}

/**
 * Traces a snapshot's file back to the raw files, using the manifest only.
 * @param name name in the manifest; a compressed copy stands for its plain file
 * @throws UsageError if the manifest does not list the file
 */
export function traceFile(manifest: Manifest, name: string): Provenance {
  const entry = manifest.files[name];
  if (!entry)
    throw new UsageError(
      `${name}: found no such file in ${manifest.model_version}, expected one that its manifest lists`,
    );
  const plainName = name.replace(/\.(?:gz|br)$/, '');
  const operation = JSON_OPERATIONS.find((candidate) =>
    operationFiles(candidate, manifest.coverage).includes(plainName),
  );
  const snapshotRecord = manifest.stages.find(({ stage }) => stage === 'snapshot');
  const made_of = [...(operation?.madeOf ?? artifactNames(snapshotRecord?.inputs ?? {}))];

  const stageNames = new Set(made_of.map((artifact) => artifact.split('/')[0]!));
  for (const { stage, inputs } of [...manifest.stages].reverse())
    if (stageNames.has(stage)) for (const artifact of artifactNames(inputs)) stageNames.add(artifact.split('/')[0]!);
  const stages = manifest.stages.filter(({ stage }) => stageNames.has(stage)).reverse();

  const sources = manifest.sources as Source[];
  const raw = sources.flatMap((source) =>
    source.files.flatMap(({ path, sha256 }) => {
      const read_by = stages.filter(({ inputs }) => `raw ${path}` in inputs).map(({ stage }) => stage);
      const { id, title, producer, citation, licence, release } = source;
      return read_by.length === 0
        ? []
        : [{ path, sha256: sha256!, source: id, title, producer, citation, licence, release, read_by }];
    }),
  );
  return {
    file: name,
    sha256: entry.sha256,
    bytes: entry.bytes,
    model_version: manifest.model_version,
    updated_at: manifest.updated_at,
    made_of,
    stages: [
      // The stage that joins, rounds and orders them, with only those of its inputs that this file is made from.
      ...(snapshotRecord ? [provenanceEntry(snapshotRecord, made_of)] : []),
      ...stages
        .filter((record) => record !== snapshotRecord)
        .map((record) => provenanceEntry(record, artifactNames(record.inputs))),
    ],
    raw,
  };
}

const provenanceEntry = ({ stage, key, code, parameters }: StageRecord, reads: string[]) => ({
  stage,
  key,
  reads,
  code: Object.keys(code),
  parameters,
});

/** Inputs that are artifacts: names of raw files and catalog entries start with a word and a space. */
const artifactNames = (inputs: Record<string, string>) => Object.keys(inputs).filter((name) => !name.includes(' '));
