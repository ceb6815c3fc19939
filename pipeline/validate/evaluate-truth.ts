import type { Country } from '../catalog/country.ts';
import type { StageIo } from '../catalog/country-stage.ts';
import * as ingest from '../ingest/ingest-tables.ts';
import { readAreas } from '../ingest/read-areas.ts';
import * as zonal from '../measure/zonal/zonal-tables.ts';
import { prepareRisk, readInputs } from '../model/risk/inputs.ts';
import { drawPrevalence, type Paths } from '../model/risk/paths.ts';
import * as risk from '../model/risk/risk-tables.ts';
import { fitStageBaseline } from '../model/risk/stage-baseline.ts';
import { hasDraws, reproducePaths } from '../model/risk/stage-draws.ts';
import {
  type Calibration,
  type CalibrationSums,
  calibrate,
  poolCalibration,
  summariseCalibration,
} from './calibration.ts';
import { compareWithTruth, type GroupScore, type GroupSums, poolGroups, scoreGroups } from './compare-truth.ts';
import type { Truth } from './truth-file.ts';
import { estimatedSpan, GROUPINGS, groupLgas } from './truth-groups.ts';

/** A country that was compared with its truth. */
export interface ScoredCountry {
  /** The family of its truth. */
  truth: string;
  /** Null if it was not made from one. */
  seed: number | null;
  groups: GroupSums;
  calibration: CalibrationSums[];
}
export interface TruthSummary {
  /** Each country by all groupings. */
  countries: (GroupScore & Pick<ScoredCountry, 'truth' | 'seed'>)[];
  /** Each family's countries together. */
  pooled: (GroupScore & { truth: string; seed: 'all' })[];
  calibration: ({ truth: string } & Calibration)[];
}

/** Compares the scores and probabilities of the risk stage with the truth. */
export function scoreCountry(
  { model }: Country,
  io: StageIo,
  truth: Truth,
): Pick<ScoredCountry, 'groups' | 'calibration'> {
  const clusters = io.table(ingest.CLUSTERS);
  const inputs = readInputs(io);
  const countryScores = {
    lgas: io.table(risk.LGAS),
    baseline: fitStageBaseline(io, inputs, prepareRisk(inputs)).scores().lgas,
    draws: hasDraws(io) ? drawsByMonth(reproducePaths(io)) : null,
    lgaGroups: groupLgas(readAreas(io), io.table(zonal.LGAS), io.columns(zonal.CELLS), clusters),
    span: estimatedSpan(model, clusters),
  };
  const stateByLga = new Map(io.table(ingest.LGAS).map((lga) => [lga.lga_code, lga.state_code]));
  return {
    groups: compareWithTruth(countryScores, truth),
    calibration: calibrate(io.table(risk.PROBABILITIES), io.table(risk.CHANGES), {
      truth,
      stateByLga: (lga_code) => stateByLga.get(lga_code)!,
      last: model.last_estimated,
    }),
  };
}

/** The draws of each LGA-month in ascending order; rows are ordered by LGA and then by month. */
function drawsByMonth(paths: Paths) {
  return (month: number) => {
    const { months, lgas } = drawPrevalence(paths, month - 1);
    return (row: number) => {
      const lga = Math.floor(row / paths.months.length);
      const monthDraws = lgas[months.indexOf(row % paths.months.length)]!;
      return monthDraws.slice(lga * paths.drawCount, (lga + 1) * paths.drawCount).sort();
    };
  };
}

/** Scores of each country, and of each family's countries together. */
export function summariseTruth(scored: readonly ScoredCountry[]): TruthSummary {
  const families = [...Map.groupBy(scored, ({ truth }) => truth)];
  return {
    countries: scored.flatMap(({ truth, seed, groups }) =>
      scoreGroups(groups, GROUPINGS).map((row) => ({ truth, seed, ...row })),
    ),
    pooled: families.flatMap(([truth, familyCountries]) =>
      scoreGroups(poolGroups(familyCountries.map(({ groups }) => groups)), GROUPINGS).map((row) => ({
        truth,
        seed: 'all' as const,
        ...row,
      })),
    ),
    calibration: families.flatMap(([truth, familyCountries]) =>
      summariseCalibration(poolCalibration(familyCountries.map(({ calibration }) => calibration))).map((row) => ({
        truth,
        ...row,
      })),
    ),
  };
}
