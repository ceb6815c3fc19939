#!/usr/bin/env node
import { printVersion, refuseOldNode } from './about.js';

refuseOldNode('malaria-proxy');
if (!(await printVersion(process.argv.slice(2)))) {
  const { run } = await import('../proxy/cli.ts');
  process.exitCode = await run(process.argv.slice(2));
}
