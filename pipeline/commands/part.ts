import { Command, Option } from 'commander';
import { STAGES } from '../stages.ts';
import { doStatePart } from '../state-part.ts';
import { addCountryOptions, type CountryOptions, say } from './options.ts';
import { showProgress } from './progress.ts';

const DETAIL = `
Stages that split by state: ${STAGES.filter((stage) => stage.by_state)
  .map(({ name }) => name)
  .join(', ')}.

Any number of processes can work out parts, on machines that share <out>/cache or copy its files to each other.
\`build\` uses the parts that it finds there, works out the rest, and makes the same bytes as a build that found
none. Without --states, only the step that every part needs is done: run that once before starting parts together.
See pipeline/SCALING.md.

Examples:
  malaria-risk part zonal --country raw-data/synthetic
  malaria-risk part zonal --states KN,KT,JI --country raw-data/synthetic`;

/** `malaria-risk part`. */
export function partCommand(): Command {
  return addCountryOptions(new Command('part'))
    .description("Work out some states' part of a stage, for a build to merge")
    .argument('<stage>', 'which stage')
    .addOption(
      new Option('--states <codes>', 'codes, separated by commas; may be repeated')
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
      else say(...(files.length > 0 ? files : [`The cache already holds all of ${stage}: nothing to do`]));
    });
}
