import type { StageIo } from '../../pipeline/catalog/country-stage.ts';
import { tableReaders } from '../../pipeline/engine/stage.ts';
import { isTable, type Table, toRows } from '../../pipeline/lib/tables/table.ts';

/**
 * A stage's input, from artifacts by full name. Tables may be given as stages return them, or as rows of some columns.
 */
export const ioOf = (artifacts: Record<string, unknown>, rest: Partial<StageIo> = {}): StageIo => ({
  artifact: <T>(name: string) => artifacts[name] as T,
  ...tableReaders((name) => columnsOf(artifacts[name])),
  sources: [],
  rawData: '',
  model: {} as never,
  progress: () => {},
  ...rest,
});

function columnsOf(value: unknown): Table['columns'] {
  if (isTable(value)) return value.columns;
  const rows = (value ?? []) as Record<string, unknown>[];
  return Object.fromEntries(Object.keys(rows[0] ?? {}).map((name) => [name, rows.map((row) => row[name])]));
}

/** Rows of a table that a stage returned. */
export const outputRows = <Row>(value: unknown): Row[] => toRows((value as Table).columns);
