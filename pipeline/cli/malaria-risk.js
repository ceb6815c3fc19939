#!/usr/bin/env -S MALLOC_ARENA_MAX=2 MALLOC_TRIM_THRESHOLD_=131072 node
// Returns freed memory to the system; by default the C library keeps much of it for each thread.
import { cacheCompiledCode, printVersion, refuseOldNode } from '../lib/about.js';

refuseOldNode('malaria-risk');
if (!(await printVersion(process.argv.slice(2), () => import('../contract/version.ts')))) {
  cacheCompiledCode();
  const { main } = await import('./program.ts');
  await main(process.argv.slice(2));
}
