import { Command } from 'commander';
import { UsageError } from '../../lib/errors.ts';
import { openSnapshot } from '../../publish/snapshot/open-snapshot.ts';
import { type Provenance, traceFile } from '../../publish/snapshot/provenance.ts';
import { parseMonth, printLines } from '../terminal/options.ts';
import { addRowOptions, printRows, type RowOptions } from '../terminal/rows.ts';
import { query } from './query.ts';
import { VIEWS, type View } from './show-views.ts';

interface ShowOptions extends RowOptions {
  state?: string;
  period?: string;
  snapshot: string;
}

export default function showCommand(): Command {
  const command = new Command('show');
  for (const [name, view] of Object.entries(VIEWS)) command.addCommand(viewCommand(name, view));
  return command.addCommand(provenanceCommand()).addHelpText(
    'after',
    `
Examples:
  malaria-risk show risk --state KN --period 2023-09
  malaria-risk show context --state 'Akwa Ibom'
  malaria-risk show season
  malaria-risk show provenance v1/risk/lgas/2023-09/KN.json`,
  );
}

const snapshotOption = ['--snapshot <dir>', 'directory of the snapshot', 'build/current'] as const;

function viewCommand(name: string, view: View): Command {
  const { question, country, state } = view;
  const command = addRowOptions(new Command(name).description(question).option(...snapshotOption));
  if (country && state) command.option('--state <name>', 'the areas within one of the upper level; its code or name');
  else if (state) command.requiredOption('--state <name>', 'code or name of the area of the upper level');
  if (country?.includes('$period'))
    command.option('--period <month>', 'default: the latest estimated month', parseMonth);
  return command
    .addHelpText(
      'after',
      `\nIts rows are those of this query${country && state ? ', with --state of the second' : ''}:`,
    )
    .addHelpText('after', [country, state].filter(Boolean).join('\n'))
    .action((options: ShowOptions) => show(name, view, options));
}

async function show(name: string, { country, state, charts, needs }: View, options: ShowOptions): Promise<void> {
  const { snapshot } = options;
  const { manifest } = openSnapshot(snapshot);
  if (needs && !Object.hasOwn(manifest.files, needs.file)) {
    printMissing(needs.why, options);
    return;
  }
  const stateCode = options.state === undefined ? null : await findStateCode(snapshot, options.state);
  const values = { state: stateCode, period: options.period ?? null };
  const rows = await query((stateCode === null ? country : state)!, { snapshot, values });
  if (rows.length > 0) printRows(rows, options, charts);
  else if (options.period === undefined)
    printMissing(`${manifest.model_version} has nothing to show of ${stateCode ?? 'the country'}.`, options);
  else throw new UsageError(`show ${name}: found no rows in ${snapshot}, expected a month that it covers`);
}

/** That a country lacks the data is an answer: the reason, apart from rows for a program. */
function printMissing(why: string, options: RowOptions): void {
  const forProgram = options.json || options.csv;
  if (options.json) printLines('[]');
  if (forProgram) process.stderr.write(`${why}\n`);
  else printLines(why);
}

/**
 * Code of the state with this code or name, whatever its case, accents and punctuation.
 * @throws UsageError with the nearest names if there is none
 */
async function findStateCode(snapshot: string, asked: string): Promise<string> {
  const plainSql = (text: string) => `regexp_replace(strip_accents(lower(${text})), '[^\\p{L}\\p{N}]', '', 'g')`;
  const states = await query(
    `SELECT state_code, state_code || ' ' || state AS offered,
       list_contains([${plainSql('state_code')}, ${plainSql('state')}], ${plainSql('$asked')}) AS found,
       left(${plainSql('state')}, 2) = left(${plainSql('$asked')}, 2) AS near
     FROM context_states ORDER BY found DESC, state_code`,
    { snapshot, values: { asked } },
  );
  if (states[0]!.found) return String(states[0]!.state_code);
  const near = states.filter((state) => state.near);
  const offered = (near.length > 0 ? near : states).map((state) => state.offered);
  throw new UsageError(
    `--state: found ${asked}, expected ${near.length > 0 ? 'perhaps' : 'one of'} ${offered.join(', ')}`,
  );
}

function provenanceCommand(): Command {
  return new Command('provenance')
    .description('Which stages and raw files is a file made from?')
    .argument('<file>', 'a file in the snapshot, such as v1/risk/lgas/2023-09/KN.json')
    .option(...snapshotOption)
    .option('--json', 'as JSON')
    .action((file: string, { snapshot, json }: { snapshot: string; json?: boolean }) => {
      const provenance = traceFile(openSnapshot(snapshot).manifest, file);
      printLines(json ? JSON.stringify(provenance, null, 2) : describeProvenance(provenance));
    });
}

/** The stages and raw files behind a file, with the raw files' citations and licences. */
function describeProvenance(provenance: Provenance): string {
  const { file, bytes, sha256, model_version, updated_at, made_of } = provenance;
  return [
    `${file}: ${bytes} bytes, SHA-256 ${sha256}`,
    `${model_version}, updated ${updated_at}`,
    `Made from ${made_of.join(', ') || 'model.json alone'}`,
    '',
    'Stages behind it, the last one first:',
    ...provenance.stages.map(
      ({ stage, key, reads, code }) =>
        `  ${stage.padEnd(13)} key ${key.slice(0, 16)}, ${code.length} files of code${reads.length ? `; reads ${reads.join(', ')}` : ''}`,
    ),
    '',
    'Raw files behind it:',
    ...provenance.raw.flatMap((raw) => [
      `  ${raw.path} (read by ${raw.read_by.join(', ')})`,
      `    SHA-256 ${raw.sha256}`,
      `    ${raw.title}, release ${raw.release}: ${raw.citation}; ${raw.licence}`,
    ]),
  ].join('\n');
}
