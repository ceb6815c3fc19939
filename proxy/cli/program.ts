import { Command, CommanderError } from 'commander';
import { errorLine, TryAgain, UsageError } from '../../pipeline/lib/errors.ts';
import { settingsFromFiles } from '../server/settings-from-files.ts';
import { maskKeys } from '../store/key-format.ts';

/** A summary of each command, and its module, loaded only when the command runs. */
const COMMANDS: Record<string, [summary: string, load: () => Promise<{ addCommands(program: Command): void }>]> = {
  serve: ['serve a snapshot to clients with an API key', () => import('./commands/serve.ts')],
  accounts: ['manage the accounts that own keys, their limits and people', () => import('./commands/accounts.ts')],
  keys: ['create, rotate, list and revoke API keys', () => import('./commands/keys.ts')],
  'create-store': [
    'make an empty store for accounts, keys, people and counts',
    () => import('./commands/create-store.ts'),
  ],
  backup: [
    'copy accounts, keys, people and counts to one file; the server may be running',
    () => import('./commands/backup.ts'),
  ],
  restore: ['replace the store with a backup while no server runs', () => import('./commands/backup.ts')],
};

const EXAMPLES = `
Examples:
  malaria-proxy create-store
  malaria-proxy accounts create-organisation ministry
  malaria-proxy keys create --owner ministry --name dashboard --kind live --scopes risk_scores,forecasts
  malaria-proxy serve
  curl -H 'Authorization: Bearer <key>' http://127.0.0.1:8080/v1/periods

  malaria-proxy accounts create-researcher ada && malaria-proxy accounts unlock ada
  malaria-proxy accounts limits ministry --per-minute 600 --per-month 1000000
  malaria-proxy keys list --owner ministry
  malaria-proxy keys rotate key_…              creates a second key, for clients to switch to
  malaria-proxy keys revoke key_…              takes effect from the next request on

Accounts and keys are stored in build/proxy.sqlite, unless --store or MALARIA_STORE names another store: sqlite:FILE or
postgres://… Only \`create-store\`, \`serve --first-key\` and \`restore --forget\` make a store where there is none.
The options of \`serve\` can also be set in the environment; \`serve --help\` and proxy/deploy/operate.md list the
variables.
Exit codes: 0 success, 1 the server could not continue, 2 bad input or wrong usage, 3 temporary failure: retry later,
4 a bug in the program.`;

// Whoever reads the output may have seen enough, as `head` has; the command has done its work.
process.stdout.on('error', (error: NodeJS.ErrnoException) => {
  if (error.code !== 'EPIPE') throw error;
});

/** Runs one command. @returns the exit code. */
export async function run(args: readonly string[]): Promise<number> {
  const program = new Command('malaria-proxy')
    .description('Serves the snapshots that `malaria-risk` builds: checks keys and limits, then sends prebuilt files.')
    .exitOverride()
    // A key that was given by mistake, for example instead of its id, must not end up in a log.
    .configureOutput({ writeErr: (text) => process.stderr.write(maskKeys(text)) })
    .addHelpText('after', EXAMPLES);
  const command = args[0] === 'help' ? args[1] : args[0];
  if (command !== undefined && Object.hasOwn(COMMANDS, command)) (await COMMANDS[command]![1]()).addCommands(program);
  else for (const [name, [summary]] of Object.entries(COMMANDS)) program.command(name).description(summary);
  let fileSettings = {};
  try {
    fileSettings = settingsFromFiles(process.env);
    Object.assign(process.env, fileSettings);
    await program.parseAsync(args, { from: 'user' });
    return 0;
  } catch (thrownError) {
    // `--help` ends this way, too.
    if (thrownError instanceof CommanderError) return thrownError.exitCode === 0 ? 0 : 2;
    // Loaded only here: help needs no SQLite.
    const { asTryAgain } = await import('../store/sqlite-file.ts');
    const error = asTryAgain(thrownError);
    console.error(`malaria-proxy: ${maskKeys(errorLine(error))}`);
    if (error instanceof UsageError) return 2;
    // The system refused something: no space, no permission.
    if (error instanceof TryAgain || (error as NodeJS.ErrnoException).syscall !== undefined) return 3;
    if (error instanceof Error) console.error(error.stack);
    return 4;
  } finally {
    for (const name of Object.keys(fileSettings)) delete process.env[name];
  }
}

if (import.meta.main) process.exitCode = await run(process.argv.slice(2));
