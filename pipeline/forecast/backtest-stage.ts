import type { StageRun } from '../engine/stage.ts';
import { tableOf } from '../table.ts';
import { backtest, originsOf } from './backtest.ts';
import { caseModel } from './case-model/forecaster.ts';
import { forecasters } from './forecasters.ts';
import { HORIZONS } from './horizons.ts';
import { readPanels } from './read-panels.ts';
import { recalibrated } from './recalibration.ts';
import { summarise } from './summary.ts';
import { SKILL, STRETCH } from './tables.ts';

/** Forecasts of the case records from rolling origins, scored; no answer waits for it. */
export const run: StageRun = async (io) => {
  const panels = readPanels(io);
  const work = panels.map((panel) => originsOf(panel, null).length * panel.areas.length);
  const all = work.reduce((sum, own) => sum + own, 0);
  let done = 0;
  const tested = panels.map((panel, i) => {
    const model = recalibrated(caseModel());
    const each = work[i]! / originsOf(panel, null).length;
    const rows = backtest(panel, forecasters(model), null, (origin) => {
      done += each;
      io.progress(done / all, `${panel.level} ${origin}`);
    });
    return { level: panel.level, rows, stretches: model.stretches(panel) };
  });
  const skill = summarise(tested.flatMap(({ rows }) => rows)).map(({ horizon, ...row }) => ({
    ...row,
    horizon_months: horizon === 'all' ? null : horizon,
  }));
  const stretch = tested.flatMap(({ level, stretches }) =>
    level === 'long' ? [] : stretches.map((own, h) => ({ area: level, horizon_months: HORIZONS[h]!, ...own })),
  );
  return { skill: tableOf(SKILL, skill), stretch: tableOf(STRETCH, stretch), report: [] };
};
