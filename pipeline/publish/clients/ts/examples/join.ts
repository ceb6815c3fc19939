/**
 * Joins risk to your own figures by the names of areas. Two requests. OWN.json is an array of objects with `state` and
 * `lga`, or with `lga_code`.
 *
 *     MALARIA_API_KEY=… node join.ts https://malaria.example.org OWN.json OUT.json
 */
import { readFileSync, writeFileSync } from 'node:fs';
import { createClient } from '../malaria-risk.ts';
import { match } from '../places.ts';

type Own = { state: string; lga: string } | { lga_code: string };

const [base = '', own = '', out = 'joined.json'] = process.argv.slice(2);
const client = createClient({ base });
const rows: Own[] = JSON.parse(readFileSync(own, 'utf8'));
const { matched, unmatched } = match(rows, await client.get('/v1/places'), (row) =>
  'lga_code' in row ? { code: row.lga_code } : row,
);
const { period, lgas } = await client.risk();
const risk = new Map(lgas.map((lga) => [lga.lga_code, lga]));
const joined = matched.map(({ row, lga_code }) => ({ ...row, ...risk.get(lga_code), period }));
writeFileSync(out, `${JSON.stringify(joined, null, 2)}\n`);
const has = new Set(matched.map(({ lga_code }) => lga_code));
process.stdout.write(`${joined.length} rows joined, ${client.modelVersion()}, ${client.requests()} requests: ${out}\n`);
process.stdout.write(`${unmatched.length} rows matched no area\n${unmatched.map(({ why }) => `  ${why}\n`).join('')}`);
process.stdout.write(
  `${matched.length - has.size} rows share an area with another\n${lgas.length - has.size} areas without a row\n`,
);
