/** Compares the table of roles in raw-data/README.md with the code. */
import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { ROLES, type Role, roleDefinition } from '../../../pipeline/catalog/roles.ts';

const page = readFileSync(new URL('../../../raw-data/README.md', import.meta.url), 'utf8');
const rows = page
  .slice(page.indexOf('### Roles'), page.indexOf('## Sources'))
  .split('\n')
  .filter((line) => line.startsWith('| `'))
  .map((line) => line.split('|').map((cell) => [...cell.matchAll(/`(\w+)`/g)].map(([, name]) => name!)));

test('raw-data/README.md lists every role with its columns', () => {
  expect(rows.map(([, role]) => role![0])).toEqual(Object.keys(ROLES));
  for (const [, role, columns, optional] of rows) {
    const form = roleDefinition(role![0] as Role);
    const required = [...form.columns, ...(form.exactlyOneOf ?? []).flat()];
    // Layers and covariates have `value` or `classes`, which are not columns of the role.
    expect(columns!.filter((name) => !['value', 'classes'].includes(name)).sort(), role![0]).toEqual(required.sort());
    expect([...optional!].sort(), role![0]).toEqual([...(form.optional ?? [])].sort());
  }
});
