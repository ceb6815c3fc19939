/** Plain JavaScript, so that an old Node can run it and report that it is too old for the rest. */
import { readFileSync } from 'node:fs';
import module from 'node:module';
import { fileURLToPath } from 'node:url';

const packageJson = JSON.parse(readFileSync(new URL('../../package.json', import.meta.url), 'utf8'));

/** Ends the process with one line if this Node is older than `engines` in package.json allows. */
export function refuseOldNode(command) {
  const needed = packageJson.engines.node.replace('>=', '');
  if (process.versions.node.localeCompare(needed, 'en', { numeric: true }) >= 0) return;
  // A checkout has a new enough Node among its dependencies.
  const hint = packageJson.devDependencies?.node ? `; \`npm ci\` installs one, which \`npx ${command}\` uses` : '';
  console.error(`${command}: this is Node.js ${process.versions.node}, and ${needed} or newer is needed${hint}`);
  process.exit(2);
}

/**
 * Caches compiled code between runs, for threads too, which take the directory from the environment. If the cache
 * cannot be written, only the start is slower.
 */
export function cacheCompiledCode() {
  process.env.NODE_COMPILE_CACHE ??= fileURLToPath(new URL('../../node_modules/.cache/compiled', import.meta.url));
  module.enableCompileCache();
}

/**
 * Prints the version if `--version` is the only argument, and loads only the modules with the numbers of the contract and,
 * if the program has one, of the store's schema.
 * @returns whether it did
 */
export async function printVersion(args, loadContractVersion, loadStoreSchema) {
  if (args.length !== 1 || args[0] !== '--version') return false;
  const { CONTRACT_VERSION } = await loadContractVersion();
  const store = loadStoreSchema ? `, store schema ${await loadStoreSchema()}` : '';
  process.stdout.write(
    `${packageJson.version} (contract ${CONTRACT_VERSION}${store}, Node.js ${process.versions.node})\n`,
  );
  return true;
}
