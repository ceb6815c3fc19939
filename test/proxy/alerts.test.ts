import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { startService } from '../support/proxy/service.ts';

test('the alerts refer only to metrics that the proxy has', async () => {
  const rules = readFileSync(new URL('../../proxy/deploy/alerts.yaml', import.meta.url), 'utf8');
  const expressions = [...rules.matchAll(/^ +expr: (.*)$/gm)].map(([, expression]) => expression!);
  const alerts = [...rules.matchAll(/^ +- alert: /gm)];
  expect(expressions).toHaveLength(alerts.length);
  const { opsUrl } = await startService();
  const metrics = await (await fetch(`${opsUrl}/metrics`)).text();
  for (const expression of expressions) {
    const names = expression.match(/malaria_\w+(?:\{[^}]*\})?/g)!;
    for (const name of names)
      expect(metrics, expression).toMatch(new RegExp(`^${name.replaceAll(/[{}]/g, '\\$&')} `, 'm'));
  }
});
