/** The clients in a snapshot of another country: codes that are numbers, no zones, no ISO codes, its own words. */
import { execFile, spawnSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import path from 'node:path';
import { promisify } from 'node:util';
import { beforeAll, expect, test } from 'vitest';
import { buildHere } from '../../support/built-tiny.ts';
import { temporary } from '../../support/command-line.ts';
import { otherCountry } from '../../support/other-country.ts';
import { atEndOfSuite, giveKey, serveBuild } from '../../support/proxy/service.ts';
import { pythonWith } from '../../support/python.ts';
import { writeCountry } from '../../support/tiny-country.ts';

const PYTHON = pythonWith('requests');
const HAS_R = spawnSync('Rscript', ['-e', 'library(curl); library(jsonlite)']).status === 0;

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

/** A user's own rows: by the department's code, name, and name with its kind; and two that match no place. */
const OWN = [
  { state: '07', lga: 'bois haut' },
  { state: 'Amont', lga: 'AVAL' },
  { state: 'Littoral Department', lga: "L'Etang" },
  { state: '-', lga: 'Côte' },
  { state: 'Amont', lga: 'Côte' },
];
/** Output of each script: the codes of a complete table, those of the first three rows, why the others have none. */
const EXPECTED = [
  ['07', '12', '0702', '0704', '1201', '3303'].join(' '),
  '0702 1201 0704',
  "no upper-level area is named '-'",
  "no areas of 07 are named 'Côte'",
];

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
    `import { createClient } from ${JSON.stringify(path.join(client, 'ts/malaria-risk.ts'))};
import { match } from ${JSON.stringify(path.join(client, 'ts/places.ts'))};
const reader = createClient({ base: process.env.URL!, key: process.env.KEY! });
const { lgas } = await reader.risk();
const codes = (name: 'state_code' | 'lga_code') => [...new Set(lgas.map((row) => row[name]))].sort();
console.log([...codes('state_code'), ...codes('lga_code')].join(' '));
const { matched, unmatched } = match(${JSON.stringify(OWN)}, await reader.get('/v1/places'), (row) => row);
console.log(matched.map(({ lga_code }) => lga_code).join(' '));
for (const { why } of unmatched) console.log(why);
`,
  );
  expect(await run(process.execPath, [script])).toEqual(EXPECTED);
});

test.skipIf(!PYTHON)(
  `the Python client works for another country${PYTHON ? '' : ' (skipped: apt-get install python3-requests)'}`,
  async () => {
    const script = written(
      'own.py',
      `import os, malaria_risk
reader = malaria_risk.MalariaRisk(os.environ["URL"], os.environ["KEY"], records=True)
rows = reader.table("risk_lgas")
print(*(code for name in ("state_code", "lga_code") for code in sorted({row[name] for row in rows})))
matched, unmatched = reader.match(${JSON.stringify(OWN)})
print(*(row["lga_code"] for row in matched))
for row in unmatched:
    print(row["why"])
`,
    );
    expect(await run(PYTHON!, [script], { PYTHONPATH: path.join(client, 'python') })).toEqual(EXPECTED);
  },
);

test.skipIf(!HAS_R)(
  `the R client works for another country${HAS_R ? '' : ' (skipped: apt-get install r-base-core r-cran-curl r-cran-jsonlite)'}`,
  async () => {
    const library = temporary();
    await run('R', ['CMD', 'INSTALL', '-l', library, path.join(client, 'r')]);
    const script = written(
      'own.R',
      `library(malariarisk)
reader <- malaria_client(Sys.getenv("URL"), Sys.getenv("KEY"))
rows <- read_table(reader, "risk_lgas")
cat(sort(unique(rows$state_code)), sort(unique(rows$lga_code)), "\\n")
found <- match_places(reader, jsonlite::fromJSON(${JSON.stringify(JSON.stringify(OWN))}))
cat(found$matched$lga_code, "\\n")
cat(found$unmatched$why, sep = "\\n")
`,
    );
    const output = await run('Rscript', [script], { R_LIBS: library });
    expect(output.map((line) => line.trim())).toEqual(EXPECTED);
  },
);
