/** Forecasts of states as sums of joint draws of their LGAs. */
import { HORIZONS } from '../../contract/months.ts';
import { randomStream } from '../../lib/numerics/random.ts';
import { selectQuantiles } from '../../lib/numerics/selection.ts';
import type { CaseModel } from './case-model.ts';
import { QUANTILE_LEVELS } from './forecast-scores.ts';
import type { Area, Panel } from './panel.ts';
import type { Forecast, Forecaster } from './past-errors.ts';

export const SUM_OF_PARTS = 'sum_of_parts';
const DRAWS_SEED = 1;

/**
 * The model of the LGAs, and the forecasts of states from the same months, which are the quantiles of the sums of its
 * draws. An LGA whose last months are unknown is forecast from what is known of it and of the others.
 */
export function sumParts(lgaModel: CaseModel, drawCount: number): { lgas: Forecaster; states: Forecaster } {
  const sumsByOrigin = new Map<number, Map<string, Forecast[number]>>();
  const lastMonth = ({ first, months }: Panel) => first + months - 1;
  return {
    lgas: {
      name: lgaModel.name,
      forecast(panel) {
        const origin = lastMonth(panel);
        const { forecast, draws } = lgaModel.draw(panel, drawCount, randomStream(DRAWS_SEED, `sums ${origin}`));
        sumsByOrigin.set(origin, quantilesOfSums(panel.areas, draws));
        return forecast;
      },
    },
    states: {
      name: SUM_OF_PARTS,
      forecast(panel) {
        const sums = sumsByOrigin.get(lastMonth(panel));
        return panel.areas.map(({ code }) => sums?.get(code) ?? HORIZONS.map(() => null));
      },
    },
  };
}

/** By state and horizon. */
function quantilesOfSums(
  lgas: readonly Area[],
  draws: readonly (Float64Array | null)[][],
): Map<string, Forecast[number]> {
  const drawsByState = Map.groupBy(draws, (_, a) => lgas[a]!.state_code);
  const quantilesByHorizon = (stateDraws: (Float64Array | null)[][]) =>
    HORIZONS.map((_, h) => {
      const lgaDraws = stateDraws.map((lga) => lga[h]).filter((values) => values != null);
      if (lgaDraws.length === 0) return null;
      const sums = lgaDraws[0]!.map((_, i) => lgaDraws.reduce((sum, values) => sum + values[i]!, 0));
      return Float64Array.from(selectQuantiles(sums, QUANTILE_LEVELS), Math.round);
    });
  return new Map([...drawsByState].map(([code, stateDraws]) => [code, quantilesByHorizon(stateDraws)]));
}
