/** The clients in a snapshot of another country: codes that are numbers, no zones, no ISO codes, its own words. */
import { execFile } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import path from 'node:path';
import { promisify } from 'node:util';
import { beforeAll, expect, test } from 'vitest';
import { buildHere } from '../../support/built-tiny.ts';
import { temporary } from '../../support/command-line.ts';
import { otherCountry } from '../../support/other-country.ts';
import { atEndOfSuite, giveKey, serveBuild } from '../../support/proxy/service.ts';
import { writeCountry } from '../../support/tiny-country.ts';
import { HAS_R, PYTHON, TITLE_WITHOUT_PYTHON, TITLE_WITHOUT_R } from './languages.ts';

let client = '';
let target = { URL: '', KEY: '' };
const atEnd = atEndOfSuite();
beforeAll(async () => {
  const country = otherCountry();
  writeCountry(country, temporary());
  const { snapshot } = await buildHere(country.directory, temporary());
  client = path.join(snapshot, 'client');
  const store = `sqlite:${temporary()}/proxy.sqlite`;
  const service = await serveBuild({ build: temporary(), snapshot, store }, {}, atEnd);
  target = { URL: service.url, KEY: (await giveKey(service.store)).key };
}, 300_000);

/** A user's own rows: by the department's code and name; and two that match no place. */
const OWN = [
  { state: '07', lga: 'bois haut' },
  { state: 'Amont', lga: 'AVAL' },
  { state: 'littoral', lga: "L'Etang" },
  { state: '-', lga: 'Côte' },
  { state: 'Amont', lga: 'Côte' },
];
/** Output of each script: the codes of a complete table, and those of the rows. */
const EXPECTED = ['07 12 0702 0704 1201 3303', '0702 1201 0704 None None'];

const run = async (program: string, args: string[], env: Record<string, string> = {}) => {
  const { PATH = '', HOME = '' } = process.env;
  const own = { PATH, HOME, LC_ALL: 'C.UTF-8', PYTHONDONTWRITEBYTECODE: '1', ...target, ...env };
  const { stdout } = await promisify(execFile)(program, args, { env: own, timeout: 100_000 });
  return stdout.trim().split('\n');
};
const written = (name: string, text: string) => {
  const file = path.join(temporary(), name);
  writeFileSync(file, text);
  return file;
};

test('the TypeScript client works for another country', async () => {
  const script = written(
    'own.mts',
    `import { createClient } from ${JSON.stringify(path.join(client, 'ts/malaria-risk.js'))};
const reader = await createClient({ base: process.env.URL!, key: process.env.KEY! });
const { lgas } = await reader.get('/v1/risk/nation');
const codes = (name: 'state_code' | 'lga_code') => [...new Set(lgas.map((row) => row[name]))].sort();
console.log([...codes('state_code'), ...codes('lga_code')].join(' '));
`,
  );
  expect(await run(process.execPath, [script])).toEqual(EXPECTED.slice(0, 1));
});

test.skipIf(!PYTHON)(`the Python client works for another country${TITLE_WITHOUT_PYTHON}`, async () => {
  const script = written(
    'own.py',
    `import os, malaria_risk, pandas
reader = malaria_risk.MalariaRisk(os.environ["URL"], os.environ["KEY"])
rows = reader.table("risk_lgas")
print(*sorted(set(rows["state_code"])), *sorted(set(rows["lga_code"])))
print(*reader.with_codes(pandas.DataFrame(${JSON.stringify(OWN)}))["lga_code"])
`,
  );
  expect(await run(PYTHON!, [script], { PYTHONPATH: path.join(client, 'python') })).toEqual(EXPECTED);
});

test.skipIf(!HAS_R)(`the R client works for another country${TITLE_WITHOUT_R}`, async () => {
  const library = temporary();
  await run('R', ['CMD', 'INSTALL', '-l', library, path.join(client, 'r')]);
  const script = written(
    'own.R',
    `library(malariarisk)
reader <- malaria_client(Sys.getenv("URL"), Sys.getenv("KEY"))
rows <- read_table(reader, "risk_lgas")
cat(sort(unique(rows$state_code)), sort(unique(rows$lga_code)), "\\n")
codes <- with_codes(reader, jsonlite::fromJSON(${JSON.stringify(JSON.stringify(OWN))}))$lga_code
cat(ifelse(is.na(codes), "None", codes), "\\n")
`,
  );
  const output = await run('Rscript', [script], { R_LIBS: library });
  expect(output.map((line) => line.trim())).toEqual(EXPECTED);
});
