import { globSync, statSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import path from 'node:path';
import { type Command, InvalidArgumentError, Option } from 'commander';

export const ABOUT_COUNTRY =
  'directory with sources.json and model.json; may be omitted if raw-data contains only one country';
export const ABOUT_RAW_DATA = 'directory of the raw files, if not next to the catalog';

/** Options of every command that reads a country. */
export function addCountryOptions(command: Command): Command {
  return command
    .requiredOption('--country <dir>', ABOUT_COUNTRY, onlyCountry())
    .option('--raw-data <dir>', ABOUT_RAW_DATA)
    .option('--unpinned', 'use raw files that differ from the catalog, for a trial that cannot be published')
    .option('--out <dir>', 'directory for the cache, snapshots and `current`', 'build')
    .option('--updated-at <time>', "ISO 8601 time for `updated_at`, instead of model.json's")
    .addOption(jobsOption());
}

/** The directory of the only catalog below raw-data; undefined if there are several or none. */
export function onlyCountry(): string | undefined {
  const [first, ...others] = globSync('raw-data/*/sources.json');
  return first !== undefined && others.length === 0 ? path.dirname(first) : undefined;
}

export const jobsOption = () =>
  new Option('--jobs <n>', 'stages that may run at once').default(availableParallelism()).argParser(atLeastOne);

/** Options of `build` and `plan`. */
export const withoutValidation = () =>
  new Option('--without-validation', 'skip validation: faster, but the result cannot be published');

export function atLeastOne(text: string): number {
  const value = Number(text);
  if (!Number.isInteger(value) || value < 1) throw new InvalidArgumentError('expected a whole number of at least 1');
  return value;
}

/** Path of a file to write. An impossible one is refused before the work starts, not after. */
export function fileToWrite(file: string): string {
  const kind = (of: string) => statSync(of, { throwIfNoEntry: false });
  if (kind(file)?.isDirectory()) throw new InvalidArgumentError('found a directory, expected a file to write');
  const folder = path.dirname(file);
  if (kind(folder)?.isDirectory() === false) throw new InvalidArgumentError(`${folder} is a file, not a directory`);
  return file;
}

/** Text that people write: a name, a reason. */
export function freeText(text: string): string {
  if (text.trim() !== '' && !text.includes('\0')) return text;
  throw new InvalidArgumentError('expected some text');
}

export interface CountryOptions {
  country: string;
  rawData?: string;
  unpinned?: boolean;
  out: string;
  updatedAt?: string;
  jobs: number;
}

/** Writes lines to standard output: a command's result. */
export function say(...lines: string[]): void {
  process.stdout.write(`${lines.join('\n')}\n`);
}

/**
 * Columns of the terminal on standard output; infinite if it is not a terminal, or one that does not report its width.
 */
export function terminalWidth(): number {
  return process.stdout.columns || Number.POSITIVE_INFINITY;
}
