import { expect, test } from 'vitest';
import { blocksText } from '../../../../pipeline/cli/terminal/blocks-text.ts';
import { renderBlocks } from '../../../../pipeline/lib/pages/blocks.ts';
import { findingBlocks } from '../../../../pipeline/publish/snapshot/findings.ts';

const finding = (stage: string, rule: string, what = 'a finding') => ({ stage, source: 'cases', rule, what });

const FINDINGS = [
  finding('zonal', 'urban centres'),
  finding('ingest', 'mask'),
  finding('ingest', 'null', 'a <name>'),
  { ...finding('risk', 'covariate'), needs_approval: true as const },
  finding('risk', 'risk model', 'a long message'),
  finding('season', 'leave one out'),
];

test('in the terminal findings are grouped, the most serious first, with what to do; those about fits are counted', () => {
  const lines = blocksText(findingBlocks(FINDINGS));
  expect(lines.map((line) => line.split(' (')[0])).toEqual([
    'To be decided before publishing',
    '  cases',
    'Without data of their own',
    '  cases',
    'Records left out or kept as unknown',
    '  cases',
    'Notes:',
    '  cases',
    '2 findings about model fits',
  ]);
  expect(lines[1]).toBe('  cases (covariate): a finding');
});

test('a page has the same groups, and those about fits in full', () => {
  const page = renderBlocks(findingBlocks(FINDINGS)).toString();
  expect([...page.matchAll(/<h3>(.*?)<\/h3>/g)].map(([, heading]) => heading)).toEqual([
    'To be decided before publishing',
    'Without data of their own',
    'Records left out or kept as unknown',
    'Notes',
  ]);
  expect(page).toContain('<li>cases (null): a &lt;name&gt;</li>');
  expect(page).toContain('<code>malaria-risk review</code>');
  expect(page).toMatch(/<details><summary>2 findings about model fits<\/summary>.*a long message/s);
});

test('lines wrap at words, and a word that is too long has its own line', () => {
  const lines = blocksText(findingBlocks([finding('zonal', 'x', `one two ${'y'.repeat(40)} three`)]), 24);
  expect(lines).toEqual(['Notes:', '  cases (x): one two', `    ${'y'.repeat(40)}`, '    three']);
});

test('without findings there is no text', () => {
  expect(blocksText(findingBlocks([]), 80)).toEqual([]);
});
