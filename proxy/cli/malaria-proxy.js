#!/usr/bin/env node
import { cacheCompiledCode, printVersion, refuseOldNode } from '../../pipeline/lib/about.js';

refuseOldNode('malaria-proxy');
if (!(await printVersion(process.argv.slice(2), () => import('../../pipeline/contract/version.ts')))) {
  cacheCompiledCode();
  const { run } = await import('./program.ts');
  process.exitCode = await run(process.argv.slice(2));
}
