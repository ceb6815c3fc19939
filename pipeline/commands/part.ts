import { Command, Option } from 'commander';
import { STAGES } from '../stages.ts';
import { doStatePart } from '../state-part.ts';
import { addCountryOptions, type CountryOptions, say } from './options.ts';
import { showProgress } from './progress.ts';

const DETAIL = `
Stages that fall apart by state: ${STAGES.filter((stage) => stage.by_state)
  .map(({ name }) => name)
  .join(', ')}.

Parts may be worked out by any number of processes, on machines that share <out>/cache or copy its files to each other.
\`build\` there takes up the parts that it finds, works out what is missing, and makes the same bytes as a build
that found none. Without --states, only what stands before every part is done: do that once before parts that start
together. See pipeline/SCALING.md.

Examples:
  malaria-risk part zonal --country raw-data/synthetic
  malaria-risk part zonal --states KN,KT,JI --country raw-data/synthetic`;

/** `malaria-risk part`. */
export function partCommand(): Command {
  return addCountryOptions(new Command('part'))
    .description("Work out some states' part of a stage, for a build to merge")
    .argument('<stage>', 'which stage')
    .addOption(
      new Option('--states <codes>', 'two-letter codes, commas between; may be repeated')
        .argParser((text: string, all: string[]) => [...all, ...text.split(',')])
        .default([], 'none'),
    )
    .option('--json', 'progress and result as JSON lines')
    .addHelpText('after', DETAIL)
    .action(async (stage: string, options: CountryOptions & { states: string[]; json?: boolean }) => {
      const progress = showProgress(
        STAGES.map(({ name }) => name),
        options.json ?? false,
      );
      const files = await doStatePart({ ...options, stage, onEvent: progress.onEvent }).finally(progress.end);
      if (options.json) say(JSON.stringify({ stage, states: options.states, files }));
      else say(...(files.length > 0 ? files : [`The cache holds the whole of ${stage}: nothing to do`]));
    });
}
