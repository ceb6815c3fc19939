import { beforeAll, expect, test } from 'vitest';
import { addMonths } from '../../../../pipeline/contract/months.ts';
import { diffSnapshots } from '../../../../pipeline/publish/snapshot/diff.ts';
import { openSnapshot } from '../../../../pipeline/publish/snapshot/open-snapshot.ts';
import {
  buildHere,
  copySnapshot,
  rewrite,
  rewriteManifest,
  rewriteTable,
  tinySnapshot,
} from '../../../support/built-tiny.ts';
import { temporary } from '../../../support/command-line.ts';
import { runHere } from '../../../support/run-here.ts';
import { sourceIn, writeTiny } from '../../../support/tiny-country.ts';

const built = tinySnapshot();
/** A snapshot with three more estimated months, which the first one forecast, and their case records. */
let later = '';
beforeAll(async () => {
  const next = writeTiny((country) => {
    const { model, files } = country;
    model.last_estimated = addMonths(model.last_estimated, 3);
    model.release = '2';
    sourceIn(country, 'cases').span.last = model.last_estimated;
    files['cases.csv'] += ['NG001,2022-01,1000', 'NG001,2022-02,900', 'NG001,2022-03,800', ''].join('\n');
  });
  later = (await buildHere(next.directory)).snapshot;
});
const compare = (before: string, after: string) => diffSnapshots(openSnapshot(before), openSnapshot(after));
interface Score {
  lga: string;
  period: string;
  score: number;
  level: string;
}
/** Sets an LGA's score in a month, with a range around it. */
const setScore = (snapshot: string, { lga, period, score, level }: Score) =>
  rewriteTable(
    snapshot,
    'risk_lgas',
    `UPDATE risk_lgas SET score = ${score}, score_low = ${score} - 0.01, score_high = ${score} + 0.01, level = '${level}'
     WHERE lga_code = '${lga}' AND period = '${period}'`,
  );

test('a snapshot does not differ from itself', async () => {
  const diff = await compare(built, built);
  // 4 LGAs in 14 estimated and 4 forecast months.
  expect(diff.all).toMatchObject({ compared: 72, moved: 0, flipped: 0, disjoint: 0, largest_change: 0 });
  expect(diff.state_scores.compared).toBe(28);
  expect(diff.largest).toEqual([]);
  expect(diff.over).toEqual([]);
  expect(diff.past_forecasts).toBeNull();
  // A table whose rows no key identifies would be listed as one that may differ.
  expect(diff.tables.filter(({ keyed }) => keyed === null || keyed.changed > 0)).toEqual([]);
  expect(diff.answers.reduce((sum, { changed }) => sum + changed, 0)).toBe(0);
});

test('the diff counts moved scores, changed levels and disjoint ranges by state and month', async () => {
  const [original, changed] = [copySnapshot(built), copySnapshot(built)];
  await setScore(original, { lga: 'NG001001', period: '2021-09', score: 0.3, level: 'moderate' });
  await setScore(changed, { lga: 'NG001001', period: '2021-09', score: 0.55, level: 'very_high' });
  await setScore(original, { lga: 'NG002001', period: '2021-10', score: 0.3, level: 'moderate' });
  await setScore(changed, { lga: 'NG002001', period: '2021-10', score: 0.34, level: 'moderate' });
  for (const name of ['v1/risk/lgas/2021-09/AB.json', 'v1/risk/lgas/2021-10/AD.json'])
    rewrite(changed, name, ({ lgas }) => lgas.reverse());
  const diff = await compare(original, changed);
  // 0.04 is below the threshold of 0.05, but the ranges, 0.29 to 0.31 and 0.33 to 0.35, do not meet.
  expect(diff.all).toMatchObject({ compared: 72, moved: 1, flipped: 1, disjoint: 2, largest_change: 0.25 });
  expect(diff.all.mean_change).toBeCloseTo(0.29 / 72, 6);
  expect(diff.states).toMatchObject([
    { state_code: 'AB', moved: 1, flipped: 1, disjoint: 1 },
    { state_code: 'AD', moved: 0, flipped: 0, disjoint: 1 },
  ]);
  expect(diff.lgas.map(({ lga_code, compared, moved }) => [lga_code, compared, moved])).toEqual([
    ['NG001001', 18, 1],
    ['NG001002', 18, 0],
    ['NG002001', 18, 0],
    ['NG002002', 18, 0],
  ]);
  expect(diff.periods.find(({ period }) => period === '2021-09')).toMatchObject({ compared: 4, moved: 1 });
  expect(diff.states_by_period.filter(({ disjoint }) => disjoint > 0)).toMatchObject([
    { state_code: 'AB', period: '2021-09' },
    { state_code: 'AD', period: '2021-10' },
  ]);
  expect(diff.levels_flipped).toEqual([{ from: 'moderate', to: 'very_high', count: 1 }]);
  expect(diff.largest.map(({ state_code, period, change }) => [state_code, period, change])).toEqual([
    ['AB', '2021-09', 0.25],
    ['AD', '2021-10', 0.04],
  ]);
  expect(diff.answers.find(({ operation }) => operation === 'risk-lgas')).toMatchObject({ same: 26, changed: 2 });
  // 2 of 72 ranges are 2.8%, above 1%; 1 of 72 is 1.4%, below 10%.
  expect(diff.over).toEqual(['2.78% of ranges no longer overlap, at most 1% expected']);
});

