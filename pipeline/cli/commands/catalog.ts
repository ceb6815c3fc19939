import { userInfo } from 'node:os';
import { Argument, Command } from 'commander';
import { CATALOG_SCHEMAS, listUnlistedFiles, readUncheckedCatalog } from '../../catalog/country.ts';
import { acceptCommand } from '../../catalog/pins.ts';
import { accountForDeliveries, summarizeAccounts } from '../../ingest/accounts.ts';
import type { Delivery } from '../../ingest/readers/delivery.ts';
import { stopsBuild } from '../../intake/check/fault.ts';
import type { Update, UpdateRequest } from '../../intake/update/update.ts';
import { firstFew } from '../../lib/first-few.ts';
import { quoteForShell } from '../../lib/shell.ts';
import { EXIT } from '../terminal/exit-codes.ts';
import {
  addCountryOptions,
  type CountryOptions,
  outOption,
  parseAtLeastOne,
  parseMonth,
  parseText,
  printLines,
} from '../terminal/options.ts';
import { startCommand } from './catalog-start.ts';

// Loaded only when they run: with them, the help and the other subcommands would take twice as long to start.
const loadCheck = () => import('../../intake/check/check-country.ts');
const loadRepair = () => import('../../intake/repair/repair.ts');
const loadUpdate = () => import('../../intake/update/update.ts');
const loadText = () => import('../terminal/catalog-text.ts');

/** Number of files that a line names. */
const MOST_FILES = 5;

const CHECK_HELP = `
Nothing is built or changed. Checked in this order: files that the draft could not use ("unused" in sources.json, to be
removed there if they are not needed); the form of the catalog; which files exist; their size and SHA-256; tables and
outlines, each read as a build reads it; rasters, cell by cell. All bad rows of a table and all bad outlines are
counted, in one line for each cause with three examples (--json lists each); any other fault, such as a missing column,
ends the check of its source. Faults that only a build can find (an area without a cell, population compared with the
census) are not checked. The faults come after the counts that are read, by year, for comparison with an annual report,
and after what is left out by which rule. Doubts come last: content that is valid row by row and implausible as a whole.
A build reports them, and publishing them requires a reason.

Exits with 0 if there is no fault, with or without doubts, 1 if there is one, 2 if there is no catalog.

Example:
  malaria-risk catalog check --country raw-data/nigeria --raw-data ../shared/raw-data/nigeria`;

export default function catalogCommand(): Command {
  return new Command('catalog')
    .description('Check a catalog and its files, accept changed files, print JSON Schemas for editors')
    .addCommand(checkCommand())
    .addCommand(updateCommand())
    .addCommand(addCommand())
    .addCommand(repairCommand())
    .addCommand(startCommand())
    .addCommand(schemaCommand());
}

function checkCommand(): Command {
  return addCountryOptions(new Command('check'))
    .description('Report all faults of a catalog and its files at once, without building')
    .option('--json', 'print every fault and doubt as JSON: step, source, what')
    .addHelpText('after', CHECK_HELP)
    .action(async ({ country, rawData, json }: CountryOptions & { json?: boolean }) => {
      const deliveries: Delivery[] = [];
      const { checkCountry } = await loadCheck();
      const findings = await checkCountry(country, rawData, deliveries);
      const faults = findings.filter(stopsBuild);
      if (json) printLines(JSON.stringify(findings, null, 2));
      else {
        const accountLines = summarizeAccounts(accountForDeliveries(deliveries));
        if (accountLines.length > 0) printLines(...accountLines, '');
        if (findings.length > 0) printLines(...(await loadText()).describeFaults(findings));
        if (faults.length === 0) printLines(`${country}: no faults`);
        const hasForm = !findings.some(({ step }) => step === 'form');
        const unlisted = hasForm ? listUnlistedFiles(readUncheckedCatalog(country, rawData)) : [];
        if (unlisted.length > 0)
          printLines(
            `No source uses ${firstFew(unlisted, MOST_FILES)}. If one is of the country: malaria-risk catalog add FILE --like SOURCE, or draft the catalog again`,
          );
        if (faults.some(({ remedy }) => remedy)) {
          const rawDataArgument = rawData === undefined ? '' : ` --raw-data ${quoteForShell(rawData)}`;
          printLines(
            `Some of these can be declared instead: malaria-risk catalog repair --country ${quoteForShell(country)}${rawDataArgument}`,
          );
        }
      }
      if (faults.length > 0) process.exitCode = EXIT.finding;
    });
}

const SCHEMA_HELP = `
With the schema, an editor completes names, shows their meaning and marks faults as you type: write it to a file, and
name that file as "$schema" at the top of the catalog's file.

Example:
  malaria-risk catalog schema model.json > model.schema.json`;

