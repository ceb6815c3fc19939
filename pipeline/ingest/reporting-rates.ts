/** Cases of areas beside the share of the expected reports that were made, as DHIS2 gives both. */
import type { Source } from '../catalog/sources.ts';
import { worded } from '../contract/words.ts';
import type { ReportLine } from '../engine/stage.ts';
import { readEach } from '../lib/bad-input.ts';
import { firstFew } from '../lib/first-few.ts';
import { LEAST_REPORTING_SHARE } from './facilities.ts';
import { type RawRow, RawTable } from './readers/raw-table.ts';

/** A finding names this many areas. */
const MOST_EXAMPLES = 3;

/**
 * The table with the cases of a month unknown if too few of its reports were made, or if nothing says how many were;
 * the same rule as for cases by facility. Areas without a known month are left out.
 * @param table with a column `reporting_rate`, percent
 * @param areaColumn the column of its areas
 * @throws BadInput for a rate that is no number or negative, and if no month is known
 */
export function applyReportingRates(
  table: RawTable,
  source: Source,
  areaColumn: 'lga_pcode' | 'state_pcode',
  report: ReportLine[],
): RawTable {
  const {
    least: leastShare = LEAST_REPORTING_SHARE,
    scaled: isScaled = false,
    blank: blankMeaning,
  } = source.reporting ?? {};
  let blankMonths = 0;
  const rows = readEach(table.rows, (row) => {
    const reportedShare = (row.numberOrNull('reporting_rate', { least: 0 }) ?? 0) / 100;
    const isBlank = !row.hasValue('confirmed') && reportedShare >= leastShare;
    if (isBlank) blankMonths++;
    const rawCases = isBlank && blankMeaning ? 0 : row.numberOrNull('confirmed', { least: 0, integer: true });
    // DHIS2 gives more than 100% if facilities report that were not expected to.
    const confirmed =
      rawCases === null || reportedShare < leastShare
        ? null
        : isScaled
          ? Math.round(rawCases / Math.min(reportedShare, 1))
          : rawCases;
    if (confirmed === null) row.recordLeftOut('reporting');
    else row.recordAdjustment('confirmed', 'reporting, scaled', confirmed - rawCases!);
    const values: RawRow['values'] = { ...row.values, confirmed: confirmed === null ? null : String(confirmed) };
    return { line: row.line, values, rawCases, delivered: row.delivered };
  });
  const reportedAreas = new Set(rows.flatMap(({ values }) => (values.confirmed === null ? [] : values[areaColumn]!)));
  const percent = `${Math.round(100 * leastShare)}%`;
  if (reportedAreas.size === 0)
    throw table
      .at('column reporting_rate')
      .error(
        `less than ${percent} or nothing in every month of every area`,
        'higher rates (or leave the column out of sources.json, if reports are not marked as complete)',
      );
  const keptRows = rows.filter(({ values }) => reportedAreas.has(values[areaColumn]!));
  const unknownMonths = keptRows.filter(
    ({ values, rawCases }) => values.confirmed === null && rawCases !== null,
  ).length;
  const addFinding = (rule: string, what: ReportLine['what']) => report.push({ source: source.id, rule, what });
  addFinding(
    'reporting',
    worded`the cases of ${unknownMonths} of ${keptRows.length} months are unknown, because fewer than ${percent} of the expected reports were made; in other months, missing reports ${isScaled ? 'count as much as the mean of those made' : 'are not made up for'}`,
  );
  if (blankMonths > 0 && blankMeaning)
    addFinding('blank is zero', `${blankMonths} blank months whose reports came in are 0 (reporting)`);
  else if (blankMonths > 0)
    report.push({
      source: source.id,
      rule: 'hard to believe',
      what: `cases are blank although the reports came in: in ${blankMonths} of ${rows.length} months. Perhaps the export leaves zeros out: declare it (sources.json, reporting: {"blank": "zero"}), or export them`,
      needs_approval: true,
    });
  const omittedAreas = [...new Set(rows.map(({ values }) => values[areaColumn]!))].filter(
    (code) => !reportedAreas.has(code),
  );
  if (omittedAreas.length > 0)
    addFinding('left out', `too few reports in every month: ${firstFew(omittedAreas, MOST_EXAMPLES)}`);
  return new RawTable(table, table, keptRows);
}
