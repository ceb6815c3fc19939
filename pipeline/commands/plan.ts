import { Command } from 'commander';
import { planBuild } from '../build.ts';
import { addCountryOptions, type CountryOptions, say, withoutValidation } from './options.ts';

const WORDS = { cached: 'unchanged', run: 'will run', depends: 'may run' } as const;

const DETAIL = `
A stage runs when the content of what it reads, its code, an npm package that its code imports (or one that such a
package depends on), its part of model.json or the version of Node has changed. What does not count: when files were
written, comments and indentation of code, files imported for their types alone, and what sources.json says for people
(title, citation, licence, notes), which only the snapshot holds. A stage that "may run" is left as it is if the stages
before it hand on the same as before.

Examples:
  malaria-risk plan --country raw-data/synthetic --why`;

/** `malaria-risk plan`. */
export function planCommand(): Command {
  return addCountryOptions(new Command('plan'))
    .description('Say which stages a build would run, without running any')
    .addOption(withoutValidation())
    .option('--why', 'and for which cause')
    .option('--json', 'as JSON, causes included')
    .addHelpText('after', DETAIL)
    .action(async (options: CountryOptions & { why?: boolean; json?: boolean }) => {
      const planned = await planBuild(options);
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
