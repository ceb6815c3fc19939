/** Gives corrupted real files to `catalog update`, as a new release of files that were accepted before. */
import { createHash } from 'node:crypto';
import { cpSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { expect } from 'vitest';
import type { Source } from '../../../pipeline/catalog/sources.ts';
import { createLinkFolder } from '../../../pipeline/intake/update/file-paths.ts';
import { updateSource } from '../../../pipeline/intake/update/update.ts';
import { temporary } from '../../support/command-line.ts';
import { REAL_CATALOG, REAL_DATA } from '../../support/real-data.ts';
import type { Mutation } from './mutation.ts';

export const nameOf = ({ source, name, file }: Mutation) => `${source}${file ? ` ${file}` : ''}: ${name}`;

interface Prepared {
  country: string;
  out: string;
  rawData: string;
}

const views: string[] = [];
/** Removes the links to raw files that `prepare` made, after all tests of a file. */
export function removeViews(): void {
  for (const view of views.splice(0)) rmSync(view, { recursive: true });
}

/** The catalog, its raw files (as links) and an output directory. */
export function prepare(): Prepared {
  const [country, out] = [temporary(), temporary()];
  cpSync(REAL_CATALOG, country, { recursive: true });
  const files = sourcesOf(country).flatMap((source) => source.files.map((file) => file.path));
  const rawData = createLinkFolder(Object.fromEntries(files.map((file) => [file, path.join(REAL_DATA, file)])));
  views.push(rawData);
  return { country, out, rawData };
}

export function sourcesOf(country: string): Source[] {
  return JSON.parse(readFileSync(path.join(country, 'sources.json'), 'utf8')).sources;
}

const copy = (prepared: Prepared) => {
  const copyOf = (directory: string) => {
    const target = temporary();
    cpSync(directory, target, { recursive: true, verbatimSymlinks: true });
    return target;
  };
  return { country: copyOf(prepared.country), out: copyOf(prepared.out), rawData: copyOf(prepared.rawData) };
};

function requestOf(prepared: Prepared, id: string, file: string, content: Buffer) {
  const name = path.join(temporary(), path.basename(file));
  writeFileSync(name, content);
  return { ...prepared, source: id, files: [name], description: {} };
}

/** Accepts an earlier state of a file: its last months and rounds are not in the catalog yet, and not estimated. */
async function acceptEarlier(id: string, file: string, content: Buffer): Promise<Prepared> {
  const prepared = prepare();
  const model = path.join(prepared.country, 'model.json');
  writeFileSync(
    model,
    readFileSync(model, 'utf8').replace('"last_estimated": "2023-12"', '"last_estimated": "2023-11"'),
  );
  const sources = sourcesOf(prepared.country);
  for (const source of sources)
    if (source.id === id && source.rounds)
      source.rounds = source.rounds.filter(({ survey_year }) => survey_year < 2018);
  writeFileSync(path.join(prepared.country, 'sources.json'), JSON.stringify({ sources }));
  const accept = { reason: 'as before', by: 'test', at: '2026-01-01T00:00:00.000Z' };
  const { accepted } = await updateSource({ ...requestOf(prepared, id, file, content), accept });
  expect(accepted).toBe(true);
  return prepared;
}

/** Earlier states that several mutations start from, by source and content. */
const earlier = new Map<string, Promise<Prepared>>();

/**
 * Runs `catalog update` on the mutated file.
 * @returns why it is stopped: the refusal or the doubts; empty if it passes
 */
export async function update({ source: id, file = '', before, change }: Mutation): Promise<string[]> {
  const { files } = sourcesOf(REAL_CATALOG).find((source) => source.id === id)!;
  const { path: rawFile } = files.find(({ path: own }) => own.endsWith(file)) ?? files[0]!;
  const bytes = readFileSync(path.join(REAL_DATA, rawFile));
  try {
    let prepared: Prepared;
    if (before) {
      const content = before(bytes, rawFile);
      const key = `${rawFile} ${createHash('sha256').update(content).digest('hex')}`;
      if (!earlier.has(key)) earlier.set(key, acceptEarlier(id, rawFile, content));
      prepared = copy(await earlier.get(key)!);
    } else prepared = prepare();
    const { files: changed, doubts } = await updateSource(
      requestOf(prepared, id, rawFile, await change(bytes, rawFile)),
    );
    return changed.length > 0 ? doubts : ['nothing changed'];
  } catch (error) {
    expect((error as Error).name, (error as Error).stack).toBe('BadInput');
    return [`refused: ${(error as Error).message}`];
  }
}
