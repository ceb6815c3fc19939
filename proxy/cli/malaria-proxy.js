#!/usr/bin/env node
import { cacheCompiledCode, printVersion, refuseOldNode } from '../../pipeline/lib/about.js';

refuseOldNode('malaria-proxy');
const loadContractVersion = () => import('../../pipeline/contract/version.ts');
const loadStoreSchema = async () => (await import('../store/database.ts')).schemaScripts('sqlite').length;
if (!(await printVersion(process.argv.slice(2), loadContractVersion, loadStoreSchema))) {
  cacheCompiledCode();
  const { run } = await import('./program.ts');
  process.exitCode = await run(process.argv.slice(2));
}
