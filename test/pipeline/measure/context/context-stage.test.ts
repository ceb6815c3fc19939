import { expect, test } from 'vitest';
import { figureValues } from '../../../../pipeline/catalog/figures.ts';
import { run } from '../../../../pipeline/measure/context/context-stage.ts';
import { ioOf, outputRows } from '../../../support/stage-io.ts';

/** Whether two LGAs with 100 people each, of whom `urban` live in an urban centre, are urban. */
async function urbanOf(urban: [number, number]): Promise<{ urban: boolean[]; told: boolean }> {
  const codes = ['NG001001', 'NG001002'];
  const artifacts: Record<string, unknown> = {
    'ingest/states': [{ state_code: 'AB', state_pcode: 'NG001', state: 'Abia', zone: 'SE' }],
    'ingest/lgas': codes.map((lga_code) => ({ lga_code, lga: lga_code, state_code: 'AB' })),
    'ingest/layers': codes.map((lga_code) => ({ lga_code, ...figureValues(() => null) })),
    'zonal/lgas': codes.map((lga_code, i) => ({
      lga_code,
      population: 100,
      urban_population: urban[i]!,
      elevation_m: null,
      ...figureValues(() => null),
    })),
    'boundaries/areas_km2': codes.map((lga_code) => ({ lga_code, area_km2: 10 })),
  };
  const { lgas, report } = await run(ioOf(artifacts));
  const told = report!.some(({ rule }) => rule === 'is_urban');
  return { urban: outputRows<{ is_urban: boolean }>(lgas).map((lga) => lga.is_urban), told };
}

test('an LGA is urban if more than half of its people live in an urban centre; exactly half is not enough', async () => {
  expect(await urbanOf([50, 50.001])).toEqual({ urban: [false, true], told: true });
  expect(await urbanOf([0, 100])).toEqual({ urban: [false, true], told: true });
  expect(await urbanOf([0, 50])).toEqual({ urban: [false, false], told: false });
});
