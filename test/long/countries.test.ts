/** Many countries by one command: Snakemake in front of a real Slurm of three nodes. */
import { spawn } from 'node:child_process';
import { existsSync, mkdirSync, readdirSync, readFileSync, realpathSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { hashTree, run, temporary } from '../support/command-line.ts';
import { HAS_REAL_DATA, REAL_CATALOG, REAL_DATA } from '../support/real-data.ts';
import { missingForSlurm, type Slurm, startSlurm } from '../support/slurm.ts';
import { replaceLine, type TinyCountry, tinyCountry, writeCountry } from '../support/tiny-country.ts';

const ROOT = path.resolve(import.meta.dirname, '../..');
const missing = missingForSlurm();
const title = 'countries through Slurm';

/** Tiny countries that differ: other children positive, so other bytes. */
const MADE = ['ayland', 'beland', 'celand', 'deland'];
const made = (k: number): TinyCountry => {
  const country = tinyCountry();
  country.model.country = MADE[k];
  country.files['surveys.csv'] = String(country.files['surveys.csv']).replaceAll('0.12', `0.1${2 + k}`);
  return country;
};

describe.skipIf(missing !== null)(missing === null ? title : `${title} (skipped, optional: ${missing})`, () => {
  const place = temporary();
  const at = (...names: string[]) => path.join(place, ...names);
  const rows: { name: string; catalog: string; raw_data: string; out: string }[] = [];
  const add = (name: string, country?: TinyCountry) => {
    if (country) {
      mkdirSync(at(name));
      writeCountry(country, at(name));
    }
    rows.push({
      name,
      catalog: country ? at(name) : REAL_CATALOG,
      raw_data: country ? '' : REAL_DATA,
      out: `../out/${name}`,
    });
  };
  // The longest first; validation is left out of both sides, so that the test is done in minutes.
  if (HAS_REAL_DATA) add('nigeria');
  for (const [k, name] of MADE.entries()) add(name, made(k));
  const broken = made(0);
  broken.model.country = 'broken';
  broken.files['cases.csv'] = replaceLine(String(broken.files['cases.csv']), 7, 'NG001,2018-06,many');
  add('broken', broken);
  const sound = rows.filter(({ name }) => name !== 'broken');

  let slurm!: Slurm;
  const program = `${process.execPath} ${path.join(ROOT, 'bin/malaria-risk.js')}`;
  /** The one command. @returns how Snakemake ended, and what it said */
  const workflow = (whileItRuns: () => Promise<void> = async () => {}) => {
    const args = ['--snakefile', path.join(ROOT, 'workflow/Snakefile'), '--profile', path.join(ROOT, 'workflow/slurm')];
    const config = ['countries=list/countries.csv', 'runs=runs', `program=${program}`, 'threads=1'];
    const child = spawn('snakemake', [...args, '--config', ...config, 'options=--without-validation'], {
      cwd: place,
      env: { ...process.env, ...slurm.env, HOME: place, XDG_CACHE_HOME: at('home') },
    });
    let said = '';
    for (const stream of [child.stdout, child.stderr])
      stream.on('data', (data) => {
        said += data;
      });
    const ended = new Promise<number | null>((resolve) => child.on('close', resolve));
    return Promise.all([ended, whileItRuns()]).then(([code]) => ({ code, said }));
  };
  const snapshotOf = (out: string) => {
    const [name] = readdirSync(path.join(out, 'snapshots')).filter((entry) => !entry.startsWith('.'));
    return realpathSync(path.join(out, 'snapshots', name!));
  };
  const result = (name: string) => JSON.parse(readFileSync(at('runs', `${name}.json`), 'utf8'));
  /** How often Snakemake started the job of a country. */
  const starts = (said: string, name: string) =>
    said.match(new RegExp(`^rule build:\\n(?: {4}.*\\n)* {4}wildcards: name=${name}$`, 'gm'))?.length ?? 0;

  beforeAll(async () => {
    const list = ['name,catalog,raw_data,out', ...rows.map((row) => Object.values(row).join(','))];
    mkdirSync(at('list'));
    writeFileSync(at('list/countries.csv'), `${list.join('\n')}\n`);
    mkdirSync(at('slurm'));
    slurm = await startSlurm(at('slurm'), 1);
  });
  afterAll(() => slurm?.stop());

  let first!: Awaited<ReturnType<typeof workflow>>;
  test('one command builds them all; the job of a node that is killed is run again', async () => {
    let killed!: { node: string; name: string };
    const alone = temporary();
    first = await workflow(async () => {
      killed = await killOne();
      // Meanwhile on one machine.
      for (const { name, catalog, raw_data } of sound) {
        const from = ['--country', catalog, ...(raw_data ? ['--raw-data', raw_data] : [])];
        const built = await run([
          'build',
          ...from,
          '--out',
          path.join(alone, name),
          '--jobs',
          '1',
          '--without-validation',
        ]);
        expect(built.code, built.stderr).toBe(0);
      }
    });
    for (const { name } of sound) {
      expect(result(name), first.said).toMatchObject({ status: 'built', exit_code: 0 });
      expect(hashTree(snapshotOf(at('out', name))), name).toEqual(hashTree(snapshotOf(path.join(alone, name))));
      expect(starts(first.said, name), first.said).toBe(name === killed.name ? 2 : 1);
    }
    expect(new Set(sound.map(({ name }) => path.basename(snapshotOf(at('out', name))))).size).toBe(sound.length);
  });

  test('bad input fails once, with its line, and the rest went on', async () => {
    expect(first.code).toBe(1);
    const line = 'cases.csv, row 7, confirmed: found "many", expected a whole number';
    expect(result('broken')).toMatchObject({ status: 'bad input', exit_code: 2, line });
    expect(starts(first.said, 'broken')).toBe(1);
    expect(first.said).toContain(`broken: bad input: ${line}`);
    expect(first.said).toContain(`${sound.length} of ${rows.length} countries are built`);
  });

  test('mended and run again: what is built has nothing to do, and asks for what it took', async () => {
    writeCountry({ ...made(0), model: { ...made(0).model, country: 'broken' } }, at('broken'));
    const before = Object.fromEntries(sound.map(({ name }) => [name, hashTree(snapshotOf(at('out', name)))]));
    const again = await workflow();
    expect(again.code, again.said).toBe(0);
    expect(again.said).toContain(`${rows.length} of ${rows.length} countries are built`);
    for (const { name } of sound) {
      expect(result(name).seconds, name).toBeLessThan(
        JSON.parse(readFileSync(at('runs', `${name}.measured.json`), 'utf8')).seconds,
      );
      expect(hashTree(snapshotOf(at('out', name)))).toEqual(before[name]);
    }
    // 1.3 times some 300 MB is less than the least.
    expect(again.said).toMatch(/wildcards: name=ayland\n {4}resources: mem_mb=1024,.*runtime=10\n/);
    expect(first.said).toMatch(/wildcards: name=ayland\n {4}resources: mem_mb=2048,.*runtime=240\n/);
  });

  /** Kills the node of a job whose build has begun. */
  async function killOne(): Promise<{ node: string; name: string }> {
    for (;;) {
      for (const job of slurm.ask('squeue', '-h', '-t', 'RUNNING', '-o', '%N %j').split('\n')) {
        const [node, name] = job.replace('malaria-', '').split(' ');
        if (!name || !existsSync(at('out', name, 'cache', 'ingest'))) continue;
        slurm.killNode(node!);
        return { node: node!, name };
      }
      await new Promise((resolve) => setTimeout(resolve, 50));
    }
  }
});
