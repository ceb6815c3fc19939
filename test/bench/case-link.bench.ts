/**
 * What case records add to scores after the last survey on made-up countries, whose truth is known: the same fit,
 * predicting with case records (forecast/MODEL.md, section 8) and with the usual season alone, by year, and by months
 * ahead for the forecasts.
 *
 *   node test/bench/case-link.bench.ts [--truth linked,unlinked] [--seeds 1-5] [--surveys-to 2018] [--countries DIR]
 *     [--build DIR]
 *
 * Scores are grouped by LGA-months in states with case records and in others. It never fails because of a score.
 */
import path from 'node:path';
import { parseArgs } from 'node:util';
import type { StageIo } from '../../pipeline/catalog/country-stage.ts';
import { parseFamilies } from '../../pipeline/cli/commands/evaluate/truth.ts';
import { seeds as parseSeeds, say } from '../../pipeline/cli/terminal/options.ts';
import { formatTable } from '../../pipeline/cli/terminal/text-table.ts';
import { addMonths, FORECAST_MONTHS, monthIndex, periodRange } from '../../pipeline/contract/months.ts';
import { areasOf } from '../../pipeline/ingest/areas-of.ts';
import * as ingest from '../../pipeline/ingest/ingest-tables.ts';
import { quantile } from '../../pipeline/lib/numerics/quantiles.ts';
import { type RowOf, rowsOf, type Table } from '../../pipeline/lib/tables/table.ts';
import { type LinkEvidence, run as linkStage } from '../../pipeline/model/link/link-stage.ts';
import type * as link from '../../pipeline/model/link/link-tables.ts';
import { caseShiftOf } from '../../pipeline/model/risk/case-shift.ts';
import { estimateRisk, pathsAt } from '../../pipeline/model/risk/estimate.ts';
import { inputsOf, prepareRisk } from '../../pipeline/model/risk/inputs.ts';
import { drawMonths } from '../../pipeline/model/risk/paths.ts';
import { withArtifacts } from '../../pipeline/release/with-artifacts.ts';
import { hasSyntheticCountry, writeSyntheticCountry } from '../../pipeline/synthetic/country.ts';
import { readTruth, type Truth } from '../../pipeline/validate/truth-file.ts';
import { addSums, noSums, sumsOf, type TruthSums, truthScore } from '../../pipeline/validate/truth-scores.ts';

const { values: given } = parseArgs({
  options: {
    truth: { type: 'string', default: 'linked' },
    seeds: { type: 'string', default: '1-5' },
    'surveys-to': { type: 'string', default: '9999' },
    countries: { type: 'string', default: 'build/truth' },
    build: { type: 'string', default: 'build/truth' },
  },
});
const NEEDED = ['ingest', 'zonal', 'season'];

for (const family of parseFamilies(given.truth)) {
  const groups = new Map<string, TruthSums>();
  for (const seed of parseSeeds(given.seeds)) {
    const country = path.join(given.countries, `${family}-${seed}`);
    if (!hasSyntheticCountry(seed, family, country)) await writeSyntheticCountry({ seed, family, out: country });
    const truth = await readTruth(country);
    await withArtifacts(NEEDED, { country, out: given.build, jobs: 1, onEvent: () => {} }, async (_, io) => {
      const early = withSurveysTo(Number(given['surveys-to']), io);
      const { evidence, shift } = await linkStage(early);
      say(`${country}: ${describe(evidence as LinkEvidence)}`);
      await score(early, rowsOf((shift as Table).columns), truth, groups);
    });
    say(`${family} up to seed ${seed}\n${tableOfScores(groups)}`);
  }
}

function describe({ elasticity, carry_over }: LinkEvidence): string {
  const { surveys, posterior, used } = elasticity;
  const two = (value: number | undefined) => value?.toFixed(2) ?? '-';
  return (
    `surveys ${two(surveys?.mean)} ± ${two(surveys?.sd)}, with the prior ${two(posterior.mean)} ± ` +
    `${two(posterior.sd)}, used ${two(used.mean)}; explained by other states ${two(carry_over.explained)}, slope used ${two(carry_over.used?.slope)}`
  );
}

/** The country as if later surveys had not been made. */
function withSurveysTo(year: number, io: StageIo): StageIo {
  const table: StageIo['table'] = (form) =>
    io.table(form).filter((row) => !('survey_year' in row) || (row.survey_year as number) <= year);
  return { ...io, table };
}

async function score(
  io: StageIo,
  shift: RowOf<typeof link.SHIFT>[],
  truth: Truth,
  groups: Map<string, TruthSums>,
): Promise<void> {
  const { risk, seed } = io.model.parameters;
  const recorded = new Set(io.table(ingest.CASES).map(({ state_code }) => state_code));
  const { lgas, states } = areasOf(io);
  const last = io.model.last_estimated;
  const prepared = prepareRisk(inputsOf(io));
  const periods = periodRange(addMonths(prepared.fieldwork_ends.at(-1)!, 1), addMonths(last, FORECAST_MONTHS));
  const { points } = (await estimateRisk(prepared, [last], { ...risk, seed })).fit;
  for (const [method, cases] of [
    ['usual season', null],
    ['with cases', caseShiftOf(shift, states, periods)],
  ] as const) {
    const paths = pathsAt(prepared, periods, { ...risk, seed }, points, cases);
    for (let month = 0; month < 12; month++) {
      const drawn = drawMonths(paths, month);
      for (const [k, m] of drawn.months.entries()) {
        const period = periods[m]!;
        const ahead = monthIndex(period) - monthIndex(last);
        for (const [at, { lga_code, state_code }] of lgas.entries()) {
          const draws = drawn.lgas[k]!.slice(at * paths.draws, (at + 1) * paths.draws).sort();
          const mean = draws.reduce((sum, value) => sum + value, 0) / draws.length;
          const key = [
            recorded.has(state_code) ? 'own' : 'others',
            ahead > 0 ? `+${ahead}` : period.slice(0, 4),
            method,
          ].join('|');
          const range = { low: quantile(draws, 0.05), high: quantile(draws, 0.95) };
          const sums = groups.get(key) ?? noSums();
          addSums(sums, sumsOf({ truth: truth(lga_code, period), score: mean, ...range, baseline: mean, draws }));
          groups.set(key, sums);
        }
      }
    }
  }
}

function tableOfScores(groups: Map<string, TruthSums>): string {
  const rows = [...groups].sort(([a], [b]) => (a < b ? -1 : 1));
  return formatTable(
    rows.map(([key, sums]) => {
      const [records = '', months = '', method = ''] = key.split('|');
      const { lga_months, coverage_50, coverage_90, bias, rmse, crps, interval_score } = truthScore(sums);
      return {
        records,
        months,
        method,
        lga_months,
        coverage_50: coverage_50?.toFixed(3) ?? null,
        coverage_90: coverage_90.toFixed(3),
        bias: bias.toFixed(4),
        rmse: rmse.toFixed(4),
        crps: crps?.toFixed(4) ?? null,
        interval_score: interval_score.toFixed(3),
      };
    }),
  );
}
