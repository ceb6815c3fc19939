/** Forecasts of states as sums of joint draws of their LGAs. */
import { HORIZONS } from '../../contract/months.ts';
import { randomStream } from '../../lib/numerics/random.ts';
import { selectQuantiles } from '../../lib/numerics/selection.ts';
import type { TableRow } from '../../lib/tables/table.ts';
import type { CaseModel } from './case-model.ts';
import { QUANTILE_LEVELS } from './forecast-scores.ts';
import type { AreaLevel, CASES } from './forecast-tables.ts';
import type { Area, Panel } from './panel.ts';
import type { Forecast, Forecaster } from './past-errors.ts';

export const SUM_OF_PARTS = 'sum_of_parts';
const DRAWS_SEED = 1;

/** Draws by area and horizon, `null` where there is no forecast. */
export type PanelDraws = readonly (Float64Array | null)[][];

/**
 * The forecasters of each panel, LGAs before their states: the model of its records and, for states, the sums of the
 * draws of their LGAs in forecasts from the same months. An LGA whose last months are unknown is forecast from what is
 * known of it and of the others.
 * @param onDraws is given the draws of each panel of LGAs or states, which only their sums need otherwise
 */
export function createPanelForecasters(
  drawCount: number,
  onDraws?: (draws: PanelDraws) => void,
): (level: AreaLevel, model: CaseModel) => Forecaster[] {
  const sumsByOrigin = new Map<number, Map<string, Forecast[number]>>();
  const lastMonth = ({ first, months }: Panel) => first + months - 1;
  const sums: Forecaster = {
    name: SUM_OF_PARTS,
    forecast: (panel) =>
      panel.areas.map(({ code }) => sumsByOrigin.get(lastMonth(panel))?.get(code) ?? HORIZONS.map(() => null)),
  };
  const withDraws = (model: CaseModel, keep: (panel: Panel, draws: PanelDraws) => void): Forecaster => ({
    name: model.name,
    forecast(panel) {
      const random = randomStream(DRAWS_SEED, `sums ${lastMonth(panel)}`);
      const { forecast, draws } = model.draw(panel, drawCount, random);
      keep(panel, draws);
      onDraws?.(draws);
      return forecast;
    },
  });
  const keepSums = (panel: Panel, draws: PanelDraws) =>
    sumsByOrigin.set(lastMonth(panel), quantilesOfSums(panel.areas, draws));
  return (level, model) =>
    level === 'lga'
      ? [withDraws(model, keepSums)]
      : level === 'state'
        ? [onDraws ? withDraws(model, () => {}) : model, sums]
        : [model];
}

/** What the forecasts of a forecaster rest on. */
export const forecastBasis = ({ name }: Forecaster): TableRow<typeof CASES>['basis'] =>
  name === SUM_OF_PARTS ? SUM_OF_PARTS : 'record';

/** By state and horizon. */
function quantilesOfSums(lgas: readonly Area[], draws: PanelDraws): Map<string, Forecast[number]> {
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
