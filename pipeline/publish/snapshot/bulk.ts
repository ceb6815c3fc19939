/** Answers for the whole nation or for every month of a place: the same rows as in the others, in fewer requests. */
import type { Level } from '../../contract/levels.ts';
import { type Coverage, FORECAST_MONTHS, forecastPeriods } from '../../contract/operations.ts';
import type * as schemas from '../../contract/schemas.ts';
import { formatsOf, SERVED_TABLES, tableFile } from '../../contract/table-list.ts';
import type { Territory } from '../../contract/territory.ts';
import { topologyOf } from './adjacency.ts';
import type { Contents } from './contents.ts';
import type { SnapshotTables } from './snapshot-tables.ts';
import { tablesIn } from './table-columns.ts';

type LgaRow = SnapshotTables['risk_lgas'][number];

const nationLga = (row: LgaRow): schemas.NationLga => {
  const { lga_code, lga, state_code, score, score_low, score_high, level, is_urban, population } = row;
  return { lga_code, lga, state_code, score, score_low, score_high, level, is_urban, population };
};

/** LGAs of the nation by month, highest score first. */
const ranked = (rows: readonly LgaRow[]) =>
  new Map(
    [...Map.groupBy(rows, ({ period }) => period)].map(([period, own]) => [
      period,
      own.map(nationLga).sort((a, b) => b.score - a.score || (a.lga_code < b.lga_code ? -1 : 1)),
    ]),
  );

export function* riskOfNation({ risk_lgas }: SnapshotTables): Generator<schemas.RiskNation> {
  for (const [period, lgas] of ranked(risk_lgas)) yield { period, kind: 'estimated', lgas };
}

/** Forecasts of the first month, the first two months, and so on. */
export function* forecastsOfNation(
  { forecasts_lgas }: SnapshotTables,
  coverage: Coverage,
): Generator<schemas.ForecastsNation> {
  const lgas = ranked(forecasts_lgas);
  for (let months = 1; months <= FORECAST_MONTHS; months++)
    yield {
      forecasts: forecastPeriods(coverage)
        .slice(0, months)
        .map((period) => ({ period, kind: 'forecast', lgas: lgas.get(period) ?? [] })),
    };
}

interface Scored {
  period: string;
  score: number;
  score_low: number;
  score_high: number;
  level: Level;
}

/** Returns a function from an area's code to all its months. */
function seriesBy<Row extends Scored>(
  estimated: readonly Row[],
  ahead: readonly Row[],
  codeOf: (row: Row) => string,
  { basis, probabilities, changes }: SnapshotTables,
) {
  const bases = byPlaceAndMonth(basis);
  const odds = byPlaceAndMonth(probabilities);
  const moves = byPlaceAndMonth(changes);
  const rows = Map.groupBy(
    [
      ...estimated.map((row) => ({ row, kind: 'estimated' as const })),
      ...ahead.map((row) => ({ row, kind: 'forecast' as const })),
    ],
    ({ row }) => codeOf(row),
  );
  return (code: string): schemas.SeriesMonth[] =>
    (rows.get(code) ?? [])
      .map(({ row: { period, score, score_low, score_high, level }, kind }) => {
        const at = `${code} ${period}`;
        const probability = odds.get(at);
        const change = moves.get(at);
        return {
          period,
          kind,
          score,
          score_low,
          score_high,
          level,
          basis: bases.get(at)!.basis,
          level_probability: probability?.[`probability_${level}`] ?? null,
          probability_highest_nation: probability?.probability_highest_nation ?? null,
          change_year: change?.change_year ?? null,
          change_year_low: change?.change_year_low ?? null,
          change_year_high: change?.change_year_high ?? null,
          probability_rise_year: change?.probability_rise_year ?? null,
        };
      })
      .sort((a, b) => (a.period < b.period ? -1 : 1));
}

