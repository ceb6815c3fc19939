import path from 'node:path';
import { Command } from 'commander';
import { UsageError } from '../../lib/errors.ts';
import { openSnapshot } from '../../publish/snapshot/open-snapshot.ts';
import { readReleases } from '../../release/release-records.ts';
import { outOption, parseMonth, printLines } from '../terminal/options.ts';
import { addRowOptions, printRows, type RowOptions } from '../terminal/rows.ts';
import { query } from './query.ts';
import { VIEWS, type View } from './show-views.ts';

interface ShowOptions extends RowOptions {
  state?: string;
  lga?: string;
  period?: string;
  out: string;
  snapshot?: string;
}

export default function showCommand(): Command {
  const command = new Command('show');
  for (const [name, view] of Object.entries(VIEWS)) command.addCommand(viewCommand(name, view));
  return command.addCommand(skillCommand()).addHelpText(
    'after',
    `
Examples:
  malaria-risk show risk --state KN --period 2023-09
  malaria-risk show context --state 'Akwa Ibom'
  malaria-risk show history --lga Dala
  malaria-risk show skill`,
  );
}

function viewCommand(name: string, view: View): Command {
  const { question, country, state, lga } = view;
  const command = addRowOptions(new Command(name).description(question).addOption(outOption()));
  command.option('--snapshot <dir>', 'directory of the snapshot (default: <out>/current)');
  if (country && state) command.option('--state <name>', 'the areas within one of the upper level; its code or name');
  else if (lga) command.option('--state <name>', 'code or name of an area of the upper level');
  else if (state) command.requiredOption('--state <name>', 'code or name of the area of the upper level');
  if (lga) command.option('--lga <name>', 'code or name of an area of the lower level, instead of --state');
  if (country?.includes('$period'))
    command.option('--period <month>', 'default: the latest estimated month', parseMonth);
  return command
    .addHelpText(
      'after',
      `\nIts rows are those of this query${country && state ? ', with --state of the second' : ''}:`,
    )
    .addHelpText('after', [country, state, lga].filter(Boolean).join('\n'))
    .action((options: ShowOptions) => show(name, view, options));
}

async function show(name: string, { country, state, lga, charts, needs }: View, options: ShowOptions): Promise<void> {
  const { out, snapshot = path.join(out, 'current') } = options;
  const { manifest } = openSnapshot(snapshot);
  const stateCode = options.state === undefined ? null : await findAreaCode(snapshot, 'state', options.state);
  const lgaCode = options.lga === undefined ? null : await findAreaCode(snapshot, 'lga', options.lga);
  if (needs && !Object.hasOwn(manifest.files, needs.file)) {
    printMissing(needs.why, options);
    return;
  }
  const sql = lgaCode !== null ? lga : stateCode !== null ? state : country;
  if (sql === undefined) throw new UsageError(`show ${name}: found no area, expected --state or --lga`);
  const values = { state: stateCode, lga: lgaCode, period: options.period ?? null };
  const rows = await query(sql, { snapshot, values });
  if (rows.length > 0) printRows(rows, options, charts);
  else if (options.period === undefined)
    printMissing(`${manifest.model_version} has nothing to show of ${lgaCode ?? stateCode ?? 'the country'}.`, options);
  else {
    const { first_estimated, last_forecast } = manifest.coverage;
    const span = `${first_estimated} to ${last_forecast}`;
    throw new UsageError(`show ${name}: found no rows of ${options.period}, expected a month of ${snapshot}, ${span}`);
  }
}

/** That a country lacks the data is an answer: the reason, apart from rows for a program. */
function printMissing(why: string, options: RowOptions): void {
  const forProgram = options.json || options.csv;
  if (options.json) printLines('[]');
  if (forProgram) process.stderr.write(`${why}\n`);
  else printLines(why);
}

/**
 * Code of the area with this code or name, whatever its case, accents and punctuation.
 * @throws UsageError with the nearest names if there is none, and for a name of several
 */
export async function findAreaCode(snapshot: string, level: 'state' | 'lga', asked: string): Promise<string> {
  const plainSql = (text: string) => `regexp_replace(strip_accents(lower(${text})), '[^\\p{L}\\p{N}]', '', 'g')`;
  const matchSql = (column: string) =>
    `list_contains([${plainSql(`${column}_code`)}, ${plainSql(column)}], ${plainSql('$asked')})`;
  const areas = await query(
    `SELECT ${level}_code AS code, ${level}_code || ' ' || ${level} AS offered,
       ${matchSql(level)} AS found,
       state_code IN (SELECT state_code FROM context_states WHERE ${matchSql('state')}) AS inside,
       left(${plainSql(level)}, 2) = left(${plainSql('$asked')}, 2) AS near
     FROM context_${level}s ORDER BY found DESC, code`,
    { snapshot, values: { asked } },
  );
  const matches = areas.filter(({ found }) => found);
  if (matches.length === 1) return String(matches[0]!.code);
  const inside = level === 'lga' ? areas.filter((area) => area.inside) : [];
  const near = [matches, inside].find((some) => some.length > 0) ?? areas.filter((area) => area.near);
  const offered = (near.length > 0 ? near : areas).map((area) => area.offered);
  throw new UsageError(
    `--${level}: found ${asked}${near === inside ? ', which is of the upper level' : ''}, expected ${near.length > 0 ? 'perhaps' : 'one of'} ${offered.join(', ')}`,
  );
}

function skillCommand(): Command {
  return addRowOptions(new Command('skill'))
    .description('How good were the forecasts of cases of each version, once their months had come?')
    .addOption(outOption())
    .action(({ out, ...options }: RowOptions & { out: string }) => {
      const rows = readReleases(out).flatMap(({ replaces, past_forecasts: skill }) =>
        skill ? [{ version: replaces, months: skill.periods.join(' '), ...skill.all }] : [],
      );
      if (rows.length > 0) printRows(rows, options);
      else printMissing('No version here has forecast months that have records since.', options);
    });
}
