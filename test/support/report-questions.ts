import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { DuckDBInstance } from '@duckdb/node-api';
import { area } from '@turf/area';
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type * as schemas from '../../pipeline/contract/schemas.ts';
import { accessibilityFaults } from './accessibility.ts';
import { needsChromium, openFile, skipWithoutChromium } from './chromium.ts';

type Row = Record<string, string | number | null>;

const MONTHS = Array.from({ length: 12 }, (_, i) =>
  new Date(Date.UTC(2000, i)).toLocaleString('en', { month: 'long', timeZone: 'UTC' }),
);

/** Tests of the report's answer to each question against the snapshot's tables, and of its downloads. */
export function reportQuestions(snapshotOf: () => string) {
  const json = <T>(name: string) => JSON.parse(readFileSync(path.join(snapshotOf(), name), 'utf8')) as T;
  let instance: DuckDBInstance;
  beforeAll(async () => {
    instance = await DuckDBInstance.create(':memory:');
  });
  afterAll(() => instance.closeSync());
  /** Runs SQL in which `risk_lgas` and so on are the snapshot's tables. */
  const query = async (sql: string): Promise<Row[]> => {
    const connection = await instance.connect();
    try {
      await connection.run(`SET file_search_path = '${path.join(snapshotOf(), 'tables')}'`);
      const named = sql.replaceAll(/\b(?:FROM|JOIN) (\w+)\b/g, (all, name) => all.replace(name, `'${name}.parquet'`));
      return (await connection.runAndReadAll(named)).getRowObjectsJson() as Row[];
    } finally {
      connection.closeSync();
    }
  };
  const hasTable = (name: string) => existsSync(path.join(snapshotOf(), `tables/${name}.parquet`));
  const open = async (address: string) => {
    const { page, pageErrors } = await openFile(`${path.join(snapshotOf(), 'report/index.html')}${address}`);
    await page.waitForSelector('html[data-ready=all]', { timeout: 60_000 });
    return { page, pageErrors };
  };
  const inBrowser = (title: string, work: () => Promise<void>) =>
    test.skipIf(skipWithoutChromium)(needsChromium(title), work);
  const download = async (page: Page, id: string) => {
    const [saved] = await Promise.all([page.waitForEvent('download'), page.locator(`#download-${id}`).click()]);
    return readFileSync(await saved.path());
  };
  const last = () => json<schemas.Periods>('v1/periods.json').last_estimated;
  const headline = (page: Page) => page.textContent('#headline');

  inBrowser('where and how certain: the highest state, and the number of LGAs whose level is certain', async () => {
    const { page } = await open('');
    if (!hasTable('probabilities')) {
      expect(await headline(page)).toMatch(/^\S+ has the highest score: 0\.\d\d \(0\.\d\d–0\.\d\d\)$/);
      expect(await page.textContent('#words')).toContain('The simple baseline gives neither a range of this');
      for (const tab of ['sure', 'changed']) expect(await page.locator(`nav a[href="#${tab}"]`).count()).toBe(0);
      expect(await page.locator('#lgas path[fill^=url]').count(), 'nothing is hatched').toBe(0);
      return page.close();
    }
    const [highest] = await query(
      `SELECT state FROM risk_states WHERE period = '${last()}' ORDER BY score DESC, state_code LIMIT 1`,
    );
    const [levels] = await query(
      `SELECT count(*)::INT AS lgas, sum((CASE level WHEN 'very_low' THEN probability_very_low WHEN 'low' THEN probability_low
         WHEN 'moderate' THEN probability_moderate WHEN 'high' THEN probability_high ELSE probability_very_high END
         >= 0.8)::INT)::INT AS certain
       FROM risk_lgas r JOIN probabilities p ON r.lga_code = p.code AND r.period = p.period WHERE r.period = '${last()}'`,
    );
    const certainty = `he level is at least 80% certain in ${levels!.certain} of ${levels!.lgas} LGAs`;
    expect(await headline(page)).toBe(`${highest!.state} has the highest score; t${certainty}`);
    const yearsBefore = (years: number) => `${Number(last().slice(0, 4)) - years}${last().slice(4)}`;
    const nation = await query(
      `SELECT period, sum(score * population) / sum(population) AS score FROM risk_states
       WHERE period IN ('${last()}', '${yearsBefore(1)}', '${yearsBefore(3)}') GROUP BY period ORDER BY period DESC`,
    );
    const words = (await page.textContent('#words'))!;
    const told = [...words.matchAll(/(0\.\d\d) \((0\.\d\d)–(0\.\d\d)\)(?= (?:of children|a year|three years))/g)];
    expect(told).toHaveLength(nation.length);
    for (const [i, shares] of told.entries()) {
      const [score, low, high] = shares.slice(1).map(Number);
      expect(Math.abs(score! - Number(nation[i]!.score)), 'the mean of the states by their people').toBeLessThan(0.006);
      expect(low! < score! && score! < high!).toBe(true);
    }
    expect(words.match(/% likely: (may be chance|more than chance would explain)/g)).toHaveLength(nation.length - 1);
    await page.locator('nav a[href="#sure"]').click();
    expect(await headline(page)).toBe(`T${certainty}`);
    expect(await accessibilityFaults(page)).toEqual([]);
    await page.close();
  });

  inBrowser('what changed: how many rose and fell by more than chance would explain', async () => {
    if (!hasTable('changes')) return;
    const { page } = await open('#changed');
    const [real] = await query(
      `SELECT count(*)::INT AS n, count_if(change_survey_low > 0)::INT AS up, count_if(change_survey_high < 0)::INT AS down
       FROM changes WHERE area = 'lga' AND period = '${last()}'`,
    );
    const { up, down } = real as { up: number; down: number };
    if (up + down === 0) expect(await headline(page)).toMatch(/^No LGA has changed since |^There is no earlier month/);
    else expect(await headline(page)).toMatch(new RegExp(`, ${up} LGAs? rose and ${down} fell by more than`));
    // Any two years of a month, from the scores and the spread of their difference.
    const { state_code, state } = json<schemas.ContextStates>('v1/context/states.json').states[0]!;
    const { first_estimated } = json<{ coverage: { first_estimated: string } }>('manifest.json').coverage;
    const month = last().slice(4);
    const firstYear = Number(first_estimated.slice(0, 4)) + (first_estimated.slice(4) > month ? 1 : 0);
    const then = `${firstYear}${month}`;
    const scores = await query(
      `SELECT period, score FROM risk_states WHERE state_code = '${state_code}' AND period IN ('${then}', '${last()}') ORDER BY period`,
    );
    const { page: since } = await open(`#changed?c=${state_code}&by=${then.slice(0, 4)}`);
    const change = Number(scores[1]!.score) - Number(scores[0]!.score);
    expect(await headline(since)).toContain(`${state}, `);
    if (Math.abs(change) > 0.005)
      expect(await headline(since)).toContain(`${Math.abs(change).toFixed(2)} ${change > 0 ? 'above' : 'below'} `);
    const found = /90% range (\S+) to (\S+)\. The chance that it (rose|fell) is (\d+)%/.exec(
      (await since.textContent('#words'))!,
    )!;
    const [low, high] = [found[1]!, found[2]!.replace(/\.$/, '')].map((text) => Number(text.replace('−', '-')));
    expect((low! + high!) / 2).toBeCloseTo(change, 1);
    expect(found[3]).toBe(change < 0 ? 'fell' : 'rose');
    expect(Number(found[4])).toBeGreaterThanOrEqual(50);
    // For a month without an answer the page moves to the nearest month that has one.
    const { page: early } = await open(`#changed?m=${first_estimated}`);
    expect(await early.inputValue('#month')).not.toBe('0');
    await page.close();
  });

  inBrowser('when: where to start and with how many rounds, and why not elsewhere', async () => {
    const { page } = await open('#when');
    const rows = await query(
      `SELECT area, code, measure, first_month, round(100 * share)::INT AS percent, criterion FROM season_windows
       WHERE months = 4 ORDER BY code, measure`,
    );
    const places = [...Map.groupBy(rows, ({ code }) => String(code))].map(([code, [cases, rain]]) => ({
      code,
      area: rain!.area,
      seasonal: [cases, rain].some((row) => row!.criterion === 'reached'),
      cases: cases!,
      rain: rain!,
    }));
    const lgas = places.filter(({ area }) => area === 'lga');
    const seasonal = lgas.filter((place) => place.seasonal).length;
    expect(await headline(page)).toBe(
      `Four months have 60% or more of the year’s malaria in ${seasonal} of ${lgas.length} LGAs, by rain or by reported cases`,
    );
    expect(await page.isVisible('#month')).toBe(false);
    for (const kind of [true, false]) {
      const place = places.find(({ area, seasonal }) => area === 'state' && seasonal === kind);
      if (!place) continue;
      await page.selectOption('#state', place.code);
      const text = (await headline(page))!;
      for (const row of [place.cases, place.rain])
        expect(text).toContain(kind ? MONTHS[Number(row.first_month) - 1]! : String(100 - Number(row.percent)));
      expect(text).toContain(kind ? 'four rounds' : 'not seasonal');
      expect(await page.textContent('#words')).toContain(`${place.rain.percent}%`);
      expect(await page.textContent('#words')).toMatch(/ase record .*Evidence: .*rain \w+ \d{4} to \w+ \d{4}/);
    }
    expect(await accessibilityFaults(page)).toEqual([]);
    await page.close();
  });

  inBrowser('how certain: the children tested in each place, and where none were', async () => {
    const { page } = await open('#sure?by=tested');
    // Surveys whose clusters are in no known LGA have no such map.
    if (!(await page.textContent('#choices'))!.includes('Children tested')) return page.close();
    const { states } = json<schemas.ContextStates>('v1/context/states.json');
    const rowsOf = async (id: string) =>
      String(await download(page, id))
        .trimEnd()
        .split('\r\n')
        .slice(1);
    expect(await rowsOf('csv'), 'the areas on the map').toHaveLength(await page.locator('#lgas path').count());
    expect(await rowsOf('list'), 'those in the list').toHaveLength(states.length);
    expect(await headline(page)).toMatch(/^No child was tested in \d+ of \d+ LGAs?$/);
    await page.selectOption('#state', states[0]!.state_code);
    expect(await headline(page)).toMatch(/tested here .*, about [\d\u00a0]+ of them positive/);
    await page.close();
  });

  inBrowser(
    'neighbours are surely higher, surely lower or not told apart, and the other way round from them',
    async () => {
      const [place] = await query(
        `SELECT code, neighbours FROM places WHERE area = 'lga' AND neighbours <> '' LIMIT 1`,
      );
      const codes = String(place!.neighbours).split(' ');
      const { page } = await open(`#where?c=${place!.code}`);
      const groups = await page.locator('#place .near').evaluateAll((lists) =>
        lists.map((list) => ({
          name: list.previousElementSibling!.textContent!,
          rows: [...list.children].map((row) => row.textContent!),
        })),
      );
      expect(groups.flatMap(({ rows }) => rows)).toHaveLength(codes.length);
      for (const row of groups.flatMap(({ rows }) => rows)) expect(row).toMatch(/ 0\.\d\d \(0\.\d\d–0\.\d\d\)/);
      if (!hasTable('probabilities')) return page.close();
      const { name, rows } = groups[0]!;
      if (name !== 'Not told apart') expect(name).toMatch(/^Surely (higher|lower) \(chance 90% or more\)$/);
      expect(await page.textContent('#why')).toMatch(/The score is 0\.\d\d (above|below) 0\.\d\d, the mean of /);
      expect(await page.textContent('#why')).toMatch(/In its neighbours: [\d\u00a0]+ children; in all of /);
      const chance = Number(/(\d+)% likely/.exec(rows[0]!)![1]);
      expect(chance >= 90).toBe(name !== 'Not told apart');
      const own = await page.textContent('#place h3');
      await page.locator('#place .near button').first().click();
      const back = page.locator('#place .near li').filter({ hasText: `${own} ` });
      expect(await back.textContent()).toContain(`${chance}% likely ${/lower/.test(rows[0]!) ? 'higher' : 'lower'}`);
      // The same chance stands with the two pinned, and in the file of the comparison.
      const other = /c=(\w+)/.exec(page.url())![1]!;
      const { page: pinned } = await open(`#where?c=${place!.code}&pins=${place!.code},${other}`);
      const compared =
        /^([+−]?0\.\d\d) \(([+−]?0\.\d\d) to ([+−]?0\.\d\d)\) against (.*), (?:over )?(\d+)% likely/.exec(
          (await pinned.locator('.pins small').textContent())!,
        )!;
      expect(compared.slice(4)).toEqual([own, String(chance)]);
      const [heads, ...lines] = String(await download(pinned, 'pins'))
        .trimEnd()
        .split('\r\n')
        .map((line) => line.split(','));
      const inFile = (column: string) => Number(lines[1]![heads!.indexOf(column)]);
      expect(inFile('difference_low')).toBeLessThan(inFile('difference'));
      expect(inFile('difference_high')).toBeGreaterThan(inFile('difference'));
      expect(Math.min(99, 50 + Math.round(100 * Math.abs(inFile('probability_higher') - 0.5)))).toBe(chance);
      await pinned.close();
      await page.close();
    },
  );

  inBrowser('a place with case records shows their forecast as the table has it, beside last year', async () => {
    if (!hasTable('forecasts_cases')) return;
    const rows = await query('FROM forecasts_cases ORDER BY code, horizon_months');
    const own = rows.filter(({ code }) => code === rows[0]!.code);
    const state = String(rows[0]!.code);
    const { page } = await open(`#where?c=${state}`);
    const text = (await page.textContent('#case-forecast'))!.replaceAll('\u00a0', '');
    // An index: ratios between its figures are those of the counts.
    const shown = [...text.matchAll(/\d{4}: (\d+) \((\d+)–(\d+)\)/g)].map((found) => found.slice(1).map(Number));
    expect(shown).toHaveLength(own.length);
    for (const [i, row] of own.entries())
      expect(shown[i]![0]! / shown[0]![0]!).toBeCloseTo(Number(row.q50) / Number(own[0]!.q50), 1);
    expect(await page.locator('#place svg[aria-label^="Reported cases"]').count()).toBe(1);
    await page.close();
  });

  inBrowser(
    'who first: nets go where the unprotected risk per person is highest, as long as they suffice',
    async () => {
      const rows = await query(
        `SELECT r.lga_code, r.lga, r.score, c.population::INT AS population, c.itn_use
       FROM risk_lgas r JOIN context_lgas c ON r.lga_code = c.lga_code WHERE r.period = '${last()}'`,
      );
      const varies = new Set(rows.map(({ itn_use }) => itn_use)).size > 1;
      const need = ({ score, itn_use }: Row) => Number(score) * (1 - (varies ? Number(itn_use ?? 0) : 0));
      rows.sort((a, b) => need(b) - need(a) || (String(a.lga_code) < String(b.lga_code) ? -1 : 1));
      const people = Math.round(rows.reduce((sum, { population }) => sum + Number(population), 0) / 2);
      let left = Math.ceil(people / 1.8);
      const end = rows.findIndex(({ population }) => {
        left -= Math.ceil(Number(population) / 1.8);
        return left < 0;
      });
      const given = rows.slice(0, end);
      const { page } = await open('#who');
      await page.fill('#plan-people', String(people));
      expect(await page.inputValue('#plan-nets'), 'the other field follows').toBe(String(Math.ceil(people / 1.8)));
      expect(await headline(page)).toContain(String(given[0]!.lga));
      expect(await page.textContent('#words')).toContain(`people in ${given.length} LGA`);
      const order = rows.map(({ lga_code }) => lga_code).slice(0, 10);
      const csvOf = async (id = 'csv') => {
        const text = String(await download(page, id));
        return text
          .replace('\ufeff', '')
          .trimEnd()
          .split('\r\n')
          .map((line) => line.split(','));
      };
      const [heads, ...lines] = await csvOf();
      const column = (name: string) => lines.map((cells) => cells[heads!.indexOf(name)]);
      expect(column('lga_code').slice(0, 10)).toEqual(order);
      expect(column('gets_nets').filter((gets) => gets === 'yes')).toHaveLength(given.length);
      // The first so many areas, whatever nets they take: as many are among the first in every draw.
      await page.fill('#plan-areas', '3');
      expect(await page.inputValue('#plan-people'), 'the amounts exclude each other').not.toBe(String(people));
      const [, ...first] = await csvOf();
      const plan = Object.fromEntries(
        heads!.map((head, i) => [head, first.map((cells) => cells[i]).slice(0, rows.length)]),
      );
      expect(plan.lga_code!.filter((_, i) => plan.gets_nets![i] === 'yes')).toEqual(order.slice(0, 3));
      expect(new URL(page.url()).hash).toContain('areas=3');
      if (hasTable('probabilities')) {
        expect(await page.textContent('#ranking thead')).toContain('Among first 3');
        const chances = plan.probability_among_first!.map(Number);
        expect(chances.reduce((sum, chance) => sum + chance, 0)).toBeCloseTo(3, 1);
        expect(chances[0]).toBeGreaterThan(chances.at(-1)!);
        const ends = plan.rank_low!.map((low, i) => [Number(low), Number(plan.rank_high![i])]);
        for (const [i, [low, high]] of ends.entries()) {
          expect(1 <= low! && low! <= high! && high! <= rows.length).toBe(true);
          // Nine in ten ranks lie within; one that is surely among the first has no higher rank than that.
          if (chances[i]! >= 0.96) expect(high).toBeLessThanOrEqual(3);
          if (chances[i]! <= 0.04) expect(low).toBeGreaterThan(3);
        }
        expect(await page.textContent('#ranking .note')).toMatch(/ people in 3 LGAs get .* nets: the marked ones/);
      } else expect(await page.textContent('#ranking thead'), 'no joint draws').not.toContain('Among first');
      await page.fill('#plan-people', String(people));
      // Those where no child was tested are marked in words.
      const showAll = page.getByText('Show all');
      if ((await showAll.count()) > 0) await showAll.click();
      const untested = plan.children_tested?.filter((children) => children === '0').length ?? 0;
      expect(await page.locator('#ranking tbody').getByText('no child tested').count()).toBe(untested);
      // If no LGA meets a threshold, the page says so.
      await page.locator('#plan-score').fill('0.5');
      expect(await headline(page)).toMatch(/^No LGA meets these thresholds| nets go to | too few for any /);
      await page.close();
    },
  );

  inBrowser(
    'warnings: the areas in alert as the table has them, each with its usual, forecast and first check',
    async () => {
      if (!hasTable('alerts')) return;
      const rows = await query('FROM alerts ORDER BY area DESC, code');
      const { page, pageErrors } = await open('#warnings');
      const names = await query(
        'SELECT state_code AS code, state AS name FROM context_states UNION ALL SELECT lga_code, lga FROM context_lgas',
      );
      const nameOf = (code: unknown) => String(names.find((row) => row.code === code)!.name);
      const alarmed = rows.filter(({ detection_class }) => detection_class === 'alert');
      if (alarmed.length === 0) expect(await headline(page)).not.toContain('on alert (');
      for (const { code } of alarmed.slice(0, 1)) expect(await headline(page)).toContain(nameOf(code));
      const [heads, ...lines] = String(await download(page, 'list'))
        .replace('\ufeff', '')
        .trimEnd()
        .split('\r\n');
      expect(lines).toHaveLength(rows.length);
      const classes = lines.map((line) => line.split(',')[heads!.split(',').indexOf('detection_class')]);
      const byUrgency = ['alert', 'watch', 'fall', 'none'];
      expect(classes).toEqual(classes.toSorted((a, b) => byUrgency.indexOf(a!) - byUrgency.indexOf(b!)));
      expect(await page.textContent('#ranking'), 'every cell has a text').not.toMatch(/null|undefined/);
      const quiet = rows.filter((row) => row.detection_class === 'none' && row.warning_class === 'none').length;
      await page.evaluate("dispatchEvent(new Event('beforeprint'))");
      expect(await page.locator('#ranking tbody tr:visible').count()).toBe(rows.length);
      await page.emulateMedia({ media: 'print' });
      expect(await page.locator('#ranking tbody tr:visible').count(), 'printed').toBe(rows.length - quiet);
      if (quiet > 0) expect(await page.textContent('#ranking .printed')).toContain(`${quiet} with nothing unusual`);
      await page.emulateMedia({ media: 'screen' });
      for (const row of [alarmed[0] ?? rows[0]!, rows.at(-1)!]) {
        await page.fill('#search', String(row.code));
        await page.press('#search', 'Enter');
        const words = (await page.textContent('#words'))!.replaceAll('\u00a0', '');
        expect(words).toContain(`where ${row.usual} (${row.usual_low}–${row.usual_high}) is usual`);
        expect(words).toContain('Check first: ');
        expect(new URL(page.url()).hash).toContain(`#warnings?c=${row.code}`);
      }
      const states = await query('SELECT DISTINCT state_code AS state FROM context_lgas ORDER BY 1');
      for (const { state } of states.slice(0, 3)) {
        await page.selectOption('#state', String(state));
        const lgas = await query(`SELECT lga_code FROM context_lgas WHERE state_code = '${state}'`);
        const codes = new Set(lgas.map(({ lga_code }) => lga_code));
        const watched = rows.filter(({ code, detection_class }) => codes.has(code) && detection_class === 'watch');
        if (rows.some(({ code }) => code === state) && watched.length > 0) {
          expect(await headline(page)).toContain(`${watched.length} on watch (`);
          if (watched.length <= 5) for (const { code } of watched) expect(await headline(page)).toContain(nameOf(code));
        }
        const scrolled = page.locator('#ranking .tall');
        expect(await scrolled.evaluate((box) => box.scrollTop), 'the most urgent are in sight').toBe(0);
      }
      expect(await page.textContent('#colour-note')).toMatch(/Alert: .* below 6% .* 15% .*Watch: .*Fall: /);
      expect(pageErrors).toEqual([]);
      expect(await accessibilityFaults(page)).toEqual([]);
      await page.close();
    },
  );

  inBrowser('how many: the total of one state and of all is the table’s, of others from joint draws', async () => {
    if (!hasTable('forecasts_totals')) return;
    const totals = await query("FROM forecasts_totals WHERE area <> 'lga' ORDER BY code NULLS FIRST, period, months");
    const { cases_in } = totals[0]!;
    const states = [...new Set(totals.flatMap(({ code }) => code ?? []))];
    const spans = totals.filter(({ code }) => code === null);
    const last = spans.findIndex(({ months }) => months === Math.max(...spans.map((span) => Number(span.months))));
    const { page, pageErrors } = await open(`#total?by=${last}`);
    const shownMiddle = async () =>
      / (\S+) \(\S+–\S+\)/.exec((await headline(page))!.replaceAll('\u00a0', '_'))![1]!.replaceAll('_', '\u00a0');
    const shown = async () => {
      const found = / (\S+) \((\S+)–(\S+)\)/.exec((await headline(page))!.replaceAll('\u00a0', ''))!;
      return found.slice(1).map(Number);
    };
    const unit = cases_in === 'cases' ? 1 : 100;
    const inTable = (code: unknown) => {
      const { q50, q05, q95 } = totals.filter((row) => row.code === code)[last]!;
      return [q50, q05, q95].map((value) => Number((Number(value) / unit).toFixed(unit === 1 ? 0 : 1)));
    };
    expect(await shown()).toEqual(inTable(null));
    const boxes = page.locator('.summands [type=checkbox]');
    const { states: everyState } = json<schemas.ContextStates>('v1/context/states.json');
    const without = everyState.filter(({ state_code }) => !states.includes(state_code));
    const hasSeason = without.length > 0 && hasTable('season');
    expect(await boxes.count()).toBe(hasSeason ? everyState.length : states.length);
    const amounts = page.locator('.summands [type=number]:visible');
    // The same amount for each, so that states count alike; then the total of all is between its parts' ranges.
    for (let i = 0; cases_in === 'index' && i < states.length; i++) await amounts.nth(i).fill('1000');
    if (cases_in === 'index') {
      const [middle, low, high] = await shown();
      const sum = (part: number) => 1000 * states.map((code) => inTable(code)[part]!).reduce((a, b) => a + b, 0);
      expect(Math.abs(middle! / sum(0) - 1)).toBeLessThan(0.1);
      if (states.length > 1) expect([low! > sum(1), high! < sum(2)]).toEqual([true, true]);
    }
    for (let i = 1; i < states.length; i++) await boxes.nth(i).uncheck();
    if (states.length > 1) expect(new URL(page.url()).hash).toContain(`chosen=${states[0]}`);
    const listed = async (code: unknown) =>
      (await page
        .locator('#ranking tr')
        .filter({ has: page.locator('button').getByText(String(code), { exact: true }) })
        .textContent())!;
    const nameOf = (code: unknown) => everyState.find(({ state_code }) => state_code === code)!.state;
    if (cases_in === 'index') {
      const [middle] = inTable(states[0]);
      expect(await listed(nameOf(states[0])), 'rows are scaled as the headline is').toContain(await shownMiddle());
      expect(Number((await shownMiddle()).replaceAll('\u00a0', '')) / (1000 * middle!)).toBeCloseTo(1, 1);
      await amounts.nth(states.length - 1).fill('2000');
      expect(await boxes.nth(states.length - 1).isChecked(), 'a number counts the state in').toBe(true);
    }
    const months = / \w+ \d{4} to \w+ \d{4}\. May/;
    expect(await page.textContent('#cite'), 'the months of the total, not the month of the scores').toMatch(months);
    const inList = String(await download(page, 'list'));
    expect(inList.split('\r\n')[1]).toContain(`,${spans[last]!.period},${spans[last]!.months},`);
    if (hasSeason) {
      const roughly = / ([\d.\s]+)( average months)? by its season alone, no range/;
      await boxes.last().check();
      expect(await headline(page), 'beside those with records').toMatch(roughly);
      await page.getByLabel(`An average month of ${without.at(-1)!.state}`).fill('1000');
      const summed = (await headline(page))!.replaceAll('\u00a0', '');
      const rough = Number(roughly.exec(summed)![1]);
      const together = Number(/together about (\d+)/.exec(summed)?.[1]);
      if (cases_in === 'index') expect(together / ((await shown())[0]! + rough)).toBeCloseTo(1, 2);
      await page.selectOption('#state', without[0]!.state_code);
      expect(await headline(page)).toMatch(roughly);
      expect(await page.locator('#ranking tbody tr').count()).toBe(1);
      expect(await page.textContent('#words')).toContain('its monthly records are needed: ask');
    }
    expect(await accessibilityFaults(page)).toEqual([]);
    expect(pageErrors).toEqual([]);
    await page.close();
  });

  inBrowser('positivity of the surveys by round, in towns and in the country', async () => {
    if (!hasTable('changes')) return;
    const { page } = await open('#changed');
    const rounds = await query(
      'SELECT survey_year, positivity, urban, rural FROM survey_trend WHERE state_code IS NULL ORDER BY survey_year',
    );
    const words = (await page.textContent('#words'))!;
    if (rounds.length < 2) return page.close();
    const share = (value: unknown) => Number(value).toFixed(2);
    for (const { survey_year, positivity, urban, rural } of rounds) {
      expect(words).toMatch(new RegExp(`${survey_year}[^,]* ${share(positivity)}`));
      if (urban !== null) expect(words).toContain(`${survey_year} ${share(urban)} and ${share(rural)}`);
    }
    await page.close();
  });

  inBrowser('two places of one name are told apart, and each is found by its code', async () => {
    const [twin] = await query(
      `SELECT lga, list(lga_code ORDER BY lga_code)::VARCHAR AS codes FROM context_lgas GROUP BY lga HAVING count(*) > 1 LIMIT 1`,
    );
    if (!twin) return;
    const { page } = await open('');
    await page.fill('#search', String(twin.lga));
    await page.press('#search', 'Enter');
    const message = await page
      .locator('#search')
      .evaluate((input) => (input as unknown as { validationMessage: string }).validationMessage);
    for (const code of String(twin.codes).match(/\w+/g)!) {
      expect(message).toContain(code);
      await page.fill('#search', code);
      await page.press('#search', 'Enter');
      expect(page.url()).toContain(`c=${code}`);
      expect(await headline(page)).toContain(`${twin.lga}, `);
    }
    await page.close();
  });

  inBrowser('figures to be careful with: where net use is above access', async () => {
    const [above] = await query(
      'SELECT count(*)::INT AS lgas, min(lga) AS first FROM context_lgas WHERE itn_use > itn_access',
    );
    const { page } = await open('#sources');
    expect(await page.evaluate('scrollY'), 'an address of a tab opens it at its beginning').toBe(0);
    const text = (await page.textContent('#doubtful'))!;
    if (above!.lgas === 0) expect(text).not.toContain('More people sleep under a net');
    else expect(text).toContain(`More people sleep under a net than have access to one (${above!.lgas})`);
    await page.close();
  });

  inBrowser('on a phone: the next month of a place, with its title and its address', async () => {
    const { forecasts } = json<schemas.ForecastsStates>('v1/forecasts/states/1.json');
    const { state_code, state, score } = forecasts[0]!.states[0]!;
    const { page } = await openFile(path.join(snapshotOf(), 'report/index.html'), { width: 390, height: 844 });
    await page.waitForSelector('html[data-ready=all]', { timeout: 60_000 });
    await page.selectOption('#state', state_code);
    await page.locator('#later').click();
    expect(await headline(page)).toContain(`${state}, `);
    expect(await headline(page)).toContain(`(forecast): ${score.toFixed(2)} (`);
    expect(await page.title()).toContain(`: ${state}`);
    expect(page.url()).toContain(`m=${forecasts[0]!.period}`);
    expect(await page.evaluate('document.documentElement.scrollWidth')).toBe(390);
    await page.close();
  });

  inBrowser('the list sorts by any figure and by name, and says so to screen readers', async () => {
    const { page } = await open('');
    const names = () => page.locator('#ranking tbody th').allTextContents();
    const sort = (name: string) => page.locator('#ranking thead button').getByText(name, { exact: true }).click();
    await sort('State');
    expect(await names()).toEqual((await names()).toSorted((a, b) => a.localeCompare(b, 'en')));
    expect(await page.getAttribute('#ranking th[aria-sort]', 'aria-sort')).toBe('ascending');
    const { states } = json<schemas.RiskStates>(`v1/risk/states/${last()}.json`);
    await sort('Score');
    await sort('Score');
    const [lowest] = states.toSorted((a, b) => a.score - b.score);
    expect(await page.locator('#ranking tbody td.number').nth(1).textContent()).toBe(lowest!.score.toFixed(2));
    expect(await page.getAttribute('#ranking th[aria-sort]', 'aria-sort')).toBe('ascending');
    await page.close();
  });

  inBrowser('how reliable: verdicts in words with the figures of the tables', async () => {
    const { page } = await open('#good');
    const text = (await page.textContent('#reliable'))!;
    if (hasTable('forecast_skill')) {
      const [skill] = await query(
        `SELECT log_mae FROM forecast_skill WHERE origins = 'all' AND area_level = 'state' AND method = 'case_model' AND horizon_months = 1`,
      );
      if (skill) expect(text).toContain(`off by ${Math.round(100 * (Math.exp(Number(skill.log_mae)) - 1))}% one month`);
    }
    const { validation } = json<{ validation: Record<'zones' | 'states', { in_90: number }[]> | null }>(
      'model-card.json',
    );
    for (const by of ['zones', 'states'] as const) {
      const held = validation?.[by].map(({ in_90 }) => in_90) ?? [];
      expect(held).toEqual(held.toSorted((a, b) => a - b));
      const table = page.locator(`#reliable-${by} ~ .scroll`).first();
      if (held.length > 0)
        expect(await table.locator('tbody td').nth(1).textContent()).toBe(`${Math.round(100 * held[0]!)}%`);
    }
    expect(await page.textContent('#review')).toContain('Nobody outside the project has reviewed them.');
    expect(text).not.toMatch(/NaN|undefined|null/);
    expect(await accessibilityFaults(page)).toEqual([]);
    const next = page.locator('#survey-next ~ p a').first();
    if ((await next.count()) > 0) {
      await next.click();
      const widths = await page
        .locator('#ranking tbody tr')
        .evaluateAll((rows) =>
          rows.map((row) => [...row.querySelectorAll('td.number')].slice(1, 3).map((cell) => Number(cell.textContent))),
        );
      expect(widths.map(([width]) => width)).toEqual(widths.map(([width]) => width).toSorted((a, b) => b! - a!));
      for (const [, clusters] of widths) expect(clusters).toBeGreaterThan(0);
    }
    await page.locator('nav a[href="#sources"]').click();
    expect(await page.locator('.source dt').getByText('May I pass it on?').count()).toBeGreaterThan(3);
    expect(await accessibilityFaults(page)).toEqual([]);
    await page.close();
  });

  inBrowser('the map zooms by wheel, keyboard and button, and names LGAs when there is room', async () => {
    const { page, pageErrors } = await open('');
    const width = async () => Number((await page.getAttribute('#map', 'viewBox'))!.split(' ')[2]);
    const whole = await width();
    const height = (await page.locator('#map').boundingBox())!.height;
    await page.locator('#frame').hover();
    await page.mouse.wheel(0, -400);
    await expect.poll(width).toBeLessThan(whole);
    await page.locator('#frame').focus();
    await page.keyboard.press('0');
    await expect.poll(width).toBeCloseTo(whole, 0);
    for (let i = 0; i < 6; i++) await page.locator('#nearer').click();
    expect(await width()).toBeLessThan(whole / 5);
    expect(await page.locator('#lga-names text').count()).toBeGreaterThan(0);
    expect((await page.locator('#map').boundingBox())!.height, 'its place on the page stays').toBeCloseTo(height, 0);
    expect(pageErrors).toEqual([]);
    await page.close();
  });

  inBrowser('the address contains the view: opened again it shows the same, and Back undoes a step', async () => {
    const { states } = json<schemas.RiskStates>(`v1/risk/states/${last()}.json`);
    const { state_code, state } = states[0]!;
    const { page, pageErrors } = await open('');
    await page.selectOption('#state', state_code);
    await page.locator('#earlier').click();
    await page.getByText('Pin to compare').click();
    await page.locator('nav a[href="#who"]').click();
    const address = new URL(page.url()).hash;
    expect(address).toContain('#who?');
    expect(address).toContain(`c=${state_code}`);
    expect(address).toContain(`pins=${state_code}`);
    const { page: again } = await open(address);
    for (const what of ['#headline', '#place h3', '#month-name'])
      expect(await again.textContent(what)).toBe(await page.textContent(what));
    expect(await again.locator('.pins li').count()).toBe(1);
    await page.goBack();
    expect(await page.getAttribute('nav a[aria-current]', 'href')).toBe('#where');
    expect(await page.textContent('#place h3')).toBe(state);
    await page.goBack();
    expect(await page.textContent('#place h3')).not.toBe(state);
    // Unknown and hand-written values do no harm.
    const { page: odd, pageErrors: oddErrors } = await open(
      '#who?m=1999-99&c=__proto__&by=%3Cb%3E&pins=,,x&nets=-1&score=x',
    );
    expect(await odd.textContent('#month-name')).toBe(
      await open('').then(({ page: plain }) => plain.textContent('#month-name')),
    );
    expect([...pageErrors, ...oddErrors]).toEqual([]);
    await page.close();
  });

  inBrowser(
    'a page opened from disk says why its address is no link, and which part of it names the view',
    async () => {
      const { page } = await open('#where?m=2000-01');
      const asked = new Promise<string[]>((resolve) =>
        page.once('dialog', async (dialog) => {
          resolve([dialog.message(), dialog.defaultValue()]);
          await dialog.dismiss();
        }),
      );
      await page.locator('#copy-link').click();
      expect(await asked).toEqual([expect.stringContaining('Opened from a file'), new URL(page.url()).hash]);
      await page.close();
    },
  );

  inBrowser('a share and its number in a hundred children are rounded once, whatever the figure', async () => {
    const { page } = await open('');
    for (const code of json<schemas.ContextStates>('v1/context/states.json').states.map((one) => one.state_code)) {
      await page.selectOption('#state', code);
      const shares = /: (0\.\d\d) \((0\.\d\d)–(0\.\d\d)\)/.exec((await headline(page))!)!.slice(1);
      const numbers = /About (\d+) of 100 .* is (\d+) to (\d+)\./.exec((await page.textContent('#words'))!)!.slice(1);
      expect(numbers.map(Number), code).toEqual(shares.map((share) => Math.round(100 * Number(share))));
    }
    await page.close();
  });

  inBrowser(
    'the first view works before the rest of the file has arrived, and other views say that they wait',
    async () => {
      const whole = readFileSync(path.join(snapshotOf(), 'report/index.html'), 'utf8');
      const folder = mkdtempSync(path.join(tmpdir(), 'arriving-'));
      const file = path.join(folder, 'index.html');
      writeFileSync(file, whole.slice(0, whole.indexOf('<script type="application/json" id="data-')));
      const { page, pageErrors } = await openFile(file);
      expect(await page.getAttribute('html', 'data-ready')).toBe('first');
      const { page: later } = await open('');
      expect(await headline(page)).toBe(await headline(later));
      const { state_code, state } = json<schemas.ContextStates>('v1/context/states.json').states[0]!;
      await page.fill('#search', state_code);
      await page.press('#search', 'Enter');
      expect(await headline(page)).toContain(`${state}, `);
      expect(await page.locator('#earlier').isDisabled(), 'only one month is there').toBe(true);
      expect(await page.isVisible('#waiting')).toBe(false);
      await page.locator('nav a[href="#changed"], nav a[href="#warnings"], nav a[href="#when"]').first().click();
      expect(await page.isVisible('#waiting')).toBe(true);
      expect(pageErrors).toEqual([]);
      rmSync(folder, { recursive: true });
      await page.close();
    },
  );

  inBrowser('a link to a part of the page opens the tab that contains it', async () => {
    const { page } = await open('#limits');
    expect(await page.isVisible('#limits')).toBe(true);
    expect(await page.isVisible('#stage')).toBe(false);
    await page.close();
  });

  inBrowser(
    'the search finds a place by its name, a part of it or its code, and says what an unknown one is like',
    async () => {
      const { states } = json<schemas.ContextStates>('v1/context/states.json');
      const { lgas } = json<schemas.ContextLgas>(`v1/context/lgas/${states[0]!.state_code}.json`);
      const { page } = await open('');
      const find = async (text: string) => {
        await page.fill('#search', text);
        await page.press('#search', 'Enter');
      };
      await find(lgas[1]!.lga_code.toLowerCase());
      expect(await page.textContent('#place h3')).toBe(lgas[1]!.lga);
      expect(page.url(), 'a code names one place, however similar it is to others').toContain(`c=${lgas[1]!.lga_code}`);
      await find(states[1]!.state);
      expect(await page.textContent('#place h3')).toBe(states[1]!.state);
      const message = () =>
        page
          .locator('#search')
          .evaluate((input) => (input as unknown as { validationMessage: string }).validationMessage);
      await find('Atlantis');
      expect(await message()).toContain('Atlantis');
      const [longest] = lgas.toSorted((a, b) => b.lga.length - a.lga.length);
      const { lga, lga_code } = longest!;
      await find(`${lga.slice(0, 3)}${lga.slice(4)}`);
      expect(await message(), 'a slip').toMatch(new RegExp(`Did you mean [^?]*\\(${lga_code}\\)`));
      await find(lga.slice(1));
      expect((await page.textContent('#place h3')) === lga || (await message()).includes(lga_code), 'a part').toBe(
        true,
      );
      await page.close();
    },
  );

  inBrowser('downloads: a table at full precision, outlines, the map as a drawing and as a picture', async () => {
    const { states } = json<schemas.RiskStates>(`v1/risk/states/${last()}.json`);
    const code = states[0]!.state_code;
    const { page, pageErrors } = await open(`#where?c=${code}`);
    const { lgas } = json<schemas.RiskLgas>(`v1/risk/lgas/${last()}/${code}.json`);
    const csv = String(await download(page, 'csv'))
      .replace('\ufeff', '')
      .trimEnd()
      .split('\r\n');
    const heads = csv[0]!.split(',');
    expect(csv.slice(1).map((line) => Number(line.split(',')[heads.indexOf('score')]))).toEqual(
      lgas.map(({ score }) => score),
    );
    const { features, citation } = JSON.parse(String(await download(page, 'geojson')));
    expect(citation).toContain(json<schemas.Periods>('v1/periods.json').model_version);
    const { features: outlines } = json<schemas.BoundariesLgas>(`v1/boundaries/lgas/${code}.json`);
    expect(features).toHaveLength(outlines.length);
    for (const { geometry, properties } of outlines) {
      const own = features.find((feature: { properties: Row }) => feature.properties.lga_code === properties.lgaCode);
      expect(area(own) / area(geometry), properties.lga).toBeCloseTo(1, 1);
      expect(own.properties.score).toBe(lgas.find(({ lga_code }) => lga_code === properties.lgaCode)!.score);
    }
    const svg = String(await download(page, 'svg'));
    expect(svg).toMatch(/^<svg [\s\S]*<\/svg>$/);
    expect(svg).toContain(json<schemas.Periods>('v1/periods.json').model_version);
    const png = await download(page, 'png');
    expect(png.subarray(1, 4).toString()).toBe('PNG');
    expect(png.length).toBeGreaterThan(10_000);
    expect(pageErrors).toEqual([]);
    await page.close();
  });

  inBrowser('the brief of a place is one page, with its map hatched as on the screen', async () => {
    const { states } = json<schemas.RiskStates>(`v1/risk/states/${last()}.json`);
    const { page, pageErrors } = await open(`#where?c=${states[0]!.state_code}`);
    await page.evaluate('window.print = () => {}');
    await page.locator('#brief-button').click();
    const rows = await page.locator('.brief tbody tr').count();
    const { lgas } = json<schemas.RiskLgas>(`v1/risk/lgas/${last()}/${states[0]!.state_code}.json`);
    expect(rows).toBe(Math.min(12, lgas.length));
    for (const { lga, score } of lgas.slice(12))
      expect(await page.textContent('.brief'), 'none is dropped').toContain(`${lga} ${score.toFixed(2)}`);
    const cells = await page.locator('.brief tbody tr').first().locator('th, td').count();
    expect(await page.locator('.brief thead th').count(), 'a heading for each column').toBe(cells);
    const fills = await page
      .locator('.brief .lgas path')
      .evaluateAll((paths) => paths.map((one) => one.getAttribute('fill')!));
    for (const fill of fills) {
      const pattern = /^url\((#.*)\)$/.exec(fill)?.[1];
      if (pattern) expect(await page.locator(`.brief ${pattern}`).count(), pattern).toBe(1);
    }
    const pdf = (await page.pdf({ format: 'A4' })).toString('latin1');
    expect(pdf.match(/\/Type ?\/Page\b/g)).toHaveLength(1);
    expect(await page.locator('.brief').count(), 'gone after printing').toBe(0);
    expect(pageErrors).toEqual([]);
    await page.close();
  });
}
