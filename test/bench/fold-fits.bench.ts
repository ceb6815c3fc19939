/**
 * Whether the risk model's fits, of everything and of each fold, find a mode for any plausible further survey round:
 * its clusters are those of an earlier round with their positivity times .5 to 1.6, fewer of them, clusters of other
 * places or none positive. With --build each round is built whole. Exits with 1 if a fit or a build fails.
 *
 *   node test/bench/fold-fits.bench.ts --country DIR --raw-data DIR [--rounds 60] [--seed 1] [--build]
 */
import { spawnSync } from 'node:child_process';
import { cpSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { parseArgs } from 'node:util';
import { randomStream } from '../../pipeline/lib/numerics/random.ts';
import { priorConstants } from '../../pipeline/model/risk/estimate.ts';
import { fitRisk } from '../../pipeline/model/risk/fit.ts';
import { prepareRisk, readInputs } from '../../pipeline/model/risk/inputs.ts';
import type { Optimum } from '../../pipeline/model/risk/optimum.ts';
import { withArtifacts } from '../../pipeline/release/with-artifacts.ts';
import { stagesNeededFor } from '../../pipeline/stages.ts';
import {
  crossValidationSettings,
  foldNumbers,
  placedObservations,
  predictFold,
} from '../../pipeline/validate/cross-validation.ts';
import { assignFolds, surveyedLgas } from '../../pipeline/validate/spatial-folds.ts';

const { values } = parseArgs({
  options: {
    country: { type: 'string', default: 'raw-data/nigeria' },
    'raw-data': { type: 'string', default: '../shared/raw-data/nigeria' },
    rounds: { type: 'string', default: '60' },
    seed: { type: 'string', default: '1' },
    build: { type: 'boolean', default: false },
  },
});
const CLI = path.resolve(import.meta.dirname, '../../pipeline/cli/malaria-risk.js');
const work = mkdtempSync(path.join(tmpdir(), 'fold-fits-'));
const [country, rawData] = [path.join(work, 'catalog'), path.join(work, 'raw')];
cpSync(values.country, country, { recursive: true });
cpSync(values['raw-data'], rawData, { recursive: true });
const catalog = JSON.parse(readFileSync(path.join(country, 'sources.json'), 'utf8'));
const source = catalog.sources.find(({ role }: { role: string }) => role === 'survey_clusters');
const { columns } = source;
const file = path.join(rawData, source.files[0].path);
const [header = '', ...lines] = readFileSync(file, 'utf8').trimEnd().split('\n');
const position = (name: string) => header.split(',').indexOf(columns[name]);
const [year, month, cluster, positivity, lga] = ['survey_year', 'period', 'cluster_id', 'positivity', 'lga_pcode'].map(
  position,
) as [number, number, number, number, number];
const rows = lines.map((line) => line.split(','));
const years = [...new Set(rows.map((row) => row[year]!))];
source.rounds.push({ survey_year: 2025, first: '2025-01', last: '2025-12' });
delete source.files[0].rows;
writeFileSync(path.join(country, 'sources.json'), JSON.stringify(catalog));

/** A round of 2025 like one of the file. */
function plausibleRound(number: number): { about: string; rows: string[][] } {
  const random = randomStream(Number(values.seed), `round ${number}`);
  const base = years[number % years.length]!;
  const factor = number % 15 === 14 ? 0 : 0.5 + 1.1 * random.uniform();
  const share = number % 5 === 4 ? 0.05 : number % 3 === 0 ? 1 : 0.6;
  const clusters = new Map<string, string[][]>();
  for (const row of rows)
    if (row[year] === base) clusters.set(row[cluster]!, [...(clusters.get(row[cluster]!) ?? []), row]);
  const kept = [...clusters.values()].filter(() => random.uniform() < share);
  const others = number % 4 === 3 ? kept.map(([first]) => first!).sort(() => random.uniform() - 0.5) : null;
  const made = kept.flatMap((group, k) =>
    group.map((row) => {
      const result = [...row];
      result[year] = '2025';
      result[month] = `2025-${row[month]!.slice(-2)}`;
      result[cluster] = `2025-${k}`;
      result[positivity] = String(Math.min(1, factor * Number(row[positivity])));
      // The results of another place.
      if (others)
        for (const [i, cell] of others[k]!.entries())
          if (i === lga || /state|lga/.test(header.split(',')[i]!)) result[i] = cell;
      return result;
    }),
  );
  return {
    about: `${base} x ${factor.toFixed(2)}, ${kept.length} clusters${others ? ', of other places' : ''}`,
    rows: made,
  };
}

const out = path.join(work, 'build');
let lastOptimum: Optimum | null = null;
for (let number = 0; number < Number(values.rounds); number++) {
  const { about, rows: added } = plausibleRound(number);
  const all = [...lines, ...added.map((row) => row.join(','))];
  writeFileSync(file, `${[header, ...all].join('\n')}\n`);
  source.files[0].rows = all.length;
  writeFileSync(path.join(country, 'sources.json'), JSON.stringify(catalog));
  const line = values.build ? buildAll() : await fitAll(number);
  process.stdout.write(`${number + 1} ${about}: ${line}\n`);
}
rmSync(work, { recursive: true, force: true });

/** A whole build. */
function buildAll(): string {
  const args = ['build', '--country', country, '--raw-data', rawData, '--out', out, '--unpinned', '--quiet'];
  const { status, stderr } = spawnSync(process.execPath, [CLI, ...args], { encoding: 'utf8' });
  if (status !== 0) process.exitCode = 1;
  return `exit ${status} ${stderr.trim()}`;
}

/** The risk model's fit to everything, then to all but each fold, from where the first ended, as validation does. */
async function fitAll(number: number): Promise<string> {
  const began = performance.now();
  const before = stagesNeededFor(['risk'])
    .map(({ name }) => name)
    .filter((name) => name !== 'risk');
  const options = { country, rawData, out, jobs: 1, unpinned: true, onEvent: () => {} };
  return withArtifacts(before, options, ({ model }, io) => {
    process.stderr.write(`${((performance.now() - began) / 1000).toFixed(0)} s for the stages before\n`);
    const inputs = readInputs(io);
    const prepared = prepareRisk(inputs);
    const { mesh, times, observations, score_method } = prepared;
    const constants = priorConstants(model.parameters.risk, score_method);
    // A search from the usual start takes minutes: most rounds start where an earlier one's fit ended.
    const near = number % 10 === 0 ? null : lastOptimum;
    const { optimum } = fitRisk(
      mesh,
      times,
      observations.map(({ risk }) => risk),
      constants,
      near,
    );
    lastOptimum = optimum;
    process.stderr.write(`${((performance.now() - began) / 1000).toFixed(0)} s for the fit to everything\n`);
    const surveyed = placedObservations(observations).map(({ lga_code, risk }) => ({
      lga_code,
      examined: risk.examined,
    }));
    const foldByLga = assignFolds(surveyedLgas(inputs.cells, surveyed), 5, 1);
    const settings = {
      ...crossValidationSettings(model, inputs, prepared, foldByLga, optimum),
      draws: 2,
      spatial_only: true,
    };
    let usualStarts = 0;
    const folds = foldNumbers(prepared, foldByLga);
    for (const fold of folds) {
      try {
        const cells = [...predictFold(prepared, fold, settings, () => usualStarts++)];
        if (!cells.every(({ log_score }) => Number.isFinite(log_score))) throw new Error('a log score is not finite');
      } catch (error) {
        process.exitCode = 1;
        process.stdout.write(`fold ${fold}: ${(error as Error).message}\n`);
      }
    }
    return `${folds.length} folds, ${usualStarts} from the usual start`;
  });
}
