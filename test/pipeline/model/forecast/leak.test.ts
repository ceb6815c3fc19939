import { expect, test } from 'vitest';
import { forecasters } from '../../../../pipeline/model/forecast/forecasters.ts';
import { madePanel, said, withNoiseAfter } from './made-panel.ts';

test('in simulated records, data after an origin do not change any forecast from it', () => {
  const panel = madePanel(1);
  const span = { first: '2022-01', last: '2022-03' };
  const forecasts = said(panel, span);
  expect(forecasts.length).toBe(6 * 4 * forecasters().length);
  expect(said(withNoiseAfter(panel, 26), span)).toEqual(forecasts);
  // the comparison does detect later changes
  expect(said(withNoiseAfter(panel, 25), span)).not.toEqual(forecasts);
});
