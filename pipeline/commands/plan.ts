import { Command } from 'commander';
import { withUpdatedAt } from '../build.ts';
import { lockHash } from '../engine/code.ts';
import { readCountry } from '../engine/country.ts';
import { planStages } from '../engine/plan.ts';
import { cacheOf } from '../snapshot/publish.ts';
import { SNAPSHOT, STAGES } from '../stages.ts';
import { addCountryOptions, type CountryOptions, say } from './options.ts';

const WORDS = { cached: 'unchanged', run: 'will run', depends: 'may run' } as const;

/** `malaria-risk plan`. */
export function planCommand(): Command {
  return addCountryOptions(new Command('plan'))
    .description('Say which stages a build would run, without running any')
    .option('--why', 'and for which cause')
    .option('--json', 'as JSON')
    .action(async (options: CountryOptions & { why?: boolean; json?: boolean }) => {
      const country = withUpdatedAt(readCountry(options.country, options.rawData), options.updatedAt);
      const planned = await planStages([...STAGES, SNAPSHOT], country, cacheOf(options.out), lockHash());
      if (options.json) {
        say(JSON.stringify(planned, null, 2));
        return;
      }
      for (const { stage, status, causes } of planned) {
        say(`${stage.padEnd(13)} ${WORDS[status]}`);
        if (options.why) for (const cause of causes) say(`${' '.repeat(14)}${cause}`);
      }
    });
}
