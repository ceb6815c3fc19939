import { userInfo } from 'node:os';
import { Argument, Command, InvalidArgumentError } from 'commander';
import { checkCountry } from '../catalog/check/country.ts';
import { repairCountry } from '../catalog/repair.ts';
import { type UpdateRequest, updateSource } from '../catalog/update/update.ts';
import { isPeriod } from '../contract/months.ts';
import { FORMS } from '../engine/country.ts';
import { quoted } from '../shell.ts';
import { startCommand } from './catalog-start.ts';
import { describeUpdate } from './catalog-text.ts';
import { onlyCountry, say, words } from './options.ts';

const COUNTRY = 'directory with sources.json and model.json; need not be given where raw-data has just one';

interface CheckOptions {
  country: string;
  rawData?: string;
  json?: boolean;
}

const CHECK_DETAIL = `
Nothing is built and nothing changed. Looked at in this order: the form of the catalog; which files are there; their
bytes and SHA-256; tables and outlines, each read as a build reads it; rasters, cell by cell. All bad rows of a table
and all bad outlines are told; one of another kind (a column that is not there) ends the look at its source. What only a build can tell (an LGA that no cell covers, people against the census) is not asked.

Exits 0 where all is well, 1 with faults, 2 where there is no catalog.

Example:
  malaria-risk catalog check --country raw-data/nigeria --raw-data ../shared/raw-data/nigeria`;

/** `malaria-risk catalog`. */
export function catalogCommand(): Command {
  return new Command('catalog')
    .description('Check a catalog and its files, accept changed ones, print what editors need')
    .addCommand(checkCommand())
    .addCommand(updateCommand())
    .addCommand(repairCommand())
    .addCommand(startCommand())
    .addCommand(schemaCommand());
}

function checkCommand(): Command {
  return new Command('check')
    .description('Tell all faults of a catalog and its files at once, without building')
    .requiredOption('--country <dir>', COUNTRY, onlyCountry())
    .option('--raw-data <dir>', 'where the raw files lie, if not beside the catalog')
    .option('--json', 'the faults as JSON: step, source, what')
    .addHelpText('after', CHECK_DETAIL)
    .action(async ({ country, rawData, json }: CheckOptions) => {
      const faults = await checkCountry(country, rawData);
      if (json) say(JSON.stringify(faults, null, 2));
      else if (faults.length === 0) say(`${country}: no faults`);
      else {
        say(...faults.map(({ step, what }) => `${step}: ${what}`));
        if (faults.some(({ remedy }) => remedy)) {
          const raw = rawData === undefined ? '' : ` --raw-data ${quoted(rawData)}`;
          say(`Some can be declared instead: malaria-risk catalog repair --country ${quoted(country)}${raw}`);
        }
      }
      if (faults.length > 0) process.exitCode = 1;
    });
}

const SCHEMA_DETAIL = `
An editor that knows it completes names, shows what they mean, and marks faults as you type: write it to a file and name that
file as "$schema" at the top of the catalog's.

Example:
  malaria-risk catalog schema model.json > model.schema.json`;

function schemaCommand(): Command {
  return new Command('schema')
    .description("Print the JSON Schema of one of a catalog's files, for editors")
    .addArgument(new Argument('<file>', 'which').choices(Object.keys(FORMS)))
    .addHelpText('after', SCHEMA_DETAIL)
    .action((file: keyof typeof FORMS) => {
      const about = { $schema: 'https://json-schema.org/draft/2020-12/schema', title: file };
      say(JSON.stringify({ ...about, ...FORMS[file] }, null, 2));
    });
}

const REPAIR_DETAIL = `
Raw files stay as they came. What can be declared of their faults is written to sources.json instead: a place without a row
or a figure, months without a record, ground that belongs to no LGA (gaps, each with its rule); a name that the table of
codes spells otherwise (recode); an area in several features (dissolve). Each is told in findings, report and manifest.
What nothing can be declared of is listed after it: a wrong number, or outlines that cross each other.

Exits 0 where no fault is left, 1 where one is, or where something waits for --accept.

Example:
  malaria-risk catalog repair --country raw-data/madagascar --raw-data DIR --accept 'no clinic on the island'`;

interface RepairOptions {
  country: string;
  rawData?: string;
  accept?: string;
  by?: string;
  json?: boolean;
}

