#!/usr/bin/env node
import { Command, CommanderError } from 'commander';
import { buildCommand } from './commands/build.ts';
import { crossValidateCommand } from './commands/cross-validate.ts';
import { planCommand } from './commands/plan.ts';
import { scoreHeldBackCommand } from './commands/score-held-back.ts';
import { showCommand } from './commands/show.ts';
import { synthCommand } from './commands/synth.ts';
import { verifyCommand } from './commands/verify.ts';
import { zonalCommand } from './commands/zonal.ts';

const commands = [
  buildCommand,
  planCommand,
  verifyCommand,
  showCommand,
  synthCommand,
  zonalCommand,
  crossValidateCommand,
  scoreHeldBackCommand,
];

/** The command line. Exits 0 on success, 1 on a finding, 2 on bad usage or input with one line that says which. */
function program(): Command {
  const root = new Command('malaria-risk')
    .description(
      'Turns raw surveys, rasters and boundaries into a snapshot: the prebuilt answers of twelve API operations.',
    )
    .showHelpAfterError('(see --help)');
  for (const command of commands) root.addCommand(command());
  for (const command of [root, ...root.commands]) command.exitOverride();
  return root;
}

if (import.meta.main) {
  try {
    await program().parseAsync();
  } catch (error) {
    if (error instanceof CommanderError) process.exitCode = error.exitCode === 0 ? 0 : 2;
    else {
      process.stderr.write(`malaria-risk: ${(error as Error).message}\n`);
      if (process.env.MALARIA_DEBUG) process.stderr.write(`${(error as Error).stack}\n`);
      process.exitCode = 2;
    }
  }
}
