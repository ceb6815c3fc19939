import { describeLeaveOutRule, type LeaveOutRule } from '../../catalog/leave-out-rule.ts';
import type { Source } from '../../catalog/sources.ts';
import type { ReportLine } from '../../engine/stage.ts';
import { firstFew } from '../../lib/first-few.ts';

/** A row of a table by the project's column names, null for an empty cell. */
interface Row {
  file: string;
  line: number;
  values: Readonly<Record<string, string | null>>;
}

/** How many rows of a kind the findings name. */
const MOST_EXAMPLES = 5;

/**
 * The rows of a source's table that its catalog entry does not leave out.
 * @param report collects a finding for each kind of rows left out, even if there is none
 */
export function removeLeftOut<T extends Row>(
  rows: readonly T[],
  { id = '', leave_out = [] }: Partial<Source>,
  report: ReportLine[],
): readonly T[] {
  const hasSeveralFiles = rows.some(({ file }) => file !== rows[0]!.file);
  const describeWithFile = (row: T) => `${describeRow(row)}${hasSeveralFiles ? ` of ${row.file}` : ''}`;
  for (const declaration of leave_out) {
    const matching = rows.filter((row) => matchesDeclaration(row, declaration));
    const examples = firstFew(matching.map(describeWithFile), MOST_EXAMPLES) || 'there is none';
    report.push({
      source: id,
      rule: 'left out',
      what: `${matching.length} of ${rows.length} rows with ${describeLeaveOutRule(declaration)}: ${declaration.reason}; ${examples}`,
    });
  }
  return rows.filter((row) => !leave_out.some((declaration) => matchesDeclaration(row, declaration)));
}

/** Whether the row has all of the values: a number in any spelling, null for a blank cell. */
const matchesDeclaration = ({ values }: Row, { where }: LeaveOutRule): boolean =>
  Object.entries(where).every(([column, expected]) => {
    const cell = values[column]?.trim() || null;
    return typeof expected === 'number' ? cell !== null && Number(cell) === expected : cell === expected;
  });

function describeRow({ line, values }: Row): string {
  const place = values.cluster_id ?? values.lga_pcode ?? values.state_pcode;
  return place == null ? `row ${line}` : `row ${line} (${place})`;
}
