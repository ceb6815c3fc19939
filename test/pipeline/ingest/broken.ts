/** Functions that break a valid tiny country, and tests that it is refused. */
import { expect, test } from 'vitest';
import { type Country, readCountry } from '../../../pipeline/catalog/country.ts';
import { run as ingest } from '../../../pipeline/ingest/ingest-stage.ts';
import { run as zonal } from '../../../pipeline/measure/zonal/zonal-stage.ts';
import { STAGES } from '../../../pipeline/stages.ts';
import { writeGeotiff } from '../../../pipeline/synthetic/geotiff-writer.ts';
import { ioOf } from '../../support/stage-io.ts';
import { GRID, replaceLine, type TinyCountry, writeTiny } from '../../support/tiny-country.ts';

/** A title, a change to the country, and the message: file, position, found, expected. */
export type Case = [name: string, change: (country: TinyCountry) => void, message: RegExp];

const io = (stage: string, { sources, rawData, model }: Country, artifacts: Record<string, unknown> = {}) => {
  const { reads } = STAGES.find(({ name }) => name === stage)!;
  return ioOf(artifacts, { sources: sources.filter(reads), rawData, model });
};

/** Reads a country as a build does: first tables and outlines, then rasters. */
export async function read(change?: (country: TinyCountry) => void) {
  const country = readCountry(writeTiny(change).directory);
  const tables = await ingest(io('ingest', country));
  const artifacts = Object.fromEntries(Object.entries(tables).map(([name, value]) => [`ingest/${name}`, value]));
  return { tables, rasters: await zonal(io('zonal', country, artifacts)) };
}

export const edit = (file: string, change: (text: string) => string) => (country: TinyCountry) => {
  country.files[file] = change(String(country.files[file]));
};
export const line = (file: string, number: number, by: string | ((old: string) => string)) =>
  edit(file, (text) => replaceLine(text, number, by));
export const features = (file: string, change: (list: any[]) => any[]) =>
  edit(file, (text) => JSON.stringify({ type: 'FeatureCollection', features: change(JSON.parse(text).features) }));
export const raster =
  (file: string, value: (i: number) => number, on = GRID) =>
  (country: TinyCountry) => {
    country.files[file] = writeGeotiff(
      Float32Array.from({ length: on.columns * on.rows }, (_, i) => value(i)),
      on,
    );
  };

/** A test for each case: the country must be refused with a matching message of one line. */
export function refuses(cases: readonly Case[]): void {
  test.each(cases)('%s', async (_, change, message) => {
    const error = await read(change).then(
      () => null,
      (caught: Error) => caught,
    );
    expect(error?.message).toMatch(message);
    expect(error?.name).toBe('BadInput');
    expect(error?.message).not.toContain('\n');
  });
}

/** A test for each change: the country must be accepted. */
export function accepts(cases: readonly [name: string, change: (country: TinyCountry) => void][]): void {
  test.each(cases)('%s', async (_, change) => {
    await expect(read(change)).resolves.toBeDefined();
  });
}
