/**
 * The cost of a build, for pipeline/deploy/SCALING.md: CPU seconds of each stage, one stage at a time. Without --country it
 * builds the made-up country:
 *
 *   node test/bench/stage-cost.bench.ts [--country DIR] [--raw-data DIR]
 *
 * CPU time is that of the process, so other work on the machine matters little. It never fails because of a time.
 */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { parseArgs } from 'node:util';
import { readCountry } from '../../pipeline/catalog/country.ts';
import { projectOf } from '../../pipeline/catalog/country-stage.ts';
import { runStages } from '../../pipeline/engine/run.ts';
import { hashRawFiles } from '../../pipeline/release/raw-hashes.ts';
import { STAGES } from '../../pipeline/stages.ts';
import { writeSyntheticCountry } from '../../pipeline/synthetic/country.ts';

const { values: given } = parseArgs({ options: { country: { type: 'string' }, 'raw-data': { type: 'string' } } });
const out = mkdtempSync(path.join(tmpdir(), 'stage-cost-'));
const directory = given.country ?? path.join(out, 'synthetic');
if (given.country === undefined) await writeSyntheticCountry({ seed: 1, out: directory });
const country = readCountry(directory, given['raw-data']);
const raw = await hashRawFiles(country, true);
for (const [k, stage] of STAGES.entries()) {
  const before = process.cpuUsage();
  await runStages(STAGES.slice(0, k + 1), {
    project: projectOf(country, raw),
    cache: path.join(out, 'cache'),
    jobs: 1,
    onEvent: () => {},
  });
  const { user, system } = process.cpuUsage(before);
  const peak = Math.round(process.resourceUsage().maxRSS / 1024);
  const seconds = ((user + system) / 1e6).toFixed(2);
  process.stdout.write(`${stage.name.padEnd(20)} ${seconds.padStart(7)} CPU s   peak so far ${peak} MiB\n`);
}
rmSync(out, { recursive: true });