function schemaCommand(): Command {
  return new Command('schema')
    .description("Print the JSON Schema of one of a catalog's files, for editors")
    .addArgument(new Argument('<file>', 'the file of the catalog').choices(Object.keys(CATALOG_SCHEMAS)))
    .addHelpText('after', SCHEMA_HELP)
    .action((file: keyof typeof CATALOG_SCHEMAS) => {
      const about = { $schema: 'https://json-schema.org/draft/2020-12/schema', title: file };
      printLines(JSON.stringify({ ...about, ...CATALOG_SCHEMAS[file] }, null, 2));
    });
}

const REPAIR_HELP = `
Raw files are never changed. Faults that can be declared are declared in sources.json and aliases.csv instead
(raw-data/README.md, Declaring faults). With --accept, each declaration that is written is listed in full, every place
by its code, with its reason: read it, and take out what is not so. Faults that cannot be declared, such as a wrong
number or outlines that cross each other, are listed last.

Exits with 0 if no fault is left, 1 if one is left or a declaration waits for --accept.

Example:
  malaria-risk catalog repair --country raw-data/madagascar --raw-data DIR --accept 'no clinic on the island'`;

interface RepairOptions extends CountryOptions {
  accept?: string;
  by?: string;
  json?: boolean;
}

function repairCommand(): Command {
  return addCountryOptions(new Command('repair'))
    .description('Propose declarations for faults in the raw files, and write them to the catalog')
    .option('--accept <reason>', 'write the declarations, for this reason', parseText)
    .option('--by <name>', 'who accepts them (default: MALARIA_BY, or the user of this process)', parseText)
    .option('--json', 'print everything as JSON')
    .addHelpText('after', REPAIR_HELP)
    .action(async ({ country, rawData, accept, by, json }: RepairOptions) => {
      const { declaredReason, describeEffect, groupRepairs, repairCountry } = await loadRepair();
      const { describeFaults } = await loadText();
      const { repairs, left: faultsLeft } = await repairCountry(
        country,
        rawData,
        accept ? acceptance(accept, by) : null,
      );
      if (json) printLines(JSON.stringify({ repairs, left: faultsLeft }, null, 2));
      else {
        if (repairs.length + faultsLeft.length === 0) printLines(`${country}: no faults`);
        for (const { source, declares, fault, remedy } of groupRepairs(repairs, accept ? repairs.length : undefined))
          printLines(
            `${source}, ${declares}`,
            `  for ${fault}`,
            ...describeEffect(remedy).map((effect) => `  then ${effect}`),
            ...(accept ? [`  reason: ${declaredReason(remedy, accept)}`] : []),
          );
        if (faultsLeft.length > 0)
          printLines(
            'Faults that the catalog cannot declare:',
            ...describeFaults(faultsLeft).map((line) => `  ${line}`),
          );
        if (repairs.length > 0)
          printLines(
            accept
              ? 'Each of these is written to the catalog.'
              : 'Nothing has been changed yet; write it with --accept REASON.',
          );
        const [source, ...otherSources] = new Set(faultsLeft.map((fault) => fault.source).filter((id) => id !== null));
        const where = { directory: country, rawData: rawData ?? country };
        if (source)
          printLines(
            'Correct these in the files (or their entries in sources.json), and accept each corrected file: ' +
              acceptCommand(where, otherSources.length === 0 ? source : 'SOURCE'),
          );
        else if (faultsLeft.length > 0) printLines(`Correct these in the catalog, ${country}.`);
        else if (accept)
          printLines(
            `No fault is left. Build it: malaria-risk build --country ${quoteForShell(country)}${rawData ? ` --raw-data ${quoteForShell(rawData)}` : ''} --publish`,
          );
      }
      if (faultsLeft.length > 0 || (repairs.length > 0 && !accept)) process.exitCode = EXIT.finding;
    });
}

const acceptance = (reason: string, by: string | undefined) => ({
  reason,
  by: by ?? (process.env.MALARIA_BY || userInfo().username),
  at: new Date().toISOString(),
});

interface UpdateOptions extends CountryOptions {
  out: string;
  accept?: string;
  acceptNames?: boolean;
  by?: string;
  period?: string;
  lastEstimated?: string;
  release?: string;
  citation?: string;
  licence?: string;
  title?: string;
  year?: number;
  json?: boolean;
}

