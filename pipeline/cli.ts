#!/usr/bin/env node
import { Command, CommanderError } from 'commander';
import { lineOf } from './commands/errors.ts';

/** Each command's module, loaded when it is asked for: a build that finds nothing changed need not load them all. */
const COMMANDS: Record<string, () => Promise<() => Command>> = {
  build: async () => (await import('./commands/build.ts')).buildCommand,
  plan: async () => (await import('./commands/plan.ts')).planCommand,
  part: async () => (await import('./commands/part.ts')).partCommand,
  verify: async () => (await import('./commands/verify.ts')).verifyCommand,
  diff: async () => (await import('./commands/diff.ts')).diffCommand,
  show: async () => (await import('./commands/show.ts')).showCommand,
  query: async () => (await import('./commands/query.ts')).queryCommand,
  synth: async () => (await import('./commands/synth.ts')).synthCommand,
  fetch: async () => (await import('./commands/fetch.ts')).fetchCommand,
  prune: async () => (await import('./commands/prune.ts')).pruneCommand,
  'cross-validate': async () => (await import('./commands/cross-validate.ts')).crossValidateCommand,
  'score-held-back': async () => (await import('./commands/score-held-back.ts')).scoreHeldBackCommand,
  'score-truth': async () => (await import('./commands/score-truth.ts')).scoreTruthCommand,
  zonal: async () => (await import('./commands/zonal.ts')).zonalCommand,
};

/** The command line. Exits 0 on success, 1 on a finding, 2 on bad usage or input with one line that says which. */
async function program(asked: string | undefined): Promise<Command> {
  const root = new Command('malaria-risk')
    .description(
      'Turns raw surveys, rasters and boundaries into a snapshot: the prebuilt answers of twelve API operations.',
    )
    .showHelpAfterError('(see --help)');
  const names = asked !== undefined && Object.hasOwn(COMMANDS, asked) ? [asked] : Object.keys(COMMANDS);
  for (const name of names) root.addCommand((await COMMANDS[name]!())());
  for (const command of [root, ...root.commands]) command.exitOverride();
  return root;
}

if (import.meta.main) {
  try {
    await (await program(process.argv[2])).parseAsync();
  } catch (error) {
    if (error instanceof CommanderError) process.exitCode = error.exitCode === 0 ? 0 : 2;
    else {
      process.stderr.write(`malaria-risk: ${lineOf(error as Error)}\n`);
      if (process.env.MALARIA_DEBUG) process.stderr.write(`${(error as Error).stack}\n`);
      process.exitCode = 2;
    }
  }
}
