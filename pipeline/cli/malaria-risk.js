#!/usr/bin/env node
import { cacheCompiledCode, printVersion, refuseOldNode } from '../lib/about.js';

refuseOldNode('malaria-risk');
if (!(await printVersion(process.argv.slice(2), () => import('../contract/version.ts')))) {
  cacheCompiledCode();
  const { main } = await import('./program.ts');
  await main(process.argv.slice(2));
}
