/** Several deliveries of one table: a later file replaces rows of earlier ones. */
import { TEXT_COLUMNS } from '../../catalog/roles.ts';
import type { Source } from '../../catalog/sources.ts';
import type { ReportLine } from '../../engine/stage.ts';
import { firstFew } from '../../lib/first-few.ts';
import { plainName } from '../../lib/name-similarity.ts';
import { monthText } from './months.ts';

type Values = Readonly<Record<string, string | null>>;
/** A row of one of the files by the project's column names, null for an empty cell. */
interface Row {
  file: string;
  line: number;
  values: Values;
}

/** How many facilities that have moved the finding names. */
const MOST_EXAMPLES = 3;

/**
 * The rows of several files without those that a later file replaces: it has a row for the same month of the same
 * facility or, in tables by area, of the same area.
 * @param files in the order of delivery
 * @param report collects how many rows were replaced and how many of these differ; numbers that are lost, and
 *   facilities that have moved to another area, need approval
 */
export function removeReplaced<T extends Row>(
  rows: readonly T[],
  files: readonly string[],
  { id = '' }: Partial<Source>,
  report: ReportLine[],
): readonly T[] {
  const rowsByFile = Map.groupBy(rows, ({ file }) => file);
  // Facilities of two areas may have one name; where none have, one that has moved is still the same.
  const areNamesUnique = [...rowsByFile.values()].every(
    (fileRows) => new Set(fileRows.map(facilityAndMonth)).size === fileRows.length,
  );
  const rowKey = (row: T) =>
    row.values.facility != null && areNamesUnique ? facilityAndMonth(row) : `${facilityAndMonth(row)} ${areaKey(row)}`;
  const laterRows = new Map<string, T>();
  const replaced: { replacedRow: T; laterRow: T }[] = [];
  const kept = files.toReversed().map((file) => {
    const keyedRows = (rowsByFile.get(file) ?? []).map((row) => ({ row, key: rowKey(row) }));
    const [replacedRows, remainingRows] = [
      keyedRows.filter(({ key }) => laterRows.has(key)),
      keyedRows.filter(({ key }) => !laterRows.has(key)),
    ];
    for (const { row, key } of replacedRows) replaced.push({ replacedRow: row, laterRow: laterRows.get(key)! });
    for (const { row, key } of remainingRows) laterRows.set(key, row);
    return remainingRows.map(({ row }) => row);
  });
  const addFinding = (description: string, needs_approval: boolean) =>
    report.push({
      source: id,
      rule: 'later file',
      what: description,
      ...(needs_approval ? { needs_approval: true as const } : {}),
    });
  const lostNumbers = replaced.filter(({ replacedRow, laterRow }) =>
    numberCells(replacedRow).some(([name, value]) => value && !laterRow.values[name]),
  );
  const differing = replaced.filter(({ replacedRow, laterRow }) =>
    numberCells(replacedRow).some(([name, value]) => differs(value, laterRow.values[name])),
  );
  addFinding(
    `${replaced.length} rows are replaced by those of a later file for the same place and month (${files.join(', then ')}); ${differing.length} of them differ`,
    false,
  );
  if (lostNumbers.length > 0)
    addFinding(
      `${lostNumbers.length} rows have a blank cell where a row that they replace has a number: ${describeExamples(lostNumbers)}`,
      true,
    );
  const movedRows = replaced.filter(({ replacedRow, laterRow }) => areaKey(replacedRow) !== areaKey(laterRow));
  if (movedRows.length > 0)
    addFinding(
      `${movedRows.length} rows name another area than the rows of the same facility and month that they replace: ${describeExamples(movedRows)}`,
      true,
    );
  return kept.reverse().flat();
}

const describeExamples = (pairs: readonly { laterRow: Row }[]) =>
  firstFew(
    pairs.map(({ laterRow }) => `${laterRow.file}, row ${laterRow.line}`),
    MOST_EXAMPLES,
    '; ',
  );

const numberCells = ({ values }: Row) => Object.entries(values).filter(([name]) => !TEXT_COLUMNS.includes(name));

const differs = (valueBefore: string | null, valueAfter: string | null | undefined) =>
  valueBefore === null || valueAfter == null
    ? valueBefore !== (valueAfter ?? null)
    : valueBefore !== valueAfter && Number(valueBefore) !== Number(valueAfter);

const facilityAndMonth = ({ values }: Row) => `${plainName(values.facility ?? '')} ${monthText(values) ?? ''}`;

/** The area of a row: its code or, without one, its names. */
function areaKey({ values: { lga_pcode, lga, state_pcode, state } }: Row): string {
  const upper = state_pcode ?? plainName(state ?? '');
  return lga_pcode ?? (lga == null ? upper : `${plainName(lga)} ${upper}`);
}
