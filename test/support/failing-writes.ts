/**
 * Preloaded into a build: from the `MALARIA_FAIL_AT`th write on, every write fails with `MALARIA_FAIL_CODE`, as on a
 * full or read-only disk; removing files still works. With the code `SIGKILL`, the process is killed at that write
 * instead.
 */
import fs from 'node:fs';
import { syncBuiltinESMExports } from 'node:module';

const at = Number(process.env.MALARIA_FAIL_AT);
const code = process.env.MALARIA_FAIL_CODE ?? 'ENOSPC';
let count = 0;

function guard(name: string): void {
  count += 1;
  if (count >= at && code === 'SIGKILL') process.kill(process.pid, code);
  if (count >= at) throw Object.assign(new Error(`${code}: made to fail, ${name}`), { code });
}

for (const name of ['writeFileSync', 'mkdirSync', 'renameSync', 'symlinkSync'] as const) {
  const own = fs[name] as (...args: unknown[]) => unknown;
  Object.assign(fs, {
    [name]: (...args: unknown[]) => {
      guard(name);
      return own(...args);
    },
  });
}
for (const name of ['writeFile', 'mkdir', 'rename', 'symlink'] as const) {
  const own = fs.promises[name] as (...args: unknown[]) => Promise<unknown>;
  Object.assign(fs.promises, {
    [name]: async (...args: unknown[]) => {
      guard(name);
      return own(...args);
    },
  });
}
const open = fs.promises.open;
fs.promises.open = async (...args) => {
  const handle = await open(...args);
  const write = handle.writeFile.bind(handle);
  handle.writeFile = async (...data) => {
    // Half of the data is written, as when the disk's last block is used up.
    if (count + 1 >= at && Buffer.isBuffer(data[0])) await write(data[0].subarray(0, data[0].length / 2));
    guard('write');
    return write(...data);
  };
  return handle;
};
syncBuiltinESMExports();
