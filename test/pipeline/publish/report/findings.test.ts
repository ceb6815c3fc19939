import { expect, test } from 'vitest';
import { describeFindings } from '../../../../pipeline/cli/terminal/findings-text.ts';

const finding = (stage: string, rule: string, what = 'a finding') => ({ stage, source: 'cases', rule, what });

test('findings are grouped, the most serious first, each group with what to do; those about fits are counted', () => {
  const lines = describeFindings(
    [
      finding('zonal', 'urban centres'),
      finding('ingest', 'mask'),
      finding('ingest', 'null'),
      { ...finding('risk', 'covariate'), needs_approval: true as const },
      finding('risk', 'risk model'),
      finding('season', 'leave one out'),
    ],
    Number.POSITIVE_INFINITY,
  );
  expect(lines.map((line) => line.split(' (')[0])).toEqual([
    'To be decided before publishing',
    '  cases',
    'Without data of their own',
    '  cases',
    'Records left out or kept as unknown',
    '  cases',
    'Notes:',
    '  cases',
    '2 findings about model fits: see "Sources" in the report, or findings.json',
  ]);
  expect(lines[1]).toBe('  cases (covariate): a finding');
});

test('lines wrap at words, and a word that is too long has its own line', () => {
  const lines = describeFindings([finding('zonal', 'x', `one two ${'y'.repeat(40)} three`)], 24);
  expect(lines).toEqual(['Notes:', '  cases (x): one two', `    ${'y'.repeat(40)}`, '    three']);
});

test('without findings there is no text', () => {
  expect(describeFindings([], 80)).toEqual([]);
});
