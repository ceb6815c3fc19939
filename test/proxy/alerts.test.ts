import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { startService } from '../support/proxy/service.ts';

const RULES = join(import.meta.dirname, '../../proxy/deploy/alerts.yaml');
const rules = readFileSync(RULES, 'utf8');
const alerts = [...rules.matchAll(/^ +- alert: (\w+)$/gm)].map(([, name]) => name!);
const hasPromtool = spawnSync('promtool', ['--version']).status === 0;

test('the alerts refer only to metrics and labels that the proxy has, and each says what to do', async () => {
  expect(rules.match(/^ +description: >-$/gm)).toHaveLength(alerts.length);
  const { opsUrl, get } = await startService();
  await get('/v1/periods');
  const metrics = await (await fetch(`${opsUrl}/metrics`)).text();
  const references = [...rules.matchAll(/\b((?:malaria|process|nodejs)_\w+)(?:\{(\w+)="([^"]*)"\})?/g)];
  expect(references.length).toBeGreaterThanOrEqual(alerts.length);
  for (const [reference, name, label, value] of references) {
    const labels = label === undefined ? '' : `\\{.*${label}="${value}"`;
    expect(metrics, reference).toMatch(new RegExp(`^${name}[ {]`, 'm'));
    expect(metrics, reference).toMatch(new RegExp(`^${name}${labels}`, 'm'));
  }
});

/** Series of one minute each for a quarter of an hour: usual values, and values that every alert is about. */
const SERIES: [series: string, usual: string, alarming: string][] = [
  ['up{job="malaria-proxy", instance="a"}', '1x15', '0x15'],
  ['malaria_available{instance="a"}', '1x15', '0x15'],
  ['malaria_failures_total{instance="a", cause="store"}', '3x15', '0+1x15'],
  ['malaria_failures_total{instance="a", cause="publication"}', '0+1x15', '0x15'],
  ['malaria_request_duration_seconds_bucket{instance="a", le="0.1"}', '0+600x15', '0+10x15'],
  ['malaria_request_duration_seconds_bucket{instance="a", le="1"}', '0+600x15', '0+600x15'],
  ['malaria_request_duration_seconds_bucket{instance="a", le="+Inf"}', '0+600x15', '0+600x15'],
  ['malaria_requests_total{instance="a", status="401"}', '0+60x15', '0+60000x15'],
  ['malaria_connections{instance="a"}', '60x15', '9000x15'],
  ['malaria_data_updated_timestamp_seconds{instance="a"}', '0x15', '-9000000x15'],
  ['malaria_snapshot_confirmed_timestamp_seconds{instance="a"}', '0+60x15', '0x15'],
  ['malaria_sign_ins_total{instance="a", outcome="wrong_password"}', '0+6x15', '0+600x15'],
  ['malaria_sign_ins_total{instance="a", outcome="too_busy"}', '0x15', '0+1x15'],
];

test.skipIf(!hasPromtool)(
  `promtool accepts the rules; all alerts fire when they should, and none on a usual day${hasPromtool ? '' : ' (skipped, optional: no promtool; Debian has it in its package prometheus)'}`,
  () => {
    const folder = mkdtempSync(join(tmpdir(), 'malaria-alerts-'));
    onTestFinished(() => rmSync(folder, { recursive: true }));
    const scenario = (column: 1 | 2, firing: readonly string[]) => ({
      interval: '1m',
      input_series: SERIES.map((row) => ({ series: row[0], values: row[column] })),
      promql_expr_test: [
        {
          expr: 'count by (alertname) (ALERTS{alertstate="firing"})',
          eval_time: '14m',
          exp_samples: firing.map((alertname) => ({ labels: `{alertname="${alertname}"}`, value: 1 })),
        },
      ],
    });
    const file = join(folder, 'alerts.test.json');
    writeFileSync(file, JSON.stringify({ rule_files: [RULES], tests: [scenario(1, []), scenario(2, alerts)] }));
    const promtool = (...args: string[]) => spawnSync('promtool', args, { encoding: 'utf8' });
    const checked = promtool('check', 'rules', RULES);
    expect([checked.status, checked.stdout]).toEqual([0, expect.stringContaining(`${alerts.length} rules found`)]);
    const tested = promtool('test', 'rules', file);
    expect([tested.status, tested.stderr]).toEqual([0, '']);
  },
);
