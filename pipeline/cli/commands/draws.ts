import { Command, Option } from 'commander';
import type { StageIo } from '../../catalog/country-stage.ts';
import { type Period, periodRange } from '../../contract/months.ts';
import { readAreas } from '../../ingest/read-areas.ts';
import { UsageError } from '../../lib/errors.ts';
import { writeDraws } from '../../model/risk/draws-file.ts';
import * as risk from '../../model/risk/risk-tables.ts';
import { reproducePaths } from '../../model/risk/stage-draws.ts';
import { addStageOptions, outOption, parseMonthSpan, printLines, type StageOptions } from '../terminal/options.ts';
import { withStages } from './with-stages.ts';

interface DrawsOptions extends StageOptions {
  out: string;
  area: 'lga' | 'state';
  states?: string[];
  periods?: { first: Period; last: Period };
}

export default function drawsCommand(): Command {
  return addStageOptions(new Command('draws'))
    .addOption(outOption())
    .argument('<file.parquet>', 'where to write them')
    .description('Write the joint posterior draws from which scores, ranges and probabilities are computed')
    .addOption(new Option('--area <kind>', 'level of the areas').choices(['lga', 'state']).default('lga'))
    .option('--states <list>', 'only these areas of the upper level and the areas in them, such as KN,KD', (text) =>
      text.split(','),
    )
    .option('--periods <months>', 'only these months: 2023-12, or 2023-01..2023-12', parseMonthSpan)
    .addHelpText(
      'after',
      `
Each row is one draw for an area and month: code, period, draw (from 1), prevalence (share of children of the score's
ages who would test positive). Draws are joint: draw 17 of one area and month goes with draw 17 of every other, so take
differences, sums, maxima or ranks draw by draw, and summarise last. Stages that have changed are run first; the draws
belong to the scores that a build would give now. They are never part of a snapshot. All LGAs and months of Nigeria are
87 million rows, about 350 MB: select the states and months that you need.

Examples:
  malaria-risk draws kano.parquet --country raw-data/nigeria --states KN --periods 2023-01..2023-12
  malaria-risk draws states.parquet --country raw-data/nigeria --area state`,
    )
    .action(async (file: string, options: DrawsOptions) => {
      const rows = await withStages(['risk'], 'draws', options, (_, io) =>
        writeDraws(file, reproducePaths(io), selectDraws(io, options)),
      );
      printLines(`${file}: ${rows} rows`);
    });
}

/** The draws that the options select. @throws UsageError if the country does not have a state or month */
function selectDraws(io: StageIo, { area, states, periods }: DrawsOptions) {
  const areas = readAreas(io);
  const stateCodes = areas.states.map(({ state_code }) => state_code);
  const unknownState = states?.find((code) => !stateCodes.includes(code));
  if (unknownState !== undefined)
    throw new UsageError(`--states: found ${unknownState}, expected some of ${stateCodes.join(',')}`);
  const scoredMonths = [...new Set(io.table(risk.LGAS).map(({ period }) => period))];
  const months = periods ? periodRange(periods.first, periods.last) : scoredMonths;
  const missingMonth = months.find((period) => !scoredMonths.includes(period));
  if (missingMonth !== undefined)
    throw new UsageError(
      `--periods: found ${missingMonth}, expected months from ${scoredMonths[0]} to ${scoredMonths.at(-1)}`,
    );
  const selectedStates = new Set(states ?? stateCodes);
  const codes =
    area === 'state'
      ? areas.states.map(({ state_code }) => ({ code: state_code, isRequested: selectedStates.has(state_code) }))
      : areas.lgas.map(({ lga_code, state_code }) => ({ code: lga_code, isRequested: selectedStates.has(state_code) }));
  const scores = area === 'state' ? io.table(risk.STATES) : io.table(risk.LGAS);
  return { area, codes, periods: new Set(months), scores };
}
