import { Command } from 'commander';
import { type Publication, publishVersion } from '../publish/release/publish.ts';
import { HERE } from '../publish/release/records.ts';
import { MOST_KEPT_VERSIONS } from '../publish/release/release-index.ts';
import { atLeastOne, say, words } from './options.ts';

const DETAIL = `
Verifies the whole version, holds it against what is current as \`malaria-risk review\` does, and moves \`current\` last: a
kill at any moment leaves the old version or the new. What is over parameters.diff of model.json, what is gone, and
findings that ask for it stop it unless --approve says why it may be. Who, when, why, out of which commit and with which
changes is written to <out>/releases.

An older version is a rollback. It stays until the next publication; builds leave it alone.

--to publishes somewhere else and leaves <out>/current alone: the version is held against what is current there, its
files are copied and checked by their SHA-256, then the manifest, then \`current\`. \`malaria-proxy serve --snapshot\` takes
the same address (of a directory: DIR/current). Credentials and endpoint of s3:// come from the environment, as for all
of AWS's tools.

Key holders are told of it by /v1/versions, and readers of the feed (/feed.atom of the dashboard's port, which asks for no
key): versions, months, what was changed, --note; never who published or the reason of --approve. What is replaced is
served on under /v1/versions/VERSION until \`releases prune\` removes it, ${MOST_KEPT_VERSIONS} versions at most; with --keep-days
its answers say until when (Sunset), and the first publication after that ends it.

Exits 0; 1 where it is stopped; 2 where there is no such version or place; 3 where another publication is under way or the
storage cannot be reached.

Examples:
  malaria-risk publish
  malaria-risk publish --approve "2021 survey added: scores of the north rise, as expected"
  malaria-risk publish --note "January to March 2024 added" --keep-days 180
  malaria-risk publish --to /srv/malaria
  malaria-risk publish --to s3://data/malaria/prod
  malaria-risk publish nigeria-2026.1-64213e44 --approve "rolled back: rain of June was in inches"`;

export interface PublishCommandOptions {
  out: string;
  approve?: string;
  by?: string;
  note?: string;
  keepDays?: number;
  to?: string;
}

/** Options of every command that publishes. */
export function addPublishOptions(command: Command): Command {
  return command
    .option('--approve <reason>', 'publish what asks for a reason, for this one', words)
    .option('--to <place>', "another build's directory, or s3://BUCKET/PREFIX, in place of <out>/current")
    .option('--note <text>', 'what key holders, and readers of the public feed, are told of it', words)
    .option('--keep-days <n>', 'promise to keep what it replaces for so many days', atLeastOne)
    .option('--by <name>', 'who publishes (default: MALARIA_BY, or the user of this process)', words);
}

/** `malaria-risk publish`. */
export function publishCommand(): Command {
  const command = new Command('publish')
    .description('Publish a version: verify it, hold it against what is current, then let `current` lead to it')
    .argument('[version]', 'one of <out>/snapshots (default: the newest candidate)')
    .option('--out <dir>', 'where snapshots and `current` are', 'build');
  return addPublishOptions(command)
    .option('--json', 'as JSON')
    .addHelpText('after', DETAIL)
    .action(async (version: string | undefined, options: PublishCommandOptions & { json?: boolean }) => {
      const { out, json: _, ...how } = options;
      const published = await publishVersion(out, { version, ...how });
      say(options.json ? JSON.stringify(published) : describePublication(published));
    });
}

export function describePublication({ model_version, directory, replaces, to, release }: Publication): string {
  const where = to === HERE ? directory : to;
  if (!release) return `${model_version} is current already: ${where}`;
  return `Published ${model_version}${replaces ? ` in place of ${replaces}` : ''}: ${where}`;
}
