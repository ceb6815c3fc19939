/** Forecasts of cases for DHIS2, in the form in which their records may be passed on. */
import { mayPassOnCases, type Source } from '../../catalog/sources.ts';
import type { CasesRow } from '../../ingest/ingest-tables.ts';
import { withMeaning } from '../../lib/tables/table.ts';
import { CASES } from '../../model/forecast/forecast-tables.ts';
import { encodeCases } from '../report/encode-observed.ts';
import type { SnapshotTables } from '../snapshot/snapshot-tables.ts';
import type { AreaMonth } from './data-values.ts';
import type { Figure } from './metadata.ts';

/** As counts, or as the report's index (100: the mean of the last year of reports), or not at all. */
export const CASE_UNITS = ['counts', 'index', 'none'] as const;
export type CaseUnit = (typeof CASE_UNITS)[number];

type Forecast = SnapshotTables['forecasts_cases'][number];

const QUANTILE_NAMES = { q05: '5%', q50: 'median', q95: '95%' } as const;

/** The form that the catalog allows: counts can be derived from forecasts of counts. */
export const allowedCaseUnit = (sources: readonly Source[]): CaseUnit => (mayPassOnCases(sources) ? 'counts' : 'index');

/** The columns of `caseRows`. */
export function caseFigures(unit: CaseUnit): Figure[] {
  if (unit === 'none') return [];
  const [prefix, label, explanation] =
    unit === 'counts'
      ? ['cases', 'cases', '']
      : ['cases_index', 'case index', '; 100: mean of the last year of reports'];
  return Object.entries(QUANTILE_NAMES).map(([quantile, name]) => ({
    column: `${prefix}_${quantile}`,
    name: `${label} forecast ${name}`,
    form: withMeaning(
      `Forecast of confirmed cases, ${name}${explanation}`,
      CASES.columns[quantile as keyof typeof QUANTILE_NAMES],
    ),
  }));
}

/**
 * The forecasts by the columns of `caseFigures`.
 * @param forecasts by area and month, ascending
 * @param records those that they were made from; only an index needs them
 */
export function caseRows(unit: CaseUnit, forecasts: Forecast[], records: readonly CasesRow[]): AreaMonth[] {
  if (unit === 'none') return [];
  const index = unit === 'index' ? encodeCases({ forecasts_cases: forecasts }, records) : null;
  const columns = caseFigures(unit).map(({ column }) => column);
  return [...Map.groupBy(forecasts, ({ code }) => code).values()].flatMap((areaForecasts) =>
    areaForecasts.flatMap(({ area, code, period, horizon_months, q05, q50, q95 }, i) => {
      const values = index ? index[code]?.ahead[i] : [q05, q50, q95];
      const figures = Object.fromEntries(columns.map((column, k) => [column, values?.[k] ?? null]));
      return [{ area, code, period, monthsAhead: horizon_months, ...figures }];
    }),
  );
}
