import { Command } from 'commander';
import { type Publication, publishVersion } from '../publish/release/publish.ts';
import { say } from './options.ts';

/** `malaria-risk publish`. */
export function publishCommand(): Command {
  return new Command('publish')
    .description('Publish a version: check it whole, then let `current` lead to it')
    .argument('[version]', 'one of <out>/snapshots; an older one is a rollback (default: the newest candidate)')
    .option('--out <dir>', 'where snapshots and `current` are', 'build')
    .option('--json', 'as JSON')
    .action(async (version: string | undefined, options: { out: string; json?: boolean }) => {
      const published = await publishVersion(options.out, version ?? null);
      say(options.json ? JSON.stringify(published) : describePublication(published));
    });
}

export function describePublication({ model_version, directory, replaced, already }: Publication): string {
  if (already) return `${model_version} is current already`;
  return `Published ${model_version}${replaced ? ` in place of ${replaced}` : ''}: ${directory}`;
}
