import { Command } from 'commander';
import {
  readModel,
  readRecords,
  readRequestedForecasts,
  readSampleCount,
  SAMPLES,
  writeModel,
  writeSamples,
} from '../../model/chap/chap-files.ts';
import { describeRecords, predict, train } from '../../model/chap/chap-model.ts';
import { parseFileToWrite, printLines } from '../terminal/options.ts';
import { drawShare } from '../terminal/progress.ts';

export default function chapCommand(): Command {
  return new Command('chap')
    .description("Forecast cases as an external model of CHAP, DHIS2's modelling platform")
    .addCommand(trainCommand())
    .addCommand(predictCommand())
    .addHelpText(
      'after',
      `
CHAP calls train once and then predict, once or for each of its test windows (pipeline/model/chap/MLproject). The
model is that of \`evaluate forecasts\` (pipeline/model/forecast/MODEL.md), for monthly counts of any disease. Of
CHAP's columns it reads time_period (YYYY-MM), location and disease_cases: rain, temperature, population and polygons
are not inputs. An empty disease_cases is unknown, 0 is no case. Years of records help: from two on its ranges are
recalibrated.`,
    );
}

function trainCommand(): Command {
  return new Command('train')
    .description('Learn from records how much levels and seasons vary, and how wide ranges have to be')
    .argument('<train.csv>', 'records: time_period, location, disease_cases')
    .argument('<model>', 'file to write, for predict', parseFileToWrite)
    .addHelpText('after', '\nExample:\n  malaria-risk chap train training_data.csv model')
    .action(async (file: string, out: string) => {
      const { panel, missingMonths } = await readRecords(file);
      await writeModel(out, train(panel, drawShare));
      printLines(...describeRecords(panel, missingMonths).map((line) => `${file}: ${line}`));
    });
}

function predictCommand(): Command {
  return new Command('predict')
    .description('Forecast months after the end of records, as joint samples')
    .argument('<model>', 'the file that train wrote')
    .argument('<historic.csv>', 'records up to the month before the forecast')
    .argument('<future.csv>', 'time_period and location of what to forecast, up to 12 months after the records')
    .argument('<out.csv>', 'file to write: time_period, location, sample_0, sample_1 …', parseFileToWrite)
    .option(
      '--config <file>',
      `CHAP's options, as YAML: samples, from ${SAMPLES.least} to ${SAMPLES.most} (default ${SAMPLES.usual})`,
    )
    .addHelpText(
      'after',
      `
Sample 17 of one location and month goes with sample 17 of every other: take sums and maxima sample by sample. The same
files give the same samples.

Example:
  malaria-risk chap predict model historic_data.csv future_data.csv predictions.csv`,
    )
    .action(async (model: string, historic: string, future: string, out: string, { config }: { config?: string }) => {
      const samples = config === undefined ? SAMPLES.usual : await readSampleCount(config);
      const trainedModel = await readModel(model);
      const { panel, missingMonths } = await readRecords(historic);
      const rows = predict(trainedModel, panel, await readRequestedForecasts(future, panel), samples);
      await writeSamples(out, rows);
      printLines(
        ...describeRecords(panel, missingMonths).map((line) => `${historic}: ${line}`),
        `${out}: ${rows.length} forecasts`,
      );
    });
}
