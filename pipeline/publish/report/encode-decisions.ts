/** The page's data beyond the scores, in compact form; page-data.ts describes the formats. */
import { LEVELS, riskLevel } from '../../contract/levels.ts';
import type { Period } from '../../contract/months.ts';
import type { Contents } from '../snapshot/contents.ts';
import { coveredPeriods, type SnapshotTables } from '../snapshot/snapshot-tables.ts';
import type { Evidence } from './shared/evidence.ts';
import {
  CERTAINTY,
  CONTRAST_SCALE,
  type Grid,
  MEASURES,
  MISSING_CHANGE,
  type PageData,
  type ScoreGrids,
  UNKNOWN_SPREAD,
  VERDICTS,
} from './shared/page-data.ts';
import { toDeviation } from './shared/spread.ts';

/** Number of estimated months, up to the last one, for which the page shows changes. */
const MONTHS_WITH_CHANGES = 12;

type AreaIndices = ReadonlyMap<string, number>;

/** Index of every area: states, then LGAs. */
export const areaIndices = ({
  context_states,
  context_lgas,
}: Pick<SnapshotTables, 'context_states' | 'context_lgas'>): AreaIndices =>
  new Map(
    [...context_states.map((row) => row.state_code), ...context_lgas.map((row) => row.lga_code)].map((code, i) => [
      code,
      i,
    ]),
  );

interface GridForm {
  areas: AreaIndices;
  months: readonly number[];
  columns: number;
  bits: Grid['bits'];
  missing: number;
}

/** @param rows numbers by column of an area in a month, an index of the periods; other months are left out */
function encodeGrid(
  { areas, months, columns, bits, missing }: GridForm,
  rows: Iterable<{ code: string; month: number; values: readonly number[] }>,
): Grid {
  const positions = new Map(months.map((month, i) => [month, i]));
  const size = columns * areas.size * months.length;
  const numbers = (bits === 8 ? new Uint8Array(size) : new Int16Array(size)).fill(missing);
  for (const { code, month, values } of rows) {
    const position = positions.get(month);
    if (position === undefined) continue;
    for (const [column, value] of values.entries())
      numbers[(column * areas.size + areas.get(code)!) * months.length + position] = value;
  }
  return { months, bits, values: Buffer.from(numbers.buffer).toString('base64') };
}

const monthIndices = (tables: SnapshotTables) =>
  new Map<string, number>(coveredPeriods(tables).map((period, i) => [period, i]));

/** The page data's `now` and `history`. @param months indices of the periods; all by default */
export function encodeScores(tables: SnapshotTables, months?: readonly number[]): ScoreGrids {
  const [areas, indices] = [areaIndices(tables), monthIndices(tables)];
  const form = { areas, months: months ?? [...indices.values()], missing: 0 };
  const scoreRows = [
    ...[...tables.risk_states, ...tables.forecasts_states].map((row) => ({ ...row, code: row.state_code })),
    ...[...tables.risk_lgas, ...tables.forecasts_lgas].map((row) => ({ ...row, code: row.lga_code })),
  ].map(({ code, period, score, score_low, score_high }) => ({
    code,
    month: indices.get(period)!,
    level: riskLevel(score),
    values: [score, score_low, score_high].map(tenThousandths),
  }));
  const levels = new Map(scoreRows.map(({ code, month, level }) => [`${code} ${month}`, level]));
  const chanceRows = tables.probabilities.map((row) => {
    const month = indices.get(row.period)!;
    const { probability_highest_nation, probability_highest_state } = row;
    return {
      code: row.code,
      month,
      values: [
        ...LEVELS.slice(0, -1).map(({ level }) =>
          percent(row[`probability_above_${level}` as keyof typeof row] as number),
        ),
        // Plus a little, so that 0.8, which has no exact binary form, is 80.
        Math.floor(100 * row[`probability_${levels.get(`${row.code} ${month}`)!}`] + 1e-6),
        percent(probability_highest_nation),
        probability_highest_state === null ? 255 : percent(probability_highest_state),
      ],
    };
  });
  return {
    scores: encodeGrid({ ...form, columns: 3, bits: 16 }, scoreRows),
    // Simpler models than the spatial one have none.
    chances: chanceRows.length === 0 ? null : encodeGrid({ ...form, columns: CERTAINTY.length, bits: 8 }, chanceRows),
  };
}

/** The page data's `draws`. */
export function encodeDraws(
  { context_lgas, risk_lgas }: SnapshotTables,
  last_estimated: string,
  draws: Evidence['joint']['lga_draws'],
): PageData['draws'] {
  const ranges = new Map(risk_lgas.filter(({ period }) => period === last_estimated).map((row) => [row.lga_code, row]));
  const bytes = context_lgas.flatMap(({ lga_code }) => {
    const { score_low, score_high } = ranges.get(lga_code)!;
    // As the page has it.
    const range = { low: tenThousandths(score_low) / 1e4, high: tenThousandths(score_high) / 1e4 };
    return (draws[lga_code] ?? []).map((share) => toDeviation(share, range));
  });
  return Buffer.from(Int8Array.from(bytes).buffer).toString('base64');
}

