import { beforeAll, describe, expect, test } from 'vitest';
import { forecasters } from '../../../../pipeline/model/forecast/forecasters.ts';
import { type Panel, panelsOf } from '../../../../pipeline/model/forecast/panel.ts';
import { backtest, type OriginSpan } from '../../../../pipeline/validate/backtest/backtest.ts';
import { realArtifacts } from '../../../support/real-artifacts.ts';
import { HAS_REAL_DATA, needsReal } from '../../../support/real-data.ts';
import { madePanel, withNoiseAfter } from './made-panel.ts';

/** All forecasts from the last origin of the span, by area, horizon and method. */
function said(panel: Panel, span: OriginSpan) {
  return backtest(panel, forecasters(), span)
    .filter(({ origin }) => origin === span.last)
    .map(({ area_code, horizon, method, q05, q25, q50, q75, q95 }) => [
      area_code,
      horizon,
      method,
      q05,
      q25,
      q50,
      q75,
      q95,
    ]);
}

describe('data after an origin do not change any forecast from it', () => {
  test('simulated records', () => {
    const panel = madePanel(1);
    const span = { first: '2022-01', last: '2022-03' };
    const forecasts = said(panel, span);
    expect(forecasts.length).toBe(6 * 4 * forecasters().length);
    expect(said(withNoiseAfter(panel, 26), span)).toEqual(forecasts);
    // the comparison does detect later changes
    expect(said(withNoiseAfter(panel, 25), span)).not.toEqual(forecasts);
  });

  describe.skipIf(!HAS_REAL_DATA)(needsReal('real records'), () => {
    let panels: Panel[];
    beforeAll(async () => {
      const { areas, cases, census, model } = await realArtifacts();
      panels = panelsOf({ areas, cases, census, disrupted: model.parameters.season.masked });
    });
    const levels = ['state', ...(process.env.MALARIA_LONG ? ['long', 'lga'] : [])];
    test.each(levels)('%s', (level) => {
      const whole = panels.find((one) => one.level === level)!;
      const origin = whole.origins.scored;
      // start some origins before the first scored one, so that methods have past errors at every horizon
      const panel = { ...whole, origins: { tried: origin - 4, scored: origin } };
      const first = level === 'long' ? '2018-01' : '2022-01';
      const span = { first, last: first };
      const forecasts = said(panel, span);
      expect(forecasts.length).toBe(panel.areas.length * 4 * forecasters().length);
      expect(said(withNoiseAfter(panel, origin), span)).toEqual(forecasts);
    });
  });
});
