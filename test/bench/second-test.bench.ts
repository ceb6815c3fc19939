/**
 * What a second test of the same children would add: microscopy in held-out cells of Nigeria, predicted by fits to
 * cells whose positivity is w × microscopy + (1 − w) × rapid test, the latter scaled to the round's mean of microscopy:
 *
 *   node test/bench/second-test.bench.ts --raw-data DIR --folds FILE.csv [--build DIR]
 *
 * Each child is counted once. Held-out cells are scored with the overdispersion of the fit to microscopy, since mixing
 * two tests lowers that of the fit. It never fails because of a score.
 */
import { parseArgs } from 'node:util';
import { formatTable } from '../../pipeline/cli/terminal/text-table.ts';
import { readCsv } from '../../pipeline/ingest/readers/csv.ts';
import { mean } from '../../pipeline/lib/numerics/averages.ts';
import { constantsOf } from '../../pipeline/model/risk/estimate.ts';
import { fitRisk } from '../../pipeline/model/risk/fit.ts';
import { inputsOf, type Observed, prepareRisk } from '../../pipeline/model/risk/inputs.ts';
import { withArtifacts } from '../../pipeline/release/with-artifacts.ts';
import { foldsOf, predictFold } from '../../pipeline/validate/cross-validation.ts';
import { readFolds } from '../../pipeline/validate/held-out-files.ts';
import { logScore } from '../../pipeline/validate/scores.ts';

const { values: given } = parseArgs({
  options: {
    'raw-data': { type: 'string' },
    folds: { type: 'string' },
    build: { type: 'string', default: 'build' },
  },
});
const SURVEYS = 'surveys/survey_cells_2010_2015_2018.csv';
const WEIGHTS = [1, 0.75, 0.5, 0.25, 0];
const STAGES = ['ingest', 'zonal', 'season'];

/** Positivity by rapid test, by id of the cell. */
async function readRapid(file: string): Promise<Map<string, number>> {
  const { header, rows } = await readCsv(file, file);
  const at = (column: string) => header.indexOf(column);
  const rapid = rows.filter(({ cells }) => cells[at('method')] === 'rdt');
  return new Map(rapid.map(({ cells }) => [cells[at('cell_id')]!, Number(cells[at('positivity')])]));
}

const { 'raw-data': rawData, folds } = given;
if (rawData === undefined || folds === undefined) {
  process.stdout.write('skipped: needs --raw-data and --folds\n');
  process.exit(0);
}
const foldOf = await readFolds(folds);
const rapid = await readRapid(`${rawData}/${SURVEYS}`);
const part = { country: 'raw-data/nigeria', rawData, out: given.build, jobs: 1, onEvent: () => {} };
await withArtifacts(STAGES, part, ({ model }, io) => {
  const { risk, seed } = model.parameters;
  const inputs = inputsOf(io);
  const prepared = prepareRisk(inputs);
  const constants = constantsOf(risk, prepared.test);
  const states = inputs.areas.states.map((state) => state.state_code);
  const { optimum } = fitRisk(
    prepared.mesh,
    prepared.times,
    prepared.observed.map(({ risk }) => risk),
    constants,
  );
  const how = { states, foldOf, constants, draws: risk.draws, seed, like: optimum, spatial_only: true };
  const both = prepared.observed.filter((observation) => rapid.has(observation.risk.name));
  const scale = prepared.rounds.map((_, round) => {
    const own = both.filter((observation) => observation.risk.round === round).map(({ risk }) => risk);
    const children = own.reduce((sum, { name, examined }) => sum + examined * rapid.get(name)!, 0);
    return own.reduce((sum, { positive }) => sum + positive, 0) / children;
  });
  const mixed = (observation: Observed, weight: number): Observed => {
    const { name, examined, positive, round } = observation.risk;
    const share = rapid.get(name);
    if (share === undefined) return observation;
    const other = examined * Math.min(1, share * scale[round]!);
    return { ...observation, risk: { ...observation.risk, positive: weight * positive + (1 - weight) * other } };
  };
  const counts = new Map(prepared.observed.map((observation) => [observation.risk.name, observation.risk]));
  const rhoOf = new Map<string, Float64Array>();
  const byMicroscopy = new Map<string, number>();
  const rows = WEIGHTS.map((weight) => {
    const found = foldsOf(prepared, foldOf).flatMap((fold) => {
      const observed = prepared.observed.map((observation) =>
        foldOf.get(observation.lga_code ?? '') === fold ? observation : mixed(observation, weight),
      );
      return [...predictFold({ ...prepared, observed }, fold, how)].map(({ draws, ...row }) => {
        if (weight === 1) rhoOf.set(row.cell_id, draws.rho);
        const log_score = logScore(counts.get(row.cell_id)!, draws.prevalence, rhoOf.get(row.cell_id)!);
        if (weight === 1) byMicroscopy.set(row.cell_id, log_score);
        return { ...row, log_score, gain: log_score - byMicroscopy.get(row.cell_id)! };
      });
    });
    const gains = [...Map.groupBy(found, ({ fold }) => fold).values()].map((own) => mean(own.map(({ gain }) => gain)));
    const spread = gains.reduce((sum, gain) => sum + (gain - mean(gains)) ** 2, 0) / (gains.length - 1);
    const examined = found.reduce((sum, row) => sum + row.examined, 0);
    const error = found.reduce((sum, row) => sum + row.examined * Math.abs(row.mean - row.observed), 0) / examined;
    return {
      weight_of_microscopy: weight,
      log_score: mean(found.map((row) => row.log_score)).toFixed(4),
      gain: mean(gains).toFixed(4),
      standard_error: Math.sqrt(spread / gains.length).toFixed(4),
      mean_absolute_error: error.toFixed(4),
    };
  });
  process.stdout.write(`${formatTable(rows)}\n`);
});