/** Changes of the last year and of the forecast months, the page data's `changes`. */
export function encodeChanges(tables: SnapshotTables, last_estimated: string): PageData['changes'] {
  const indices = monthIndices(tables);
  const first = indices.get(last_estimated)! + 1 - MONTHS_WITH_CHANGES;
  const rows = tables.changes.map((row) => ({ ...row, month: indices.get(row.period)! }));
  const surveyMonths = new Map(
    rows.flatMap(({ month, survey_month }) => (survey_month === null ? [] : [[month, survey_month as Period]])),
  );
  const months = [...new Set(rows.map(({ month }) => month))].filter((month) => month >= first).sort((a, b) => a - b);
  const grid = encodeGrid(
    { areas: areaIndices(tables), months, columns: 4, bits: 16, missing: MISSING_CHANGE },
    rows.map(({ code, month, change_survey, change_survey_low, change_survey_high, probability_rise_survey }) => ({
      code,
      month,
      values: [change_survey, change_survey_low, change_survey_high, probability_rise_survey].map((value) =>
        value === null ? MISSING_CHANGE : tenThousandths(value),
      ),
    })),
  );
  return { grid, survey_months: months.map((month) => surveyMonths.get(month) ?? null) };
}

/** The page data's `contrasts`. */
export function encodeContrasts(tables: SnapshotTables, rows: Evidence['contrasts']): PageData['contrasts'] {
  const columns = rows.reduce((most, { change_sd }) => Math.max(most, change_sd.length), 0);
  if (columns === 0) return null;
  const indices = monthIndices(tables);
  return encodeGrid(
    { areas: areaIndices(tables), months: [...indices.values()], columns, bits: 8, missing: UNKNOWN_SPREAD },
    rows.map(({ code, period, change_sd }) => ({
      code,
      month: indices.get(period)!,
      values: change_sd.map((sd) => Math.min(UNKNOWN_SPREAD - 1, Math.round(CONTRAST_SCALE * sd))),
    })),
  );
}

/** The best four months by area, the page data's `windows`. */
export function encodeWindows(tables: SnapshotTables): PageData['windows'] {
  if (tables.season_windows.length === 0) return [];
  const rows = new Map(
    tables.season_windows.flatMap((row) => (row.months === 4 ? [[`${row.code} ${row.measure}`, row] as const] : [])),
  );
  return [...areaIndices(tables).keys()].map((code) =>
    MEASURES.flatMap((measure) => {
      const row = rows.get(`${code} ${measure}`)!;
      return [
        row.first_month,
        percent(row.share),
        percentOrNull(row.share_low),
        percentOrNull(row.share_high),
        percentOrNull(row.start_probability),
        row.criterion === null ? null : VERDICTS.indexOf(row.criterion),
        row.record_first_month,
        percentOrNull(row.record_share),
        percentOrNull(row.record_best_share),
      ];
    }),
  );
}

/** Titles and notes of the context figures that are not the same everywhere. */
export function encodeLayers({ sources, tables }: Contents): PageData['layers'] {
  return sources.flatMap(({ figure, title, notes }) => {
    if (figure === undefined) return [];
    const values = new Set(tables.context_lgas.map((row) => row[figure]));
    return values.size > 1 ? [{ figure, title, notes: notes ?? [] }] : [];
  });
}

/** The observations and their dates: survey rounds, then monthly data. */
export function encodeObserved({ sources }: Contents, rounds: PageData['rounds']): PageData['observed'] {
  const rolePeriods = sources.flatMap(({ role, span }) =>
    span && role in MONTHLY_ROLES ? [{ what: MONTHLY_ROLES[role]!, months: [span.first, span.last], span: true }] : [],
  );
  const merged = [...Map.groupBy(rolePeriods, ({ what }) => what)].map(([what, periodsOfKind]) => {
    const months = periodsOfKind.flatMap(({ months }) => months).sort();
    return { what, months: [months[0]!, months.at(-1)!], span: true };
  });
  return [
    { what: 'Surveys', months: rounds.map(({ middle }) => middle), span: false },
    ...merged,
  ] as PageData['observed'];
}

const MONTHLY_ROLES: Readonly<Record<string, string>> = { climate: 'Rain', cases_states: 'Cases', cases_lgas: 'Cases' };

const tenThousandths = (value: number) => Math.round(10_000 * value);
const percent = (share: number) => Math.round(100 * share);
const percentOrNull = (share: number | null) => (share === null ? null : percent(share));
