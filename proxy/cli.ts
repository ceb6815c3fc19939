#!/usr/bin/env node
import { Command, CommanderError } from 'commander';
import { addAccountCommands } from './commands/accounts.ts';
import { addKeyCommands } from './commands/keys.ts';
import { addServeCommand } from './commands/serve.ts';
import { lineOf, UnavailableError, UsageError } from './errors.ts';

const EXAMPLES = `
Examples:
  malaria-proxy accounts create-organisation ministry
  malaria-proxy keys create --owner ministry --name dashboard --kind live --scopes risk_scores,forecasts
  malaria-proxy serve
  curl -H 'Authorization: Bearer <key>' 'http://127.0.0.1:8080/v1/risk/lgas?state=KN'

  malaria-proxy accounts create-researcher ada && malaria-proxy accounts unlock ada
  malaria-proxy accounts limits ministry --per-minute 600 --per-month 1000000
  malaria-proxy keys list --owner ministry
  malaria-proxy keys rotate key_…              a second key beside it, for its clients to move to
  malaria-proxy keys revoke key_…              takes effect from the next request on

Accounts and keys are kept in build/proxy.sqlite unless --store or MALARIA_STORE says otherwise.
Options of serve can be set in the environment; its --help and proxy/operate.md list the variables.
Exit codes: 0 done, 2 bad usage or input.`;

/** Runs one command. @returns the exit code. */
export async function run(args: readonly string[]): Promise<number> {
  const program = new Command('malaria-proxy')
    .description('Serves the snapshots that `malaria-risk` builds: checks keys and limits, then sends prebuilt files.')
    .exitOverride()
    .addHelpText('after', EXAMPLES);
  addServeCommand(program);
  addAccountCommands(program);
  addKeyCommands(program);
  try {
    await program.parseAsync(args, { from: 'user' });
    return 0;
  } catch (error) {
    if (error instanceof CommanderError) return error.exitCode === 0 ? 0 : 2;
    console.error(`malaria-proxy: ${lineOf(error)}`);
    const isExpected = error instanceof UsageError || error instanceof UnavailableError;
    if (!isExpected && error instanceof Error) console.error(error.stack);
    return 2;
  }
}

if (import.meta.main) process.exitCode = await run(process.argv.slice(2));
