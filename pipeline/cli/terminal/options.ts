import { globSync, statSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import path from 'node:path';
import { type Command, InvalidArgumentError, Option } from 'commander';
import { isPeriod, type Period } from '../../contract/months.ts';

/** Options of every command that reads a country's catalog. */
export function addCountryOptions(command: Command): Command {
  return command
    .requiredOption(
      '--country <dir>',
      'directory with sources.json and model.json; may be omitted if raw-data contains only one country',
      onlyCountry(),
    )
    .addOption(rawDataOption());
}

const rawDataOption = () => new Option('--raw-data <dir>', 'directory of the raw files, if not next to the catalog');
const unpinnedOption = () =>
  new Option('--unpinned', 'use raw files that differ from the catalog, for a trial that cannot be published');

/** Options of every command that runs stages of a country. */
export function addStageOptions(command: Command): Command {
  return addCountryOptions(command).addOption(unpinnedOption()).addOption(jobsOption());
}

/** Options of `build` and `plan`. */
export function addBuildOptions(command: Command): Command {
  return addStageOptions(command)
    .addOption(outOption())
    .option('--updated-at <time>', "ISO 8601 time for `updated_at`, instead of model.json's")
    .option('--without-validation', 'skip validation: faster, but the result cannot be published');
}

/** Options of the evaluations of a country. `--build` is what other commands call `--out`, here the file of scores. */
export function addEvaluationOptions(command: Command): Command {
  return addResultOptions(addStageOptions(command), 'build');
}

/** The same for an evaluation that may make up its countries. @param build default of `--build` */
export function addTruthOptions(command: Command, country: Option, build: string): Command {
  const options = command.addOption(country).addOption(rawDataOption()).addOption(unpinnedOption());
  return addResultOptions(options.addOption(jobsOption()), build);
}

const addResultOptions = (command: Command, build: string) =>
  command
    .option('--build <dir>', 'directory with the cache of stages', build)
    .option('--json', 'print the summary as JSON, and progress as JSON lines');

/** The directory of the only catalog below raw-data; undefined if there are several or none. */
export function onlyCountry(): string | undefined {
  const [first, ...more] = globSync('raw-data/*/sources.json');
  return first !== undefined && more.length === 0 ? path.dirname(first) : undefined;
}

export const jobsOption = () =>
  new Option('--jobs <n>', 'stages that may run at once').default(availableParallelism()).argParser(parseAtLeastOne);

export const outOption = () =>
  new Option('--out <dir>', 'directory for the cache, snapshots, releases and `current`').default('build');

export function parseAtLeastOne(text: string): number {
  const value = Number(text);
  if (!Number.isInteger(value) || value < 1) throw new InvalidArgumentError('expected a whole number of at least 1');
  return value;
}

/** Path of a file to write. An impossible one is refused before the work starts, not after. */
export function parseFileToWrite(file: string): string {
  const stats = (name: string) => statSync(name, { throwIfNoEntry: false });
  if (stats(file)?.isDirectory()) throw new InvalidArgumentError('found a directory, expected a file to write');
  const folder = path.dirname(file);
  if (stats(folder)?.isDirectory() === false) throw new InvalidArgumentError(`${folder} is a file, not a directory`);
  return file;
}

/** Text that people write: a name, a reason. */
export function parseText(text: string): string {
  if (text.trim() !== '' && !text.includes('\0')) return text;
  throw new InvalidArgumentError('expected some text');
}

/** A month. */
export function parseMonth(text: string): Period {
  if (isPeriod(text)) return text;
  throw new InvalidArgumentError('expected a month YYYY-MM');
}

/** `2023-01..2023-12`, or a single month. */
export function parseMonthSpan(text: string): { first: Period; last: Period } {
  const [first = '', last = first, ...more] = text.split('..');
  if (more.length > 0 || !isPeriod(first) || !isPeriod(last) || last < first)
    throw new InvalidArgumentError('expected a month such as 2023-12, or months such as 2023-01..2023-12');
  return { first, last };
}

/** `1-3,7` as 1, 2, 3, 7. */
export function parseSeeds(text: string): number[] {
  const numbers = text.split(',').flatMap((part) => {
    const range = /^(\d{1,9})(?:-(\d{1,9}))?$/.exec(part);
    const [first, last] = [Number(range?.[1]), Number(range?.[2] ?? range?.[1])];
    if (!range || last < first || last - first >= 1000)
      throw new InvalidArgumentError('expected seeds such as 3 or 1-10 or 1,4,7');
    return Array.from({ length: last - first + 1 }, (_, i) => first + i);
  });
  return [...new Set(numbers)];
}

export interface CountryOptions {
  country: string;
  rawData?: string;
}
export interface StageOptions extends CountryOptions {
  unpinned?: boolean;
  jobs: number;
}
export interface EvaluationOptions extends StageOptions {
  build: string;
  json?: boolean;
}
export interface BuildOptions extends StageOptions {
  out: string;
  updatedAt?: string;
  withoutValidation?: boolean;
}

/** Writes lines to standard output: a command's result. */
export function printLines(...lines: string[]): void {
  process.stdout.write(`${lines.join('\n')}\n`);
}

/** Writes an evaluation's result: with `--json` as JSON, otherwise as these lines. */
export function printEvaluation({ json }: Pick<EvaluationOptions, 'json'>, result: unknown, lines: string[]): void {
  printLines(...(json ? [JSON.stringify(result)] : lines));
}

/**
 * Columns of the terminal on standard output; infinite if it is not a terminal, or one that does not report its width.
 */
export function terminalWidth(): number {
  return process.stdout.columns || Number.POSITIVE_INFINITY;
}