const UPDATE_HELP = `
Shows how a new file differs from the one accepted last, and what looks doubtful about it; with --accept it becomes the
accepted file. There is no other way to accept a changed file: \`build\` stops at it.

Without FILE, the files in the raw data are compared. A FILE is copied there once it is accepted: in place of the
entry's only file (under its own name, if only the years in it differ), of the one with the same name or extension, or,
among monthly rasters, as a new month, recognised by its name (rain_2024-01.tif) or given as --period. For a table that
lists several deliveries in \`files\`, a FILE of another name is one more, whose rows replace those of earlier ones for
the same place and month. It is first read as a build reads it, and refused if a build would refuse it.

A table may have the names of its areas where the last one had their codes (raw-data/README.md, Areas by name).

Only these fields are updated: in sources.json the entry's bytes, SHA-256, rows, span and new survey rounds, its columns
of areas, who accepted it, when and why, and with other years in the file's name path, title, release and year; in
model.json last_estimated and updated_at.

Accepted files are kept under their hashes in <out>/raw, so that a new file can be compared with one that it overwrote,
and an old version can be built again.

Exits with 0 if there was nothing to accept or the change was accepted, 1 if there is something to accept, names
included, 2 if the file is refused.

Examples:
  malaria-risk catalog update cases_states new.csv --country raw-data/nigeria --raw-data DIR
  malaria-risk catalog update cases_states new.csv --country raw-data/nigeria --raw-data DIR \\
    --last-estimated 2024-01 --accept 'January, from NHMIS'`;

const addAcceptOptions = (command: Command) =>
  addCountryOptions(command)
    .addOption(outOption())
    .option('--accept <reason>', 'accept the change, for this reason', parseText)
    .option('--accept-names', 'write the doubtful names of areas to aliases.csv as proposed')
    .option('--by <name>', 'who accepts it (default: MALARIA_BY, or the user of this process)', parseText)
    .option('--last-estimated <month>', 'the last month to estimate from now on', parseMonth)
    .option('--period <month>', 'month of a new raster, if its name does not contain it', parseMonth)
    .option('--release <text>', 'release of the file', parseText)
    .option('--citation <text>', 'how to cite it', parseText)
    .option('--licence <text>', 'its licence', parseText)
    .option('--title <text>', 'its title', parseText)
    .option('--year <n>', 'the year that the figures of a layer describe', parseAtLeastOne)
    .option('--json', 'print everything as JSON');

function updateCommand(): Command {
  return addAcceptOptions(new Command('update'))
    .description('Show how a changed file differs from the accepted one, and accept it')
    .argument('<source>', 'id of the source in sources.json, or the name of its file')
    .argument('[files...]', 'new files, if not in the raw data already')
    .addHelpText('after', UPDATE_HELP)
    .action(async (source: string, files: string[], options: UpdateOptions) => {
      const { updateSource } = await loadUpdate();
      await printUpdate(await updateSource(updateRequest(source, files, options)), options);
    });
}

const ADD_HELP = `
Monthly rasters and records are added to the files of SOURCE. Any other file, such as another round of a survey, gets an
entry of its own, like that of SOURCE.

Example:
  malaria-risk catalog add rain/*.tif --like rain --country raw-data/nigeria --raw-data DIR --accept 'rain of 2024'`;

function addCommand(): Command {
  return addAcceptOptions(new Command('add'))
    .description('Add files like those of a source to the catalog')
    .argument('<files...>', 'new files')
    .requiredOption('--like <source>', 'id of the source that they resemble, or the name of its file')
    .addHelpText('after', ADD_HELP)
    .action(async (files: string[], options: UpdateOptions & { like: string }) => {
      const { addFiles } = await loadUpdate();
      const updates = await addFiles(updateRequest(options.like, files, options));
      for (const update of updates) await printUpdate(update, options);
    });
}

async function printUpdate(update: Update, { json }: UpdateOptions): Promise<void> {
  const hasDoubtfulNames = update.names.some(({ area }) => area === null);
  const isPending = !update.accepted && (hasDoubtfulNames || update.files.length + update.edits.length > 0);
  if (json) printLines(JSON.stringify(update, null, 2));
  else printLines((await loadText()).describeUpdate(update), ...(update.accepted ? ['', 'Accepted.'] : []));
  if (isPending && !hasDoubtfulNames && !json)
    printLines('', 'Nothing has been changed yet; accept it with --accept REASON.');
  if (isPending) process.exitCode = EXIT.finding;
}

function updateRequest(
  source: string,
  files: string[],
  { accept, by, release, citation, licence, title, ...options }: UpdateOptions,
): UpdateRequest {
  const description = Object.entries({ release, citation, licence, title }).filter(([, value]) => value !== undefined);
  return {
    ...options,
    source,
    files,
    accept: accept === undefined ? undefined : acceptance(accept, by),
    description: Object.fromEntries(description),
  };
}
