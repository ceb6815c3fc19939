import { Command, InvalidArgumentError } from 'commander';
import type { Publication } from '../../release/publish.ts';
import { MOST_KEPT_VERSIONS } from '../../release/release-index.ts';
import { OWN_DIRECTORY } from '../../release/release-records.ts';
import { outOption, parseAtLeastOne, parseText, printLines } from '../terminal/options.ts';

const HELP = `
Verifies the complete version, compares it with the current one as \`malaria-risk review\` does, and updates \`current\`
last: if it is killed, either the old version or the new one is current. Changes beyond parameters.diff in model.json,
anything that is missing, and findings marked for approval stop the publication unless --approve gives a reason. With
--finding the reason is for these kinds, or kinds at a place, alone. What was approved stays approved in later versions,
while it says the same: numbers may change. Who published it, when, why, from which commit and with which changes is
recorded in <out>/releases.

Publishing an older version is a rollback. It stays current until the next publication; builds do not touch it.

--to publishes to another destination and leaves <out>/current alone: the version is compared with the current one
there, its files are copied and checked by SHA-256, then the manifest, then \`current\`. \`malaria-proxy serve
--snapshot\` accepts the same address (for a directory: DIR/current). Credentials and the endpoint of s3:// come from
the environment, as for all of AWS's tools.

/v1/versions announces it to key holders: versions, months, what changed, and --note; never who published it or the
reason given to --approve. The replaced version is still served under /v1/versions/VERSION until \`releases prune\`
removes it, ${MOST_KEPT_VERSIONS} versions at most. With --keep-days its answers state until when (Sunset), and the
first publication after that time ends its service.

Exits with 0 if done, 1 if stopped, 2 if there is no such version or destination, 3 if another publication is in
progress or the storage cannot be reached.

Examples:
  malaria-risk publish
  malaria-risk publish --approve "2021 survey added: scores in the north rise, as expected"
  malaria-risk publish --approve "a mining town" --finding cases-do-not-fit-the-people:NG007014
  malaria-risk publish --note "January to March 2024 added" --keep-days 180
  malaria-risk publish --to /srv/malaria
  malaria-risk publish --to s3://data/malaria/prod
  malaria-risk publish nigeria-2026.1-64213e44 --approve "rolled back: the rain of June was in inches"`;

export interface PublishCommandOptions {
  out: string;
  approve?: string;
  finding?: string[];
  by?: string;
  note?: string;
  keepDays?: number;
  to?: string;
}

const collect = (text: string, earlier: string[] = []) => [...earlier, parseText(text)];

/** One reason is recorded for a publication: a second one would replace it. */
function parseReason(text: string, earlier: string | undefined): string {
  if (earlier === undefined) return parseText(text);
  throw new InvalidArgumentError('found it twice, expected one reason for all that --finding names');
}

/** Options of every command that publishes. */
export function addPublishOptions(command: Command): Command {
  return command
    .option('--approve <reason>', 'the reason for publishing changes that require one', parseReason)
    .option('--finding <kind[:place]>', 'what the reason approves; may be repeated (default: all)', collect)
    .option('--to <destination>', "another build's directory, or s3://BUCKET/PREFIX, instead of <out>/current")
    .option('--note <text>', 'a note on it for key holders', parseText)
    .option('--keep-days <n>', 'promise to keep the replaced version for this many days', parseAtLeastOne)
    .option('--by <name>', 'who publishes (default: MALARIA_BY, or the user of this process)', parseText);
}

export default function publishCommand(): Command {
  const command = new Command('publish')
    .description('Publish a version: verify it, compare it with the current one, then make it current')
    .argument('[version]', 'one of <out>/snapshots (default: the newest candidate)')
    .addOption(outOption());
  return addPublishOptions(command)
    .option('--json', 'as JSON')
    .addHelpText('after', HELP)
    .action(async (version: string | undefined, options: PublishCommandOptions & { json?: boolean }) => {
      const { out, json: _, ...publishOptions } = options;
      const { publishVersion } = await import('../../release/publish.ts');
      const publication = await publishVersion(out, { version, ...publishOptions });
      printLines(options.json ? JSON.stringify(publication) : describePublication(publication));
    });
}

export function describePublication({ model_version, directory, replaces, to, release }: Publication): string {
  const place = to === OWN_DIRECTORY ? directory : to;
  if (!release) return `${model_version} is already current: ${place}`;
  return `Published ${model_version}${replaces ? ` in place of ${replaces}` : ''}: ${place}`;
}
