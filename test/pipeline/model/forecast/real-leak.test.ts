import { beforeAll, expect, test } from 'vitest';
import { forecasters } from '../../../../pipeline/model/forecast/forecasters.ts';
import { buildPanels, type Panel } from '../../../../pipeline/model/forecast/panel.ts';
import { realArtifacts } from '../../../support/real-artifacts.ts';
import { HAS_REAL_DATA, needsReal } from '../../../support/real-data.ts';
import { said, withNoiseAfter } from './made-panel.ts';

let panels: Panel[];
beforeAll(async () => {
  if (!HAS_REAL_DATA) return;
  const { areas, cases, census, model } = await realArtifacts();
  panels = buildPanels({ areas, cases, census, disrupted: model.parameters.season.masked });
});

test.skipIf(!HAS_REAL_DATA).each(['state', 'long', 'lga'])(
  needsReal('in real records (%s), data after an origin do not change any forecast from it'),
  (level) => {
    const whole = panels.find((one) => one.level === level)!;
    const origin = whole.origins.first_scored;
    // start some origins before the first scored one, so that methods have past errors at every horizon
    const panel = { ...whole, origins: { first_forecast: origin - 4, first_scored: origin } };
    const first = level === 'long' ? '2018-01' : '2022-01';
    const span = { first, last: first };
    const forecasts = said(panel, span);
    expect(forecasts.length).toBe(panel.areas.length * 4 * forecasters().length);
    expect(said(withNoiseAfter(panel, origin), span)).toEqual(forecasts);
  },
);
