import { expect, test } from 'vitest';
import { sectionsText } from '../../../../pipeline/cli/terminal/blocks-text.ts';
import { renderChangesPage } from '../../../../pipeline/publish/report/changes-page.ts';
import { type DiffOutlines, diffSections } from '../../../../pipeline/publish/report/diff-sections.ts';
import type { SnapshotDiff } from '../../../../pipeline/publish/snapshot/diff.ts';
import { TERRITORY } from '../../../../pipeline/synthetic/states.ts';
import { levelsIn } from '../../../support/nigerian.ts';
import { OTHER } from '../../../support/other-country.ts';

const tally = {
  compared: 24,
  moved: 3,
  flipped: 2,
  disjoint: 1,
  mean_change: 0.0123,
  mean_absolute_change: 0.02,
  largest_change: -0.2,
};
const score = (value: number) => ({
  score: value,
  score_low: value - 0.1,
  score_high: value + 0.1,
  level: 'low' as const,
});
const diff: SnapshotDiff = {
  a: 'tiny-1-00000000',
  b: 'tiny-2-00000000',
  synthetic: false,
  thresholds: { score_change: 0.02, max_moved_share: 1, max_flipped_share: 1, max_disjoint_share: 1 },
  all: tally,
  states: [{ state_code: 'AB', ...tally }],
  lgas: [{ state_code: 'AB', lga_code: 'NG001001', ...tally, mean_change: 0.02 }],
  periods: [{ period: '2023-01', ...tally }],
  states_by_period: [{ state_code: 'AB', period: '2023-01', ...tally }],
  state_scores: tally,
  levels_flipped: [{ from: 'low', to: 'moderate', count: 2 }],
  largest: [{ state_code: 'AB', lga_code: 'NG001001', period: '2023-01', a: score(0.4), b: score(0.2), change: -0.2 }],
  latest: { period: '2023-04', nation: { a: 0.2, b: 0.21 }, lgas: 2, levels_changed: 1 },
  only_in_a: { lgas: [], periods: [] },
  only_in_b: { lgas: [], periods: ['2023-05', '2023-06', '2023-07'] },
  answers: [{ operation: 'risk-lgas', same: 1, changed: 2, only_in_a: 0, only_in_b: 0 }],
  tables: [
    {
      table: 'risk_lgas',
      rows: { a: 24, b: 24 },
      columns_only_in_a: ['urban'],
      columns_only_in_b: [],
      keyed: { only_in_a: 0, only_in_b: 0, changed: 3 },
      columns: [{ column: 'score', changed: 3, largest: 0.2 }],
    },
  ],
  past_forecasts: null,
  over: ['12.5% of scores <moved>'],
};
const ring = [
  [3, 4],
  [4, 4],
  [4, 5],
  [3, 4],
] as [number, number][];
const geometry = { type: 'Polygon' as const, coordinates: [ring] };
const outlines: DiffOutlines = {
  territory: TERRITORY,
  states: [{ type: 'Feature', geometry, properties: { code: 'AB', name: 'Abia', zone: 'SE' } }],
  lgas: ['NG001001', 'NG001002'].map((lgaCode) => ({
    type: 'Feature',
    geometry,
    properties: { lgaCode, lga: `<${lgaCode}>`, state: 'AB' },
  })),
};

const renderDiffPage = (of: SnapshotDiff, where: DiffOutlines) =>
  renderChangesPage({
    title: 'Changes',
    lead: '',
    synthetic: of.synthetic,
    sections: [],
    details: diffSections(of, where),
    diff: of,
    outlines: where,
  });

test("a page for another country uses that country's words", () => {
  const page = renderDiffPage(diff, { ...outlines, territory: OTHER });
  expect(page).toContain('scores of communes and months compared');
  expect(levelsIn(page)).toEqual([]);
});

test('a comparison page has maps by LGA, cells, levels, largest changes and exceeded thresholds', () => {
  const page = renderDiffPage(diff, outlines);
  for (const part of [
    '12.5% of scores &lt;moved&gt;',
    '<title>AB 2023-01: 0.0123</title>',
    '&lt;NG001001&gt;, Abia: mean change 0.0200, largest -0.2000; of 24 months, 2 with a different level, 1 with ranges that do not overlap',
    'NG001002: not compared',
    'Months with a different level',
    'Months with ranges that do not overlap',
    '0.4000 (0.3000–0.5000)',
    'Only in the new version: months 2023-05 to 2023-07.',
    'No month that the old version forecast has records',
    'score 3 (0.2); removed: urban',
    'the nation’s score is 0.2100, was 0.2000; 1 of 2 LGAs change their level',
  ])
    expect(page).toContain(part);
  // The highest rise is D3's darkest orange.
  expect(page).toContain('fill="rgb(127, 59, 8)"');
  expect(page).not.toContain('<script');
  expect(page).not.toContain('undefined');
  expect(page).not.toContain('NaN');
  expect(page).not.toContain('Made-up');
});

test('without changed levels there is no map of them; a made-up country is marked as such', () => {
  const none = { ...diff, synthetic: true, all: { ...tally, flipped: 0, disjoint: 0 } };
  const page = renderDiffPage(none, outlines);
  expect(page).not.toContain('Months with a different level');
  expect(page).toContain('Made-up country.');
});

test('the terminal shows the same sections, without what did not change', () => {
  const same = { operation: 'risk-states', same: 3, changed: 0, only_in_a: 0, only_in_b: 0 };
  const text = sectionsText(diffSections({ ...diff, answers: [...diff.answers, same] }, outlines)).join('\n');
  for (const part of [
    'Thresholds exceeded\n  12.5% of scores <moved>\n',
    'Changed answers (1 others are the same):\nOperation  Same bytes',
    '<NG001001>, Abia  NG001001  2023-01  0.4000 (0.3000–0.5000)',
    'score 3 (0.2); removed: urban',
    'the nation’s score is 0.2100, was 0.2000; 1 of 2 LGAs change their level',
    'No month that the old version forecast has records',
  ])
    expect(text).toContain(part);
  expect(text).not.toContain('risk-states');
  expect(text).not.toContain('undefined');
});
