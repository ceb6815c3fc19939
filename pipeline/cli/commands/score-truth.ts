import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { Command, InvalidArgumentError, Option } from 'commander';
import { areasOf } from '../../ingest/areas-of.ts';
import * as ingest from '../../ingest/ingest-tables.ts';
import { writeAtomic } from '../../lib/atomic-write.ts';
import { UsageError } from '../../lib/errors.ts';
import { toCsv } from '../../lib/tables/csv.ts';
import * as zonal from '../../measure/zonal/zonal-tables.ts';
import { inputsOf, prepareRisk } from '../../model/risk/inputs.ts';
import { drawMonths, type Paths } from '../../model/risk/paths.ts';
import * as risk from '../../model/risk/risk-tables.ts';
import { baselineOf } from '../../model/risk/stage-baseline.ts';
import { hasDraws, pathsOfStage } from '../../model/risk/stage-draws.ts';
import { withArtifacts } from '../../release/with-artifacts.ts';
import { hasSyntheticCountry, writeSyntheticCountry } from '../../synthetic/country.ts';
import { ALL_FAMILIES, FAMILIES, isFamily, type TruthFamily } from '../../synthetic/families.ts';
import {
  type Calibration,
  type CalibrationSums,
  calibrate,
  poolCalibration,
  summariseCalibration,
} from '../../validate/calibration.ts';
import {
  compareWithTruth,
  type GroupScore,
  type GroupSums,
  poolGroups,
  scoreGroups,
} from '../../validate/compare-truth.ts';
import {
  confirmRecord,
  modelFingerprint,
  readKnownTruth,
  TRUTH_FILE,
  type TruthRecord,
  truthRecordText,
} from '../../validate/known-truth.ts';
import { readTruth } from '../../validate/truth-file.ts';
import { GROUPINGS, type Grouping, lgaGroupsOf, spanOf } from '../../validate/truth-groups.ts';
import { fileToWrite, jobsOption, say } from '../terminal/options.ts';
import { showProgress } from '../terminal/progress.ts';
import { formatTable } from '../terminal/text-table.ts';

/** The stages that scores need. */
const NEEDED = ['ingest', 'zonal', 'season', 'link', 'risk'];

interface TruthOptions {
  truth?: TruthFamily[];
  seeds?: number[];
  country?: string;
  countries: string;
  build: string;
  by: (typeof SHOWN)[number];
  out?: string;
  calibration?: string;
  jobs: number;
  record?: boolean;
  confirm?: boolean;
  json?: boolean;
}
/** A country to score. `truth` is its family, or the name of the directory that the user gave. */
interface ScoredCountry {
  truth: string;
  seed: number | null;
  directory: string;
  /** Writes the country unless it exists. */
  make(): Promise<unknown>;
}
/** A row of the results: a group of a country or, with seed `all`, of all countries of a family. */
type Row = GroupScore & { truth: string; seed: number | 'all' | null };

const SHOWN = ['block', 'year', 'months', 'zone', 'distance', 'setting'] as const satisfies readonly Grouping[];
const ALL_SEEDS = parseSeeds('1-10');

