/** Several deliveries of one table: a later file replaces rows of earlier ones. */
import { TEXT_COLUMNS } from '../../catalog/roles.ts';
import type { Source } from '../../catalog/sources.ts';
import type { ReportLine } from '../../engine/stage.ts';
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
const NAMED = 3;

/**
 * The rows of several files without those that a later file replaces: it has a row for the same month of the same
 * facility or, in tables by area, of the same area.
 * @param files in the order of delivery
 * @param report collects how many rows were replaced and how many of these differ; numbers that are lost, and
 *   facilities that have moved to another area, need approval
 */
export function withoutReplaced<T extends Row>(
  rows: readonly T[],
  files: readonly string[],
  { id = '' }: Partial<Source>,
  report: ReportLine[],
): readonly T[] {
  const byFile = Map.groupBy(rows, ({ file }) => file);
  // Facilities of two areas may have one name; where none have, one that has moved is still the same.
  const isUnique = [...byFile.values()].every(
    (fileRows) => new Set(fileRows.map(facilityAndMonth)).size === fileRows.length,
  );
  const rowKey = (row: T) =>
    row.values.facility != null && isUnique ? facilityAndMonth(row) : `${facilityAndMonth(row)} ${areaKey(row)}`;
  const later = new Map<string, T>();
  const replaced: { before: T; after: T }[] = [];
  const kept = files.toReversed().map((file) => {
    const keyed = (byFile.get(file) ?? []).map((row) => ({ row, key: rowKey(row) }));
    const [old, left] = [keyed.filter(({ key }) => later.has(key)), keyed.filter(({ key }) => !later.has(key))];
    for (const { row, key } of old) replaced.push({ before: row, after: later.get(key)! });
    for (const { row, key } of left) later.set(key, row);
    return left.map(({ row }) => row);
  });
  const add = (what: string, needs_approval: boolean) =>
    report.push({ source: id, rule: 'later file', what, ...(needs_approval ? { needs_approval: true as const } : {}) });
  const lost = replaced.filter(({ before, after }) =>
    numberCells(before).some(([name, value]) => value && !after.values[name]),
  );
  const differing = replaced.filter(({ before, after }) =>
    numberCells(before).some(([name, value]) => differs(value, after.values[name])),
  );
  add(
    `${replaced.length} rows are replaced by those of a later file for the same place and month (${files.join(', then ')}); ${differing.length} of them differ`,
    false,
  );
  if (lost.length > 0)
    add(
      `${lost.length} rows have a blank cell where a row that they replace has a number: ${describeExamples(lost)}`,
      true,
    );
  const moved = replaced.filter(({ before, after }) => areaKey(before) !== areaKey(after));
  if (moved.length > 0)
    add(
      `${moved.length} rows name another area than the rows of the same facility and month that they replace: ${describeExamples(moved)}`,
      true,
    );
  return kept.reverse().flat();
}

const describeExamples = (pairs: readonly { after: Row }[]) =>
  `${pairs
    .slice(0, NAMED)
    .map(({ after }) => `${after.file}, row ${after.line}`)
    .join('; ')}${pairs.length > NAMED ? ` and ${pairs.length - NAMED} more` : ''}`;

const numberCells = ({ values }: Row) => Object.entries(values).filter(([name]) => !TEXT_COLUMNS.includes(name));

const differs = (was: string | null, is: string | null | undefined) =>
  was === null || is == null ? was !== (is ?? null) : was !== is && Number(was) !== Number(is);

const facilityAndMonth = ({ values }: Row) => `${plainName(values.facility ?? '')} ${monthText(values) ?? ''}`;

/** The area of a row: its code or, without one, its names. */
function areaKey({ values: { lga_pcode, lga, state_pcode, state } }: Row): string {
  const upper = state_pcode ?? plainName(state ?? '');
  return lga_pcode ?? (lga == null ? upper : `${plainName(lga)} ${upper}`);
}
