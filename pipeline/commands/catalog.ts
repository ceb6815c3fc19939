import { Command } from 'commander';
import { checkCountry } from '../catalog/check/country.ts';
import { say } from './options.ts';

interface CheckOptions {
  country: string;
  rawData?: string;
  json?: boolean;
}

const CHECK_DETAIL = `
Nothing is built and nothing changed. Looked at in this order: the form of the catalog; which files are there; their
bytes and SHA-256; tables and outlines, each read as a build reads it; rasters, cell by cell. A fault ends the look at its
own source alone. What only a build can tell (an LGA that no cell covers, people against the census) is not asked.

Exits 0 where all is well, 1 with faults, 2 where there is no catalog.

Example:
  malaria-risk catalog check --country raw-data/nigeria --raw-data ../shared/raw-data/nigeria`;

/** `malaria-risk catalog`. */
export function catalogCommand(): Command {
  return new Command('catalog').description('Check a catalog and its files').addCommand(checkCommand());
}

function checkCommand(): Command {
  return new Command('check')
    .description('Tell all faults of a catalog and its files at once, without building')
    .requiredOption('--country <dir>', 'directory with sources.json and model.json, such as raw-data/nigeria')
    .option('--raw-data <dir>', 'where the raw files lie, if not beside the catalog')
    .option('--json', 'the faults as JSON: step, source, what')
    .addHelpText('after', CHECK_DETAIL)
    .action(async ({ country, rawData, json }: CheckOptions) => {
      const faults = await checkCountry(country, rawData);
      if (json) say(JSON.stringify(faults, null, 2));
      else if (faults.length === 0) say(`${country}: no faults`);
      else say(...faults.map(({ step, what }) => `${step}: ${what}`));
      if (faults.length > 0) process.exitCode = 1;
    });
}