const byPlaceAndMonth = <Row extends { code: string; period: string }>(rows: readonly Row[]) =>
  new Map(rows.map((row) => [`${row.code} ${row.period}`, row]));

export function* seriesOfStates(tables: SnapshotTables): Generator<schemas.SeriesStates> {
  const seriesOf = seriesBy(tables.risk_states, tables.forecasts_states, ({ state_code }) => state_code, tables);
  for (const { state_code, state, zone, population } of tables.context_states)
    yield { state_code, state, zone, population, series: seriesOf(state_code) };
}

export function* seriesOfLgas(tables: SnapshotTables): Generator<schemas.SeriesLgas> {
  const seriesOf = seriesBy(tables.risk_lgas, tables.forecasts_lgas, ({ lga_code }) => lga_code, tables);
  for (const { lga_code, lga, state_code, is_urban, population } of tables.context_lgas)
    yield { lga_code, lga, state_code, is_urban, population, series: seriesOf(lga_code) };
}

export function boundariesOfNation({ boundaries_lgas }: SnapshotTables, source: string): schemas.BoundariesNation {
  return {
    type: 'FeatureCollection',
    source,
    features: boundaries_lgas.map(({ lga_code, lga, state_code, geometry }) => ({
      type: 'Feature',
      geometry,
      properties: { lgaCode: lga_code, lga, state: state_code },
    })),
  };
}

export function boundariesTopology(tables: SnapshotTables, source: string): schemas.BoundariesTopology {
  const { type, bbox, transform, objects, arcs } = topologyOf(tables);
  return { type, source, bbox, transform, objects, arcs };
}

export function placesAnswer({ places }: SnapshotTables): schemas.Places {
  const near = (neighbours: string) => neighbours.split(' ').filter(Boolean);
  const other = (aliases: string | null) => aliases?.split('; ') ?? [];
  return {
    states: places.flatMap(({ area, code, name, zone, pcode, aliases, iso_code, longitude, latitude, neighbours }) =>
      area === 'state'
        ? [
            {
              state_code: code,
              state: name,
              aliases: other(aliases),
              zone,
              pcode,
              iso_code,
              longitude,
              latitude,
              neighbours: near(neighbours),
            },
          ]
        : [],
    ),
    lgas: places.flatMap(({ area, code, name, aliases, state_code, longitude, latitude, neighbours }) =>
      area === 'lga'
        ? [
            {
              lga_code: code,
              lga: name,
              aliases: other(aliases),
              state_code,
              longitude,
              latitude,
              neighbours: near(neighbours),
            },
          ]
        : [],
    ),
  };
}

export function tablesAnswer(tables: SnapshotTables, territory: Territory): schemas.Tables {
  const forms = tablesIn(territory);
  return {
    tables: SERVED_TABLES.filter(({ table }) => tables[table].length > 0).map(({ table, scopes }) => {
      const form = forms[table];
      return {
        table,
        row: form.row,
        rows: tables[table].length,
        scopes: [...scopes],
        addresses: formatsOf(table).map((format) => `/v1/${tableFile(table, format)}`),
        columns: Object.entries(form.columns).map(([column, { type, nullable = false, about }]) => ({
          column,
          type,
          nullable,
          meaning: about,
        })),
      };
    }),
  };
}

/** The citation of this version's answers. */
export function citationOf({ model, model_version }: Pick<Contents, 'model' | 'model_version'>): string {
  const madeUp = model.synthetic ? ' of a made-up country' : '';
  return `Malaria Risk Data Service, estimates${madeUp}, version ${model_version}, ${model.updated_at.slice(0, 10)}`;
}

export function licencesAnswer(contents: Pick<Contents, 'sources' | 'model' | 'model_version'>): schemas.Licences {
  return {
    cite: citationOf(contents),
    sources: contents.sources.map(({ id, title, producer, citation, licence, release }) => ({
      id,
      title,
      producer,
      citation,
      licence,
      release,
    })),
    code: 'Apache-2.0',
  };
}
