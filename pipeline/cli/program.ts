import { Command, CommanderError } from 'commander';
import { TryAgain } from '../lib/errors.ts';
import { interruptAll } from '../lib/interruptible.ts';
import { describeError, EXIT } from './terminal/exit-codes.ts';

/** A summary of each command, and its module, which is loaded only when the command runs: some take a second. */
const COMMANDS: Record<string, [summary: string, load: () => Promise<{ default: () => Command }>]> = {
  build: ['Build a snapshot, a candidate for publishing', () => import('./commands/build.ts')],
  plan: ['Show which stages a build would run, and why', () => import('./commands/plan.ts')],
  countries: ['Show the builds of many countries in one table', () => import('./commands/countries.ts')],
  review: ['Show what publishing a candidate would change', () => import('./commands/review.ts')],
  publish: ['Check a candidate and make it current', () => import('./commands/publish.ts')],
  releases: ['List publications, remove old versions, build one again', () => import('./commands/releases.ts')],
  verify: ['Check a snapshot offline', () => import('./commands/verify.ts')],
  diff: ['Compare two snapshots', () => import('./commands/diff.ts')],
  show: ['Show the content of a snapshot in tables and charts', () => import('./commands/show.ts')],
  explain: ['Show what a figure was made from, back to the rows of the files', () => import('./commands/explain.ts')],
  query: ['Query the tables of snapshots in SQL', () => import('./commands/query.ts')],
  export: ['Write a version in the form of another system', () => import('./commands/export/export.ts')],
  draws: ['Write the joint posterior draws behind the scores', () => import('./commands/draws.ts')],
  synth: ['Make up a country whose truth is known', () => import('./commands/synth.ts')],
  'new-country': ['Draft the catalog of a country from its raw files', () => import('./commands/new-country.ts')],
  catalog: ['Check a catalog and its files, accept changed files', () => import('./commands/catalog.ts')],
  fetch: ['Download the raw files', () => import('./commands/fetch.ts')],
  prune: ['Remove unused entries from the cache', () => import('./commands/prune.ts')],
  evaluate: ['Score the models on data that their fits have not seen', () => import('./commands/evaluate/evaluate.ts')],
  chap: ['Forecast cases as a model of CHAP', () => import('./commands/chap.ts')],
  zonal: ['Statistics of a raster inside polygons', () => import('./commands/zonal.ts')],
};

/** The program with the command that `args` names; if it names none, with a line of help for each command. */
async function createProgram(args: readonly string[], json: boolean): Promise<Command> {
  const root = new Command('malaria-risk')
    .description('Turns raw surveys, rasters and boundaries into a snapshot: the prebuilt answers of a read-only API.')
    .showHelpAfterError('(see --help)');
  const requestedName = args[0] === 'help' ? args[1] : args[0];
  if (requestedName !== undefined && Object.hasOwn(COMMANDS, requestedName)) {
    const [summary, load] = COMMANDS[requestedName]!;
    const command = (await load()).default();
    // A command describes itself only if it has more to say than its summary.
    root.addCommand(command.description(command.description() || summary));
  } else for (const [name, [summary]] of Object.entries(COMMANDS)) root.command(name).description(summary);
  const nested = root.commands.flatMap((command) => command.commands);
  for (const command of [root, ...root.commands, ...nested]) {
    command.exitOverride();
    // The error is reported once, as a line of JSON.
    if (json) command.configureOutput({ writeErr: () => {} });
  }
  return root;
}

/** Runs one command. An error becomes the exit code (terminal/exit-codes.ts) and one line on standard error. */
export async function run(args: readonly string[]): Promise<void> {
  const json = args.includes('--json');
  try {
    await (await createProgram(args, json)).parseAsync(args, { from: 'user' });
  } catch (error) {
    report(error as Error, json);
  }
}

/** Whether the process is ending: failures that result from stopping are not reported. */
let isStopping = false;

/** Whether the reader of the output has enough, as `head` does: that is no failure, and work goes on. */
const isPipeClosed = (error: NodeJS.ErrnoException) => error.code === 'EPIPE';

function report(error: Error, json: boolean): void {
  // `--help` and `--version` end this way, too.
  if (isStopping || isPipeClosed(error) || (error instanceof CommanderError && error.exitCode === 0)) return;
  const line = describeError(error);
  process.exitCode = line.exit_code;
  if (json) process.stderr.write(`${JSON.stringify(line)}\n`);
  // Commander has printed its own errors already.
  else if (!(error instanceof CommanderError)) {
    const isFault = line.exit_code === EXIT.fault;
    process.stderr.write(
      `malaria-risk: ${line.message}${isFault ? ' (a bug in the program; MALARIA_DEBUG=1 shows the stack trace)' : ''}\n`,
    );
  }
  if (process.env.MALARIA_DEBUG) process.stderr.write(`${error.stack}\n`);
}

/** Time after which a process is killed if its interrupted work has not ended. */
const STOP_MS = 700;

/** Runs a command as the whole process: uncaught errors and stop signals set the exit code, too. */
export async function main(args: readonly string[]): Promise<void> {
  const json = args.includes('--json');
  for (const stream of [process.stdout, process.stderr])
    stream.on('error', (error) => {
      if (!isPipeClosed(error)) throw error;
    });
  process.on('uncaughtException', (error) => {
    report(error, json);
    process.exit();
  });
  for (const signal of ['SIGINT', 'SIGTERM'] as const)
    process.on(signal, async () => {
      report(
        new TryAgain(
          `stopped by ${signal}; what is published is unchanged, and a build goes on from its last finished stage when it is run again`,
        ),
        json,
      );
      isStopping = true;
      // DuckDB looks for interruptions between values, so that a single huge one would keep the process alive.
      setTimeout(() => process.kill(process.pid, 'SIGKILL'), STOP_MS);
      await interruptAll();
      process.exit();
    });
  await run(args);
}

if (import.meta.main) await main(process.argv.slice(2));
