import { expect, test } from 'vitest';
import { run } from '../../../pipeline/context/stage.ts';

/** Two LGAs of one state, of a hundred people each, of whom `urban` live in an urban centre. */
async function urbanOf(urban: [number, number]): Promise<boolean[]> {
  const codes = ['NG001001', 'NG001002'];
  const artifacts: Record<string, unknown> = {
    'ingest/areas': {
      states: [{ state_code: 'AB', state_pcode: 'NG001', state: 'Abia', zone: 'SE' }],
      lgas: codes.map((lga_code) => ({ lga_code, lga: lga_code, state_code: 'AB' })),
    },
    'ingest/layers': {},
    'zonal/lgas': codes.map((lga_code, i) => ({
      ...{ lga_code, population: 100, urban_population: urban[i]!, elevation_m: null, layers: {} },
    })),
    'boundaries/areas_km2': Object.fromEntries(codes.map((code) => [code, 10])),
  };
  const { lgas } = await run({
    artifact: <T>(name: string) => artifacts[name] as T,
    ...{ sources: [], rawData: '', model: {} as never, progress: () => {} },
  });
  return (lgas as { is_urban: boolean }[]).map((lga) => lga.is_urban);
}

test('an LGA is urban where more than half its people live in an urban centre: half itself is not', async () => {
  expect(await urbanOf([50, 50.001])).toEqual([false, true]);
  expect(await urbanOf([0, 100])).toEqual([false, true]);
});
