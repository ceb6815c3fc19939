import type { ReportLine } from '../artifacts.ts';
import type { Model } from '../catalog/model.ts';
import type { Source } from '../catalog/sources.ts';

/** One line of the stage table: a stage's name, what it reads and what it hands on. Nothing undeclared reaches it. */
export interface Stage {
  readonly name: string;
  /** Module from the repository's root, exporting `run: StageRun`; and `split` where the stage falls apart by state. */
  readonly module: string;
  /** Its work falls apart by state (see split.ts). */
  readonly by_state?: true;
  /** Which sources' raw files and catalog entries it reads. */
  readonly reads: (source: Source) => boolean;
  /** It publishes what the catalog says about the files for people (citation, licence …), which others do not see. */
  readonly publishes_catalog?: true;
  /** Which parts of model.json it sees, `parameters.survey.method` for a part of a part. */
  readonly model: readonly string[];
  /** Artifacts of earlier stages, `stage/artifact`. */
  readonly inputs: readonly string[];
  /** Names of its own artifacts. Every stage also hands on `report`, its findings. */
  readonly outputs: readonly string[];
}

/** What a running stage is given. */
export interface StageIo {
  /** An input artifact by its full name, parsed anew from the cache. */
  artifact<T>(name: string): T;
  /** Catalog entries without what is there for people (title, citation, licence, notes …). */
  readonly sources: readonly Source[];
  /** Directory of the raw files. */
  readonly rawData: string;
  /** The parts of model.json that the stage declared; the rest is absent. */
  readonly model: Model;
  /** Share done, 0 to 1. */
  progress(share: number, what?: string): void;
}

/** A stage's work: values by output name, JSON all of them, and what there is to report. */
export type StageRun = (io: StageIo) => Promise<Record<string, unknown> & { report: ReportLine[] }>;
