import path from 'node:path';
import { Command, InvalidArgumentError, Option } from 'commander';
import { UsageError } from '../../../lib/errors.ts';
import { writeCsv } from '../../../lib/tables/csv.ts';
import { hasSyntheticCountry, writeSyntheticCountry } from '../../../synthetic/country.ts';
import { FAMILIES, isFamily, type TruthFamily } from '../../../synthetic/families.ts';
import { type ScoredCountry, scoreCountry, summariseTruth } from '../../../validate/evaluate-truth.ts';
import { confirmTruth, recordTruth } from '../../../validate/known-truth.ts';
import { readTruth } from '../../../validate/truth-file.ts';
import type { Grouping } from '../../../validate/truth-groups.ts';
import {
  addTruthOptions,
  type EvaluationOptions,
  parseFileToWrite,
  parseSeeds,
  printEvaluation,
} from '../../terminal/options.ts';
import { formatCells, formatTable } from '../../terminal/text-table.ts';
import { withStages } from '../with-stages.ts';

interface TruthOptions extends Omit<EvaluationOptions, 'country'> {
  truth: TruthFamily[];
  seeds: number[];
  country?: string;
  countries: string;
  by: (typeof TABLE_GROUPINGS)[number];
  out?: string;
  record?: boolean;
  confirm?: boolean;
}
/** A country to score; `truth` is its family, or the name of the directory that the user gave. */
interface RequestedCountry extends Pick<ScoredCountry, 'truth' | 'seed'> {
  directory: string;
  /** Writes the country unless it exists. */
  ensureWritten(): Promise<unknown>;
}

const TABLE_GROUPINGS = [
  'block',
  'year',
  'months',
  'zone',
  'distance',
  'setting',
] as const satisfies readonly Grouping[];

/** The columns of the tables, with their decimals. */
const SCORE_DECIMALS = {
  truth: null,
  group: null,
  lga_months: null,
  coverage_50: 3,
  coverage_90: 3,
  coverage_95: 3,
  bias: 4,
  rmse: 4,
  ratio: 2,
  crps: 4,
  interval_score: 3,
};
const LEVEL_DECIMALS = { truth: null, bin: null, statements: null, said: 3, true_share: 3 };

export function truthCommand(): Command {
  const country = new Option(
    '--country <dir>',
    'use this country instead, whose truth is in truth/prevalence.csv',
  ).conflicts(['truth', 'seeds', 'record', 'confirm']);
  return addTruthOptions(new Command('truth'), country, 'build/truth')
    .description('Compute the scores of made-up countries and compare them with the known truth')
    .addOption(
      new Option('--truth <list>', 'families of truth')
        .argParser(parseFamilies)
        .default([...FAMILIES], FAMILIES.join(',')),
    )
    .addOption(
      new Option('--seeds <list>', 'seeds such as 3 or 1-10 or 1,4,7')
        .argParser(parseSeeds)
        .default(parseSeeds('1-10'), '1-10'),
    )
    .option(
      '--countries <dir>',
      'directory of the countries, each in FAMILY-SEED; missing ones are made',
      'build/truth',
    )
    .addOption(new Option('--by <grouping>', 'grouping of the table').choices(TABLE_GROUPINGS).default('block'))
    .option('--out <file.csv>', 'one row per country and group, and per family and group', parseFileToWrite)
    .addOption(
      new Option(
        '--record',
        'record the result, of all families, in pipeline/validate/known-truth.json, which model cards and reports show',
      ).conflicts('truth'),
    )
    .option(
      '--confirm',
      'after a code change: if every figure equals the record to 0.0005, mark the record as that of this code',
    )
    .addHelpText(
      'after',
      `
Examples:
  malaria-risk evaluate truth --truth lga-effects,trend --seeds 1-3 --out scores.csv
  malaria-risk evaluate truth --country ../mine --by zone
  malaria-risk evaluate truth --seeds 1 --confirm      the model was rewritten, and should score as before

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
level in this month" with a probability of 0.8 to 0.9, about 85% should be true. --json adds ranks (among the
highest tenth of the nation and of the state) and rises (since a year ago and since the last survey). --country expects
a file as in truth/ of a made-up country, with the columns lga_pcode, period, prevalence. A country takes about a minute
and a half of CPU time, or half a minute if its scores are in the cache.`,
    )
    .action(evaluateTruth);
}

async function evaluateTruth(options: TruthOptions): Promise<void> {
  const { build, by, out, json } = options;
  if (options.country === undefined && (options.rawData !== undefined || options.unpinned))
    throw new UsageError('found --raw-data or --unpinned without --country: made-up countries have their own files');
  const requested: ScoredCountry[] = [];
  const asked = requestedCountries(options);
  for (const [i, { truth, seed, directory, ensureWritten }] of asked.entries()) {
    if (!json) process.stderr.write(`${truth}${seed === null ? '' : `, seed ${seed}`} (${i + 1} of ${asked.length})\n`);
    await ensureWritten();
    const trueValues = await readTruth(directory);
    const scores = await withStages(['risk'], 'scores', { ...options, country: directory, out: build }, (country, io) =>
      scoreCountry(country, io, trueValues),
    );
    requested.push({ truth, seed, ...scores });
  }
  const summary = summariseTruth(requested);
  const { countries, pooled, calibration } = summary;
  if (options.confirm) await confirmTruth(summary);
  if (options.record) await recordTruth(options.seeds, summary);
  if (out) await writeCsv<object>(out, options.country ? countries : [...countries, ...pooled]);
  const groupRows = pooled
    .filter((row) => row.by === 'all' || row.by === by)
    .map((row) => formatCells({ ...row, ratio: row.rmse / row.baseline_rmse }, SCORE_DECIMALS));
  const levelRows = calibration
    .filter(({ statement }) => statement === 'level')
    .map((row) => formatCells(row, LEVEL_DECIMALS));
  printEvaluation(options, summary, [
    formatTable(groupRows),
    ...(levelRows.length > 0 ? ['', 'Probabilities of levels:', formatTable(levelRows)] : []),
  ]);
}

function requestedCountries({ truth, seeds, country, countries }: TruthOptions): RequestedCountry[] {
  if (country !== undefined)
    return [
      { truth: path.basename(path.resolve(country)), seed: null, directory: country, ensureWritten: async () => {} },
    ];
  return truth.flatMap((family) =>
    seeds.map((seed) => {
      const directory = path.join(countries, `${family}-${seed}`);
      const ensureWritten = async () =>
        hasSyntheticCountry(seed, family, directory) || writeSyntheticCountry({ seed, family, out: directory });
      return { truth: family, seed, directory, ensureWritten };
    }),
  );
}

/** `trend,mixed` as a list, in the order of `FAMILIES`. */
export function parseFamilies(text: string): TruthFamily[] {
  const names = text.split(',');
  if (!names.every(isFamily))
    throw new InvalidArgumentError(`expected some of ${FAMILIES.join(', ')}, separated by commas`);
  return FAMILIES.filter((family) => names.includes(family));
}
