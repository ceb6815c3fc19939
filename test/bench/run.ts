/** Entry of `npm run bench`: runs test/bench/*.bench.ts, all or those whose name holds one of the arguments. */
import { spawnSync } from 'node:child_process';
import { readdirSync } from 'node:fs';
import { join } from 'node:path';

const wanted = process.argv.slice(2);
const all = readdirSync(import.meta.dirname)
  .filter((name) => name.endsWith('.bench.ts'))
  .sort();
const chosen = all.filter((name) => wanted.length === 0 || wanted.some((word) => name.includes(word)));
if (chosen.length === 0) {
  console.error(`bench: nothing is named ${wanted.join(' or ')}; there are ${all.join(', ')}`);
  process.exit(2);
}
for (const name of chosen) {
  process.stdout.write(`\n${name}\n`);
  const { status } = spawnSync(process.execPath, [join(import.meta.dirname, name)], { stdio: 'inherit' });
  if (status !== 0) process.exitCode = 1;
}
