/** Many countries with one command: Snakemake on a real Slurm cluster of three nodes. */
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
const title = 'building countries with Slurm';

/** Tiny countries with different numbers of positive children, so that their bytes differ. */
const NAMES = ['ayland', 'beland', 'celand', 'deland'];
const variant = (k: number): TinyCountry => {
  const country = tinyCountry();
  country.model.country = NAMES[k];
  country.files['surveys.csv'] = String(country.files['surveys.csv']).replaceAll('0.12', `0.1${2 + k}`);
  return country;
};

describe.skipIf(missing !== null)(missing === null ? title : `${title} (skipped, optional: ${missing})`, () => {
  const folder = temporary();
  const at = (...names: string[]) => path.join(folder, ...names);
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
  // The longest build comes first. Validation is skipped here and in the comparison, so that the test takes minutes.
  if (HAS_REAL_DATA) add('nigeria');
  for (const [k, name] of NAMES.entries()) add(name, variant(k));
  const broken = variant(0);
  broken.model.country = 'broken';
  broken.files['cases.csv'] = replaceLine(String(broken.files['cases.csv']), 7, 'NG001,2018-06,many');
  add('broken', broken);
  const valid = rows.filter(({ name }) => name !== 'broken');

  let slurm!: Slurm;
  const program = `${process.execPath} ${path.join(ROOT, 'pipeline/cli/malaria-risk.js')}`;
  /** Runs Snakemake. @returns its exit code and output */
  const workflow = (whileItRuns: () => Promise<void> = async () => {}) => {
    const args = [
      '--snakefile',
      path.join(ROOT, 'pipeline/deploy/workflow/Snakefile'),
      '--profile',
      path.join(ROOT, 'pipeline/deploy/workflow/slurm'),
    ];
    const config = ['countries=list/countries.csv', 'runs=runs', `program=${program}`, 'threads=1'];
    const child = spawn('snakemake', [...args, '--config', ...config, 'options=--without-validation'], {
      cwd: folder,
      env: { ...process.env, ...slurm.env, HOME: folder, XDG_CACHE_HOME: at('home') },
    });
    let output = '';
    for (const stream of [child.stdout, child.stderr])
      stream.on('data', (data) => {
        output += data;
      });
    const ended = new Promise<number | null>((resolve) => child.on('close', resolve));
    return Promise.all([ended, whileItRuns()]).then(([code]) => ({ code, output }));
  };
  const snapshotOf = (out: string) => {
    const [name] = readdirSync(path.join(out, 'snapshots')).filter((entry) => !entry.startsWith('.'));
    return realpathSync(path.join(out, 'snapshots', name!));
  };
  const result = (name: string) => JSON.parse(readFileSync(at('runs', `${name}.json`), 'utf8'));
  /** How often Snakemake started the job of a country. */
  const starts = (output: string, name: string) =>
    output.match(new RegExp(`^rule build:\\n(?: {4}.*\\n)* {4}wildcards: name=${name}$`, 'gm'))?.length ?? 0;

  beforeAll(async () => {
    const list = ['name,catalog,raw_data,out', ...rows.map((row) => Object.values(row).join(','))];
    mkdirSync(at('list'));
    writeFileSync(at('list/countries.csv'), `${list.join('\n')}\n`);
    mkdirSync(at('slurm'));
    slurm = await startSlurm(at('slurm'), 1);
  });
  afterAll(() => slurm?.stop());

  let first!: Awaited<ReturnType<typeof workflow>>;
  test('one command builds all countries, and restarts the job of a killed node', async () => {
    let killed!: { node: string; name: string };
    const alone = temporary();
    first = await workflow(async () => {
      killed = await killOne();
      // Meanwhile, build the same countries on one machine.
      for (const { name, catalog, raw_data } of valid) {
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
    for (const { name } of valid) {
      expect(result(name), first.output).toMatchObject({ status: 'built', exit_code: 0 });
      expect(hashTree(snapshotOf(at('out', name))), name).toEqual(hashTree(snapshotOf(path.join(alone, name))));
      expect(starts(first.output, name), first.output).toBe(name === killed.name ? 2 : 1);
    }
    expect(new Set(valid.map(({ name }) => path.basename(snapshotOf(at('out', name))))).size).toBe(valid.length);
  });

  test('bad input fails once, with its error, and the other countries are built', async () => {
    expect(first.code).toBe(1);
    const line = 'cases.csv, row 7, confirmed: found "many", expected a whole number, or a blank cell if it is unknown';
    expect(result('broken')).toMatchObject({ status: 'bad input', exit_code: 2, line });
    expect(starts(first.output, 'broken')).toBe(1);
    expect(first.output).toContain(`broken: bad input: ${line}`);
    expect(first.output).toContain(`${valid.length} of ${rows.length} countries are built`);
  });

  test('after the input is fixed, finished countries have nothing to do and request what they used', async () => {
    writeCountry({ ...variant(0), model: { ...variant(0).model, country: 'broken' } }, at('broken'));
    const before = Object.fromEntries(valid.map(({ name }) => [name, hashTree(snapshotOf(at('out', name)))]));
    const again = await workflow();
    expect(again.code, again.output).toBe(0);
    expect(again.output).toContain(`${rows.length} of ${rows.length} countries are built`);
    for (const { name } of valid) {
      expect(result(name).seconds, name).toBeLessThan(
        JSON.parse(readFileSync(at('runs', `${name}.measured.json`), 'utf8')).seconds,
      );
      expect(hashTree(snapshotOf(at('out', name)))).toEqual(before[name]);
    }
    // 1.3 times about 300 MB is below the minimum request.
    expect(again.output).toMatch(/wildcards: name=ayland\n {4}resources: mem_mb=1024,.*runtime=10\n/);
    expect(first.output).toMatch(/wildcards: name=ayland\n {4}resources: mem_mb=2048,.*runtime=240\n/);
  });

  /** Kills the node of a job whose build has started. */
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
