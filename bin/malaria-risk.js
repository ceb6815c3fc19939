#!/usr/bin/env node
import { refuseOldNode } from './node-version.js';

refuseOldNode('malaria-risk');
const { run } = await import('../pipeline/cli.ts');
await run(process.argv.slice(2));
