/** Entries of the catalog as far as a file itself shows them. */
import type { Role } from '../../catalog/roles.ts';
import type { Source } from '../../catalog/sources.ts';
import type { TextTable } from '../../ingest/readers/csv.ts';
import type { TimeKey } from './draft-keys.ts';
import type { CaseSum, NumberKind } from './questions.ts';
import type { TableFile } from './recognise.ts';

/** The part of an entry of sources.json that follows from the file itself. */
export type DraftEntry = { role: Role } & Pick<Source, 'unit'> & Partial<Source>;

/** What a table gives, and why it does not give more. */
export interface TableDraft {
  entries: { entry: DraftEntry; note: string }[];
  /** Each with what is lost for it, null if nothing, if that is known from a column. */
  obstacles: { why: string; lost?: string | null }[];
  /** The columns of its areas and times, which need not be named as unused. */
  keyColumns?: string[];
  /** What is used although it may be wrong. */
  doubts?: string[];
  /** The rows as the entries read them, if not as they stand in the file. */
  rows?: TextTable;
  /** Other files that are joined to its rows. */
  joinedFiles?: Source['files'];
  /** What its numbers were taken for, if they have no name. */
  numberKind?: NumberKind;
  /** People by area of the upper level, with which a raster is compared. */
  statePeople?: DraftEntry;
  /** The columns whose sum was taken for its cases, those about cases that were left out, and all to choose from. */
  cases?: CaseSum;
}

/** The dialect of the file and of its months, if it is not the project's own. */
export function fileDialect(table: TableFile, time: TimeKey | string | null): Pick<Source, 'dialect'> {
  const months = typeof time === 'string' ? undefined : time?.monthOrder;
  const dialect = { ...table.dialect, ...(months ? { months } : {}) };
  return Object.keys(dialect).length > 0 ? { dialect } : {};
}

/** The file's column of codes or names of the areas of a table by area. */
export const placeColumn = ({ columns = {} }: DraftEntry): string =>
  (columns.lga_pcode ?? columns.lga ?? columns.state_pcode ?? columns.state ?? columns.facility)!;
