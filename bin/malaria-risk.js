#!/usr/bin/env node
import module from 'node:module';
import { fileURLToPath } from 'node:url';
import { refuseOldNode, sayVersion } from './about.js';

refuseOldNode('malaria-risk');
if (!(await sayVersion(process.argv.slice(2)))) {
  // Compiled code is kept from one run to the next, for the threads too, which take the directory from the environment.
  // Where it cannot be written, everything works as before, only slower to start.
  process.env.NODE_COMPILE_CACHE ??= fileURLToPath(new URL('../node_modules/.cache/malaria-risk', import.meta.url));
  module.enableCompileCache();
  const { main } = await import('../pipeline/cli.ts');
  await main(process.argv.slice(2));
}
