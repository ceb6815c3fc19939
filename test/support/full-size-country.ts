/** A country of Nigeria's size, from raw files through the build to answers over HTTP: operations, schemas, joins. */
import path from 'node:path';
import { beforeAll, expect, test } from 'vitest';
import type * as schemas from '../../pipeline/contract/schemas.ts';
import { verifySnapshot } from '../../pipeline/publish/snapshot/verify.ts';
import { type BuildResult, build } from '../../pipeline/release/build.ts';
import { publishVersion } from '../../pipeline/release/publish.ts';
import { temporary } from './command-line.ts';
import { reportInBrowser } from './report-in-browser.ts';
import { reportQuestions } from './report-questions.ts';
import { type Served, serveBuilt } from './serve-built.ts';
import { tableExamples } from './table-examples.ts';

const STATES = 37;
const LGAS = 774;

/** A country that was built, and a proxy that serves it. */
export interface ServedCountry extends Served {
  out: string;
  input: { country: string; rawData?: string };
  result: BuildResult;
}

/** Builds a country in a new directory, and serves it until the test file ends. */
export async function buildAndServe(
  prepare: (out: string) => Promise<{ country: string; rawData?: string }>,
): Promise<ServedCountry> {
  const out = temporary();
  const from = await prepare(out);
  const result = await build({ ...from, out, jobs: 2, onEvent: () => {} });
  await publishVersion(out, { version: result.model_version, approve: 'a test' });
  return { out, input: from, result, ...(await serveBuilt(out, result.model_version)) };
}

/**
 * Tests that hold for any country of 37 states and 774 LGAs.
 * @param pages whether to open its pages in browsers too, which takes as long as everything else
 */
export function fullSizeCountryTests(served: () => ServedCountry, pages: boolean) {
  let states: string[] = [];
  let codes: Record<string, string[]> = {};
  const collect = async (pick: (state: string) => Promise<string[]>) =>
    Object.fromEntries(await Promise.all(states.map(async (state) => [state, (await pick(state)).sort()] as const)));

  beforeAll(async () => {
    const { ask } = served();
    states = (await ask<schemas.BoundariesStates>('boundaries-states')).features
      .map(({ properties }) => properties.code)
      .sort();
    codes = await collect(async (state) =>
      (await ask<schemas.BoundariesLgas>('boundaries-lgas', { state })).features.map(
        ({ properties }) => properties.lgaCode,
      ),
    );
  });

  if (pages) {
    reportInBrowser(() => path.join(served().out, 'current'));
    reportQuestions(() => path.join(served().out, 'current'));
  }
  tableExamples(() => served().out);

  test('verify finds no faults', async () => {
    expect((await verifySnapshot(served().result.directory)).faults).toEqual([]);
  });

  test('the country has 37 states and 774 LGAs', () => {
    expect(states).toHaveLength(STATES);
    expect(new Set(Object.values(codes).flat()).size).toBe(LGAS);
  });

  test('risk, forecast, context and transmission have the same codes', async () => {
    const { ask } = served();
    expect(
      await collect(async (state) =>
        (await ask<schemas.RiskLgas>('risk-lgas', { state })).lgas.map(({ lga_code }) => lga_code),
      ),
    ).toEqual(codes);
    expect(
      await collect(async (state) =>
        (await ask<schemas.ForecastsLgas>('forecasts-lgas', { state })).forecasts[3]!.lgas.map(
          ({ lga_code }) => lga_code,
        ),
      ),
    ).toEqual(codes);
    expect(
      await collect(async (state) =>
        (await ask<schemas.ContextLgas>('context-lgas', { state })).lgas.map(({ lga_code }) => lga_code),
      ),
    ).toEqual(codes);
    expect(
      await collect(async (state) =>
        (await ask<schemas.TransmissionLgas>('transmission-lgas', { state })).lgas.map(({ lga_code }) => lga_code),
      ),
    ).toEqual(codes);
    for (const rows of [
      (await ask<schemas.RiskStates>('risk-states')).states,
      (await ask<schemas.ForecastsStates>('forecasts-states', { months: '1' })).forecasts[0]!.states,
      (await ask<schemas.ContextStates>('context-states')).states,
      (await ask<schemas.TransmissionStates>('transmission-states')).states,
    ])
      expect(rows.map((row) => row.state_code).sort()).toEqual(states);
  });

  test('every month is served, and the default is the latest', async () => {
    const { ask } = served();
    const { last_estimated } = await ask<schemas.Periods>('periods');
    for (const period of ['2015-01', '2019-06', last_estimated]) {
      const report = await ask<schemas.RiskLgas>('risk-lgas', { state: 'KN', period });
      expect(report.period).toBe(period);
      expect(report.lgas).toHaveLength(44);
    }
    expect((await ask<schemas.RiskLgas>('risk-lgas', { state: 'KN' })).period).toBe(last_estimated);
  });

  test('scores are in descending order, ties by code; low ≤ score ≤ high', async () => {
    const { lgas } = await served().ask<schemas.RiskLgas>('risk-lgas', { state: 'KN' });
    const sorted = [...lgas].sort((a, b) => b.score - a.score || (a.lga_code < b.lga_code ? -1 : 1));
    expect(lgas).toEqual(sorted);
    for (const lga of lgas) expect(lga.score_low <= lga.score && lga.score <= lga.score_high).toBe(true);
  });

  test('state figures follow from LGAs: population is the sum, scores and context are weighted means', async () => {
    const { ask } = served();
    const risk = await ask<schemas.RiskStates>('risk-states');
    const context = await ask<schemas.ContextStates>('context-states');
    for (const state of ['KN', 'LA', 'CR']) {
      const { lgas } = await ask<schemas.RiskLgas>('risk-lgas', { state });
      const people = lgas.reduce((sum, lga) => sum + lga.population, 0);
      const row = risk.states.find((other) => other.state_code === state)!;
      expect(row.population).toBe(people);
      const mean = lgas.reduce((sum, lga) => sum + lga.score * lga.population, 0) / people;
      expect(Math.abs(row.score - mean)).toBeLessThan(2e-4);
      const figures = (await ask<schemas.ContextLgas>('context-lgas', { state })).lgas.filter(
        (lga) => lga.travel_minutes_to_care !== null,
      );
      const weight = figures.reduce((sum, lga) => sum + lga.population, 0);
      const minutes = figures.reduce((sum, lga) => sum + lga.population * lga.travel_minutes_to_care!, 0) / weight;
      expect(
        Math.abs(context.states.find((other) => other.state_code === state)!.travel_minutes_to_care! - minutes),
      ).toBeLessThan(0.11);
    }
  });

  test('the transmission model covers three states and lists its limits', async () => {
    const model = await served().ask<schemas.TransmissionModel>('transmission-model');
    expect(model.states.map(({ state_code }) => state_code).sort()).toEqual(['EK', 'KE', 'KW']);
    expect(model.limits.length).toBeGreaterThan(0);
    for (const { reproduction_number_by_month, months_with_infection_growing } of model.states)
      expect(months_with_infection_growing).toEqual(
        reproduction_number_by_month.flatMap((number, i) => (number > 1 ? [i + 1] : [])),
      );
  });
}
