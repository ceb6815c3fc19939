#!/usr/bin/env node
import { refuseOldNode } from './node-version.js';

refuseOldNode('malaria-proxy');
const { run } = await import('../proxy/cli.ts');
process.exitCode = await run(process.argv.slice(2));
