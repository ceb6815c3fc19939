import { describeLeaveOutRule, type LeaveOutRule } from '../../catalog/leave-out-rule.ts';
import type { Source } from '../../catalog/sources.ts';
import type { ReportLine } from '../../engine/stage.ts';

/** A row of a table by the project's column names, null for an empty cell. */
interface Row {
  file: string;
  line: number;
  values: Readonly<Record<string, string | null>>;
}

/** How many rows of a kind the findings name. */
const NAMED = 5;

/**
 * The rows of a source's table that its catalog entry does not leave out.
 * @param report collects a finding for each kind of rows left out, even if there is none
 */
export function withoutLeftOut<T extends Row>(
  rows: readonly T[],
  { id = '', leave_out = [] }: Partial<Source>,
  report: ReportLine[],
): readonly T[] {
  const several = rows.some(({ file }) => file !== rows[0]!.file);
  const name = (row: T) => `${describeRow(row)}${several ? ` of ${row.file}` : ''}`;
  for (const declared of leave_out) {
    const matching = rows.filter((row) => isOfKind(row, declared));
    const more = matching.length > NAMED ? ` and ${matching.length - NAMED} more` : '';
    const named = matching.length === 0 ? 'there is none' : `${matching.slice(0, NAMED).map(name).join(', ')}${more}`;
    report.push({
      source: id,
      rule: 'left out',
      what: `${matching.length} of ${rows.length} rows with ${describeLeaveOutRule(declared)}: ${declared.reason}; ${named}`,
    });
  }
  return rows.filter((row) => !leave_out.some((declared) => isOfKind(row, declared)));
}

/** Whether the row has all of the values: a number in any spelling, null for a blank cell. */
const isOfKind = ({ values }: Row, { where }: LeaveOutRule): boolean =>
  Object.entries(where).every(([column, wanted]) => {
    const cell = values[column]?.trim() || null;
    return typeof wanted === 'number' ? cell !== null && Number(cell) === wanted : cell === wanted;
  });

function describeRow({ line, values }: Row): string {
  const place = values.cluster_id ?? values.lga_pcode ?? values.state_pcode;
  return place == null ? `row ${line}` : `row ${line} (${place})`;
}
