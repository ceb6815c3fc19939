/**
 * mgcv on made-up countries, whose truth is known, compared with the risk model's scores of the same countries as
 * recorded in known-truth.json. Needs R with mgcv, and Rscript on PATH:
 *
 *   node test/bench/mgcv-truth.bench.ts [--truth matern,trend,…] [--seeds 1-3] [--countries DIR] [--build DIR]
 *                                       [--draws 200] [--out FILE.csv]
 *
 * mgcv's model (mgcv-truth.R): round, a Duchon spline of place, effects of states and of states in rounds, smooths of
 * log density, elevation, yearly rain and the rain of the previous two months; binomial with weights n / (1 + (n − 1)
 * rho), by restricted maximum likelihood. Months between two rounds are interpolated linearly, months after the last
 * round keep its value. Ranges are drawn from the normal posterior, so they cover the uncertainty of estimated terms
 * only.
 *
 * It never fails because of a score.
 */
import { execFileSync, spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { parseArgs } from 'node:util';
import type { StageIo } from '../../pipeline/catalog/country-stage.ts';
import type { Model } from '../../pipeline/catalog/model.ts';
import { parseFamilies } from '../../pipeline/cli/commands/evaluate/truth.ts';
import { seeds as parseSeeds } from '../../pipeline/cli/terminal/options.ts';
import { formatTable } from '../../pipeline/cli/terminal/text-table.ts';
import {
  addMonths,
  FORECAST_MONTHS,
  monthIndex,
  monthOf,
  type Period,
  periodRange,
} from '../../pipeline/contract/months.ts';
import { areasOf, surveysOf } from '../../pipeline/ingest/areas-of.ts';
import * as ingest from '../../pipeline/ingest/ingest-tables.ts';
import { readCsv } from '../../pipeline/ingest/readers/csv.ts';
import { toCsv } from '../../pipeline/lib/tables/csv.ts';
import * as zonal from '../../pipeline/measure/zonal/zonal-tables.ts';
import type { LgaScore } from '../../pipeline/model/risk/risk-tables.ts';
import { withArtifacts } from '../../pipeline/release/with-artifacts.ts';
import { hasSyntheticCountry, writeSyntheticCountry } from '../../pipeline/synthetic/country.ts';
import { FAMILIES } from '../../pipeline/synthetic/families.ts';
import { compareWithTruth, type GroupSums, poolGroups, scoreGroups } from '../../pipeline/validate/compare-truth.ts';
import { readKnownTruth } from '../../pipeline/validate/known-truth.ts';
import { readTruth } from '../../pipeline/validate/truth-file.ts';
import { GROUPINGS, lgaGroupsOf, spanOf } from '../../pipeline/validate/truth-groups.ts';

const { values: given } = parseArgs({
  options: {
    truth: { type: 'string', default: FAMILIES.join(',') },
    seeds: { type: 'string', default: '1-3' },
    countries: { type: 'string', default: 'build/truth' },
    build: { type: 'string', default: 'build/truth' },
    draws: { type: 'string', default: '200' },
    out: { type: 'string' },
  },
});
const KM_PER_DEGREE = 111.195;
const STAGES = ['ingest', 'zonal', 'season'];

interface Inputs {
  observed: object[];
  cells: object[];
  rain: object[];
  months: object[];
}

/** The input tables of mgcv-truth.R. */
function inputsOf(io: StageIo, model: Model): Inputs {
  const { lgas, states } = areasOf(io);
  const { clusters, state_rounds } = surveysOf(io);
  const number = new Map(lgas.map(({ lga_code }, i) => [lga_code, i + 1]));
  const stateOf = new Map(lgas.map(({ lga_code, state_code }) => [lga_code, state_code]));
  const mean = usualRain(io);
  const annual = new Map(lgas.map(({ lga_code }) => [lga_code, mean(lga_code).reduce((sum, mm) => sum + mm, 0)]));
  const rainBefore = (lga_code: string, month: number) => {
    const mm = mean(lga_code);
    return Math.sqrt((mm[(month + 10) % 12]! + mm[(month + 9) % 12]!) / 2);
  };
  const spots = io.table(zonal.CELLS).map((cell) => ({
    x: cell.longitude * Math.cos((9 * Math.PI) / 180) * KM_PER_DEGREE,
    y: cell.latitude * KM_PER_DEGREE,
    log_density: Math.log(cell.population_density),
    elevation: (cell.elevation_m ?? 0) / 1000,
    annual_rain: annual.get(cell.lga_code)!,
    lga_code: cell.lga_code,
    population: cell.population,
    longitude: cell.longitude,
    latitude: cell.latitude,
  }));
  type Spot = (typeof spots)[number];
  const describe = (spots: Spot[], period: Period) => {
    const people = spots.reduce((sum, { population }) => sum + population, 0);
    const over = (value: (spot: Spot) => number) =>
      spots.reduce((sum, spot) => sum + spot.population * value(spot), 0) / people;
    return {
      x: over(({ x }) => x),
      y: over(({ y }) => y),
      log_density: over(({ log_density }) => log_density),
      elevation: over(({ elevation }) => elevation),
      annual_rain: over(({ annual_rain }) => annual_rain),
      rain: over(({ lga_code }) => rainBefore(lga_code, monthOf(period))),
      state: stateOf.get(spots[0]!.lga_code)!,
    };
  };
  const nearest = (longitude: number, latitude: number) => {
    const away = (spot: Spot) => (0.988 * (spot.longitude - longitude)) ** 2 + (spot.latitude - latitude) ** 2;
    return spots.reduce((best, spot) => (away(spot) < away(best) ? spot : best));
  };
  const byState = Map.groupBy(spots, ({ lga_code }) => stateOf.get(lga_code)!);
  const observed = [
    ...clusters.flatMap(({ longitude, latitude, period, survey_year, examined, positivity }) => {
      if (longitude === null || latitude === null) throw new Error('this benchmark needs clusters with coordinates');
      const counts = { tested: examined, positive: positivity * examined, clustered: 1 };
      return [{ ...describe([nearest(longitude, latitude)], period), round: survey_year, ...counts }];
    }),
    ...state_rounds.map(({ survey_year, period, state_code, positivity }) => {
      const tested = model.parameters.risk.state_only_effective_size;
      const counts = { tested, positive: positivity * tested, clustered: 0 };
      return { ...describe(byState.get(state_code)!, period), round: survey_year, ...counts };
    }),
  ];
  if (byState.size !== states.length) throw new Error('a state has no cells');
  return {
    observed,
    cells: spots.map(({ lga_code, longitude: _, latitude: __, ...rest }) => ({
      ...rest,
      lga: number.get(lga_code)!,
      state: stateOf.get(lga_code)!,
    })),
    rain: lgas.flatMap(({ lga_code }, i) =>
      Array.from({ length: 12 }, (_, month) => ({
        lga: i + 1,
        month: month + 1,
        rain: rainBefore(lga_code, month + 1),
      })),
    ),
    months: monthsOf(model, roundsOf(clusters, state_rounds)),
  };
}

/** Mean rain from January to December by LGA, mm. */
function usualRain(io: StageIo): (lga_code: string) => number[] {
  const months = Map.groupBy(io.table(zonal.CLIMATE), ({ lga_code }) => lga_code);
  const usual = new Map(
    [...months].map(([lga_code, rows]) => [
      lga_code,
      Array.from({ length: 12 }, (_, month) => {
        const own = rows.filter(({ period }) => monthOf(period) === month + 1);
        return own.reduce((sum, { rain_mm }) => sum + rain_mm, 0) / own.length;
      }),
    ]),
  );
  return (lga_code) => usual.get(lga_code)!;
}

/** The middle of each round, as a month index. */
function roundsOf(
  clusters: { survey_year: number; period: Period }[],
  state_rounds: { survey_year: number; period: Period }[],
) {
  return [...Map.groupBy([...clusters, ...state_rounds], ({ survey_year }) => survey_year)]
    .map(([year, rows]) => ({
      year,
      middle: rows.reduce((sum, { period }) => sum + monthIndex(period), 0) / rows.length,
    }))
    .sort((a, b) => a.middle - b.middle);
}

function monthsOf(model: Model, rounds: { year: number; middle: number }[]) {
  return periodRange(model.first_estimated, addMonths(model.last_estimated, FORECAST_MONTHS)).map((period) => {
    const index = monthIndex(period);
    const next = rounds.findIndex(({ middle }) => middle > index);
    const after = rounds[next === -1 ? rounds.length - 1 : next]!;
    const before = rounds[Math.max(0, next === -1 ? rounds.length - 1 : next - 1)]!;
    const later = after === before ? 0 : (index - before.middle) / (after.middle - before.middle);
    return { period, month: monthOf(period), before: before.year, after: after.year, later };
  });
}

/** Scores of every LGA and month by mgcv. */
async function runMgcv(inputs: Inputs, lgas: readonly { lga_code: string }[]): Promise<LgaScore[]> {
  const directory = mkdtempSync(path.join(tmpdir(), 'mgcv-'));
  try {
    for (const [name, rows] of Object.entries(inputs))
      writeFileSync(path.join(directory, `${name}.csv`), `${toCsv(rows)}\n`);
    const script = path.join(import.meta.dirname, 'mgcv-truth.R');
    execFileSync('Rscript', [script, directory, given.draws], { stdio: ['ignore', 'ignore', 'inherit'] });
    const file = path.join(directory, 'predicted.csv');
    const { rows } = await readCsv(file, file);
    return rows.map(({ cells: [lga, period, score, low, high] }) => ({
      lga_code: lgas[Number(lga) - 1]!.lga_code,
      period: period!,
      score: Number(score),
      score_low: Number(low),
      score_high: Number(high),
    }));
  } finally {
    rmSync(directory, { recursive: true, force: true });
  }
}

async function scoreMgcv(country: string): Promise<GroupSums> {
  const truth = await readTruth(country);
  const part = { country, out: given.build, jobs: 1, onEvent: () => {} };
  return withArtifacts(STAGES, part, async ({ model }, io) => {
    const areas = areasOf(io);
    const clusters = io.table(ingest.CLUSTERS);
    const lgas = await runMgcv(inputsOf(io, model), areas.lgas);
    const lgaGroups = lgaGroupsOf(areas, io.table(zonal.LGAS), io.columns(zonal.CELLS), clusters);
    // The baseline is not used here, so mgcv takes its place.
    return compareWithTruth({ lgas, baseline: lgas, draws: null, lgaGroups, span: spanOf(model, clusters) }, truth);
  });
}

if (spawnSync('Rscript', ['-e', 'library(mgcv)']).status !== 0) {
  process.stdout.write('skipped: no Rscript with mgcv on PATH\n');
  process.exit(0);
}
const record = readKnownTruth();
if (!record.of_this_code)
  process.stdout.write('known-truth.json was recorded with other code: see `malaria-risk evaluate truth --help`\n');
const mean = (values: readonly number[]) => values.reduce((sum, value) => sum + value, 0) / values.length;
const rows: Record<string, string | number>[] = [];
for (const truth of parseFamilies(given.truth)) {
  const seeds = parseSeeds(given.seeds);
  const scored: GroupSums[] = [];
  for (const seed of seeds) {
    const country = path.join(given.countries, `${truth}-${seed}`);
    if (!hasSyntheticCountry(seed, truth, country)) await writeSyntheticCountry({ seed, family: truth, out: country });
    scored.push(await scoreMgcv(country));
    process.stderr.write(`${truth}, seed ${seed}\n`);
  }
  for (const mgcv of scoreGroups(poolGroups(scored), GROUPINGS)) {
    const ours = record.countries.filter(
      (own) => own.truth === truth && seeds.includes(own.seed) && own.by === mgcv.by && own.group === mgcv.group,
    );
    // All countries have the same number of LGA-months, so plain means are right.
    if (ours.length !== seeds.length) continue;
    const own = (name: 'coverage_90' | 'bias' | 'interval_score') => mean(ours.map((country) => country[name]));
    rows.push({
      truth,
      months: mgcv.group,
      lga_months: mgcv.lga_months,
      coverage_90: own('coverage_90'),
      mgcv_coverage_90: mgcv.coverage_90,
      bias: own('bias'),
      mgcv_bias: mgcv.bias,
      rmse: Math.sqrt(mean(ours.map(({ rmse }) => rmse ** 2))),
      mgcv_rmse: mgcv.rmse,
      interval_score: own('interval_score'),
      mgcv_interval_score: mgcv.interval_score,
    });
  }
}
for (const row of rows)
  for (const [name, value] of Object.entries(row)) if (typeof value === 'number') row[name] = Number(value.toFixed(4));
if (given.out) writeFileSync(given.out, `${toCsv(rows)}\n`);
process.stdout.write(`${formatTable(rows)}\n`);
