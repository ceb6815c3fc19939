import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { Command, InvalidArgumentError } from 'commander';
import { writeWhole } from '../engine/cache.ts';
import { readCsv } from '../ingest/readers/csv.ts';
import { hasSyntheticCountry, writeSyntheticCountry } from '../synthetic/country.ts';
import { modelFingerprint, TRUTH_FILE, type TruthRecord, type TruthRow } from '../validation/known-truth.ts';
import {
  addSums,
  compareWithTruth,
  NO_SUMS,
  type TruthScore,
  type TruthSums,
  truthScore,
} from '../validation/truth-scores.ts';
import { withArtifacts } from '../with-artifacts.ts';
import { atLeastOne, say } from './options.ts';
import { showProgress } from './progress.ts';
import { formatTable } from './table.ts';

/** What the scores come of. */
const NEEDED = ['ingest', 'zonal', 'season', 'risk'];

type Kinds = Record<'estimated' | 'forecast', TruthSums>;

interface TruthOptions {
  seeds: number[];
  out: string;
  jobs: number;
  record?: boolean;
  json?: boolean;
}

/** `malaria-risk score-truth`. */
export function scoreTruthCommand(): Command {
  return new Command('score-truth')
    .description('Make up countries, score them, and compare the scores with the truth')
    .option('--seeds <list>', 'seeds such as 3 or 1-10 or 1,4,7', parseSeeds, parseSeeds('1-10'))
    .option('--out <dir>', 'directory for the countries and the cache of stages', 'build/truth')
    .option('--jobs <n>', 'stages that may run at once', atLeastOne, 2)
    .option('--record', 'record the result in pipeline/validation/known-truth.json, which model cards and reports show')
    .option('--json', 'the record as JSON')
    .addHelpText(
      'after',
      `
Example:
  malaria-risk score-truth --seeds 1-10

coverage is the share of true LGA-months inside the 90% range and should be near 0.9; rmse is the root mean square error
of the score, and ratio divides it by the baseline's. A country takes about a minute; existing ones are not made again.`,
    )
    .action(async (options: TruthOptions) => {
      const bySeed: { seed: number; sums: Kinds }[] = [];
      for (const seed of options.seeds) bySeed.push({ seed, sums: await scoreSeed(seed, options) });
      const record = recordOf(bySeed);
      if (options.record) writeWhole(fileURLToPath(TRUTH_FILE), `${JSON.stringify(record, null, 2)}\n`);
      if (options.json) say(JSON.stringify(record));
      else say(formatTable([...record.countries, ...record.all.map((row) => ({ seed: 'all', ...row }))].map(cells)));
    });
}

const KINDS = ['estimated', 'forecast'] as const;

function recordOf(bySeed: { seed: number; sums: Kinds }[]): TruthRecord {
  const row = (kind: TruthRow['kind'], sums: TruthSums): TruthRow => ({ kind, ...rounded(truthScore(sums)) });
  return {
    model_code: modelFingerprint(),
    seeds: bySeed.map(({ seed }) => seed),
    all: KINDS.map((kind) => row(kind, bySeed.map(({ sums }) => sums[kind]).reduce(addSums, NO_SUMS))),
    countries: bySeed.flatMap(({ seed, sums }) => KINDS.map((kind) => ({ seed, ...row(kind, sums[kind]) }))),
  };
}

const rounded = ({ lga_months, coverage, rmse, baseline_rmse }: TruthScore): TruthScore => {
  const four = (value: number) => Number(value.toFixed(4));
  return { lga_months, coverage: four(coverage), rmse: four(rmse), baseline_rmse: four(baseline_rmse) };
};

const cells = ({ seed, kind, lga_months, coverage, rmse, baseline_rmse }: TruthRow & { seed: number | string }) => ({
  seed: String(seed),
  kind,
  lga_months,
  coverage: coverage.toFixed(3),
  rmse: rmse.toFixed(4),
  baseline_rmse: baseline_rmse.toFixed(4),
  ratio: (rmse / baseline_rmse).toFixed(2),
});

async function scoreSeed(seed: number, { out, jobs, json }: TruthOptions): Promise<Kinds> {
  const country = path.join(out, `country-${seed}`);
  const progress = showProgress(NEEDED, json ?? false);
  try {
    if (!hasSyntheticCountry(seed, country)) await writeSyntheticCountry({ seed, out: country });
    const part = { country, out, jobs, onEvent: json ? () => {} : progress.onEvent };
    const truth = await readTruth(path.join(country, 'truth', 'prevalence.csv'));
    return await withArtifacts(NEEDED, part, ({ model }, io) =>
      compareWithTruth(io.table('risk/lgas'), io.table('risk/baseline'), truth, model.last_estimated),
    );
  } finally {
    progress.end();
  }
}

/** True prevalence by LGA and month, as `synth` writes it: lga_pcode,period,prevalence. */
async function readTruth(file: string): Promise<(lga_code: string, period: string) => number | undefined> {
  const { rows } = await readCsv(file, file);
  const truth = new Map(rows.map(({ cells: [lga, period, prevalence] }) => [`${lga} ${period}`, Number(prevalence)]));
  return (lga_code, period) => truth.get(`${lga_code} ${period}`);
}

/** `1-3,7` as 1, 2, 3, 7. */
export function parseSeeds(text: string): number[] {
  return text.split(',').flatMap((part) => {
    const range = /^(\d{1,9})(?:-(\d{1,9}))?$/.exec(part);
    const [first, last] = [Number(range?.[1]), Number(range?.[2] ?? range?.[1])];
    if (!range || last < first || last - first >= 1000)
      throw new InvalidArgumentError('expected seeds such as 3 or 1-10 or 1,4,7');
    return Array.from({ length: last - first + 1 }, (_, i) => first + i);
  });
}
