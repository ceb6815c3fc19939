#!/usr/bin/env node
import module from 'node:module';
import { fileURLToPath } from 'node:url';
import { printVersion, refuseOldNode } from '../lib/about.js';

refuseOldNode('malaria-risk');
if (!(await printVersion(process.argv.slice(2), () => import('../contract/version.ts')))) {
  // Compiled code is cached between runs, for threads too, which take the directory from the environment. If the cache
  // cannot be written, only the start is slower.
  process.env.NODE_COMPILE_CACHE ??= fileURLToPath(new URL('../../node_modules/.cache/malaria-risk', import.meta.url));
  module.enableCompileCache();
  const { main } = await import('./program.ts');
  await main(process.argv.slice(2));
}
