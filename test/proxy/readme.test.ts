import { randomBytes } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { Command } from 'commander';
import { expect, test } from 'vitest';
import { BOUNDS } from '../../proxy/api/protocol.ts';
import { addCommands } from '../../proxy/cli/commands/serve.ts';
import { CAUSE_LEVELS } from '../../proxy/server/reports.ts';
import { mintKey } from '../../proxy/store/key-format.ts';
import { startService } from '../support/proxy/service.ts';

const PROXY = join(import.meta.dirname, '..', '..', 'proxy');
const readme = readFileSync(join(PROXY, 'README.md'), 'utf8');
const operate = readFileSync(join(PROXY, 'deploy', 'operate.md'), 'utf8');
const cells = (line: string) => line.split('|').map((cell) => cell.trim().replaceAll('`', ''));
const rows = operate.split('\n').filter((line) => line.startsWith('|'));
const { options } = (() => {
  const program = new Command();
  addCommands(program);
  return program.commands[0]!;
})();

test('the table of settings has every option of serve, its variable and its default', () => {
  const found = rows.filter((row) => row.startsWith('| `--')).map((row) => cells(row).slice(1, 4));
  const expected = options.map(({ long, envVar, defaultValue, defaultValueDescription }) => [
    long,
    envVar ?? '',
    defaultValueDescription ?? (defaultValue === undefined ? 'off' : String(defaultValue)),
  ]);
  expect(found.sort()).toEqual(expected.sort());
});

test('the table of bounds has every bound', () => {
  const text = (name: string, value: number) =>
    name.endsWith('Ms') ? `${value / 1000} s` : name.endsWith('Bytes') ? `${value / 1024} KiB` : String(value);
  const found = rows.filter((row) => /^\| `\w+(Bytes|Ms)?` \| \d/.test(row)).map((row) => cells(row).slice(1, 3));
  expect(found.sort()).toEqual(
    Object.entries(BOUNDS)
      .map(([name, value]) => [name, text(name, value)])
      .sort(),
  );
});

test('every metric that the page names exists, as do those of the process', async () => {
  const service = await startService();
  await service.get('/v1/periods');
  const metrics = await (await fetch(`${service.opsUrl}/metrics`)).text();
  const named = new Set(operate.match(/\bmalaria_\w+/g));
  expect(named.size).toBeGreaterThan(5);
  for (const name of [...named, 'process_cpu_seconds_total', 'nodejs_eventloop_lag_seconds']) {
    expect(metrics).toMatch(new RegExp(`^${name}(_count)?[ {]`, 'm'));
  }
  const updated = Number(/^malaria_data_updated_timestamp_seconds (\d+)$/m.exec(metrics)![1]);
  expect(new Date(updated * 1000).toISOString()).toBe('2024-01-15T00:00:00.000Z');
});

test('the table of failures has every cause and its level', () => {
  const found = rows.map((row) => cells(row).slice(1, 3)).filter(([, level]) => /^(error|warn)$/.test(level!));
  expect(Object.fromEntries(found)).toEqual(CAUSE_LEVELS);
});

test('the pattern for secret scanners finds keys', () => {
  const pattern = new RegExp(/^\\b.*\\b$/m.exec(readme)![0]);
  for (const kind of ['live', 'test'] as const)
    expect(`key="${mintKey('malaria', kind, randomBytes(32))}"`).toMatch(pattern);
});

test('unit and container use existing settings, and not root', () => {
  const known = new Set(options.map(({ envVar }) => envVar));
  for (const name of ['malaria-proxy.service', 'Containerfile']) {
    const text = readFileSync(join(PROXY, 'deploy', name), 'utf8');
    const used = [...text.matchAll(/MALARIA_\w+/g)].map(([variable]) => variable);
    expect(used.length).toBeGreaterThan(2);
    for (const variable of used) expect(known).toContain(variable);
    expect(text).toMatch(/^(User=malaria-proxy|USER node)$/m);
  }
});

test('the compose file uses existing settings, and contains no password', () => {
  const known = new Set(options.map(({ envVar }) => envVar));
  const text = readFileSync(join(PROXY, 'deploy', 'compose.yaml'), 'utf8');
  const set = [...text.matchAll(/^ +(MALARIA_\w+): (.*)$/gm)];
  expect(set.map(([, variable]) => variable)).toContain('MALARIA_STORE');
  for (const [, variable] of set) expect(known).toContain(variable);
  for (const [, password] of text.matchAll(/PASSWORD: (.*)$/gm)) expect(password).toMatch(/^\$\{\w+:\?\}$/);
});
