import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, test } from 'vitest';
import { parseFamilies } from '../../../../../pipeline/cli/commands/evaluate/truth.ts';
import { parseSeeds } from '../../../../../pipeline/cli/terminal/options.ts';
import { addMonths } from '../../../../../pipeline/contract/months.ts';
import { withTinyCache } from '../../../../support/built-tiny.ts';
import { temporary } from '../../../../support/command-line.ts';
import { runHere } from '../../../../support/run-here.ts';
import { LGAS, writeTiny } from '../../../../support/tiny-country.ts';

test('seeds are lists and ranges without repetition; anything else is refused', () => {
  expect(parseSeeds('1-3,7,2')).toEqual([1, 2, 3, 7]);
  for (const text of ['', '3-1', 'a', '1,', '-1', '1-5000']) expect(() => parseSeeds(text)).toThrow('expected seeds');
});

test('families are a list, returned in their standard order', () => {
  expect(parseFamilies('mixed,matern')).toEqual(['matern', 'mixed']);
  for (const text of ['', 'Matern', 'matern,', 'none']) expect(() => parseFamilies(text)).toThrow('expected some of');
});

describe('a country given with --country', () => {
  const build = withTinyCache(['ingest', 'zonal', 'season', 'risk']);
  const score = (country: string, ...args: string[]) =>
    runHere(['evaluate', 'truth', '--country', country, '--build', build, ...args]);
  const months = Array.from({ length: 18 }, (_, i) => addMonths('2020-11', i));
  const rows = LGAS.flatMap((code) => months.map((period) => `${code},${period},0.25`));
  const give = (lines: string[], header = 'lga_pcode,period,prevalence') => {
    const { directory } = writeTiny();
    mkdirSync(path.join(directory, 'truth'));
    writeFileSync(path.join(directory, 'truth', 'prevalence.csv'), `${[header, ...lines].join('\n')}\n`);
    return directory;
  };

  test('is compared with its truth folder, with the same figures as table, CSV and JSON', async () => {
    const file = path.join(temporary(), 'scores.csv');
    const country = give(rows);
    const asJson = await score(country, '--json', '--out', file);
    expect(asJson.code).toBe(0);
    const { countries } = JSON.parse(asJson.stdout);
    // Fourteen estimated and four forecast months of four LGAs.
    const all = countries.filter(({ by }: { by: string }) => by === 'all');
    expect(all.map(({ lga_months }: { lga_months: number }) => lga_months)).toEqual([56, 16]);
    // The baseline is what this country publishes.
    expect(all[0].rmse).toBe(all[0].baseline_rmse);
    expect(all[0]).toMatchObject({ truth: path.basename(country), coverage_50: null, crps: null });
    const [header, ...lines] = readFileSync(file, 'utf8').trim().split('\n');
    expect(header).toBe(
      'truth,seed,by,group,lga_months,coverage_50,coverage_90,coverage_95,bias,rmse,baseline_rmse,crps,interval_score',
    );
    expect(lines).toHaveLength(countries.length);
    const plain = await score(country, '--by', 'year');
    expect(plain.code).toBe(0);
    expect(plain.stdout).toContain('2021');
    expect(plain.stdout).toContain(all[0].bias.toFixed(4));
  });

  test('is refused with the file and row of an invalid truth, or the LGA-month that is missing', async () => {
    const missing = await score(writeTiny().directory);
    expect(missing.code).toBe(2);
    expect(missing.stderr).toContain('prevalence.csv: found no such file');
    const percent = await score(give([rows[0]!.replace('0.25', '25'), ...rows.slice(1)]));
    expect(percent.code).toBe(2);
    expect(percent.stderr).toContain('prevalence.csv, row 2, prevalence: found 25, expected 0 to 1');
    const columns = await score(give(rows, 'lga,period,prevalence'));
    expect(columns.code).toBe(2);
    expect(columns.stderr).toContain('expected a column "lga_pcode"');
    const short = await score(give(rows.slice(1)));
    expect(short.code).toBe(2);
    expect(short.stderr).toContain(`found no row for ${LGAS[0]} in 2020-11`);
  });

  test('may have its raw files elsewhere', async () => {
    const elsewhere = temporary();
    const { code, stderr } = await score(give(rows), '--raw-data', elsewhere);
    expect(code).toBe(2);
    expect(stderr).toContain(elsewhere);
  });

  test('cannot be combined with options for made-up countries', async () => {
    for (const other of [['--seeds', '1'], ['--truth', 'trend'], ['--record'], ['--confirm']]) {
      const { code, stderr } = await score(give(rows), ...other);
      expect(code).toBe(2);
      expect(stderr).toMatch(`option '--country <dir>' cannot be used with option '${other[0]}`);
    }
  });
});

test('other raw files are for a country of its own', async () => {
  for (const options of [['--raw-data', temporary()], ['--unpinned']]) {
    const { code, stderr } = await runHere(['evaluate', 'truth', '--seeds', '1', ...options]);
    expect(code).toBe(2);
    expect(stderr).toContain('without --country');
  }
});

test('--record always covers all standard families', async () => {
  const { code, stderr } = await runHere(['evaluate', 'truth', '--truth', 'trend', '--seeds', '1', '--record']);
  expect(code).toBe(2);
  expect(stderr).toContain("option '--record' cannot be used with option '--truth");
});
