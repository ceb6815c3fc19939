import { Command, InvalidArgumentError, Option } from 'commander';
import { areasOf } from '../areas.ts';
import { type Period, periodRange } from '../contract/months.ts';
import type { StageIo } from '../engine/stage.ts';
import { UsageError } from '../errors.ts';
import { writeDraws } from '../risk/draws-file.ts';
import { pathsOfStage } from '../risk/stage-draws.ts';
import { withArtifacts } from '../with-artifacts.ts';
import { addCountryOptions, type CountryOptions, say } from './options.ts';
import { showProgress } from './progress.ts';

/** The stages whose artifacts draws come of. */
const NEEDED = ['ingest', 'zonal', 'season', 'link', 'risk'];

interface DrawsOptions extends CountryOptions {
  area: 'lga' | 'state';
  states?: string[];
  periods?: Period[];
}

/** `malaria-risk draws`. */
export function drawsCommand(): Command {
  return addCountryOptions(new Command('draws'))
    .argument('<file.parquet>', 'where to write them')
    .description('Write the joint posterior draws that scores, ranges and probabilities are made of')
    .addOption(new Option('--area <kind>', 'of what').choices(['lga', 'state']).default('lga'))
    .option('--states <list>', 'only of these states and their LGAs, such as KN,KD', (text) => text.split(','))
    .option('--periods <list>', 'only of these months: 2023-12, or 2023-01..2023-12', parsePeriods)
    .addHelpText(
      'after',
      `
A row is a draw of an area in a month: code, period, draw (from 1), prevalence (share of children 6-59 months who would
test positive). Draw 17 of one area and month belongs with draw 17 of every other: take differences, sums, maxima or ranks
draw by draw, and summarise last. Draws are of the country as the cache has it, of the scores of the same build; they are
never part of a snapshot. Stages that have changed are run first. All of Nigeria's LGAs and months are 87 million rows,
some 350 MB: ask for the states and months that you need.

Examples:
  malaria-risk draws kano.parquet --country raw-data/nigeria --states KN --periods 2023-01..2023-12
  malaria-risk draws states.parquet --country raw-data/nigeria --area state`,
    )
    .action(async (file: string, options: DrawsOptions) => {
      const progress = showProgress(NEEDED, false);
      try {
        const rows = await withArtifacts(NEEDED, { ...options, onEvent: progress.onEvent }, (_, io) => {
          const wanted = asked(io, options);
          return writeDraws(file, pathsOfStage(io), wanted);
        });
        say(`${file}: ${rows} rows`);
      } finally {
        progress.end();
      }
    });
}

/** @throws UsageError for a state or month that the country does not have */
function asked(io: StageIo, { area, states, periods }: DrawsOptions) {
  const areas = areasOf(io);
  const known = areas.states.map(({ state_code }) => state_code);
  const strange = states?.find((code) => !known.includes(code));
  if (strange !== undefined) throw new UsageError(`--states: found ${strange}, expected some of ${known.join(',')}`);
  const scored = [...new Set(io.table('risk/lgas').map(({ period }) => period))];
  const missing = periods?.find((period) => !scored.includes(period));
  if (missing !== undefined)
    throw new UsageError(`--periods: found ${missing}, expected months from ${scored[0]} to ${scored.at(-1)}`);
  const wanted = new Set(states ?? known);
  const codes =
    area === 'state'
      ? areas.states.map(({ state_code }) => ({ code: state_code, wanted: wanted.has(state_code) }))
      : areas.lgas.map(({ lga_code, state_code }) => ({ code: lga_code, wanted: wanted.has(state_code) }));
  const scores = area === 'state' ? io.table('risk/states') : io.table('risk/lgas');
  return { area, codes, periods: new Set(periods ?? scored), scores };
}

function parsePeriods(text: string): Period[] {
  const [first, last = first, ...others] = text.split('..');
  const month = /^\d{4}-(?:0[1-9]|1[0-2])$/;
  if (others.length > 0 || !month.test(first!) || !month.test(last!) || first! > last!)
    throw new InvalidArgumentError('expected a month such as 2023-12, or months such as 2023-01..2023-12');
  return periodRange(first!, last!);
}
