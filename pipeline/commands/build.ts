import { Command } from 'commander';
import { build } from '../build.ts';
import { publishVersion } from '../publish/release/publish.ts';
import { SNAPSHOT, STAGES } from '../stages.ts';
import { addCountryOptions, type CountryOptions, say, withoutValidation } from './options.ts';
import { showProgress } from './progress.ts';
import { describePublication } from './publish.ts';

interface BuildCommandOptions extends CountryOptions {
  withoutValidation?: boolean;
  publish?: boolean;
  json?: boolean;
}

/** `malaria-risk build`. */
export function buildCommand(): Command {
  return addCountryOptions(new Command('build'))
    .description('Build a snapshot: run the stages whose inputs, code or parameters changed, and check everything')
    .option('--publish', 'and do what `malaria-risk publish` does then')
    .addOption(withoutValidation())
    .option('--json', 'progress and result as JSON lines')
    .addHelpText(
      'after',
      `
Examples:
  malaria-risk build --country raw-data/synthetic --publish
  malaria-risk build --country raw-data/nigeria --raw-data ../shared/raw-data/nigeria

The snapshot appears as <out>/snapshots/<model_version> in one move. It is a candidate: <out>/current leads to it once it
is published. A bad input stops the build with one line and leaves everything as it was.`,
    )
    .action(async (options: BuildCommandOptions) => {
      const progress = showProgress(
        [...STAGES, SNAPSHOT].map(({ name }) => name),
        options.json ?? false,
      );
      const command = process.argv.slice(2).join(' ');
      const work = async () => {
        const built = await build({ ...options, command, onEvent: progress.onEvent });
        return { built, published: options.publish ? await publishVersion(options.out, built.model_version) : null };
      };
      const { built: result, published } = await work().finally(progress.end);
      if (options.json) {
        say(JSON.stringify({ ...result, published }));
        return;
      }
      if (result.findings.length > 0) say('Findings:');
      for (const { source, rule, what } of result.findings) say(`  ${source} (${rule}): ${what}`);
      say(
        `${result.already ? 'Already built' : 'Built'} ${result.model_version} in ${result.directory} (SHA-256 of manifest.json ${result.manifest_sha256})`,
        ...result.unpublishable.map((reason) => `It cannot be published: ${reason}`),
        `Look at it: ${result.directory}/report/index.html`,
      );
      if (published) say(describePublication(published));
    });
}