test('the largest changes list an LGA once, with the month of its largest change', async () => {
  const changed = copySnapshot(built);
  for (const [period, change] of [
    ['2021-09', 0.02],
    ['2021-10', -0.03],
    ['2021-11', 0.01],
  ] as const)
    await rewriteTable(
      changed,
      'risk_lgas',
      `UPDATE risk_lgas SET score = round(score + ${change}, 4) WHERE state_code = 'AB' AND period = '${period}'`,
    );
  expect(
    (await compare(built, changed)).largest.map(({ lga_code, period, change }) => [lga_code, period, change]),
  ).toEqual([
    ['NG001001', '2021-10', -0.03],
    ['NG001002', '2021-10', -0.03],
  ]);
});

test('a missing LGA exceeds every threshold', async () => {
  const changed = copySnapshot(built);
  for (const table of ['risk_lgas', 'forecasts_lgas'])
    await rewriteTable(changed, table, `DELETE FROM ${table} WHERE lga_code = 'NG001001'`);
  const diff = await compare(built, changed);
  expect(diff.only_in_a.lgas).toEqual(['NG001001']);
  expect(diff.over).toEqual(['1 LGAs are gone: NG001001']);
});

/** The later snapshot with a survey round from January 2022 on in its manifest. */
function _surveyedUntil(last: string): string {
  const changed = copySnapshot(later);
  rewriteManifest(changed, ({ sources }) => {
    sources.find(({ id }: any) => id === 'surveys').rounds.push({ survey_year: 2022, first: '2022-01', last });
  });
  return changed;
}

test('forecasts of cases are scored on the records of their months', async () => {
  const { past_forecasts: past } = await compare(built, later);
  expect(past).toMatchObject({ periods: ['2022-01', '2022-02', '2022-03'], all: { forecasts: 3 } });
  expect(past!.worst.map(({ area, code }) => [area, code])).toEqual([['state', 'AB']]);
  const sql =
    "SELECT q05, q50, q95 FROM forecasts_cases WHERE basis = 'record' AND period <= '2022-03' ORDER BY period";
  const { stdout } = await runHere(['query', sql, '--snapshot', built, '--json']);
  const forecasts: Record<string, number>[] = JSON.parse(stdout);
  const records = [1000, 900, 800];
  const sum = (values: number[]) => values.reduce((total, value) => total + value, 0);
  expect(past!.all.bias).toBeCloseTo(sum(forecasts.map(({ q50 }) => q50!)) / sum(records) - 1, 9);
  const inside = forecasts.filter(({ q05, q95 }, i) => q05! <= records[i]! && records[i]! <= q95!);
  expect(past!.all.coverage).toBeCloseTo(inside.length / 3, 9);
  const errors = forecasts.map(({ q50 }, i) => Math.abs(Math.log((q50! + 1) / (records[i]! + 1))));
  expect(past!.all.log_error).toBeCloseTo(sum(errors) / 3, 9);
});

test('snapshots of different countries are refused', async () => {
  const changed = copySnapshot(built);
  rewriteManifest(changed, (manifest) => {
    manifest.country = 'Elsewhere';
  });
  await expect(compare(built, changed)).rejects.toThrow(
    /found Tiny country and Elsewhere, expected two snapshots of the same country/,
  );
});

test('the command prints a table or JSON, and exits with 1 at the gate', async () => {
  const changed = copySnapshot(built);
  await setScore(changed, { lga: 'NG001001', period: '2021-09', score: 0.99, level: 'very_high' });
  await setScore(changed, { lga: 'NG002001', period: '2021-09', score: 0.99, level: 'very_high' });
  const [table, gate, same, none] = await Promise.all([
    runHere(['diff', built, later]),
    runHere(['diff', built, changed, '--gate', '--json']),
    runHere(['diff', built, built, '--gate']),
    runHere(['diff', built, temporary()]),
  ]);
  expect(table.code).toBe(0);
  expect(table.stdout).toMatch(/Forecasts for 2022-01, 2022-02, 2022-03 against the records/);
  expect(gate.code).toBe(1);
  expect(JSON.parse(gate.stdout).over).toEqual(['2.78% of ranges no longer overlap, at most 1% expected']);
  expect(same.code).toBe(0);
  expect([none.code, none.stderr]).toEqual([2, expect.stringMatching(/found no manifest\.json, expected a snapshot/)]);
});