function repairCommand(): Command {
  return new Command('repair')
    .description('Propose what the catalog could declare of faults in its files, and write it')
    .requiredOption('--country <dir>', COUNTRY, onlyCountry())
    .option('--raw-data <dir>', 'where the raw files lie, if not beside the catalog')
    .option('--accept <reason>', 'write it, for this reason', words)
    .option('--by <name>', 'who accepts it, if not MALARIA_BY or the user of this machine', words)
    .option('--json', 'all of it as JSON')
    .addHelpText('after', REPAIR_DETAIL)
    .action(async ({ country, rawData, accept, by, json }: RepairOptions) => {
      const { repairs, left } = await repairCountry(country, rawData, accept ? acceptance(accept, by) : null);
      if (json) say(JSON.stringify({ repairs, left }, null, 2));
      else {
        if (repairs.length + left.length === 0) say(`${country}: no faults`);
        for (const { source, declares, fault } of repairs) say(`${source}, ${declares}`, `  for ${fault}`);
        if (left.length > 0)
          say('What the catalog cannot declare:', ...left.map(({ step, what }) => `  ${step}: ${what}`));
        if (repairs.length > 0)
          say(accept ? 'Written to sources.json.' : 'Nothing is changed yet: write it by --accept REASON.');
      }
      if (left.length > 0 || (repairs.length > 0 && !accept)) process.exitCode = 1;
    });
}

const acceptance = (reason: string, by: string | undefined) => ({
  ...{ reason, by: by ?? (process.env.MALARIA_BY || userInfo().username) },
  at: new Date().toISOString(),
});

interface UpdateOptions {
  country: string;
  rawData?: string;
  out: string;
  accept?: string;
  by?: string;
  period?: string;
  lastEstimated?: string;
  release?: string;
  citation?: string;
  licence?: string;
  title?: string;
  json?: boolean;
}

const UPDATE_DETAIL = `
Shows what a new file changes against the one accepted last, and what there is to doubt; with --accept it becomes the
accepted one. Nothing else accepts a changed file: \`build\` stops at one.

Without FILE, what lies in the raw data is looked at. A FILE goes to its place there once it is accepted: that of the
entry's only file, of the one with the same name or ending, or, for monthly rasters, a new month, recognised by its name
(rain_2024-01.tif) or --period. It is read first as a build reads it, and refused for what a build would refuse.

Written: bytes, SHA-256, rows, span and new survey rounds of the entry in sources.json, who accepted it when and why;
last_estimated and updated_at of model.json. The rest of both stays as it is.

Accepted files are kept under their hashes in <out>/raw, so that a file overwritten in its place can still be compared
with, and an old version be built again.

Exits 0 where there was nothing to accept or it was accepted, 1 where there is something to accept, 2 where the file is
refused.

Examples:
  malaria-risk catalog update cases_states new.csv --country raw-data/nigeria --raw-data DIR
  malaria-risk catalog update cases_states new.csv --country raw-data/nigeria --raw-data DIR \\
    --last-estimated 2024-01 --accept 'January, from NHMIS'`;

function updateCommand(): Command {
  return new Command('update')
    .description('Show what a changed file changes, and accept it')
    .argument('<source>', 'id of the source in sources.json')
    .argument('[files...]', 'its new files, if not in the raw data already')
    .requiredOption('--country <dir>', COUNTRY, onlyCountry())
    .option('--raw-data <dir>', 'where the raw files lie, if not beside the catalog')
    .option('--out <dir>', 'directory of builds, where accepted files are kept', 'build')
    .option('--accept <reason>', 'accept it, for this reason', words)
    .option('--by <name>', 'who accepts it, if not MALARIA_BY or the user of this machine', words)
    .option('--last-estimated <month>', 'the last month to estimate from now on', month)
    .option('--period <month>', 'month of a new raster whose name does not tell it', month)
    .option('--release <text>', 'release of the file', words)
    .option('--citation <text>', 'how to cite it', words)
    .option('--licence <text>', 'its licence', words)
    .option('--title <text>', 'its title', words)
    .option('--json', 'all of it as JSON')
    .addHelpText('after', UPDATE_DETAIL)
    .action(async (source: string, files: string[], options: UpdateOptions) => {
      const update = await updateSource(requestOf(source, files, options));
      const open = !update.accepted && update.files.length + update.edits.length > 0;
      if (options.json) say(JSON.stringify(update, null, 2));
      else say(describeUpdate(update), ...(update.accepted ? ['', 'Accepted.'] : []));
      if (open && !options.json) say('', 'Nothing is changed yet: accept it by --accept REASON.');
      if (open) process.exitCode = 1;
    });
}

function requestOf(source: string, files: string[], options: UpdateOptions): UpdateRequest {
  const { country, rawData, out, accept, by, period, lastEstimated, release, citation, licence, title } = options;
  const about = Object.entries({ release, citation, licence, title }).filter(([, text]) => text !== undefined);
  const accepted = accept === undefined ? undefined : acceptance(accept, by);
  return {
    ...{ country, rawData, out, source, files, period, lastEstimated, accept: accepted },
    about: Object.fromEntries(about),
  };
}

function month(text: string): string {
  if (isPeriod(text)) return text;
  throw new InvalidArgumentError('expected a month YYYY-MM');
}
