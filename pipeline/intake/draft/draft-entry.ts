/** Catalog entries, as far as they follow from the file itself. */
import type { Role } from '../../catalog/roles.ts';
import type { Source } from '../../catalog/sources.ts';
import type { TextTable } from '../../ingest/readers/csv.ts';
import type { TimeKey } from './draft-keys.ts';
import type { CaseSum, Question } from './questions.ts';
import type { TableFile } from './recognise.ts';
import type { UnnamedNumbers } from './unnamed-numbers.ts';

/** The part of an entry of sources.json that follows from the file itself. */
export type DraftEntry = { role: Role } & Pick<Source, 'unit'> & Partial<Source>;

/** The entries drafted from a table, and the reasons why others are not. */
export interface TableDraft {
  entries: { entry: DraftEntry; note: string }[];
  /** `lost` is the subject that the country then lacks, null if none; left out if no column shows it. */
  obstacles: { why: string; lost?: string | null }[];
  /** Guesses that may be wrong. */
  doubts?: string[];
  /** The rows as the entries read them, if they differ from those of the file. */
  rows?: TextTable;
  /** Other files that are joined to its rows. */
  joinedFiles?: Source['files'];
  /** Its numbers, if no name says what they are. */
  unnamed?: UnnamedNumbers;
  /** People by area of the upper level, with which a raster is compared. */
  statePeople?: DraftEntry;
  /** The columns that are added up to its cases, and those that are not. */
  cases?: CaseSum;
  /** What only people can tell of it. */
  questions?: Question[];
}

/** The dialect of the file and of its months, if it is not the project's own. */
export function fileDialect(
  table: TableFile,
  time: TimeKey | string | null,
  thousands: readonly string[] = [],
): Pick<Source, 'dialect'> {
  const months = typeof time === 'string' ? undefined : time?.monthOrder;
  const dialect = {
    ...table.dialect,
    ...(months ? { months } : {}),
    ...(thousands.length > 0 ? { thousands: [...thousands] } : {}),
  };
  return Object.keys(dialect).length > 0 ? { dialect } : {};
}

/** The file's column with the codes or names of the areas. */
export const placeColumn = ({ columns = {} }: DraftEntry): string =>
  (columns.lga_pcode ?? columns.lga ?? columns.state_pcode ?? columns.state ?? columns.facility)!;
