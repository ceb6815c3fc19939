import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { withDatabase } from '../../../../pipeline/lib/tables/duckdb.ts';
import { writeDraws } from '../../../../pipeline/model/risk/draws-file.ts';
import type { Paths } from '../../../../pipeline/model/risk/paths.ts';
import type { LgaScore, StateScore } from '../../../../pipeline/model/risk/risk-tables.ts';
import { reproducePaths } from '../../../../pipeline/model/risk/stage-draws.ts';
import { outputRows } from '../../../support/stage-io.ts';
import { areas, cells, DRAWS, runSmall, smallIo } from './small-stage.ts';

const scratch = mkdtempSync(path.join(tmpdir(), 'draws-'));
afterAll(() => rmSync(scratch, { recursive: true }));

let lgas: LgaScore[];
let states: StateScore[];
let paths: Paths;
beforeAll(async () => {
  const made = await runSmall('spatial');
  lgas = outputRows(made.lgas);
  states = outputRows(made.states);
  // as returned by the cache
  const evidence = JSON.parse(JSON.stringify(made.evidence));
  paths = reproducePaths(smallIo('spatial', { 'risk/lgas': made.lgas, 'risk/evidence': evidence }));
});

const everything = {
  area: 'lga' as const,
  codes: areas.lgas.map(({ lga_code: code }) => ({ code, isRequested: true })),
};
const periods = new Set(['2018-01', '2021-11', '2023-04']);

test("the means of the draws are the scores, and a state's draws are the weighted means of its LGAs' draws", async () => {
  const [ofLgas, ofStates] = [path.join(scratch, 'lgas.parquet'), path.join(scratch, 'states.parquet')];
  expect(await writeDraws(ofLgas, paths, { ...everything, periods, scores: lgas })).toBe(3 * 6 * DRAWS);
  const codes = areas.states.map(({ state_code: code }) => ({ code, isRequested: code === 'BB' }));
  expect(await writeDraws(ofStates, paths, { area: 'state', codes, periods, scores: states })).toBe(3 * DRAWS);
  await withDatabase(async (db) => {
    const means = await db.rows<{ code: string; period: string; n: number; mean: number; draws: number }>(
      `SELECT code, period, count(*)::INTEGER AS n, avg(prevalence) AS mean, max(draw) AS draws FROM '${ofLgas}' GROUP BY ALL ORDER BY ALL`,
    );
    expect(means).toHaveLength(18);
    for (const { code, period, n, mean, draws } of means) {
      expect([n, draws]).toEqual([DRAWS, DRAWS]);
      const { score } = lgas.find((row) => row.lga_code === code && row.period === period)!;
      expect(Math.abs(mean - score)).toBeLessThan(1e-7);
    }
    const people = areas.lgas.map(({ lga_code }, i) => `('${lga_code}', ${cells.population[i]})`);
    const [apart] = await db.rows<{ n: number; most: number }>(
      `WITH people(code, people) AS (VALUES ${people}),
         made AS (SELECT period, draw, sum(people * prevalence) / sum(people) AS prevalence
           FROM '${ofLgas}' JOIN people USING (code) WHERE code LIKE 'BB%' GROUP BY ALL)
       SELECT count(*)::INTEGER AS n, max(abs(made.prevalence - s.prevalence)) AS most FROM made JOIN '${ofStates}' s USING (period, draw)`,
    );
    expect(apart!.n).toBe(3 * DRAWS);
    expect(apart!.most).toBeLessThan(1e-6);
  });
});

test('the same draws give the same bytes, and draws that do not match the scores are rejected', async () => {
  const files = ['a', 'b'].map((name) => path.join(scratch, `${name}.parquet`));
  for (const file of files) await writeDraws(file, paths, { ...everything, periods, scores: lgas });
  expect(readFileSync(files[0]!).equals(readFileSync(files[1]!))).toBe(true);
  const scores = lgas.map((row) => ({ ...row, score: row.score + 1e-6 }));
  await expect(writeDraws(files[0]!, paths, { ...everything, periods, scores })).rejects.toThrow(/expected the score/);
});

test('the baseline has no joint draws', async () => {
  const { lgas: table, evidence } = await runSmall('baseline');
  expect(() => reproducePaths(smallIo('baseline', { 'risk/lgas': table, 'risk/evidence': evidence }))).toThrow(
    /parameters.risk.score: found baseline, expected spatial/,
  );
});
