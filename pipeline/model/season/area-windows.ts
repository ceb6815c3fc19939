import { roundAsField } from '../../contract/decimals.ts';
import { type RainSeason, rainTransmission } from './rain-season.ts';
import type { SeasonWindow } from './season-tables.ts';
import { bestWindow, CRITERION, judgeWindow, probabilityVerdict, WINDOW_MONTHS, windowShares } from './windows.ts';

/** The data from which an area's windows are determined. */
export interface WindowData {
  area: SeasonWindow['area'];
  code: string;
  rain_mm: readonly number[];
  /** Expected cases by month, January first, any unit. */
  expected: readonly number[];
  /** The season of its own case record; null without one. */
  recorded: readonly number[] | null;
}

/**
 * Rows of one area: both measures, runs of three, four and five months.
 * @param errors errors of the seasons of areas of its kind, all equally likely
 */
export function areaWindows(
  { area, code, rain_mm, expected, recorded }: WindowData,
  rain: RainSeason,
  errors: readonly Float64Array[],
): SeasonWindow[] {
  const measures = { reported_cases: expected, rain_transmission: rainTransmission(rain_mm, rain) };
  return (Object.keys(measures) as SeasonWindow['measure'][]).flatMap((measure) =>
    WINDOW_MONTHS.map((months): SeasonWindow => {
      const { first_month, criterion_probability: chance, ...judged } = judgeWindow(measures[measure], months, errors);
      const decides = months === CRITERION.months;
      // the rule applies to the probability as published
      const criterion_probability = decides && chance !== null ? roundAsField('criterion_probability', chance) : null;
      const recordWindow = recorded && bestWindow(recorded, months);
      return {
        area,
        code,
        measure,
        first_month,
        last_month: ((first_month + months - 2) % 12) + 1,
        ...judged,
        criterion_probability,
        criterion: decides ? probabilityVerdict(criterion_probability) : null,
        record_first_month: recordWindow?.first_month ?? null,
        record_share: recorded && windowShares(recorded, months)[first_month - 1]!,
        record_best_share: recordWindow?.share ?? null,
        rain_share: rainShare(rain_mm, months),
      };
    }),
  );
}

/** Share of the year's rain in the wettest run; without any rain, all runs have an equal share. */
const rainShare = (rain_mm: readonly number[], months: number) =>
  rain_mm.some((rain) => rain > 0) ? bestWindow(rain_mm, months).share : months / 12;