/** `malaria-risk score-truth`. */
export function scoreTruthCommand(): Command {
  return new Command('score-truth')
    .description('Compute the scores of made-up countries and compare them with the known truth')
    .option('--truth <list>', `families of truth (default: ${FAMILIES.join(',')})`, parseFamilies)
    .option('--seeds <list>', 'seeds such as 3 or 1-10 or 1,4,7 (default: 1-10)', parseSeeds)
    .option('--country <dir>', 'use this country instead, whose truth is in truth/prevalence.csv')
    .option(
      '--countries <dir>',
      'directory of the countries, each in FAMILY-SEED; missing ones are made',
      'build/truth',
    )
    .option('--build <dir>', 'directory with the cache of stages', 'build/truth')
    .addOption(new Option('--by <grouping>', 'grouping of the table').choices(SHOWN).default('block'))
    .option('--out <file.csv>', 'one row per country and group, and per family and group', fileToWrite)
    .option(
      '--calibration <file.csv>',
      'statements by their probability, and the share that were true, per family',
      fileToWrite,
    )
    .addOption(jobsOption())
    .option('--record', 'record the result in pipeline/validate/known-truth.json, which model cards and reports show')
    .option(
      '--confirm',
      'after a code change: if every figure equals the record to 0.0005, mark the record as that of this code',
    )
    .option('--json', 'print all rows as JSON')
    .addHelpText(
      'after',
      `
Examples:
  malaria-risk score-truth --truth lga-effects,trend --seeds 1-3 --out scores.csv
  malaria-risk score-truth --country ../mine --by zone
  malaria-risk score-truth --seeds 1 --confirm            the model was rewritten, and should score as before

'malaria-risk synth --help' describes the families. The statistics are over LGA-months:

  coverage_90     share of true values inside the 90% range, which should be near 0.9; likewise coverage_50 for the
                  quartiles and coverage_95 for the 2.5 and 97.5% quantiles of the model's draws (not of the baseline)
  bias            mean of score minus truth; rmse: root mean square error; ratio: rmse divided by the baseline's
  crps            continuous ranked probability score of the draws; lower is better
  interval_score  width of the 90% range plus 20 times the distance by which it misses the truth; lower is better

Estimated months are also grouped by block of three years, year, months (calendar months with survey fieldwork, and
others), zone, distance (km from the people of an LGA to the nearest survey cluster) and setting (urban if most of the
people live in an urban centre).

The second table compares the model's probabilities of levels with the truth: of the statements "this LGA is at this
level in this month" with a probability of 0.8 to 0.9, about 85% should be true. --calibration adds ranks (among the
highest tenth of the nation and of the state) and rises (since a year ago and since the last survey). --country expects
a file as in truth/ of a made-up country, with the columns lga_pcode, period, prevalence. A country takes about a minute
and a half of CPU time, or half a minute if its scores are in the cache.`,
    )
    .action(scoreTruth);
}

async function scoreTruth(options: TruthOptions): Promise<void> {
  const asked = countriesOf(options);
  const scored: ({ country: ScoredCountry } & Scores)[] = [];
  for (const [i, country] of asked.entries()) {
    if (!options.json) process.stderr.write(`${nameOf(country)} (${i + 1} of ${asked.length})\n`);
    scored.push({ country, ...(await scoreCountry(country, options)) });
  }
  const countries: Row[] = scored.flatMap(({ country: { truth, seed }, groups }) =>
    scoreGroups(groups, GROUPINGS).map((row) => ({ truth, seed, ...row })),
  );
  const families = [...Map.groupBy(scored, ({ country }) => country.truth)];
  const pooled: Row[] = families.flatMap(([truth, own]) =>
    scoreGroups(poolGroups(own.map(({ groups }) => groups)), GROUPINGS).map((row) => ({ truth, seed: 'all', ...row })),
  );
  const calibration = families.flatMap(([truth, own]) =>
    summariseCalibration(poolCalibration(own.map((scores) => scores.calibration))).map((row) => ({ truth, ...row })),
  );
  if (options.calibration) await writeAtomic(options.calibration, `${toCsv(calibration)}\n`);
  if (options.confirm) await confirm(countries);
  if (options.record) await record(options.seeds ?? ALL_SEEDS, pooled, countries, calibration);
  if (options.out)
    await writeAtomic(options.out, `${toCsv(options.country ? countries : [...countries, ...pooled])}\n`);
  if (options.json) say(JSON.stringify({ countries, pooled, calibration }));
  else {
    say(formatTable(pooled.filter(({ by }) => by === 'all' || by === options.by).map(cells)));
    const levels = calibration.filter(({ statement }) => statement === 'level');
    if (levels.length > 0) say('', formatTable(levels.map(calibrationCells)));
  }
}

function countriesOf({ truth, seeds, country, countries, record, confirm }: TruthOptions): ScoredCountry[] {
  if (country !== undefined) {
    if (truth || seeds || record || confirm)
      throw new UsageError('--country cannot be combined with --truth, --seeds, --record or --confirm');
    return [{ truth: path.basename(path.resolve(country)), seed: null, directory: country, make: async () => {} }];
  }
  if (record && truth) throw new UsageError('--record always covers the six standard families: omit --truth');
  return (truth ?? FAMILIES).flatMap((family) =>
    (seeds ?? ALL_SEEDS).map((seed) => {
      const directory = path.join(countries, `${family}-${seed}`);
      const make = async () =>
        hasSyntheticCountry(seed, family, directory) || writeSyntheticCountry({ seed, family, out: directory });
      return { truth: family, seed, directory, make };
    }),
  );
}

const nameOf = ({ truth, seed }: ScoredCountry) => (seed === null ? truth : `${truth}, seed ${seed}`);

interface Scores {
  groups: GroupSums;
  calibration: CalibrationSums[];
}

