import { readFileSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';
import type { SummaryRow } from '../../../../../pipeline/validate/backtest/backtest-summary.ts';
import { withTinyCache } from '../../../../support/built-tiny.ts';
import { temporary } from '../../../../support/command-line.ts';
import { runHere } from '../../../../support/run-here.ts';
import { writeTiny } from '../../../../support/tiny-country.ts';

const build = withTinyCache(['ingest']);
const country = writeTiny().directory;
const score = (...args: string[]) =>
  runHere(['evaluate', 'forecasts', '--country', country, '--build', build, ...args]);

test('forecasts are written as a table of quantiles, their scores as a summary', async () => {
  const file = path.join(temporary(), 'forecasts.csv');
  const { code, stdout, stderr } = await score('--out', file, '--json');
  expect(stderr).not.toContain('malaria-risk:');
  expect(code).toBe(0);
  const [header, ...rows] = readFileSync(file, 'utf8').trim().split('\n');
  expect(header).toBe(
    'area_level,area_code,origin,horizon,target,observed,method,q05,q25,q50,q75,q95,crps_log,crps_log1p',
  );
  const summary = JSON.parse(stdout) as SummaryRow[];
  const all = summary.filter(({ origins, horizon }) => origins === 'all' && horizon === 'all');
  expect(all.map(({ method }) => method)).toContain('case_model');
  expect(all.reduce((sum, { forecasts }) => sum + forecasts, 0)).toBe(rows.length);
  // The record almost repeats every year, so the same month last year is almost right.
  const error = (name: string) => all.find(({ method }) => method === name)!.log_mae;
  expect(error('same_month_last_year')).toBeLessThan(0.005);
  expect(error('case_model')).toBeLessThan(error('persistence') / 3);
});

test('origins without forecasts, and invalid ones, are refused', async () => {
  const none = await score('--origins', '2001-01..2001-12');
  expect(none.code).toBe(2);
  expect(none.stderr).toContain('found no forecast to score');
  const wrong = await score('--origins', '2022-13..2022-01');
  expect(wrong.code).toBe(2);
  expect(wrong.stderr).toContain('expected a month such as 2023-12, or months such as 2023-01..2023-12');
});
