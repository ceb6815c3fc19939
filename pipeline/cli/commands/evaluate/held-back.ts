import path from 'node:path';
import { Command } from 'commander';
import type { Country } from '../../../catalog/country.ts';
import type { StageIo } from '../../../catalog/country-stage.ts';
import { HELD_BACK_FILE, type HeldBack, type Look } from '../../../catalog/held-back.ts';
import type { StageEvent } from '../../../engine/run.ts';
import { writeAtomic } from '../../../lib/atomic-write.ts';
import { UsageError } from '../../../lib/errors.ts';
import { inputOf, recordsOf, settingsOf } from '../../../model/transmission/case-records.ts';
import { designOf, enterLook, readRegister } from '../../../model/transmission/held-back-design.ts';
import { developProjections, type Scores, scoreHeldBack } from '../../../model/transmission/projection-test.ts';
import { withArtifacts } from '../../../release/with-artifacts.ts';
import { addCountryOptions, type CountryOptions, say } from '../../terminal/options.ts';
import { showProgress } from '../../terminal/progress.ts';

/** The stages whose artifacts the transmission stage reads. */
const NEEDED = ['ingest', 'zonal', 'season'];

interface LookOptions extends CountryOptions {
  again?: string;
}
export interface LookTaken {
  file: string;
  look: Look;
  /** Whether this design had been evaluated before; the evaluation is then not repeated. */
  already: boolean;
  looks: number;
  development: Scores;
}

/**
 * Scores the country's held-back year with the current design: first registers the design in `held-back.json`, then
 * scores, and records the result. A design that has been evaluated is not scored again.
 * @throws UsageError if another design has been evaluated and `again` gives no reason, or if no state can be projected
 */
export function lookAtHeldBack(options: LookOptions, onEvent: (event: StageEvent) => void): Promise<LookTaken> {
  return withArtifacts(NEEDED, { ...options, onEvent }, (country, io) => look(options, country, io));
}

async function look(options: LookOptions, country: Country, io: StageIo): Promise<LookTaken> {
  const { records } = recordsOf(inputOf(io, country.model));
  const settings = settingsOf(country.model);
  const developed = developProjections(records, settings);
  if (developed.development.months === 0)
    throw new UsageError(
      `${options.country}: found no month in the development years that could be projected, expected longer case records`,
    );

  const file = path.join(options.country, HELD_BACK_FILE);
  const write = (register: HeldBack) => writeAtomic(file, `${JSON.stringify(register, null, 2)}\n`);
  const asked = {
    held_back_year: settings.held_back_year,
    design: designOf(developed.level_months, settings),
    level_months: developed.level_months,
  };
  const { register, entry } = enterLook(readRegister(options.country), asked, options.again);
  const found = register.looks[entry]!;
  const looks = register.looks.filter((look) => look.held_back_year === settings.held_back_year).length;
  const { development } = developed;
  if (found.result) return { file, look: found, already: true, looks, development };

  await write(register);
  const { held_back } = scoreHeldBack(records, settings, developed);
  const errors = held_back.months > 0 ? held_back.errors : {};
  const four = (value: number) => Number(value.toFixed(4));
  const result = {
    months: held_back.months,
    mean_absolute_error: Object.fromEntries(Object.entries(errors).map(([name, error]) => [name, four(error)])),
    seasonal_shape_correlation: four(held_back.seasonal_shape_correlation),
  };
  const look: Look = { ...found, result };
  await write({ looks: register.looks.with(entry, look) });
  return { file, look, already: false, looks, development };
}

/** `malaria-risk score-held-back`. */
export function scoreHeldBackCommand(): Command {
  return addCountryOptions(new Command('score-held-back'))
    .description("Score the held-back year once, after registering the design in the country's held-back.json")
    .option(
      '--again <reason>',
      'evaluate although another design has already been evaluated; both stay on record, with the reason',
    )
    .option('--json', 'print the evaluation as JSON')
    .addHelpText(
      'after',
      `
Example:
  malaria-risk score-held-back --country raw-data/nigeria --raw-data ../shared/raw-data/nigeria

A design is identified by its settings and by what it projects from one fixed record. It is registered before the
held-back year is scored, and the same design is never scored twice. Commit held-back.json with the design.`,
    )
    .action(async (options: LookOptions & { json?: boolean }) => {
      const progress = showProgress(NEEDED, options.json ?? false);
      const taken = await lookAtHeldBack(options, progress.onEvent).finally(progress.end);
      if (options.json) {
        say(JSON.stringify(taken));
        return;
      }
      const { look, already, looks, file, development } = taken;
      const result = look.result!;
      say(
        `Design ${look.design.slice(0, 8)}, level of the last ${look.level_months} months, development error ${development.errors.model!.toFixed(3)} over ${development.months} months`,
        already
          ? `${look.held_back_year} was scored before with this design; not scored again`
          : `${look.held_back_year} scored, evaluation ${looks} of that year (${look.reason})`,
        ...Object.entries(result.mean_absolute_error).map(
          ([name, error]) => `  ${name.padEnd(28)} ${error.toFixed(3)}`,
        ),
        `  ${'months'.padEnd(28)} ${result.months}`,
        `Recorded in ${file}`,
      );
    });
}
