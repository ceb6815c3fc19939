/** Observations for the page's scripts: where children were tested, and reported cases with their forecasts. */
import { addMonths, type Period } from '../../contract/months.ts';
import type { CasesRow, Cluster } from '../../ingest/ingest-tables.ts';
import { expit } from '../../lib/numerics/special.ts';
import type { RiskEvidence } from '../../model/risk/risk-tables.ts';
import type { Contents } from '../snapshot/contents.ts';
import type { SnapshotTables } from '../snapshot/snapshot-tables.ts';
import type { AreaDraws } from '../snapshot/totals-table.ts';
import type { PageCases, PageData } from './shared/page-data.ts';

/** The page data's `tested`. */
export function encodeTested(
  { context_lgas }: Pick<SnapshotTables, 'context_lgas'>,
  clusters: readonly Pick<Cluster, 'lga_code' | 'survey_year' | 'examined' | 'positivity'>[],
): PageData['tested'] {
  if (clusters.length === 0 || clusters.some(({ lga_code }) => lga_code === null)) return null;
  const rounds = [...new Set(clusters.map(({ survey_year }) => survey_year))].sort((a, b) => a - b);
  const clustersByRound = Map.groupBy(clusters, ({ lga_code, survey_year }) => `${lga_code} ${survey_year}`);
  const lgas = context_lgas.map(({ lga_code }) =>
    rounds.map((year): [number, number, number] => {
      const rows = clustersByRound.get(`${lga_code} ${year}`) ?? [];
      const children = rows.reduce((sum, { examined }) => sum + examined, 0);
      const positive = rows.reduce((sum, { examined, positivity }) => sum + examined * positivity, 0);
      return [Math.round(children), rows.length, Math.round(positive)];
    }),
  );
  return { rounds, lgas };
}

/** The page data's `next_survey`. */
export function encodeNextSurvey(
  clusters: readonly Pick<Cluster, 'survey_year' | 'examined'>[],
  { spatial }: Pick<RiskEvidence, 'spatial'>,
): PageData['next_survey'] {
  const rho = spatial?.hyperparameters.filter(({ name }) => name.startsWith('rho_')).at(-1);
  if (rho === undefined || clusters.length === 0) return null;
  const lastYear = Math.max(...clusters.map(({ survey_year }) => survey_year));
  const lastRound = clusters.filter(({ survey_year }) => survey_year === lastYear);
  const children = lastRound.reduce((sum, { examined }) => sum + examined, 0) / lastRound.length;
  return { children: Math.max(1, Math.round(children)), rho: expit(rho.mean) };
}

/** Reported months that the page shows before the forecasts. */
const REPORTED_MONTHS = 24;

/**
 * The page data's `cases`. Where producers do not allow counts to be passed on they are an index, which a record
 * without cases in its last twelve months does not have. As in the forecasts, a state's are the sum of its LGAs' if
 * these have records, unknown in a month in which any is.
 */
export function encodeCases(
  { forecasts_cases }: Pick<SnapshotTables, 'forecasts_cases'>,
  records: readonly CasesRow[],
  cases_in: PageData['cases_in'] = 'index',
): PageData['cases'] {
  const reported = new Map(records.map((row) => [`${row.lga_code ?? row.state_code} ${row.period}`, row.confirmed]));
  const lgaRecords = records.filter(({ lga_code }) => lga_code !== null);
  for (const [state_code, rows] of Map.groupBy(lgaRecords, (row) => row.state_code)) {
    const lgaCount = new Set(rows.map(({ lga_code }) => lga_code)).size;
    for (const [period, rowsOfMonth] of Map.groupBy(rows, (row) => row.period)) {
      const isKnown =
        rowsOfMonth.length === lgaCount && rowsOfMonth.every(({ confirmed, masked }) => confirmed !== null && !masked);
      const sum = rowsOfMonth.reduce((total, { confirmed }) => total + (confirmed ?? 0), 0);
      reported.set(`${state_code} ${period}`, isKnown ? sum : null);
    }
  }
  const forecastsByArea = Map.groupBy(forecasts_cases, ({ code }) => code);
  return Object.fromEntries(
    [...forecastsByArea].flatMap(([code, forecasts]): [string, PageCases][] => {
      const last = addMonths(forecasts[0]!.period as Period, -1);
      const months = Array.from({ length: REPORTED_MONTHS }, (_, i) => addMonths(last, i + 1 - REPORTED_MONTHS));
      const counts = months.map((period) => reported.get(`${code} ${period}`) ?? null);
      const lastYear = counts.slice(-12).filter((count) => count !== null);
      const mean = lastYear.reduce((sum, count) => sum + count, 0) / lastYear.length;
      if (cases_in === 'index' && !(mean > 0)) return [];
      const convert = (count: number) => (cases_in === 'cases' ? count : Math.round((100 * count) / mean));
      return [
        [
          code,
          {
            last,
            reported: counts.map((count) => count && convert(count)),
            ahead: forecasts.map(({ q05, q50, q95 }) => [q05, q50, q95].map(convert)),
          },
        ],
      ];
    }),
  );
}

/** The page data's `alerts`. */
export function encodeAlerts({ tables, sources }: Pick<Contents, 'tables' | 'sources'>): PageData['alerts'] {
  const notes = sources.flatMap((source) => (source.role.startsWith('cases_') ? (source.notes ?? []) : []));
  const stateNames = new Set(tables.context_states.map(({ state }) => state));
  // An LGA that is called like a state is meant only where its code stands.
  const namesByCode = new Map(
    tables.places.map(({ area, code, name }) => [code, area === 'lga' && stateNames.has(name) ? [code] : [code, name]]),
  );
  const findNotes = (code: string) =>
    notes.filter((note) => namesByCode.get(code)!.some((name) => containsName(note, name)));
  return Object.fromEntries(tables.alerts.map((row) => [row.code, { ...row, doubts: findNotes(row.code) }]));
}

/** The page data's `totals`. */
export function encodeTotals(
  { forecasts_totals: rows }: Pick<SnapshotTables, 'forecasts_totals'>,
  areaDraws: readonly AreaDraws[],
): PageData['totals'] {
  const rangesByCode = Map.groupBy(rows, ({ code }) => code);
  const ranges = (code: string | null) => (rangesByCode.get(code) ?? []).map(({ q05, q50, q95 }) => [q05, q50, q95]);
  const states = areaDraws.filter(({ area }) => area === 'state');
  // No finer than in the table, where an index hides counts that may not be passed on.
  const values = states.flatMap(({ months, base }) => {
    const factor = rows[0]?.cases_in === 'cases' ? 1 : 100 / base;
    return months.flatMap((draws) => Array.from(draws, (cases) => Math.round(factor * cases)));
  });
  return {
    spans: (rangesByCode.get(null) ?? []).map(({ period, months }) => ({ period: period as Period, months })),
    nation: ranges(null),
    areas: Object.fromEntries(
      [...rangesByCode.keys()].flatMap((code) => (code === null ? [] : [[code, ranges(code)]])),
    ),
    states: states.map(({ code }) => code),
    draws: states[0]?.months[0]?.length ?? 0,
    values: Buffer.from(Uint32Array.from(values).buffer).toString('base64'),
  };
}

/** Whether a text has a name that is no part of a longer word. */
const containsName = (text: string, name: string) =>
  new RegExp(`(?<![\\p{L}\\p{N}])${RegExp.escape(name)}(?![\\p{L}\\p{N}])`, 'u').test(text);
