import { Command } from 'commander';
import { build } from '../build.ts';
import { SNAPSHOT, STAGES } from '../stages.ts';
import { addCountryOptions, type CountryOptions, say } from './options.ts';
import { showProgress } from './progress.ts';

/** `malaria-risk build`. */
export function buildCommand(): Command {
  return addCountryOptions(new Command('build'))
    .description('Build a snapshot: run the stages whose inputs, code or parameters changed, check everything, publish')
    .option('--json', 'progress and result as JSON lines')
    .addHelpText(
      'after',
      `
Examples:
  malaria-risk build --country raw-data/synthetic
  malaria-risk build --country raw-data/nigeria --raw-data ../shared/raw-data/nigeria

The snapshot appears as <out>/snapshots/<model_version> in one move, and <out>/current points to it. A bad input stops
the build with one line and leaves what is published as it was.`,
    )
    .action(async (options: CountryOptions & { json?: boolean }) => {
      const progress = showProgress(
        [...STAGES, SNAPSHOT].map(({ name }) => name),
        options.json ?? false,
      );
      const result = await build({ ...options, onEvent: progress.onEvent }).finally(progress.end);
      if (options.json) {
        say(JSON.stringify(result));
        return;
      }
      if (result.findings.length > 0) say('Findings:');
      for (const { source, rule, what } of result.findings) say(`  ${source} (${rule}): ${what}`);
      say(
        `${result.already ? 'Already published' : 'Published'} ${result.model_version} in ${result.directory} (SHA-256 of manifest.json ${result.manifest_sha256})`,
        `Look at it: ${result.directory}/report/index.html`,
      );
    });
}
