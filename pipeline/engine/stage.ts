import type { ArtifactTables, ReportLine } from '../artifacts.ts';
import type { Model } from '../catalog/model.ts';
import type { Source } from '../catalog/sources.ts';
import { type ColumnsOf, type RowOf, rowsOf, type Table } from '../lib/tables/table.ts';

/** One line of the stage table: a stage's name, its inputs and its outputs. Nothing undeclared reaches it. */
export interface Stage {
  readonly name: string;
  /** Path of its module from the repository's root. It exports `run: StageRun`. */
  readonly module: string;
  /** Which sources' raw files and catalog entries it reads. */
  readonly reads: (source: Source) => boolean;
  /** It publishes the catalog's descriptions of files (citation, licence …), which no other stage sees. */
  readonly publishes_catalog?: true;
  /** The parts of model.json that it sees, as paths such as `parameters.survey.method`. */
  readonly model: readonly string[];
  /** Artifacts of earlier stages, `stage/artifact`. */
  readonly inputs: readonly string[];
  /** Names of its own artifacts. Every stage also returns `report`, its findings. */
  readonly outputs: readonly string[];
}

/** What a running stage is given. */
export interface StageIo {
  /** An input artifact by its full name, parsed afresh from the cache. */
  artifact<T>(name: string): T;
  /** The rows of an input that is a table, in the order in which its stage returned them. */
  table<Name extends keyof ArtifactTables>(name: Name): RowOf<ArtifactTables[Name]>[];
  columns<Name extends keyof ArtifactTables>(name: Name): ColumnsOf<ArtifactTables[Name]>;
  /** Catalog entries without the fields meant for people (title, citation, licence, notes …). */
  readonly sources: readonly Source[];
  /** Directory of the raw files. */
  readonly rawData: string;
  /** The parts of model.json that the stage declares; the rest is absent. */
  readonly model: Model;
  /** Share done, 0 to 1. */
  progress(share: number, what?: string): void;
}

/** How a stage reads its tables. */
export const tableReaders = (
  columnsOf: (name: keyof ArtifactTables) => Table['columns'],
): Pick<StageIo, 'table' | 'columns'> => ({
  table: (name) => rowsOf(columnsOf(name)),
  columns: (name) => columnsOf(name) as never,
});

/** A stage's work: tables and JSON values by output name, and findings to report. */
export type StageRun = (io: StageIo) => Promise<Record<string, unknown> & { report: ReportLine[] }>;
