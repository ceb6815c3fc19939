/** Gives corrupted real files as a country's first ones: there is no earlier file to compare them with. */
import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { expect } from 'vitest';
import { checkCountry } from '../../../pipeline/intake/check/check-country.ts';
import { measureSource } from '../../../pipeline/intake/update/measure-source.ts';
import { REAL_DATA } from '../../support/real-data.ts';
import { prepare, sourcesOf } from './against-former.ts';
import type { Mutation } from './mutation.ts';

/**
 * What `catalog check` says of a country with the mutated file, pinned as if it had never been another: faults, and
 * doubts for which publishing requires `--approve`. With no mutation, the country is as it is.
 */
export async function asFirst(mutation?: Mutation): Promise<string[]> {
  const { country, rawData } = prepare();
  try {
    if (mutation) await deliver(country, rawData, mutation);
    return (await checkCountry(country, rawData)).map(({ what }) => what);
  } catch (error) {
    expect((error as Error).name, (error as Error).stack).toBe('BadInput');
    return [(error as Error).message];
  }
}

/** Writes the mutated file in the place of the real one, and its bytes, hash, rows, span and rounds to the catalog. */
async function deliver(country: string, rawData: string, { source: id, file = '', change }: Mutation): Promise<void> {
  const sources = sourcesOf(country);
  const source = sources.find((own) => own.id === id)!;
  const { path: rawFile } = source.files.find((own) => own.path.endsWith(file))!;
  const bytes = readFileSync(path.join(REAL_DATA, rawFile));
  const changed = await change(bytes, rawFile);
  expect(changed.equals(bytes)).toBe(false);
  rmSync(path.join(rawData, rawFile));
  writeFileSync(path.join(rawData, rawFile), changed);
  const { states } = JSON.parse(readFileSync(path.join(country, 'model.json'), 'utf8'));
  const measured = (await measureSource(source, rawData, states)).source;
  const proposed = sources.map((own) => (own === source ? measured : own));
  writeFileSync(path.join(country, 'sources.json'), JSON.stringify({ sources: proposed }));
}
