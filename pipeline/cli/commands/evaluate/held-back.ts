import { Command } from 'commander';
import { evaluateHeldBack } from '../../../validate/evaluate-held-back.ts';
import { addEvaluationOptions, type EvaluationOptions, parseText, printEvaluation } from '../../terminal/options.ts';
import { formatTable } from '../../terminal/text-table.ts';
import { withStages } from '../with-stages.ts';

export function heldBackCommand(): Command {
  return addEvaluationOptions(new Command('held-back'))
    .description("Score the held-back year once, after registering the design in the country's held-back.json")
    .option(
      '--again <reason>',
      'evaluate although another design has already been evaluated; both stay on record, with the reason',
      parseText,
    )
    .addHelpText(
      'after',
      `
Example:
  malaria-risk evaluate held-back --country raw-data/nigeria --raw-data ../shared/raw-data/nigeria

A design is identified by its settings and by what it projects from one fixed record. It is registered before the
held-back year is scored, and the same design is never scored twice. Commit held-back.json with the design.`,
    )
    .action(async (options: EvaluationOptions & { again?: string }) => {
      const evaluation = await withStages(['season'], 'held-back', { ...options, out: options.build }, (country, io) =>
        evaluateHeldBack(country, io, options.again),
      );
      const { look, already, looks, file, development } = evaluation;
      const { months, mean_absolute_error } = look.result!;
      printEvaluation(options, evaluation, [
        `Design ${look.design.slice(0, 8)}, level of the last ${look.level_months} months, development error ${development.errors.model!.toFixed(3)} over ${development.months} months`,
        already
          ? `${look.held_back_year} was scored before with this design; not scored again`
          : `${look.held_back_year} scored, evaluation ${looks} of that year (${look.reason})`,
        '',
        formatTable(
          Object.entries(mean_absolute_error).map(([method, error]) => ({
            method,
            mean_absolute_error: error.toFixed(3),
            months,
          })),
        ),
        '',
        `Recorded in ${file}`,
      ]);
    });
}
