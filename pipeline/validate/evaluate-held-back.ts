import path from 'node:path';
import type { Country } from '../catalog/country.ts';
import type { StageIo } from '../catalog/country-stage.ts';
import { HELD_BACK_FILE, type HeldBack, type RegisteredEvaluation } from '../catalog/held-back.ts';
import { writeAtomic } from '../lib/atomic-write.ts';
import { UsageError } from '../lib/errors.ts';
import { projectionSettings, readTransmissionInput, transmissionRecords } from '../model/transmission/case-records.ts';
import { designHash, enterLook, readRegister } from '../model/transmission/held-back-design.ts';
import { developProjections, type Scores, scoreHeldBack } from '../model/transmission/projection-test.ts';

export interface HeldBackEvaluation {
  /** The register. */
  file: string;
  look: RegisteredEvaluation;
  /** Whether this design had been evaluated before; the evaluation is then not repeated. */
  already: boolean;
  /** Evaluations of the year so far. */
  looks: number;
  development: Scores;
}

/**
 * Scores the country's held-back year with the current design: first registers the design in `held-back.json`, then
 * scores, and records the result. A design that has been evaluated is not scored again.
 * @param againReason why another design is evaluated after the first
 * @throws UsageError if another design has been evaluated and `againReason` is not given, or if no state can be
 *   projected
 */
export async function evaluateHeldBack(
  { directory, model }: Country,
  io: StageIo,
  againReason: string | undefined,
): Promise<HeldBackEvaluation> {
  const { records } = transmissionRecords(readTransmissionInput(io, model));
  const settings = projectionSettings(model);
  const developmentRun = developProjections(records, settings);
  const { development, level_months } = developmentRun;
  if (development.months === 0)
    throw new UsageError(
      `${directory}: found no month in the development years that could be projected, expected longer case records`,
    );

  const file = path.join(directory, HELD_BACK_FILE);
  const write = (register: HeldBack) => writeAtomic(file, `${JSON.stringify(register, null, 2)}\n`);
  const requestedLook = {
    held_back_year: settings.held_back_year,
    design: designHash(level_months, settings),
    level_months,
  };
  const { register, entry: lookIndex } = enterLook(readRegister(directory), requestedLook, againReason);
  const registeredLook = register.looks[lookIndex]!;
  const looks = register.looks.filter((look) => look.held_back_year === settings.held_back_year).length;
  if (registeredLook.result) return { file, look: registeredLook, already: true, looks, development };

  await write(register);
  const { held_back } = scoreHeldBack(records, settings, developmentRun);
  const errors = held_back.months > 0 ? held_back.errors : {};
  const four = (value: number) => Number(value.toFixed(4));
  const result = {
    months: held_back.months,
    mean_absolute_error: Object.fromEntries(Object.entries(errors).map(([name, error]) => [name, four(error)])),
    seasonal_shape_correlation: four(held_back.seasonal_shape_correlation),
  };
  const look: RegisteredEvaluation = { ...registeredLook, result };
  await write({ looks: register.looks.with(lookIndex, look) });
  return { file, look, already: false, looks, development };
}
