import { Command } from 'commander';
import { readCatalog } from '../../catalog/country.ts';
import { type FetchOutcome, fetchFile, filesToFetch } from '../../intake/fetch/files.ts';
import { EXIT } from '../terminal/exit-codes.ts';
import { addCountryOptions, type CountryOptions, printLines } from '../terminal/options.ts';

const HELP = `
A file that exists and has the catalog's SHA-256 is left alone. An interrupted download continues where it stopped. A
file has the ending .part until it is complete and its SHA-256 is right. Files without a url come from their
producers; the catalog's \`access\` explains how to get them.

Exits with 0; with 1 if a file could not be downloaded; with 3 if a later try may succeed.

Examples:
  malaria-risk fetch --country raw-data/nigeria
  malaria-risk fetch --country raw-data/nigeria --raw-data ../data --only climate`;

export default function fetchCommand(): Command {
  return addCountryOptions(new Command('fetch'))
    .description('Download the raw files for which the catalog has a url, resuming interrupted downloads')
    .option('--only <source>', 'one source of the catalog, by its id')
    .option('--json', 'print one JSON object per file')
    .addHelpText('after', HELP)
    .action(async (options: CountryOptions & { only?: string; json?: boolean }) => {
      const country = readCatalog(options.country, options.rawData);
      const files = filesToFetch(country.sources, options.only);
      const failed: FetchOutcome[] = [];
      for (const file of files.fetchable) {
        const outcome = await fetchFile(file, country.rawData);
        if (outcome.status === 'failed') failed.push(outcome);
        const { path, status, what } = outcome;
        printLines(options.json ? JSON.stringify(outcome) : `${path}: ${status}${what ? `, ${what}` : ''}`);
      }
      if (!options.json) for (const line of files.unavailable) printLines(line);
      if (failed.length > 0)
        process.exitCode = failed.every(({ try_again }) => try_again) ? EXIT.try_again : EXIT.finding;
    });
}
