import path from 'node:path';
import { Command, Option } from 'commander';
import { writeAtomic } from '../../lib/atomic-write.ts';
import { UsageError } from '../../lib/errors.ts';
import { findingBlocks } from '../../publish/snapshot/findings.ts';
import { type BuildResult, build } from '../../release/build.ts';
import { releasesFolder } from '../../release/build-paths.ts';
import type { Publication } from '../../release/publish.ts';
import { withArtifacts } from '../../release/with-artifacts.ts';
import { STAGE_NAMES, stagesNeededFor } from '../../stages.ts';
import { blocksText } from '../terminal/blocks-text.ts';
import { addBuildOptions, type BuildOptions, printLines, terminalWidth } from '../terminal/options.ts';
import { withProgress } from '../terminal/progress.ts';
import { addPublishOptions, describePublication, type PublishCommandOptions } from './publish.ts';

interface BuildCommandOptions extends BuildOptions, PublishCommandOptions {
  publish?: boolean;
  until?: string;
  quiet?: boolean;
  json?: boolean;
}

export default function buildCommand(): Command {
  const command = addBuildOptions(new Command('build'))
    .description('Build a snapshot: run the stages whose inputs, code or parameters changed, and check the result')
    .addOption(
      new Option('--until <stage>', 'run the stages up to this one, and make no candidate').choices(
        STAGE_NAMES.slice(0, -1),
      ),
    )
    .option('--quiet', 'print the result only, no progress and no findings')
    .option('--publish', 'then publish it, as `malaria-risk publish` does');
  return addPublishOptions(command)
    .option('--json', 'progress and result as JSON lines')
    .addHelpText(
      'after',
      `
The snapshot is written to <out>/snapshots/<model_version> in one step. It is a candidate: \`malaria-risk review\` shows
what publishing it would change, and <out>/current points to it once it is published. An invalid input stops the build
with one line and changes nothing. So does a raw file whose SHA-256 differs from the catalog's: \`catalog update\`
accepts it, --unpinned uses it for a trial. Accepted raw files are kept in <out>/raw, each under its SHA-256, and what
the build did and when in <out>/releases/<version>/build.log.

Examples:
  malaria-risk build --country raw-data/synthetic --publish
  malaria-risk build --country raw-data/nigeria --raw-data ../shared/raw-data/nigeria
  malaria-risk build --country raw-data/nigeria --without-validation     # quicker, for a trial`,
    )
    .action(async (options: BuildCommandOptions) => {
      if (options.publish && options.withoutValidation)
        throw new UsageError('--publish: found --without-validation too, but its result cannot be published');
      const { until, out, json = false, quiet } = options;
      if (until !== undefined) {
        await withProgress(
          stagesNeededFor([until]).map(({ name }) => name),
          json,
          (onEvent) => withArtifacts([until], { ...options, onEvent }, () => {}),
          { quiet },
        );
        printLines(json ? JSON.stringify({ until }) : `Ran the stages up to ${until}; there is no candidate`);
        return;
      }
      const commandLine = process.argv.slice(2).join(' ');
      const log: string[] = [];
      const result = await withProgress(
        STAGE_NAMES,
        json,
        (onEvent) => build({ ...options, command: commandLine, onEvent }),
        { quiet, log: { write: (line) => log.push(line) } },
      );
      if (!result.already)
        await writeAtomic(path.join(releasesFolder(out), result.model_version, 'build.log'), log.join(''));
      if (!json) printLines(describeBuild(quiet ? { ...result, findings: [] } : result));
      let publication: Publication | null = null;
      try {
        if (options.publish) publication = await publishResult(options, result);
      } finally {
        if (options.json) printLines(JSON.stringify({ ...result, published: publication }));
      }
      if (publication && !options.json) printLines(describePublication(publication));
    });
}

async function publishResult(
  { out, approve, finding, by, to, note, keepDays }: BuildCommandOptions,
  built: BuildResult,
): Promise<Publication> {
  // Loaded only here: with it, the program would take twice as long to start.
  const { publishVersion } = await import('../../release/publish.ts');
  // An older snapshot may have been damaged since it was built.
  const verified = built.already ? undefined : built.manifest_sha256;
  return publishVersion(out, { version: built.model_version, approve, finding, by, to, note, keepDays, verified });
}

function describeBuild(built: BuildResult): string {
  return [
    ...blocksText(findingBlocks(built.findings), terminalWidth()),
    `${built.already ? 'Already built' : 'Built'} ${built.model_version} in ${built.directory} (SHA-256 of manifest.json ${built.manifest_sha256})`,
    ...built.unpublishable.map((reason) => `It cannot be published: ${reason}`),
    `Its report: ${built.directory}/report/index.html`,
  ].join('\n');
}
