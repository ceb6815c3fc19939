/** The page's data beyond the scores, in compact form; page-data.ts describes the formats. */
import { LEVELS, riskLevel } from '../../contract/levels.ts';
import type { Contents } from '../snapshot/contents.ts';
import { coveredPeriods, type SnapshotTables } from '../snapshot/snapshot-tables.ts';
import type { Evidence } from './shared/evidence.ts';
import { CERTAINTY, CONTRAST_SCALE, MEASURES, MISSING_CHANGE, type PageData, VERDICTS } from './shared/page-data.ts';

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

/** Chances as bytes, the page data's `certainty`. */
export function encodeCertainty(tables: SnapshotTables): string {
  // Simpler models than the spatial one have none.
  if (tables.probabilities.length === 0) return '';
  const [indices, periods] = [areaIndices(tables), coveredPeriods(tables)];
  const monthIndices = new Map(periods.map((period, i) => [period, i]));
  const bytes = Buffer.alloc(indices.size * periods.length * CERTAINTY.length);
  const areaPosition = (code: string, period: string) =>
    (indices.get(code)! * periods.length + monthIndices.get(period)!) * CERTAINTY.length;
  const levels = new Map<number, string>();
  for (const row of [...tables.risk_states, ...tables.forecasts_states])
    levels.set(areaPosition(row.state_code, row.period), riskLevel(row.score));
  for (const row of [...tables.risk_lgas, ...tables.forecasts_lgas])
    levels.set(areaPosition(row.lga_code, row.period), riskLevel(row.score));
  for (const row of tables.probabilities) {
    const position = areaPosition(row.code, row.period);
    const levelProbability = row[`probability_${levels.get(position)}` as keyof typeof row] as number;
    const aboveLevels = LEVELS.slice(0, -1).map(
      ({ level }) => row[`probability_above_${level}` as keyof typeof row] as number,
    );
    const { probability_highest_nation, probability_highest_state } = row;
    bytes.set(
      [
        ...aboveLevels.map(percent),
        // Plus a little, so that 0.8, which has no exact binary form, is 80.
        Math.floor(100 * levelProbability + 1e-6),
        percent(probability_highest_nation),
        probability_highest_state === null ? 255 : percent(probability_highest_state),
      ],
      position,
    );
  }
  return bytes.toString('base64');
}

/** Changes of the last year and of the forecast months, the page data's `changes`. */
export function encodeChanges(tables: SnapshotTables, last_estimated: string): PageData['changes'] {
  const [indices, periods] = [areaIndices(tables), coveredPeriods(tables)];
  const first = Math.max(0, periods.indexOf(last_estimated as (typeof periods)[number]) + 1 - MONTHS_WITH_CHANGES);
  const periodsWithChanges = new Set(tables.changes.map(({ period }) => period));
  const months = periods.flatMap((period, i) => (i >= first && periodsWithChanges.has(period) ? [i] : []));
  const positionByPeriod = new Map(months.map((month, i) => [periods[month], i]));
  const bytes = Buffer.alloc(indices.size * months.length * 8 * 2);
  const surveyMonths = months.map((): PageData['changes']['survey_months'][number] => null);
  for (const row of tables.changes) {
    const month = positionByPeriod.get(row.period);
    if (month === undefined) continue;
    surveyMonths[month] ??= row.survey_month as (typeof surveyMonths)[number];
    const values = [
      row.change_year,
      row.change_year_low,
      row.change_year_high,
      row.probability_rise_year,
      row.change_survey,
      row.change_survey_low,
      row.change_survey_high,
      row.probability_rise_survey,
    ];
    values.forEach((value, i) => {
      const scaled = value === null ? MISSING_CHANGE : Math.round(10_000 * value);
      bytes.writeInt16LE(scaled, 2 * ((indices.get(row.code)! * months.length + month) * 8 + i));
    });
  }
  return { months, survey_months: surveyMonths, values: bytes.toString('base64') };
}

/** The page data's `contrasts`. */
export function encodeContrasts(tables: SnapshotTables, rows: Evidence['contrasts']): PageData['contrasts'] {
  const years = rows.reduce((most, { change_sd }) => Math.max(most, change_sd.length), 0);
  const [indices, periods] = [areaIndices(tables), coveredPeriods(tables)];
  const monthIndices = new Map<string, number>(periods.map((period, i) => [period, i]));
  const bytes = Buffer.alloc(years === 0 ? 0 : indices.size * periods.length * years, 255);
  for (const { code, period, change_sd } of rows) {
    const offset = (indices.get(code)! * periods.length + monthIndices.get(period)!) * years;
    bytes.set(
      change_sd.map((sd) => Math.min(254, Math.round(CONTRAST_SCALE * sd))),
      offset,
    );
  }
  return { years, values: bytes.toString('base64') };
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

const percent = (share: number) => Math.round(100 * share);
const percentOrNull = (share: number | null) => (share === null ? null : percent(share));
