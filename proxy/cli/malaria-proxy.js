#!/usr/bin/env node
import { printVersion, refuseOldNode } from '../../pipeline/lib/about.js';

refuseOldNode('malaria-proxy');
if (!(await printVersion(process.argv.slice(2), () => import('../../pipeline/contract/version.ts')))) {
  const { run } = await import('./program.ts');
  process.exitCode = await run(process.argv.slice(2));
}
