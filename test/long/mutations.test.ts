/**
 * Real files made wrong in ways that could happen, each put to `catalog update` as a new release. Stopped: refused as a
 * build would refuse it, or accepted in doubt, which `review` shows and `publish` will not pass without `--approve`.
 */
import { cpSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, test } from 'vitest';
import type { Source } from '../../pipeline/catalog/sources.ts';
import { linkedView } from '../../pipeline/catalog/update/file-paths.ts';
import { updateSource } from '../../pipeline/catalog/update/update.ts';
import { temporary } from '../support/command-line.ts';
import { HAS_REAL_DATA, needsReal, REAL_CATALOG, REAL_DATA } from '../support/real-data.ts';
import type { Mutation } from './mutations/mutation.ts';
import { OTHERS, RASTERS } from './mutations/rasters.ts';
import { SOUND, TABLES } from './mutations/tables.ts';
import { UNSEEN } from './mutations/unseen.ts';
import { UNSEEN_AGAIN } from './mutations/unseen-again.ts';
import { UNSEEN_SMALL } from './mutations/unseen-small.ts';

const MUTATIONS = [...TABLES, ...RASTERS, ...OTHERS];
/** What nothing in the files can tell, with the reason. */
const UNKNOWABLE: Record<string, string> = {};
const nameOf = ({ source, name, file }: Mutation) => `${source}${file ? ` ${file}` : ''}: ${name}`;

describe.skipIf(!HAS_REAL_DATA)(needsReal('real files made wrong'), () => {
  const told = new Map<string, string[]>();

  /** A catalog, its files and what was accepted, for a mutation alone; files are links. */
  function prepare() {
    const [country, out] = [temporary(), temporary()];
    cpSync(REAL_CATALOG, country, { recursive: true });
    const catalog = path.join(country, 'sources.json');
    const { sources } = JSON.parse(readFileSync(catalog, 'utf8')) as { sources: Source[] };
    const files = sources.flatMap((source) => source.files.map((file) => file.path));
    const rawData = linkedView(Object.fromEntries(files.map((file) => [file, path.join(REAL_DATA, file)])));
    return { country, out, rawData, catalog, sources };
  }

  async function put({ source: id, file = '', before, change }: Mutation): Promise<string[]> {
    const { country, out, rawData, catalog, sources } = prepare();
    const { files } = sources.find((source) => source.id === id)!;
    const { path: place } = files.find(({ path: own }) => own.endsWith(file)) ?? files[0]!;
    const bytes = readFileSync(path.join(REAL_DATA, place));
    const given = async (made: Buffer | Promise<Buffer>) => {
      const name = path.join(temporary(), path.basename(place));
      writeFileSync(name, await made);
      return { country, rawData, out, source: id, files: [name], about: {} };
    };
    try {
      if (before) {
        // The months and rounds that come in are not in the catalog yet, nor estimated.
        const model = path.join(country, 'model.json');
        writeFileSync(
          model,
          readFileSync(model, 'utf8').replace('"last_estimated": "2023-12"', '"last_estimated": "2023-11"'),
        );
        for (const source of sources)
          if (source.id === id && source.rounds)
            source.rounds = source.rounds.filter(({ survey_year }) => survey_year < 2018);
        writeFileSync(catalog, JSON.stringify({ sources }));
        const accept = { reason: 'as before', by: 'test', at: '2026-01-01T00:00:00.000Z' };
        const { accepted } = await updateSource({ ...(await given(before(bytes, place))), accept });
        expect(accepted).toBe(true);
      }
      const { files: changed, doubts } = await updateSource(await given(change(bytes, place)));
      return changed.length > 0 ? doubts : ['nothing changed'];
    } catch (error) {
      expect((error as Error).name, (error as Error).stack).toBe('BadInput');
      return [`refused: ${(error as Error).message}`];
    } finally {
      rmSync(rawData, { recursive: true });
    }
  }

  test.each(MUTATIONS.map((mutation) => [nameOf(mutation), mutation] as const))('%s', async (name, mutation) => {
    const lines = await put(mutation);
    told.set(name, lines);
    if (process.env.MALARIA_TELL) process.stdout.write(`${name}\n${lines.map((line) => `    ${line}\n`).join('')}`);
    if (!(name in UNKNOWABLE)) expect(lines, name).not.toEqual([]);
    expect(lines).not.toEqual(['nothing changed']);
  });

  describe.each([
    ['unseen', UNSEEN],
    ['unseen again', UNSEEN_AGAIN],
    ['unseen and small', UNSEEN_SMALL],
  ] as const)('%s', (lot, mutations) => {
    const unseen = new Map<string, string[]>();
    test.each(mutations.map((mutation) => [nameOf(mutation), mutation] as const))('%s', async (name, mutation) => {
      const lines = await put(mutation);
      unseen.set(name, lines);
      if (process.env.MALARIA_TELL) process.stdout.write(`${name}\n${lines.map((line) => `    ${line}\n`).join('')}`);
      expect(lines).not.toEqual(['nothing changed']);
    });

    test('of the kinds by which no threshold was chosen, how many are stopped is told', () => {
      const passed = [...unseen].filter(([, lines]) => lines.length === 0).map(([name]) => name);
      process.stdout.write(
        `${lot}: ${unseen.size - passed.length} of ${unseen.size} kinds stopped; not: ${passed.join('; ')}\n`,
      );
      expect(unseen.size).toBe(mutations.length);
    });
  });

  test.each(SOUND.map((one) => [nameOf(one), one] as const))('%s that is right', async (_, sound) => {
    expect(await put(sound)).toEqual([]);
  });

  test('at least 95 of 100 are stopped', () => {
    const stopped = [...told.values()].filter((lines) => lines.length > 0).length;
    process.stdout.write(`${stopped} of ${told.size} kinds stopped\n`);
    expect(told.size).toBeGreaterThanOrEqual(60);
    expect(stopped / told.size).toBeGreaterThanOrEqual(0.95);
  });
});
