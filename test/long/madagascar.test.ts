/** The second country, from its unchanged raw files and its catalog to answers over HTTP. */
import { realpathSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import type { Manifest } from '../../pipeline/contract/manifest.ts';
import { verifySnapshot } from '../../pipeline/publish/snapshot/verify.ts';
import { build } from '../../pipeline/release/build.ts';
import { readJson } from '../support/built-tiny.ts';
import { temporary } from '../support/command-line.ts';
import { dashboardInOwnWords } from '../support/dashboard-words.ts';
import { nigerianWords, wordsOfLevels } from '../support/nigerian.ts';
import { giveKey, type Service, serveBuild } from '../support/proxy/service.ts';
import { HAS_MADAGASCAR, MADAGASCAR_CATALOG, MADAGASCAR_DATA, needsMadagascar } from '../support/real-data.ts';

describe.skipIf(!HAS_MADAGASCAR)(needsMadagascar('Madagascar'), () => {
  let snapshot: string;
  let service: Service;
  let key: string;
  const ends: (() => unknown)[] = [];
  beforeAll(async () => {
    const out = temporary();
    const inputs = { country: MADAGASCAR_CATALOG, rawData: MADAGASCAR_DATA, out, jobs: 2 };
    snapshot = realpathSync((await build({ ...inputs, withoutValidation: true, onEvent: () => {} })).directory);
    const store = `sqlite:${temporary()}/proxy.sqlite`;
    service = await serveBuild({ build: out, snapshot, store }, {}, (end) => ends.push(end));
    ({ key } = await giveKey(service.store));
  });
  afterAll(async () => {
    for (const end of ends.reverse()) await end();
  });
  const ask = async (address: string) => {
    const response = await service.get(address, key);
    return { status: response.status, body: (await response.json()) as any };
  };

  test('the snapshot is valid and contains no Nigerian terms', async () => {
    expect(await verifySnapshot(snapshot)).toMatchObject({ faults: [], unchecked: null });
    expect(nigerianWords(snapshot)).toEqual([]);
    expect(wordsOfLevels(snapshot)).toEqual([]);
  });

  test('the dashboard contains no Nigerian terms either', async () => {
    const build = temporary();
    const served = { build, snapshot, store: `sqlite:${build}/proxy.sqlite` };
    const { territory } = readJson(snapshot, 'manifest.json') as Manifest;
    const text = await dashboardInOwnWords(served, territory!, onTestFinished);
    expect(text).toContain('Codes of regions and districts');
  });

  test('119 districts in 22 regions; Vohipeno is in the region of its code, not of its location', async () => {
    const { body: context } = await ask('/v1/context/states');
    expect(context.states.map(({ lgas }: any) => lgas).reduce((a: number, b: number) => a + b)).toBe(119);
    expect(context.states).toHaveLength(22);
    expect(context.states.every(({ zone }: any) => zone === null)).toBe(true);
    const { body } = await ask('/v1/risk/lgas?state=MG23&period=2021-05');
    expect(body.lgas.map(({ lga }: any) => lga)).toContain('Vohipeno');
  });

  test('both methods are used in order of preference; the cluster in the sea is assigned to Toliary-I', () => {
    const card = readJson(snapshot, 'model-card.json');
    expect(card.parameters.survey.method).toEqual(['microscopy', 'rdt']);
    const findings = readJson(snapshot, 'findings.json').map(({ what }: { what: string }) => what);
    expect(findings).toContain('round 2013, MD201300000172: 49 m outside every area, assigned to MG51501 Toliary-I');
  });

  test('without rain and cases there is no season and no transmission model, and limits mention it', async () => {
    expect((await ask('/v1/transmission/states')).status).toBe(503);
    expect((await ask('/v1/transmission/states')).body.code).toBe('TRANSMISSION_DATA_UNAVAILABLE');
    const { body } = await ask('/v1/series/states?state=MG25');
    const of2016 = body.series.filter(({ period }: any) => period.startsWith('2016'));
    expect(of2016).toHaveLength(12);
    expect(
      new Set(of2016.map(({ score, score_low, score_high }: any) => `${score} ${score_low} ${score_high}`)).size,
    ).toBe(1);
    const { limits } = readJson(snapshot, 'manifest.json') as Manifest;
    expect(limits![0]).toMatch(/^No monthly rain/);
    expect((await ask('/v1/model-card')).body.limits).toEqual(expect.arrayContaining(limits!));
  });
});
