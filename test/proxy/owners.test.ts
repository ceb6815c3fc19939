/** Files that root left behind are named when the service account starts the proxy. */
import { chmodSync, chownSync, lchownSync, mkdtempSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { runCli } from '../support/proxy/cli-process.ts';
import { makeBuild } from '../support/proxy/fixture.ts';
import { createStore } from '../support/proxy/open-store.ts';
import { serveBuild } from '../support/proxy/service.ts';
import { asServiceUser, CANNOT_SERVE, SERVICE } from '../support/service-user.ts';

test.skipIf(CANNOT_SERVE)(
  asServiceUser('a store that root made is named, with the command that mends it'),
  async () => {
    const { build, store, remove } = makeBuild();
    onTestFinished(remove);
    await createStore(store);
    chmodSync(build, 0o755);
    const file = store.replace('sqlite:', '');
    const asService = ['setpriv', `--reuid=${SERVICE}`, `--regid=${SERVICE}`, '--clear-groups'];
    const list = () => runCli(['keys', 'list'], { MALARIA_STORE: store, NODE_COMPILE_CACHE: '' }, asService);
    expect(await list()).toMatchObject({
      code: 2,
      stderr: `malaria-proxy: store: ${file} belongs to user 0, and this program runs as user ${SERVICE}, which cannot write it; run it as that user, or: sudo chown ${SERVICE} ${file}\n`,
    });
    chownSync(file, SERVICE, SERVICE);
    // SQLite writes files beside the store, too.
    expect((await list()).stderr).toContain(`${dirname(file)} belongs to user 0`);
    chownSync(dirname(file), SERVICE, SERVICE);
    expect(await list()).toMatchObject({ code: 0, stderr: '' });
  },
);

test.skipIf(CANNOT_SERVE)(
  asServiceUser('a backup to a folder that this user cannot enter is refused for that reason'),
  async () => {
    const { build, store, remove } = makeBuild();
    onTestFinished(remove);
    await createStore(store);
    chmodSync(build, 0o755);
    for (const path of [dirname(store.replace('sqlite:', '')), store.replace('sqlite:', '')])
      chownSync(path, SERVICE, SERVICE);
    const closed = mkdtempSync(join(build, 'closed-'));
    const asService = ['setpriv', `--reuid=${SERVICE}`, `--regid=${SERVICE}`, '--clear-groups'];
    const inFolder = ['sh', '-c', `cd ${closed} && exec ${asService.join(' ')} "$@"`, 'sh'];
    const env = { MALARIA_STORE: store, NODE_COMPILE_CACHE: '' };
    const { code, stderr } = await runCli(['backup', 'saved'], env, inFolder);
    expect([code, stderr]).toEqual([3, expect.stringMatching(/^malaria-proxy: EACCES: permission denied.*saved.*\n$/)]);
  },
);

test.skipIf(CANNOT_SERVE)(
  asServiceUser('a link to the snapshot that root made in a folder of another user is named'),
  async () => {
    const { build, current, store, remove } = makeBuild();
    onTestFinished(remove);
    chownSync(build, SERVICE, SERVICE);
    const { reports, close } = await serveBuild({ build, snapshot: current, store });
    expect(reports).toEqual([expect.stringContaining(`; run: sudo chown -h --reference=${build} ${current}`)]);
    await close();
    lchownSync(current, SERVICE, SERVICE);
    expect((await serveBuild({ build, snapshot: current, store })).reports).toEqual([]);
  },
);
