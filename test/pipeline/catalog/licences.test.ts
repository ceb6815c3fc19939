import { readFileSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';
import { combineLicences, type LicensedSource } from '../../../pipeline/catalog/licences.ts';

const source = (id: string, licence: string, more: Partial<LicensedSource> = {}): LicensedSource => ({
  id,
  producer: id.toUpperCase(),
  licence,
  ...more,
});
const cited = source('a', 'CC-BY-4.0');

test.each<[string, LicensedSource[], string, string]>([
  ['no conditions', [source('a', 'CC0-1.0')], 'Yes.', 'CC0-1.0'],
  ['attribution', [cited, source('b', 'MIT')], 'Yes. Conditions: cite the sources.', 'CC-BY-4.0 AND MIT'],
  [
    'share-alike',
    [cited, source('b', 'ODbL-1.0')],
    'Yes. Conditions: cite the sources; share it under the same licence (ODbL-1.0).',
    'CC-BY-4.0 AND ODbL-1.0',
  ],
  [
    'two share-alike licences contradict each other',
    [source('a', 'CC-BY-SA-4.0'), source('b', 'ODbL-1.0')],
    'Ask first: A; B. Conditions: cite the sources; share it under the same licence (CC-BY-SA-4.0, ODbL-1.0).',
    'CC-BY-SA-4.0 AND ODbL-1.0',
  ],
  [
    'share-alike allows no restriction by another source',
    [source('a', 'CC-BY-SA-4.0'), source('b', 'no sale', { derived: 'non-commercial' })],
    'Ask first: A. Conditions: cite the sources; share it under the same licence (CC-BY-SA-4.0); no commercial use (B).',
    'CC-BY-SA-4.0 AND LicenseRef-b',
  ],
  [
    'non-commercial share-alike by itself',
    [cited, source('b', 'x', { spdx: 'CC-BY-NC-SA-4.0' })],
    'Yes. Conditions: cite the sources; share it under the same licence (CC-BY-NC-SA-4.0); no commercial use (B).',
    'CC-BY-4.0 AND CC-BY-NC-SA-4.0',
  ],
  ['nothing derived', [cited, source('b', 'CC-BY-ND-4.0')], 'No: not allowed by B.', 'CC-BY-4.0 AND CC-BY-ND-4.0'],
  [
    'microdata of which aggregates may be published',
    [cited, source('dhs_rows', 'terms of use', { pass_on: 'no', derived: 'yes' })],
    'Yes. Conditions: cite the sources.',
    'CC-BY-4.0 AND LicenseRef-dhs-rows',
  ],
  [
    'a licence that is not known',
    [cited, source('b', 'not stated', { pass_on: 'no' }), source('c', 'free to all', { pass_on: 'yes' })],
    'Ask first: B. Conditions: cite the sources.',
    'CC-BY-4.0 AND LicenseRef-b AND LicenseRef-c',
  ],
])('%s', (_, sources, may_publish, spdx) => {
  expect(combineLicences(sources)).toEqual({ may_publish, spdx });
});

test("what Nigeria's sources allow together", () => {
  const catalog = path.join(import.meta.dirname, '../../../raw-data/nigeria/sources.json');
  const { sources } = JSON.parse(readFileSync(catalog, 'utf8'));
  expect(combineLicences(sources)).toEqual({
    may_publish:
      'Ask first: National Health Management Information System (NHMIS). Conditions: cite the sources; no commercial use (CGIAR-CSI).',
    spdx: 'Apache-2.0 AND CC-BY-3.0-IGO AND CC-BY-4.0 AND LicenseRef-cases-lgas AND LicenseRef-cases-states AND LicenseRef-elevation AND LicenseRef-itn-access AND MIT',
  });
});
