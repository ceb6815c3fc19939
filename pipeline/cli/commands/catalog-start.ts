import { readFileSync } from 'node:fs';
import path from 'node:path';
import { Command } from 'commander';
import { editJson } from '../../intake/update/json-edits.ts';
import { writeAtomic } from '../../lib/atomic-write.ts';
import { UsageError } from '../../lib/errors.ts';
import { expit } from '../../lib/numerics/special.ts';
import type { FitSummary, StartingValues } from '../../model/risk/estimate.ts';
import { addStageOptions, outOption, printLines, type StageOptions } from '../terminal/options.ts';
import { formatTable } from '../terminal/text-table.ts';
import { withStages } from './with-stages.ts';

const HELP = `
The search for the risk model's hyperparameters finds the same mode wherever it starts, up to differences far below the
last decimal of a score, but takes a third of the time if it starts where the previous search ended. Renew the starting
point after a survey round, or whenever the fit seems slow, and commit model.json. What is published then depends on
files alone, not on earlier builds.

Stages that have changed are run first. Of model.json only parameters.risk.start is rewritten.

Example:
  malaria-risk catalog start --country raw-data/nigeria --raw-data ../raw/nigeria`;

export function startCommand(): Command {
  return addStageOptions(new Command('start'))
    .addOption(outOption())
    .description("Start the next search for the risk model's hyperparameters where the last one ended")
    .addHelpText('after', HELP)
    .action(async (options: StageOptions & { out: string }) => {
      const {
        file,
        was: previous,
        now,
      } = await withStages(['risk'], 'start', options, async ({ directory, model }, io) => {
        const { spatial } = io.artifact<{ spatial: FitSummary | null }>('risk/evidence');
        if (!spatial)
          throw new UsageError(
            'parameters.risk.score: found baseline, expected spatial: the baseline needs no search; or the surveys are too few for scores',
          );
        const now = searchEnd(spatial);
        const file = path.join(directory, 'model.json');
        const edit = { path: ['parameters', 'risk', 'start'], value: now };
        await writeAtomic(file, editJson(readFileSync(file, 'utf8'), [edit]));
        return { file, was: model.parameters.risk.start ?? {}, now };
      });
      const rows = Object.entries(now).map(([name, is]) => ({
        hyperparameter: name,
        was: previous[name] ?? 'default',
        is,
      }));
      printLines(formatTable(rows), `Written to ${file}.`);
    });
}

/**
 * Where a search ended: each hyperparameter on its own scale, to eight digits, enough to make the next search short.
 */
function searchEnd({ hyperparameters, optimum }: FitSummary): StartingValues {
  return Object.fromEntries(
    hyperparameters.map(({ name, scale }, i) => {
      const theta = optimum.theta[i]!;
      return [name, Number((scale === 'log' ? Math.exp(theta) : expit(theta)).toPrecision(8))];
    }),
  );
}
