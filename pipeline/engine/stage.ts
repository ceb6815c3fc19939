import type { Wording } from '../contract/words.ts';
import { type Table, type TableColumns, type TableRow, type TableSchema, toRows } from '../lib/tables/table.ts';

/** One line of the stage table: a stage's name, its inputs and its outputs. Nothing undeclared reaches it. */
export interface Stage {
  readonly name: string;
  /** Path of its module from the repository's root. It exports `run: StageRun`. */
  readonly module: string;
  /** Artifacts of earlier stages, `stage/artifact`. */
  readonly inputs: readonly string[];
  /** Names of the artifacts that it makes. Every stage also returns `report`, its findings. */
  readonly outputs: readonly string[];
}

/** What a stage is given besides artifacts. All of it but `view` is part of the stage's key. */
export interface ProjectInputs<View extends object = object> {
  /** SHA-256 of each raw file that the stage reads, by path. */
  files: Record<string, string>;
  /** Descriptions of its sources, by id: separate inputs, so that a plan can show which field changed. */
  catalog: Record<string, unknown>;
  parameters: unknown;
  /** The part of the project that the stage sees; its modules take it from `StageIo`. */
  view: View;
}

/** The project whose stages run: its name, where its raw files are, and what each stage is given of them. */
export interface Project<ProjectStage extends Stage = Stage> {
  /** Plans compare with the latest build under this name. */
  name: string;
  /** Directory of the raw files. */
  rawData: string;
  inputsFor(stage: ProjectStage): ProjectInputs;
}

/** A table that one stage passes on to others: its full name, `stage/artifact`, and its columns. */
export interface StageTable extends TableSchema {
  readonly name: string;
}

/** What a running stage can read of earlier stages, and how it reports progress. */
export interface StageInputs {
  /** An input artifact by its full name, parsed afresh from the cache. */
  artifact<T>(name: string): T;
  /** The rows of an input that is a table, in the order in which its stage returned them. */
  table<Form extends StageTable>(form: Form): TableRow<Form>[];
  columns<Form extends StageTable>(form: Form): TableColumns<Form>;
  /** Share done, 0 to 1. */
  progress(share: number, what?: string): void;
}

/** What a running stage is given: its inputs, and the project's view. */
export type StageIo<View extends object = object> = StageInputs & View;

/** How a stage reads its tables. */
export const tableReaders = (
  readColumns: (name: string) => Table['columns'],
): Pick<StageInputs, 'table' | 'columns'> => ({
  table: ({ name }) => toRows(readColumns(name)),
  columns: ({ name }) => readColumns(name) as never,
});

/** A finding for the build report: a gap filled, a row dropped, a rule applied. */
export interface ReportLine {
  source: string;
  rule: string;
  /** A wording if it speaks of levels, whose names only the country tells. */
  what: string | Wording;
  /** The places that it is about, all of them, each with what is found there: `KN003 Dala: 12 cases …`. */
  places?: readonly string[];
  /** Publishing the first version with this finding requires a reason (`publish --approve`). */
  needs_approval?: true;
}

/** A stage's work: tables and JSON values by output name, and findings to report. */
export type StageRun<View extends object = object> = (
  io: StageIo<View>,
) => Promise<Record<string, unknown> & { report: ReportLine[] }>;
