/** The peak memory of a proxy under load with its dashboard in use, compared with the figure for operators. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { COMMAND_LINE } from '../../proxy/store/audit.ts';
import { Directory } from '../../proxy/store/people/directory.ts';
import { hashToken, mintToken } from '../../proxy/store/people/tokens.ts';
import { drive } from '../bench/load.ts';
import { serveCli } from '../support/proxy/cli-process.ts';
import { Visitor } from '../support/proxy/dashboard.ts';
import { makeBuild, publish, versionOf, writeSnapshot } from '../support/proxy/fixture.ts';
import { openStore } from '../support/proxy/open-store.ts';
import { giveKey } from '../support/proxy/service.ts';

const PROXY = join(import.meta.dirname, '..', '..', 'proxy');
const read = (name: string) => readFileSync(join(PROXY, name), 'utf8').replace(/\s+/g, ' ');
const CONNECTIONS = 256;
const LOAD_MS = 3000;
const PEOPLE = 10;

test('memory under load, while passwords are checked and a new snapshot is opened, stays below the documented figure', async () => {
  const [, enough, held] = /(\d+) MiB are enough for any snapshot, of which up to (\d+) MiB are/.exec(
    read('deploy/operate.md'),
  )!;
  // As in the deployments.
  for (const file of ['malaria-proxy.service', 'Containerfile'])
    expect(read(`deploy/${file}`)).toContain('MALLOC_ARENA_MAX=2');
  const env = { MALLOC_ARENA_MAX: '2' };

  const { build, current, store: url, remove } = makeBuild();
  onTestFinished(remove);
  const store = await openStore(url);
  const { key } = await giveKey(store, { kind: 'test' });
  const token = mintToken();
  const request = { email: 'team@example.org', role: 'service', accountId: null, hash: hashToken(token) } as const;
  await new Directory(store.database).links.invite(request, Date.now(), COMMAND_LINE);
  await store.close();
  const args = ['--snapshot', current, '--store', url, '--per-minute', '10000000', '--dashboard-port', '0'];
  const serving = await serveCli([...args, '--mail', `outbox:${join(build, 'outbox')}`], env);
  const { dashboard_url: dashboard } = JSON.parse(serving.read().stdout.split('\n')[0]!);

  const targets = ['/v1/periods', '/v1/risk/states', '/v1/risk/lgas?state=KN', '/v1/boundaries/states'];
  let answers = 0;
  const load = () => {
    const until = performance.now() + LOAD_MS;
    return drive(Number(new URL(serving.url).port), CONNECTIONS, {
      next: () => (performance.now() < until ? { target: targets[answers % targets.length]!, key } : null),
      answered: (_, { status }) => void (status === 200 && answers++),
    });
  };
  const people = Array.from({ length: PEOPLE }, () => new Visitor(dashboard, {}));
  await load();
  await Promise.all(people.map((someone, i) => someone.signIn(`nobody${i}@example.org`, 'wrong')));
  const fields = { name: 'Ada', password: 'malaria malaria 1', again: 'malaria malaria 1' };
  const choosing = people.map((someone) => someone.send(`/link/${token}`, fields));
  writeSnapshot(join(build, 'snapshots', versionOf('00000002')), { release: '00000002' });
  publish(build, join('snapshots', versionOf('00000002')));
  await load();
  for (const { text } of await Promise.all(choosing)) expect(text).toContain('This is easy to guess');

  const peak = /VmHWM:\s+(\d+)/.exec(readFileSync(`/proc/${serving.child.pid}/status`, 'utf8'))![1];
  expect(answers).toBeGreaterThan(CONNECTIONS);
  expect(Number(peak) / 1024).toBeLessThan(Number(enough) - Number(held));
});
