import type { Model } from '../../catalog/model.ts';
import { roleDefinition, TEXT_COLUMNS } from '../../catalog/roles.ts';
import type { Source } from '../../catalog/sources.ts';
import type { RawRow, RawTable } from '../../ingest/readers/raw-table.ts';
import type { ComparedRow } from './compare-rows.ts';

/** Reads a table, with the codes of its areas even if the file has their names. */
export type ReadWithCodes = (rawData: string, source: Source) => Promise<RawTable>;

/** Columns of times. They may give the same month in two forms, so the month itself is compared. */
const TIME_COLUMNS = ['period', 'year', 'month'];

/**
 * The rows of a table in the form in which two releases are compared, with every column that the catalog maps. Invalid
 * numbers become null: a check reports them.
 */
export function comparedRows({ rows, columns }: RawTable, source: Source, states: Model['states']): ComparedRow[] {
  const textColumns = [...columns].filter((name) => TEXT_COLUMNS.includes(name) && !TIME_COLUMNS.includes(name));
  const numericColumns = [...columns].filter((name) => !TEXT_COLUMNS.includes(name));
  const statePcode = (place: string) =>
    states.find(({ state_pcode }) => place.startsWith(state_pcode))?.state_pcode ?? '';
  return rows.map((row) => {
    const { values } = row;
    const period = row.monthText;
    const place = values.facility ?? values.lga_pcode ?? values.state_pcode ?? values.lga ?? values.state ?? '';
    const numbers = Object.fromEntries(numericColumns.map((name) => [name, numberIn(row, name)]));
    if (source.classes) numbers[`mean ${source.figure ?? 'value'}`] = classMean(source.classes, numbers);
    return {
      key: (roleDefinition(source.role).key ?? [])
        .flatMap((name) => (name === 'period' ? period : values[name]) ?? [])
        .join(' '),
      place,
      state: values.state_pcode ?? statePcode(place),
      group: values.survey_year ? `${values.survey_year} ${values.method ?? ''}`.trim() : (period?.slice(0, 4) ?? ''),
      period,
      texts: { ...Object.fromEntries(textColumns.map((name) => [name, values[name] ?? null])), period },
      numbers,
    };
  });
}

function numberIn({ values }: RawRow, name: string): number | null {
  const value = values[name] == null ? Number.NaN : Number(values[name]);
  return Number.isFinite(value) ? value : null;
}

function classMean(classes: NonNullable<Source['classes']>, numbers: Record<string, number | null>): number | null {
  const people = classes.map(({ column }) => numbers[column] ?? 0);
  const total = people.reduce((a, b) => a + b, 0);
  return total > 0 ? classes.reduce((sum, { midpoint }, i) => sum + people[i]! * midpoint, 0) / total : null;
}
