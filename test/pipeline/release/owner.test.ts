/** Root publishes into the folder of a service account, which rolls back afterwards. */
import { spawnSync } from 'node:child_process';
import { chmodSync, chownSync, cpSync, lstatSync, mkdirSync, readdirSync, statSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { expect, inject, test } from 'vitest';
import { currentVersion } from '../../../pipeline/release/current.ts';
import { publishVersion } from '../../../pipeline/release/publish.ts';
import { temporary } from '../../support/command-line.ts';
import { asServiceUser, CANNOT_SERVE, SERVICE } from '../../support/service-user.ts';

/** An empty folder of the service account, of which the group may write. */
function serviceFolder(): string {
  const folder = path.join(temporary(), 'srv');
  mkdirSync(folder);
  chownSync(folder, SERVICE, SERVICE);
  chmodSync(folder, 0o775);
  chmodSync(path.dirname(folder), 0o755);
  return folder;
}

/** What a publication by the service account to `there` prints. */
const publishAsService = (there: string) =>
  spawnSync(
    process.execPath,
    [
      '--input-type=module',
      '-e',
      `${IMPORT}; await preserveOwner(${JSON.stringify(there)}, async () => console.log('done'))`,
    ],
    { uid: SERVICE, gid: SERVICE, encoding: 'utf8', cwd: '/' },
  );
const IMPORT = `import { preserveOwner } from ${JSON.stringify(path.resolve('pipeline/release/owner.ts'))}`;

test.skipIf(CANNOT_SERVE)(
  asServiceUser('everything that root publishes has the owner and the mode of the folder'),
  async () => {
    const out = path.join(temporary(), 'build');
    cpSync(inject('builtTiny'), out, { recursive: true, verbatimSymlinks: true });
    const there = serviceFolder();
    await publishVersion(out, { to: there, version: currentVersion(out)! });
    const names = readdirSync(there, { encoding: 'utf8', recursive: true }).map((name) => path.join(there, name));
    expect(names.length).toBeGreaterThan(20);
    expect(names.filter((name) => lstatSync(name).uid !== SERVICE || lstatSync(name).gid !== SERVICE)).toEqual([]);
    expect(statSync(path.join(there, 'snapshots', currentVersion(there)!, 'v1')).mode & 0o777).toBe(0o775);
    expect(process.umask()).not.toBe(0o002);
  },
);

test.skipIf(CANNOT_SERVE)(
  asServiceUser('what root left in the folder stops the service with the command that mends it'),
  () => {
    const there = serviceFolder();
    expect(publishAsService(there).stdout).toBe('done\n');
    mkdirSync(path.join(there, 'releases'));
    writeFileSync(path.join(there, 'releases', '000001.json'), '{}');
    const { stdout, stderr } = publishAsService(there);
    expect(stdout).toBe('');
    expect(stderr).toContain(
      `${there}/releases: found the property of user 0, which this user cannot change, expected that of the owner of ${there}; run: sudo chown -hR --reference=${there} ${there}/releases ${there}/snapshots ${there}/current`,
    );
  },
);
