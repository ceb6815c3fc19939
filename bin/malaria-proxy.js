#!/usr/bin/env node
import { refuseOldNode, sayVersion } from './about.js';

refuseOldNode('malaria-proxy');
if (!(await sayVersion(process.argv.slice(2)))) {
  const { run } = await import('../proxy/cli.ts');
  process.exitCode = await run(process.argv.slice(2));
}
