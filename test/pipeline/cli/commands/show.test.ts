import { expect, test } from 'vitest';
import { VIEWS } from '../../../../pipeline/cli/commands/show-views.ts';
import { readJson, tinySnapshot } from '../../../support/built-tiny.ts';
import { runHere } from '../../../support/run-here.ts';

const snapshot = tinySnapshot();
const answer = (name: string) => readJson(snapshot, `v1/${name}`);
const show = (...args: string[]) => runHere(['show', ...args, '--snapshot', snapshot]);
const rowsOf = async (...args: string[]) => JSON.parse((await show(...args, '--json')).stdout);

test('the help lists every view with the question that it answers', async () => {
  const { stdout } = await runHere(['show', '--help']);
  const text = stdout.replaceAll(/\s+/g, ' ');
  for (const [name, { question: asks }] of Object.entries(VIEWS))
    expect(text).toMatch(`${name} [options] ${asks.slice(0, 40)}`);
});

test.each(Object.entries(VIEWS))('%s prints its rows as a table, with the columns of its JSON', async (name, view) => {
  const asked = [...(view.country ? [[]] : []), ...(view.state ? [['--state', 'AB']] : [])];
  for (const args of asked) {
    const { code, stdout, stderr } = await show(name, ...args);
    expect([code, stderr]).toEqual([0, '']);
    const rows = await rowsOf(name, ...args);
    const lines = stdout.trimEnd().split('\n');
    expect(lines).toHaveLength(rows.length + 1);
    const drawn = Object.keys(view.charts ?? {});
    for (const column of Object.keys(rows[0])) if (!drawn.includes(column)) expect(lines[0]).toContain(column);
  }
});

test('context, surveys and the transmission model are those of the answers', async () => {
  const { states, national } = answer('transmission/states.json');
  expect(await rowsOf('context')).toEqual(answer('context/states.json').states);
  expect(await rowsOf('context', '--state', 'AB')).toMatchObject(answer('context/lgas/AB.json').lgas);
  expect(await rowsOf('survey')).toEqual(national.survey_trend);
  expect(await rowsOf('survey', '--state', 'AD')).toEqual(
    states.find(({ state_code }: any) => state_code === 'AD').survey_trend,
  );
  const model = answer('transmission/model.json');
  expect(await rowsOf('model')).toEqual(
    model.states.map((state: any) => ({
      state_code: state.state_code,
      state: state.state,
      fit_correlation: state.fit_correlation,
      months_growing: state.months_with_infection_growing.join(' '),
      year_round_share: state.share_of_transmission_year_round,
    })),
  );
  const { development, held_back, held_back_year } = model.projection_test;
  expect(await rowsOf('projections')).toEqual([
    { years: 'development', months: development.months, ...development.mean_absolute_error },
    { years: `held back, ${held_back_year}`, months: held_back.months, ...held_back.mean_absolute_error },
  ]);
});

test('the season is that of the answers: peak, high months and index', async () => {
  const { national, states } = answer('transmission/states.json');
  const shown = await rowsOf('season');
  expect(shown.map(({ state }: any) => state)).toEqual(['the country', ...states.map(({ state }: any) => state)]);
  for (const [i, { season }] of [national, ...states].entries()) {
    expect(shown[i].peak).toBe(season.peak_month);
    expect(shown[i].months).toEqual(season.seasonal_index);
    expect(shown[i].high_months).toMatch(new RegExp(`\\b${season.season_start_month}\\b`));
  }
  expect(await rowsOf('season', '--state', 'AB')).toHaveLength(2);
  expect((await show('season')).stdout).toMatch(/^state_code +state +peak +high_months +JFMAMJJASOND\n/);
});

test('a score has a bar of its range after it, on one scale for all rows', async () => {
  const { stdout } = await show('risk', '--period', '2021-09');
  const top = Math.max(...answer('risk/states/2021-09.json').states.map((row: any) => row.score_high));
  expect(stdout).toMatch(new RegExp(`^state_code +state +level +score +score_low +score_high +0 … ${top.toFixed(2)} `));
  expect(stdout.match(/ [·─]*├─*●─*┤·* /g)).toHaveLength(2);
  expect(stdout).toMatch(/● *─*┤ /);
});

test('the history of a state has a line a year, with forecast months apart and absent months blank', async () => {
  const rows = await rowsOf('history', '--state', 'AB');
  expect(rows.map(({ year, kind }: any) => `${year} ${kind}`)).toEqual([
    '2020 estimated',
    '2021 estimated',
    '2022 forecast',
  ]);
  const { series } = answer('series/states/AB.json');
  const scores = rows.flatMap(({ months }: any) => months);
  expect(scores.filter((score: number | null) => score !== null)).toEqual(series.map(({ score }: any) => score));
  // The first estimated month is November.
  expect(rows[0].months.slice(0, 10)).toEqual(Array(10).fill(null));
  expect((await show('history', '--state', 'AB')).stdout).toMatch(/^2020 +estimated +[\d.]+ +[\d.]+ {12}[▁-█]{2}$/m);
  expect((await show('history')).code).toBe(2);
});

test('cases of both series have one scale in each state', async () => {
  const rows = await rowsOf('cases');
  const { states } = answer('transmission/model.json');
  expect(rows.map(({ state, series }: any) => `${state} ${series}`)).toEqual(
    states.flatMap(({ state }: any) => [`${state} reported`, `${state} modelled`]),
  );
  for (const { state_code, series } of states) {
    const [reported, modelled] = rows.filter((row: any) => row.state_code === state_code);
    const known = reported.months.filter((value: number | null) => value !== null);
    expect(known).toEqual(series.map((month: any) => month.reported));
    expect(reported.highest).toBe(Math.max(...series.flatMap((month: any) => [month.reported, month.modelled])));
    expect(modelled.highest).toBe(reported.highest);
  }
});

test('a month or a state that is not covered is refused, and an option that a view does not have', async () => {
  expect(await show('risk', '--period', '2030-01')).toMatchObject({
    code: 2,
    stderr: expect.stringContaining('show risk: found no rows'),
  });
  expect(await show('season', '--period', '2021-01')).toMatchObject({ code: 2 });
  expect(await show('weather')).toMatchObject({
    code: 2,
    stderr: expect.stringContaining("unknown command 'weather'"),
  });
});
