#!/usr/bin/env node
import { Command, CommanderError } from 'commander';
import { lineOf, UnavailableError, UsageError } from './errors.ts';
import { settingsFromFiles } from './settings-from-files.ts';
import { unavailable } from './sqlite-file.ts';

/** A line about each command, and what adds it to the program, which is loaded only when the command runs. */
const COMMANDS: Record<string, [summary: string, load: () => Promise<(program: Command) => void>]> = {
  serve: ['serve a snapshot to holders of keys', async () => (await import('./commands/serve.ts')).addServeCommand],
  accounts: [
    'manage who may hold keys, and their limits',
    async () => (await import('./commands/accounts.ts')).addAccountCommands,
  ],
  keys: ['create, rotate, list and revoke API keys', async () => (await import('./commands/keys.ts')).addKeyCommands],
  backup: [
    'copy accounts, keys, people and limits to one file, while the server runs',
    async () => (await import('./commands/backup.ts')).addBackupCommands,
  ],
  restore: [
    'put a backup in the place of the store, while no server runs',
    async () => (await import('./commands/backup.ts')).addBackupCommands,
  ],
};

const EXAMPLES = `
Examples:
  malaria-proxy accounts create-organisation ministry
  malaria-proxy keys create --owner ministry --name dashboard --kind live --scopes risk_scores,forecasts
  malaria-proxy serve
  curl -H 'Authorization: Bearer <key>' http://127.0.0.1:8080/v1/periods

  malaria-proxy accounts create-researcher ada && malaria-proxy accounts unlock ada
  malaria-proxy accounts limits ministry --per-minute 600 --per-month 1000000
  malaria-proxy keys list --owner ministry
  malaria-proxy keys rotate key_…              a second key beside it, for its clients to move to
  malaria-proxy keys revoke key_…              takes effect from the next request on

Accounts and keys are kept in build/proxy.sqlite unless --store or MALARIA_STORE says otherwise.
Options of serve can be set in the environment; its --help and proxy/operate.md list the variables.
Exit codes: 0 done, 2 bad usage or input, 3 something cannot be used at present (try again), 4 a fault of the program.`;

/** Runs one command. @returns the exit code. */
export async function run(args: readonly string[]): Promise<number> {
  const program = new Command('malaria-proxy')
    .description('Serves the snapshots that `malaria-risk` builds: checks keys and limits, then sends prebuilt files.')
    .exitOverride()
    .addHelpText('after', EXAMPLES);
  const asked = args[0] === 'help' ? args[1] : args[0];
  if (asked !== undefined && Object.hasOwn(COMMANDS, asked)) (await COMMANDS[asked]![1]())(program);
  else for (const [name, [summary]] of Object.entries(COMMANDS)) program.command(name).description(summary);
  let fromFiles = {};
  try {
    fromFiles = settingsFromFiles(process.env);
    Object.assign(process.env, fromFiles);
    await program.parseAsync(args, { from: 'user' });
    return 0;
  } catch (thrown) {
    const error = unavailable(thrown);
    if (error instanceof CommanderError) return error.exitCode === 0 ? 0 : 2;
    console.error(`malaria-proxy: ${lineOf(error)}`);
    if (error instanceof UsageError) return 2;
    // The system refused something: no room, no permission.
    if (error instanceof UnavailableError || (error as NodeJS.ErrnoException).syscall !== undefined) return 3;
    if (error instanceof Error) console.error(error.stack);
    return 4;
  } finally {
    for (const name of Object.keys(fromFiles)) delete process.env[name];
  }
}

if (import.meta.main) process.exitCode = await run(process.argv.slice(2));
