/** The systemd units, as far as they can be checked without systemd running. */
import { spawnSync } from 'node:child_process';
import path from 'node:path';
import { expect, test } from 'vitest';

const ROOT = path.join(import.meta.dirname, '..');
/** Of 10; systemd calls 4 and less OK. */
const MAX_EXPOSURE = 4;
const inspect = (unit: string) =>
  spawnSync('systemd-analyze', ['security', '--offline=yes', `--threshold=${10 * MAX_EXPOSURE}`, unit], {
    cwd: ROOT,
    encoding: 'utf8',
  });
const hasSystemd = spawnSync('systemd-analyze', ['--version']).status === 0;

test.skipIf(!hasSystemd).each(['pipeline/deploy/malaria-risk-build.service', 'proxy/deploy/malaria-proxy.service'])(
  `%s is sandboxed${hasSystemd ? '' : ' (skipped, optional: no systemd-analyze)'}`,
  (unit) => {
    const { status, stdout, stderr } = inspect(unit);
    expect([status, stderr], stdout).toEqual([0, '']);
  },
);
