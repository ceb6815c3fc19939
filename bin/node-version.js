/** Plain JavaScript: an old Node must be able to read this, to say that it is too old for the TypeScript of the rest. */
import { readFileSync } from 'node:fs';

/** Ends the process with one line where this Node is older than package.json's `engines` ask for. */
export function refuseOldNode(command) {
  const { engines } = JSON.parse(readFileSync(new URL('../package.json', import.meta.url), 'utf8'));
  const needed = engines.node.replace('>=', '');
  if (process.versions.node.localeCompare(needed, 'en', { numeric: true }) >= 0) return;
  console.error(
    `${command}: this is Node.js ${process.versions.node}, and ${needed} or newer is needed; \`npm ci\` installs one, which \`npx ${command}\` uses`,
  );
  process.exit(2);
}