async function scoreCountry(country: ScoredCountry, { build, jobs, json }: TruthOptions): Promise<Scores> {
  await country.make();
  const truth = await readTruth(country.directory);
  const progress = showProgress(NEEDED, json ?? false);
  try {
    const part = { country: country.directory, out: build, jobs, onEvent: json ? () => {} : progress.onEvent };
    return await withArtifacts(NEEDED, part, ({ model }, io) => {
      const clusters = io.table(ingest.CLUSTERS);
      const inputs = inputsOf(io);
      const scored = {
        lgas: io.table(risk.LGAS),
        baseline: baselineOf(io, inputs, prepareRisk(inputs)).scores().lgas,
        draws: hasDraws(io) ? drawsByMonth(pathsOfStage(io)) : null,
        lgaGroups: lgaGroupsOf(areasOf(io), io.table(zonal.LGAS), io.columns(zonal.CELLS), clusters),
        span: spanOf(model, clusters),
      };
      const stateOf = new Map(io.table(ingest.LGAS).map((lga) => [lga.lga_code, lga.state_code]));
      return {
        groups: compareWithTruth(scored, truth),
        calibration: calibrate(io.table(risk.PROBABILITIES), io.table(risk.CHANGES), {
          truth,
          stateOf: (lga_code) => stateOf.get(lga_code)!,
          last: model.last_estimated,
        }),
      };
    });
  } finally {
    progress.end();
  }
}

/** The draws of each LGA-month in ascending order; rows are ordered by LGA and then by month. */
function drawsByMonth(paths: Paths) {
  return (month: number) => {
    const { months, lgas } = drawMonths(paths, month - 1);
    return (row: number) => {
      const lga = Math.floor(row / paths.months.length);
      const own = lgas[months.indexOf(row % paths.months.length)]!;
      return own.slice(lga * paths.draws, (lga + 1) * paths.draws).sort();
    };
  };
}

function record(
  seeds: number[],
  pooled: Row[],
  countries: Row[],
  calibration: TruthRecord['calibration'],
): Promise<void> {
  const measured = {
    model_code: modelFingerprint(),
    confirmed_on: [],
    seeds,
    pooled: pooled.map(({ seed: _, ...row }) => row),
    countries: countries.filter(({ by }) => by === 'all'),
    calibration,
  };
  return writeAtomic(fileURLToPath(TRUTH_FILE), truthRecordText(measured as TruthRecord));
}

function confirm(countries: Row[]): Promise<void> {
  const again = countries.filter(({ by }) => by === 'all') as TruthRecord['countries'];
  const { of_this_code: _, ...recorded } = readKnownTruth();
  return writeAtomic(fileURLToPath(TRUTH_FILE), truthRecordText(confirmRecord(recorded, again, modelFingerprint())));
}

const cells = ({ truth, group, lga_months, bias, rmse, baseline_rmse, interval_score, ...row }: Row) => ({
  truth,
  group,
  lga_months,
  coverage_50: row.coverage_50?.toFixed(3) ?? null,
  coverage_90: row.coverage_90.toFixed(3),
  coverage_95: row.coverage_95?.toFixed(3) ?? null,
  bias: bias.toFixed(4),
  rmse: rmse.toFixed(4),
  ratio: (rmse / baseline_rmse).toFixed(2),
  crps: row.crps?.toFixed(4) ?? null,
  interval_score: interval_score.toFixed(3),
});

const calibrationCells = ({ truth, bin, statements, said, true_share }: Calibration & { truth: string }) => ({
  truth,
  'probability of the level': bin,
  statements,
  said: said.toFixed(3),
  true_share: true_share.toFixed(3),
});

/** `trend,mixed` as a list, in the order of `ALL_FAMILIES`. */
export function parseFamilies(text: string): TruthFamily[] {
  const asked = text.split(',');
  if (!asked.every(isFamily))
    throw new InvalidArgumentError(`expected some of ${ALL_FAMILIES.join(', ')}, separated by commas`);
  return ALL_FAMILIES.filter((family) => asked.includes(family));
}

/** `1-3,7` as 1, 2, 3, 7. */
export function parseSeeds(text: string): number[] {
  const seeds = text.split(',').flatMap((part) => {
    const range = /^(\d{1,9})(?:-(\d{1,9}))?$/.exec(part);
    const [first, last] = [Number(range?.[1]), Number(range?.[2] ?? range?.[1])];
    if (!range || last < first || last - first >= 1000)
      throw new InvalidArgumentError('expected seeds such as 3 or 1-10 or 1,4,7');
    return Array.from({ length: last - first + 1 }, (_, i) => first + i);
  });
  return [...new Set(seeds)];
}
