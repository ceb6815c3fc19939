import { roundAsField } from '../../contract/decimals.ts';
import { type RainSeason, rainTransmission } from './rain-season.ts';
import type { SeasonWindow } from './season-tables.ts';
import { bestRun, CRITERION, judgeRun, probabilityVerdict, shareByStart, WINDOW_MONTHS } from './windows.ts';

/** The data from which an area's windows are determined. */
export interface WindowData {
  area: SeasonWindow['area'];
  code: string;
  rain_mm: readonly number[];
  /** Expected cases by month, January first, any unit. */
  expectedCases: readonly number[];
  /** The season of its own case record; null without one. */
  recordedSeason: readonly number[] | null;
}

/**
 * Rows of one area: both measures, runs of three, four and five months.
 * @param errors errors of the seasons of areas of its kind, all equally likely
 */
export function areaWindows(
  { area, code, rain_mm, expectedCases, recordedSeason }: WindowData,
  rain: RainSeason,
  errors: readonly Float64Array[],
): SeasonWindow[] {
  const measures = { reported_cases: expectedCases, rain_transmission: rainTransmission(rain_mm, rain) };
  return (Object.keys(measures) as SeasonWindow['measure'][]).flatMap((measure) =>
    WINDOW_MONTHS.map((months): SeasonWindow => {
      const {
        first_month,
        criterion_probability: exactProbability,
        ...uncertainty
      } = judgeRun(measures[measure], months, errors);
      const isCriterionLength = months === CRITERION.months;
      // the rule applies to the probability as published
      const criterion_probability =
        isCriterionLength && exactProbability !== null ? roundAsField('criterion_probability', exactProbability) : null;
      const bestRecorded = recordedSeason && bestRun(recordedSeason, months);
      return {
        area,
        code,
        measure,
        first_month,
        last_month: ((first_month + months - 2) % 12) + 1,
        ...uncertainty,
        criterion_probability,
        criterion: isCriterionLength ? probabilityVerdict(criterion_probability) : null,
        record_first_month: bestRecorded?.first_month ?? null,
        record_share: recordedSeason && shareByStart(recordedSeason, months)[first_month - 1]!,
        record_best_share: bestRecorded?.share ?? null,
        rain_share: rainShare(rain_mm, months),
      };
    }),
  );
}

/** Share of the year's rain in the wettest run; without any rain, all runs have an equal share. */
const rainShare = (rain_mm: readonly number[], months: number) =>
  rain_mm.some((rain) => rain > 0) ? bestRun(rain_mm, months).share : months / 12;
