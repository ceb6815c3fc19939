import { Command } from 'commander';
import { readCatalog } from '../../catalog/country.ts';
import { usefulSources } from '../../catalog/evidence.ts';
import { describeProducts } from '../../contract/products.ts';
import { expectedDuration } from '../../engine/plan.ts';
import { planBuild } from '../../release/build.ts';
import { SNAPSHOT, STAGES } from '../../stages.ts';
import { EXIT } from '../terminal/exit-codes.ts';
import { addBuildOptions, type BuildOptions, printLines } from '../terminal/options.ts';

const STATUS_WORDS = { cached: 'unchanged', run: 'will run', depends: 'may run' } as const;

const HELP = `
A stage runs when one of these has changed: the content of its inputs, its code (comments included), package-lock.json,
its part of model.json, or the version of Node. These do not count: file times, files imported only for their types, and
descriptions in sources.json (title, citation, licence, notes), which only the snapshot contains. A stage that "may run"
is skipped if the stages before it produce the same output as before. Durations are those of earlier runs here. Then the products that the sources allow are
listed; whether surveys and records suffice shows in the build.

Examples:
  malaria-risk plan --country raw-data/synthetic --why
  malaria-risk plan --country raw-data/nigeria --exit-code || malaria-risk build --country raw-data/nigeria`;

export default function planCommand(): Command {
  return addBuildOptions(new Command('plan'))
    .description('Show which stages a build would run, without running any')
    .option('--why', 'also show why')
    .option('--exit-code', 'exit 1 if a build has anything to run, 0 if it has nothing to do')
    .option('--json', 'as JSON, including the causes')
    .addHelpText('after', HELP)
    .action(async (options: BuildOptions & { why?: boolean; exitCode?: boolean; json?: boolean }) => {
      const plan = await planBuild(options);
      if (options.exitCode && plan.some(({ status }) => status !== 'cached')) process.exitCode = EXIT.finding;
      if (options.json) {
        printLines(JSON.stringify(plan, null, 2));
        return;
      }
      for (const { stage, status, causes, seconds } of plan) {
        printLines(
          `${stage.padEnd(13)} ${STATUS_WORDS[status]}${seconds ? `, ${seconds.toFixed(1)} s last time` : ''}`,
        );
        if (options.why) for (const cause of causes) printLines(`${' '.repeat(14)}${cause}`);
      }
      const expected = expectedDuration(plan, [...STAGES, SNAPSHOT], options.jobs);
      if (expected?.total)
        printLines(
          '',
          `${expected.total.toFixed(1)} s in all, and about ${Math.ceil(expected.elapsed)} s with --jobs ${options.jobs}, as stages wait for others.`,
        );
      const { model, sources } = readCatalog(options.country, options.rawData);
      printLines(
        '',
        'What the sources of this country allow:',
        ...describeProducts(usefulSources(model, sources)).map((line) => `  ${line}`),
      );
    });
}
