import { unpinnedFiles } from '../../catalog/pins.ts';
import { OPEN_QUESTION } from '../../catalog/shared-schemas.ts';
import type { Source } from '../../catalog/sources.ts';
import type { StageRecord } from '../../contract/manifest.ts';
import type { CacheKey } from '../../engine/cache-key.ts';
import type { ReportLine } from '../../engine/stage.ts';

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
