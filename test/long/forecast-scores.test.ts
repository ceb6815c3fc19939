/** The full backtest of the case model on the real records: its scores are as good as documented. */
import { describe, expect, test } from 'vitest';
import { caseModel } from '../../pipeline/model/forecast/case-model.ts';
import { buildPanels } from '../../pipeline/model/forecast/panel.ts';
import { recalibrate } from '../../pipeline/model/forecast/recalibration.ts';
import { backtest } from '../../pipeline/validate/backtest/backtest.ts';
import { summariseForecasts } from '../../pipeline/validate/backtest/backtest-summary.ts';
import { realArtifacts } from '../support/real-artifacts.ts';
import { HAS_REAL_DATA, needsReal } from '../support/real-data.ts';

/** Upper limits of its errors. An error below `least` would suggest that the model sees the future. */
const GOALS = {
  lga: { forecasts: 17458, log_mae: 0.23, crps_log: 0.17, least: 0.18 },
  state: { forecasts: 1032, log_mae: 0.15, crps_log: 0.112, least: 0.11 },
  long: { forecasts: 556, log_mae: 0.225, crps_log: 0.172, least: 0.17 },
};

describe('the case model on the real records', () => {
  test.skipIf(!HAS_REAL_DATA)(needsReal('scores of the case model from every origin'), async () => {
    const { areas, cases, census, model } = await realArtifacts();
    const panels = buildPanels({ areas, cases, census, disrupted: model.parameters.season.masked });
    expect(panels.map(({ level }) => level)).toEqual(['lga', 'state', 'long']);
    for (const panel of panels) {
      const scored = summariseForecasts(backtest(panel, [recalibrate(caseModel())], null));
      const all = scored.find(({ origins, horizon }) => origins === 'all' && horizon === 'all')!;
      const goal = GOALS[panel.level];
      expect(all.forecasts).toBe(goal.forecasts);
      expect(all.log_mae).toBeLessThan(goal.log_mae);
      expect(all.log_mae).toBeGreaterThan(goal.least);
      expect(all.crps_log).toBeLessThan(goal.crps_log);
      if (panel.level === 'long') continue;
      expect(Math.abs(all.coverage_50 - 0.53)).toBeLessThan(0.05);
      expect(Math.abs(all.coverage_90 - 0.905)).toBeLessThan(0.025);
    }
  });
});
