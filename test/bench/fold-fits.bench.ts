/**
 * Whether the risk model's fits, of everything and of each fold, find a mode for any plausible further survey round:
 * its clusters are those of an earlier round with their positivity times .5 to 1.6, fewer of them, clusters of other
 * places or none positive. Exits with 1 if a build fails.
 *
 *   node test/bench/fold-fits.bench.ts --country DIR --raw-data DIR [--rounds 60] [--seed 1] [--until validation]
 */
import { spawnSync } from 'node:child_process';
import { cpSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { parseArgs } from 'node:util';
import { randomStream } from '../../pipeline/lib/numerics/random.ts';

const { values } = parseArgs({
  options: {
    country: { type: 'string', default: 'raw-data/nigeria' },
    'raw-data': { type: 'string', default: '../shared/raw-data/nigeria' },
    rounds: { type: 'string', default: '60' },
    seed: { type: 'string', default: '1' },
    until: { type: 'string', default: 'validation' },
  },
});
const CLI = path.resolve(import.meta.dirname, '../../pipeline/cli/malaria-risk.js');
const work = mkdtempSync(path.join(tmpdir(), 'fold-fits-'));
const [country, rawData] = [path.join(work, 'catalog'), path.join(work, 'raw')];
cpSync(values.country, country, { recursive: true });
cpSync(values['raw-data'], rawData, { recursive: true });
const catalog = JSON.parse(readFileSync(path.join(country, 'sources.json'), 'utf8'));
const source = catalog.sources.find(({ role }: { role: string }) => role === 'survey_clusters');
const { columns } = source;
const file = path.join(rawData, source.files[0].path);
const [header = '', ...lines] = readFileSync(file, 'utf8').trimEnd().split('\n');
const position = (name: string) => header.split(',').indexOf(columns[name]);
const [year, month, cluster, positivity, lga] = ['survey_year', 'period', 'cluster_id', 'positivity', 'lga_pcode'].map(
  position,
) as [number, number, number, number, number];
const rows = lines.map((line) => line.split(','));
const years = [...new Set(rows.map((row) => row[year]!))];
source.rounds.push({ survey_year: 2025, first: '2025-01', last: '2025-12' });
delete source.files[0].rows;
writeFileSync(path.join(country, 'sources.json'), JSON.stringify(catalog));

/** A round of 2025 like one of the file. */
function plausibleRound(number: number): { about: string; rows: string[][] } {
  const random = randomStream(Number(values.seed), `round ${number}`);
  const base = years[number % years.length]!;
  const factor = number % 15 === 14 ? 0 : 0.5 + 1.1 * random.uniform();
  const share = number % 5 === 4 ? 0.05 : number % 3 === 0 ? 1 : 0.6;
  const clusters = new Map<string, string[][]>();
  for (const row of rows)
    if (row[year] === base) clusters.set(row[cluster]!, [...(clusters.get(row[cluster]!) ?? []), row]);
  const kept = [...clusters.values()].filter(() => random.uniform() < share);
  const others = number % 4 === 3 ? kept.map(([first]) => first!).sort(() => random.uniform() - 0.5) : null;
  const made = kept.flatMap((group, k) =>
    group.map((row) => {
      const result = [...row];
      result[year] = '2025';
      result[month] = `2025-${row[month]!.slice(-2)}`;
      result[cluster] = `2025-${k}`;
      result[positivity] = String(Math.min(1, factor * Number(row[positivity])));
      // The results of another place.
      if (others)
        for (const [i, cell] of others[k]!.entries())
          if (i === lga || /state|lga/.test(header.split(',')[i]!)) result[i] = cell;
      return result;
    }),
  );
  return {
    about: `${base} x ${factor.toFixed(2)}, ${kept.length} clusters${others ? ', of other places' : ''}`,
    rows: made,
  };
}

for (let number = 0; number < Number(values.rounds); number++) {
  const { about, rows: added } = plausibleRound(number);
  writeFileSync(file, `${[header, ...lines, ...added.map((row) => row.join(','))].join('\n')}\n`);
  const until = values.until === 'snapshot' ? [] : ['--until', values.until];
  const args = [
    'build',
    '--country',
    country,
    '--raw-data',
    rawData,
    '--out',
    path.join(work, 'build'),
    '--unpinned',
    '--quiet',
  ];
  const { status, stderr } = spawnSync(process.execPath, [CLI, ...args, ...until], { encoding: 'utf8' });
  process.stdout.write(`${number + 1} ${about}: exit ${status} ${stderr.trim()}\n`);
  if (status !== 0) process.exitCode = 1;
}
rmSync(work, { recursive: true, force: true });
