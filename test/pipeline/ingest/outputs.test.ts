import { expect, test } from 'vitest';
import { type Role, roleDefinition } from '../../../pipeline/catalog/roles.ts';
import { line, read } from './broken.ts';

const last = (value: string) => (text: string) => text.replace(/[^,]+$/, value);

test.each<[Role, string, string]>([
  ['population_census', 'census.csv', '18001'],
  ['climate', 'climate.csv', '3.3'],
  ['survey_clusters', 'surveys.csv', '0.77'],
  ['cases_states', 'cases.csv', '2222'],
  ['layer', 'nets.csv', '0.9'],
])(
  'a change of a source of role %s changes only the outputs of ingest that it is declared for',
  async (role, file, value) => {
    const [before, after] = [await read(), await read(line(file, 3, last(value)))].map(({ tables }) => tables);
    const changed = Object.keys(before!).filter(
      (name) => name !== 'report' && JSON.stringify(before![name]) !== JSON.stringify(after![name]),
    );
    const { outputs } = roleDefinition(role);
    expect(outputs).toBeDefined();
    expect(changed.length).toBeGreaterThan(1);
    expect(['accounts', ...outputs!]).toEqual(expect.arrayContaining(changed));
  },
);
