#!/usr/bin/env -S MALLOC_ARENA_MAX=2 node
// By default the C library keeps memory apart for each thread: the process of a build becomes a third larger.
import { cacheCompiledCode, printVersion, refuseOldNode } from '../lib/about.js';

refuseOldNode('malaria-risk');
if (!(await printVersion(process.argv.slice(2), () => import('../contract/version.ts')))) {
  cacheCompiledCode();
  const { main } = await import('./program.ts');
  await main(process.argv.slice(2));
}
