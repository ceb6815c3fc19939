/** Plain JavaScript: an old Node must be able to read this, to say that it is too old for the rest. */
import { readFileSync } from 'node:fs';

const about = JSON.parse(readFileSync(new URL('../package.json', import.meta.url), 'utf8'));

/** Ends the process with one line where this Node is older than package.json's `engines` ask for. */
export function refuseOldNode(command) {
  const needed = about.engines.node.replace('>=', '');
  if (process.versions.node.localeCompare(needed, 'en', { numeric: true }) >= 0) return;
  // A checkout has one among its packages.
  const where = about.devDependencies?.node ? `; \`npm ci\` installs one, which \`npx ${command}\` uses` : '';
  console.error(`${command}: this is Node.js ${process.versions.node}, and ${needed} or newer is needed${where}`);
  process.exit(2);
}

/** Says which version this is where that alone is asked for, without loading anything else. @returns whether it did */
export async function sayVersion(args) {
  if (args.length !== 1 || args[0] !== '--version') return false;
  const { CONTRACT_VERSION } = await import('../pipeline/contract/version.ts');
  process.stdout.write(`${about.version} (contract ${CONTRACT_VERSION}, Node.js ${process.versions.node})\n`);
  return true;
}
