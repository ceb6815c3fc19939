/**
 * Lists every area whose level is higher than a year ago, and distinguishes news from revisions. Three requests. FOLDER
 * keeps the levels of earlier runs, so that a rise caused by a new model version does not appear as news:
 *
 *     news      a month that was not available in the last run
 *     revision  a rise that exists only because a new model version changed one of the two months
 *     known     listed in the last run too
 *
 *     MALARIA_API_KEY=… node alert.ts https://malaria.example.org FOLDER
 */
import { mkdirSync, readFileSync, realpathSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import { diskCache } from '../disk-cache.ts';
import { createClient } from '../malaria-risk.ts';

const LEVELS = ['very_low', 'low', 'moderate', 'high', 'very_high'];

/** Levels by month and area, and their model version. */
export interface Levels {
  version: string;
  months: Record<string, Record<string, string>>;
}
export type Cause = 'first run' | 'known' | 'news' | 'revision';

const rank = (levels: Levels | undefined, month: string, code: string) =>
  LEVELS.indexOf(levels?.months[month]?.[code] ?? '');

/** Every area above its level of a year ago, with the cause. */
export function rises(now: Levels, before: Levels | undefined, latest: string, yearAgo: string) {
  return Object.keys(now.months[latest] ?? {}).flatMap((code): { code: string; cause: Cause }[] => {
    const [level, then] = [rank(now, latest, code), rank(now, yearAgo, code)];
    if (then === -1 || level <= then) return [];
    if (!before) return [{ code, cause: 'first run' }];
    const [lastLevel, lastThen] = [rank(before, latest, code), rank(before, yearAgo, code)];
    if (lastLevel !== -1 && lastThen !== -1 && lastLevel > lastThen) return [{ code, cause: 'known' }];
    const isNews = before.version === now.version || (lastLevel === -1 && level > lastThen);
    return [{ code, cause: isNews ? 'news' : 'revision' }];
  });
}

// Node resolves symbolic links in import.meta.url, but not in the command.
if (import.meta.url === pathToFileURL(realpathSync(process.argv[1] ?? '.')).href) {
  const [base = '', folder = '.'] = process.argv.slice(2);
  const client = createClient({ base, cache: diskCache(path.join(folder, 'cache')) });
  const { last_estimated: latest, model_version: version } = await client.get('/v1/periods');
  const yearAgo = `${Number(latest.slice(0, 4)) - 1}${latest.slice(4)}`;
  const reports = [await client.risk(latest), await client.risk(yearAgo)];
  const months = Object.fromEntries(
    reports.map(({ period, lgas }) => [
      period,
      Object.fromEntries(lgas.map(({ lga_code, level }) => [lga_code, level])),
    ]),
  );
  const file = path.join(folder, 'levels.json');
  let before: Levels | undefined;
  try {
    before = JSON.parse(readFileSync(file, 'utf8'));
  } catch {
    // The first run.
  }
  const found = rises({ version, months }, before, latest, yearAgo);
  const names = new Map(reports[0]!.lgas.map((lga) => [lga.lga_code, lga]));
  for (const { code, cause } of found) {
    const { lga, state_code, level } = names.get(code)!;
    process.stdout.write(`${cause}\t${code}\t${lga}, ${state_code}\t${months[yearAgo]?.[code]} -> ${level}\n`);
  }
  process.stdout.write(`${found.length} areas rose by ${latest}, ${version}, ${client.requests()} requests\n`);
  mkdirSync(folder, { recursive: true });
  // Keep earlier months for comparison a year from now.
  writeFileSync(file, JSON.stringify({ version, months: { ...before?.months, ...months } }));
}
