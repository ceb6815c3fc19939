/** A preloaded module that kills a command just before its `KILLED_AT`th step on files and databases. */
import fs from 'node:fs';
import { syncBuiltinESMExports } from 'node:module';
import { DatabaseSync } from 'node:sqlite';

let steps = 0;
const kill = (owner: object, name: string) => {
  const own = (owner as Record<string, (...args: unknown[]) => unknown>)[name]!;
  Object.assign(owner, {
    [name](this: unknown, ...args: unknown[]) {
      // Removing a missing file does not count as a step.
      if (name === 'rmSync' && !fs.existsSync(String(args[0]))) return undefined;
      if (++steps === Number(process.env.KILLED_AT)) process.kill(process.pid, 'SIGKILL');
      return own.apply(this, args);
    },
  });
};
for (const name of ['copyFileSync', 'writeFileSync', 'linkSync', 'renameSync', 'rmSync']) kill(fs, name);
for (const name of ['exec', 'close']) kill(DatabaseSync.prototype, name);
syncBuiltinESMExports();
