import { Command, InvalidArgumentError } from 'commander';
import { readCatalog } from '../engine/country.ts';
import { type FetchOutcome, fetchFile, filesToFetch } from '../fetch/files.ts';
import { EXIT } from './errors.ts';
import { say } from './options.ts';

const DETAIL = `
A file that is there and has the catalog's SHA-256 is left alone. A download cut off goes on where it stopped. What
arrives lies beside its place (.part) until all of it is there and its SHA-256 is right. Files without a url come
from their producers; the catalog's \`access\` says how.

Exits 0; 1 where a file could not be had; 3 where a later try may bring it.

Examples:
  malaria-risk fetch --country raw-data/nigeria
  malaria-risk fetch --country raw-data/nigeria --raw-data ../data --only climate`;

/** `malaria-risk fetch`. */
export function fetchCommand(): Command {
  return new Command('fetch')
    .description('Download the raw files that the catalog has a url for, resuming what was cut off')
    .requiredOption('--country <dir>', 'directory with sources.json and model.json')
    .option('--raw-data <dir>', 'where to put the files, if not beside the catalog')
    .option('--only <source>', 'one source of the catalog, by its id')
    .option('--timeout <seconds>', 'give up on a server that is silent for so long', seconds, 30)
    .option('--json', 'one JSON object a file')
    .addHelpText('after', DETAIL)
    .action(async (options: { country: string; rawData?: string; only?: string; timeout: number; json?: boolean }) => {
      const country = readCatalog(options.country, options.rawData);
      const files = filesToFetch(country.sources, options.only);
      const failed: FetchOutcome[] = [];
      for (const file of files.wanted) {
        const outcome = await fetchFile(file, country.rawData, { silence_ms: options.timeout * 1000 });
        if (outcome.status === 'failed') failed.push(outcome);
        const { path, status, what } = outcome;
        say(options.json ? JSON.stringify(outcome) : `${path}: ${status}${what ? `, ${what}` : ''}`);
      }
      if (!options.json) for (const line of files.without) say(line);
      if (failed.length > 0) process.exitCode = failed.every((one) => one.try_again) ? EXIT.try_again : EXIT.finding;
    });
}

function seconds(text: string): number {
  const value = Number(text);
  if (!(value > 0)) throw new InvalidArgumentError('expected a number of seconds above 0');
  return value;
}
