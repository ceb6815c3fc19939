import { expect, test } from 'vitest';
import { TABLE_NAMES } from '../../../../pipeline/contract/table-list.ts';
import { renderLicences } from '../../../../pipeline/publish/report/sections/sources-section.ts';

const licence = { may_publish: 'Ask first: The registry.', spdx: 'LicenseRef-cases' };
const tables = (rows: readonly object[]) => Object.fromEntries(TABLE_NAMES.map((name) => [name, rows]));
const page = (pass_on: string, rows: readonly object[] = [{}]) =>
  String(
    renderLicences({
      licences: { whole: licence, tables: Object.fromEntries(TABLE_NAMES.map((name) => [name, licence])) },
      tables: tables(rows),
      sources: [
        {
          id: 'cases',
          role: 'cases_lgas',
          title: 'Cases',
          producer: 'The registry',
          licence: 'none',
          access: 'by post',
          pass_on,
        },
        { id: 'people', role: 'population', title: 'People', producer: 'A census', licence: 'CC0-1.0' },
      ],
    } as unknown as Parameters<typeof renderLicences>[0]),
  );

test('the owners whose leave is needed are named with the way, and why scores need it, and no others', () => {
  expect(page('no')).toContain(
    '<li><b>The registry</b>, owner of “Cases” (licence: none; obtained from: by post). The catalog has no address',
  );
  expect(page('no')).toContain('Scores need their leave too: the season');
  expect(page('no', []), 'a country without scores').not.toContain('Scores need their leave too');
  expect(page('no')).not.toContain('<b>A census</b>');
  expect(page('yes')).not.toContain('Whom to ask');
});
