/**
 * Entry point of `npm run bench`: runs all of test/bench/*.bench.ts, or those whose name contains one of the words. All
 * arguments from the first option on are passed to the benchmark: `npm run bench -- stage-cost --country DIR`.
 */
import { spawnSync } from 'node:child_process';
import { readdirSync } from 'node:fs';
import { join } from 'node:path';

const given = process.argv.slice(2);
const words = given.findIndex((argument) => argument.startsWith('-'));
const wanted = words < 0 ? given : given.slice(0, words);
const options = words < 0 ? [] : given.slice(words);
const all = readdirSync(import.meta.dirname)
  .filter((name) => name.endsWith('.bench.ts'))
  .sort();
const chosen = all.filter((name) => wanted.length === 0 || wanted.some((word) => name.includes(word)));
if (chosen.length === 0) {
  console.error(`bench: no benchmark is named ${wanted.join(' or ')}; expected one of ${all.join(', ')}`);
  process.exit(2);
}
for (const name of chosen) {
  process.stdout.write(`\n${name}\n`);
  const { status } = spawnSync(process.execPath, [join(import.meta.dirname, name), ...options], { stdio: 'inherit' });
  if (status !== 0) process.exitCode = 1;
}
