/** The reference: its contents, who may see it, and that each sample runs exactly as shown. */
import { execFile, spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { beforeAll, expect, test } from 'vitest';
import { ALL_OPERATIONS } from '../../../pipeline/contract/operations.ts';
import { describeApi, type OpenapiDocument } from '../../../pipeline/contract/reference.ts';
import { codeSamples } from '../../../pipeline/contract/samples.ts';
import type { Tables } from '../../../pipeline/contract/schemas.ts';
import { countryWords, fillPlaceholders } from '../../../pipeline/contract/words.ts';
import { renderApiPage } from '../../../pipeline/publish/clients/api-page.ts';
import { TERRITORY } from '../../../pipeline/synthetic/states.ts';
import { type Dashboard, startDashboard, type Visitor } from '../../support/proxy/dashboard.ts';
import { atEndOfSuite, giveKey } from '../../support/proxy/service.ts';
import { pythonWith } from '../../support/python.ts';

let dashboard: Dashboard;
let mia: Visitor;
const atEnd = atEndOfSuite();
beforeAll(async () => {
  dashboard = await startDashboard({}, atEnd);
  await dashboard.person('mia@example.org', 'member', 'ministry');
  mia = await dashboard.signedIn('mia@example.org');
});

/** Pages of operations that a page links to. */
const linked = (html: string) =>
  [...html.matchAll(/href="\/reference\/([^"/?]+)"/g)].map(([, id]) => id!).filter((id) => !OTHER_PAGES.includes(id));
const OTHER_PAGES = ['codes', 'first-map', 'requests'];

test('the report is linked to if the operator has said where it is', async () => {
  expect((await mia.open('/reference')).text).not.toContain('The report');
  const told = await startDashboard({ reportUrl: 'https://example.org/report/?a=1&b=2' });
  await told.person('mia@example.org', 'member', 'ministry');
  const page = await (await told.signedIn('mia@example.org')).open('/reference');
  expect(page.html).toContain('<a href="https://example.org/report/?a=1&amp;b=2">The report</a>');
});

test('every operation has a page for people who are signed in', async () => {
  const list = await mia.open('/reference');
  expect(linked(list.html).sort()).toEqual(ALL_OPERATIONS.map(({ id }) => id).sort());
  for (const { id, path, summary } of ALL_OPERATIONS) {
    const page = await mia.open(`/reference/${id}`);
    expect([id, page.status, page.text]).toEqual([id, 200, expect.stringContaining(`GET ${path}`)]);
    expect(page.text).toContain(fillPlaceholders(summary, countryWords(TERRITORY)));
  }
  for (const path of ['/reference', '/reference/risk-lgas', '/reference/codes'])
    expect((await dashboard.visitor().open(path)).path).toBe('/sign-in');
});

test('a page shows parameters, fields, samples, an answer and errors', async () => {
  const { html, text } = await mia.open('/reference/risk-lgas');
  expect(text).toContain('state yes Two-letter state code');
  expect(text).toContain('lgas[].score_low number 0 to 1 Lower end');
  expect(html).toContain(
    `-H &quot;Authorization: Bearer $MALARIA_API_KEY&quot; &#39;${dashboard.url}/v1/risk/lgas?state=KN&amp;period=2023-09&#39;`,
  );
  expect(html).toContain('&quot;period&quot;: &quot;2023-09&quot;');
  expect(text).toContain('UNKNOWN_STATE');
});

test('the page in a snapshot shows the same parameters, answer, fields and errors', async () => {
  const { key } = await giveKey(dashboard.store);
  const read = async <T>(path: string) => (await (await dashboard.get(path, key)).json()) as T;
  const [openapi, { tables }] = [await read<OpenapiDocument>('/v1/openapi.json'), await read<Tables>('/v1/tables')];
  const page = renderApiPage(describeApi(openapi, tables));
  for (const id of ['risk-lgas', 'table-risk_lgas-parquet']) {
    const { html } = await mia.open(`/reference/${id}`);
    const parts = html.match(/<table.*?<\/table>|<pre.*?<\/pre>/gs)!;
    expect([id, parts.length]).toEqual([id, id === 'risk-lgas' ? 4 : 2]);
    for (const part of parts) expect(page).toContain(part);
  }
  // What holds for all operations, too: usage with its list of scopes, the body of errors, and headers.
  expect((await mia.open('/reference')).html).toContain('href="/reference/requests"');
  const { html } = await mia.open('/reference/requests');
  const parts = html.match(/<section>.*?<\/section>/gs)!.map((section) => section.replace(/<\/?section>/g, ''));
  expect(parts.map((part) => part.match(/<h2>(.*?)<\/h2>/)![1])).toEqual(['Usage', 'Error body', 'Headers']);
  expect(parts[0]).toContain('<li><code>risk_scores</code>: Estimated risk');
  for (const part of parts) expect(page).toContain(part);
});

test('the page of a table shows its columns, that of diffs no sample; fields that may be null have a meaning', async () => {
  const table = await mia.open('/reference/table-risk_lgas-parquet');
  expect(table.text).toContain('Column Type Meaning period VARCHAR Month, YYYY-MM');
  const diff = await mia.open('/reference/versions-diff');
  expect(diff.text).toMatch(/\/v1\/versions lists the addresses of all diffs, as diff/);
  expect(diff.text).not.toContain('Samples');
  const { text } = await mia.open('/reference/context-states');
  expect(text).toContain('itn_use number 0 to 1 or null Share of people who slept under a treated net');
});

test('the list shows the last month of the data, and whether it is made up', async () => {
  const { text } = await mia.open('/reference');
  expect(text).toMatch(/data version \S+ , estimated up to \d{4}-\d{2}\./);
  expect(text.includes('Made-up data')).toBe(text.includes('data version synthetic'));
});

test('search finds paths, fields and meanings by all words, and shows the query as text', async () => {
  const ids = async (q: string) => linked((await mia.open(`/reference?${new URLSearchParams({ q })}`)).html);
  expect(await ids('TopoJSON')).toEqual(['boundaries-topology']);
  expect(await ids('itn_access state')).toEqual(expect.arrayContaining(['context-states', 'context-lgas']));
  expect(await ids('zebra')).toEqual([]);
  const odd = await mia.open(`/reference?${new URLSearchParams({ q: '"><script>alert(1)</script>' })}`);
  expect(odd.html).not.toContain('<script>alert');
  expect(odd.html).toContain('value="&quot;&gt;&lt;script&gt;alert(1)&lt;/script&gt;"');
});

test('the codes of states, of the LGAs of a state, and of an LGA by its name are shown', async () => {
  const codes = await mia.open('/reference/codes');
  expect(codes.text).toContain('KN Kano NG-KN');
  expect(codes.text).not.toContain('NGKN001');
  const kano = await mia.open('/reference/codes?state=KN');
  expect(kano.text).toContain('LGAs of Kano');
  expect(kano.text).toContain('NGKN001');
  expect(kano.text).not.toContain('NGLA001');
  expect((await mia.open('/reference/codes?q=ngla002')).text).toContain('1 of 6 LGAs');
});

test('an unknown operation is a 404, whatever its name', async () => {
  for (const name of ['nothing', '__proto__', '..%2f..%2fetc%2fpasswd']) {
    const page = await mia.open(`/reference/${name}`);
    expect([name, page.status]).toEqual([name, 404]);
  }
});

test('a snapshot without a description of the API has no reference', async () => {
  const old = await startDashboard({ fixture: { earlier: true } });
  await old.person('mia@example.org', 'member', 'ministry');
  const page = await (await old.signedIn('mia@example.org')).open('/reference');
  expect([page.status, page.text]).toEqual([200, expect.stringContaining('No reference yet')]);
});

const runs = (command: string, ...args: string[]) => spawnSync(command, args).status === 0;
const PYTHON = pythonWith('requests');
const PROGRAMS: Record<string, { runs: boolean; start: (file: string) => [string, string[]]; name: string }> = {
  curl: { runs: runs('curl', '--version'), name: 'sample.sh', start: (file) => ['sh', [file]] },
  Python: {
    runs: PYTHON !== undefined,
    name: 'sample.py',
    start: (file) => [PYTHON!, [file]],
  },
  R: {
    runs: runs('Rscript', '-e', 'library(curl); library(jsonlite)'),
    name: 'sample.R',
    start: (file) => ['Rscript', [file]],
  },
  TypeScript: { runs: true, name: 'sample.mts', start: (file) => [process.execPath, [file]] },
};

for (const [language, program] of Object.entries(PROGRAMS)) {
  test.skipIf(!program.runs)(
    `the samples in ${language} run${program.runs ? '' : ' (skipped: it is not installed)'}`,
    async () => {
      const { key } = await giveKey(dashboard.store);
      const folder = mkdtempSync(join(tmpdir(), 'sample-'));
      const run = async (path: string, file: string | null, presented: string) => {
        const sample = codeSamples(`${dashboard.url}${path}`, file).find((one) => one.language === language)!;
        writeFileSync(join(folder, program.name), sample.text);
        const options = { cwd: folder, env: { ...process.env, MALARIA_API_KEY: presented } };
        return (await promisify(execFile)(...program.start(program.name), options)).stdout;
      };
      try {
        expect(await run('/v1/risk/lgas?state=KN&period=2023-09', null, key)).toContain('2023-09');
        await run('/v1/tables/risk_lgas.parquet', 'risk_lgas.parquet', key);
        const served = await dashboard.get('/v1/tables/risk_lgas.parquet', key);
        expect(readFileSync(join(folder, 'risk_lgas.parquet'), 'utf8')).toBe(await served.text());
        // curl prints the problem document; the others fail.
        if (language === 'curl') expect(await run('/v1/periods', null, 'wrong')).toContain('INVALID_KEY');
        else await expect(run('/v1/periods', null, 'wrong')).rejects.toThrow();
      } finally {
        rmSync(folder, { recursive: true });
      }
    },
  );
}
