import path from 'node:path';
import { Command } from 'commander';
import { ALERT_EVALUATION_FILE, type AlertEvaluation } from '../../../catalog/alert-evaluation.ts';
import { writeAtomic } from '../../../lib/atomic-write.ts';
import { UsageError } from '../../../lib/errors.ts';
import { isForecastPanel } from '../../../model/forecast/forecast-stage.ts';
import { readPanels } from '../../../model/forecast/read-panels.ts';
import { evaluateAlerts } from '../../../validate/alerts/evaluate-alerts.ts';
import { addEvaluationOptions, type EvaluationOptions, printEvaluation } from '../../terminal/options.ts';
import { formatTable } from '../../terminal/text-table.ts';
import { withStages } from '../with-stages.ts';

interface AlertsOptions extends EvaluationOptions {
  record?: boolean;
}

export function alertsCommand(): Command {
  return addEvaluationOptions(new Command('alerts'))
    .description("Inject changes into the country's case records, and count how soon alerts find them")
    .option('--record', `record the result with its date in the country's ${ALERT_EVALUATION_FILE}, for the model card`)
    .addHelpText(
      'after',
      `
Example:
  malaria-risk evaluate alerts --country raw-data/nigeria --raw-data ../raw/nigeria --record

At three months before the end of the records, two fifths of the areas are changed, twice: cases twice, four or eight
times as many for six months, a rise to sixteen times and back, cases where there were none, a fall to 30%, and single
months of six times the cases, which are no rise. Months are judged as in the table alerts, with its thresholds. Alerts
without a change count as false, although some may be real outbreaks.`,
    )
    .action(runEvaluation);
}

async function runEvaluation(options: AlertsOptions): Promise<void> {
  const { country, build, record } = options;
  const scores = await withStages(['ingest'], 'alerts', { ...options, out: build }, ({ model }, io, onProgress) => {
    const panels = readPanels(io, model).filter(isForecastPanel);
    return panels.flatMap(
      (panel, i) =>
        evaluateAlerts(panel, (share) =>
          onProgress((i + share) / panels.length, `${panel.areas.length} ${panel.level}`),
        ) ?? [],
    );
  });
  if (scores.length === 0)
    throw new UsageError(`${country}: found no alerts to evaluate, expected case records of more than three years`);
  const evaluation: AlertEvaluation = { evaluated_on: new Date().toISOString().slice(0, 10), scores };
  const file = path.join(country, ALERT_EVALUATION_FILE);
  if (record) await writeAtomic(file, `${JSON.stringify(evaluation, null, 2)}\n`);
  printEvaluation(options, evaluation, [formatTable(scores), ...(record ? ['', `Recorded in ${file}`] : [])]);
}
