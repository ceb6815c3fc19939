/** Cases of areas beside the share of the expected reports that were made, as DHIS2 gives both. */
import type { Source } from '../catalog/sources.ts';
import { worded } from '../contract/words.ts';
import type { ReportLine } from '../engine/stage.ts';
import { readEach } from '../lib/bad-input.ts';
import { firstFew } from '../lib/first-few.ts';
import { LEAST_REPORTING } from './facilities.ts';
import { type RawRow, RawTable } from './readers/raw-table.ts';

/** A finding names this many areas. */
const EXAMPLES = 3;

/**
 * The table with the cases of a month unknown if too few of its reports were made, or if nothing says how many were;
 * the same rule as for cases by facility. Areas without a known month are left out.
 * @param table with a column `reporting_rate`, percent
 * @param key the column of its areas
 * @throws BadInput for a rate that is no number or negative, and if no month is known
 */
export function withKnownMonths(
  table: RawTable,
  source: Source,
  key: 'lga_pcode' | 'state_pcode',
  report: ReportLine[],
): RawTable {
  const { least = LEAST_REPORTING, scaled = false, blank } = source.reporting ?? {};
  let blanks = 0;
  const rows = readEach(table.rows, (row) => {
    const share = (row.numberOrNull('reporting_rate', { least: 0 }) ?? 0) / 100;
    const isBlank = !row.has('confirmed') && share >= least;
    if (isBlank) blanks++;
    const cases = isBlank && blank ? 0 : row.numberOrNull('confirmed', { least: 0, integer: true });
    // DHIS2 gives more than 100% if facilities report that were not expected to.
    const confirmed = cases === null || share < least ? null : scaled ? Math.round(cases / Math.min(share, 1)) : cases;
    if (confirmed === null) row.leaveOut('reporting');
    else row.add('confirmed', 'reporting, scaled', confirmed - cases!);
    const values: RawRow['values'] = { ...row.values, confirmed: confirmed === null ? null : String(confirmed) };
    return { line: row.line, values, had: cases, delivered: row.delivered };
  });
  const recorded = new Set(rows.flatMap(({ values }) => (values.confirmed === null ? [] : values[key]!)));
  const percent = `${Math.round(100 * least)}%`;
  if (recorded.size === 0)
    throw table
      .at('column reporting_rate')
      .error(
        `less than ${percent} or nothing in every month of every area`,
        'higher rates (or leave the column out of sources.json, if reports are not marked as complete)',
      );
  const kept = rows.filter(({ values }) => recorded.has(values[key]!));
  const unknown = kept.filter(({ values, had }) => values.confirmed === null && had !== null).length;
  const add = (rule: string, what: ReportLine['what']) => report.push({ source: source.id, rule, what });
  add(
    'reporting',
    worded`the cases of ${unknown} of ${kept.length} months are unknown, because fewer than ${percent} of the expected reports were made; in other months, missing reports ${scaled ? 'count as much as the mean of those made' : 'are not made up for'}`,
  );
  if (blanks > 0 && blank) add('blank is zero', `${blanks} blank months whose reports came in are 0 (reporting)`);
  else if (blanks > 0)
    report.push({
      source: source.id,
      rule: 'hard to believe',
      what: `cases are blank although the reports came in: in ${blanks} of ${rows.length} months. Perhaps the export leaves zeros out: declare it (sources.json, reporting: {"blank": "zero"}), or export them`,
      needs_approval: true,
    });
  const without = [...new Set(rows.map(({ values }) => values[key]!))].filter((code) => !recorded.has(code));
  if (without.length > 0) add('left out', `too few reports in every month: ${firstFew(without, EXAMPLES)}`);
  return new RawTable(table, table, kept);
}
