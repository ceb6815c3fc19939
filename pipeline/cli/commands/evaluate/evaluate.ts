import { Command } from 'commander';
import { alertsCommand } from './alerts.ts';
import { forecastsCommand } from './forecasts.ts';
import { heldBackCommand } from './held-back.ts';
import { riskCommand } from './risk.ts';
import { truthCommand } from './truth.ts';

export default function evaluateCommand(): Command {
  return new Command('evaluate')
    .addCommand(riskCommand())
    .addCommand(truthCommand())
    .addCommand(forecastsCommand())
    .addCommand(alertsCommand())
    .addCommand(heldBackCommand())
    .addHelpText(
      'after',
      `
Each evaluation runs the stages that it needs, as far as they have changed, and keeps their results in the cache of
--build. It prints a summary as a table or as JSON (--json), and publishes nothing.`,
    );
}
