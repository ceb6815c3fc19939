import { type Words, wordsOf } from '../../contract/words.ts';
import type { SnapshotDiff, Tally } from '../snapshot/diff.ts';
import { describeColumns } from '../snapshot/table-diff.ts';
import { pageStyle } from './bundle.ts';
import { changeFill, changeMaps, type DiffOutlines, heat } from './diff-maps.ts';
import { type Column, html, type Markup, raw, table } from './shared/markup.ts';
import { inSentence } from './shared/names.ts';

const TALLY: Column[] = [
  { head: 'Compared', number: true },
  { head: 'Moved', number: true },
  { head: 'Level changed', number: true },
  { head: 'Ranges apart', number: true },
  { head: 'Mean change', number: true },
  { head: 'Largest change', number: true },
];

/**
 * A page that compares a new version with an old one: maps of changes, changed levels, and a score of the old
 * forecasts.
 */
export function renderDiffPage(diff: SnapshotDiff, outlines: DiffOutlines): string {
  return staticPage({
    title: `${diff.a} to ${diff.b}`,
    synthetic: diff.synthetic,
    heading: html`<h1>Changes in the new version</h1>`,
    main: html`${
      diff.over.length > 0 &&
      html`<section><h2>Thresholds exceeded</h2><ul>${diff.over.map((what) => html`<li class="missing">${what}</li>`)}</ul></section>`
    }${diffSections(diff, outlines)}`,
  });
}

/** A page in the report's style, without scripts, that fetches nothing. */
export function staticPage(page: { title: string; synthetic: boolean; heading: Markup; main: Markup }): string {
  const { title, synthetic, heading, main } = page;
  return html`<!doctype html>
<html lang="en"><head><meta charset="utf-8"><meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'; base-uri 'none'; form-action 'none'">
<meta name="viewport" content="width=device-width, initial-scale=1"><meta name="color-scheme" content="light dark">
<title>${synthetic && '[made up] '}${title}</title><style>${raw(pageStyle())}</style></head><body>
${synthetic && html`<p class="made-up"><strong>Made-up country.</strong> Nothing on this page describes a real place.</p>`}
<header><div class="wrap">${heading}</div></header>
<main class="wrap">
${main}
</main></body></html>
`.markup;
}

/** Maps, counts, levels, largest changes, a score of the old forecasts, answers and tables, in the country's words. */
export function diffSections(diff: SnapshotDiff, outlines: DiffOutlines): Markup {
  const { all, states, past_forecasts: past } = diff;
  const stateNames = new Map(outlines.states.map(({ properties }) => [properties.code, properties.name]));
  const lgaNames = new Map(outlines.lgas.map(({ properties }) => [properties.lgaCode, properties.lga]));
  const nameOf = ({ lga_code, state_code }: { lga_code: string; state_code: string }) =>
    `${lgaNames.get(lga_code) ?? lga_code}, ${stateNames.get(state_code) ?? state_code}`;
  const change = changeFill(diff);
  const words = wordsOf(outlines.territory);
  const { state, lga, a, Lga } = words;
  return html`<section><h2>Changes by place and month</h2><p class="lead"><code>${diff.a}</code> to <code>${diff.b}</code>: ${all.compared} scores of ${lga.many} and months compared. Changes are new minus old. Point to ${a.lga} to see its figures.</p>
<div class="triple">${changeMaps(diff, outlines, nameOf, change)}</div>
<div class="card scroll" tabindex="0" role="group" aria-label="Mean change by area and month"><h3>Mean change by ${state.one} and month</h3>${heat(diff, change)}</div></section>
<section><h2>Size of the changes</h2>
${table(`A score has moved if it changed by more than ${diff.thresholds?.score_change ?? 0}; ranges are apart if the old and the new one do not overlap`, [{ head: 'Area' }, ...TALLY], [[`all ${lga.many}`, ...tallyCells(all)], [`${state.many}’ own scores`, ...tallyCells(diff.state_scores)], ...states.map((row) => [stateNames.get(row.state_code) ?? row.state_code, ...tallyCells(row)])])}
${
  diff.levels_flipped.length > 0 &&
  table(
    'Levels',
    [{ head: 'Was' }, { head: 'Is' }, { head: `${Lga.one}-months`, number: true }],
    diff.levels_flipped.map(({ from, to, count }) => [from.replace('_', ' '), to.replace('_', ' '), count]),
  )
}
${
  diff.largest.length > 0 &&
  table(
    `Largest changes: for each ${lga.one}, the month with the largest change`,
    [
      { head: Lga.one },
      { head: 'Code' },
      { head: 'Month' },
      { head: 'Was', number: true },
      { head: 'Is', number: true },
    ],
    diff.largest.map((row) => [nameOf(row), row.lga_code, row.period, withRange(row.a), withRange(row.b)]),
  )
}
${onlyIn('old', diff.only_in_a, words)}${onlyIn('new', diff.only_in_b, words)}</section>
<section><h2>Skill of the old forecasts</h2>
${
  past
    ? html`${table(
        `Forecasts of ${past.periods.join(', ')} against the new estimates; errors in the score’s unit`,
        [
          { head: 'Months ahead' },
          { head: 'Forecasts', number: true },
          { head: 'Error', number: true },
          { head: 'Error of last month’s score', number: true },
          { head: 'Error of same month last year', number: true },
          { head: 'Bias', number: true },
          { head: 'Inside the range', number: true },
        ],
        [...past.by_horizon.map((row) => [row.horizon_months, row] as const), ['all', past.all] as const].map(
          ([ahead, row]) => [
            ahead,
            row.forecasts,
            row.mean_absolute_error.forecast.toFixed(4),
            row.mean_absolute_error.persistence.toFixed(4),
            row.mean_absolute_error.same_month_last_year?.toFixed(4),
            row.bias.toFixed(4),
            row.coverage.toFixed(3),
          ],
        ),
      )}<p class="note">The new estimates come from a model too, based on mostly the same surveys: this shows whether the forecasts agree with them, not whether they were right.</p>`
    : diff.unscored_periods.length === 0 &&
      html`<p class="missing">The new version estimates no month that the old one forecast, so its forecasts cannot be scored yet.</p>`
}${
  diff.unscored_periods.length > 0 &&
  html`<p class="missing">Not scored: ${inSentence(diff.unscored_periods)}. The new version estimates these months, which the old one forecast, but has no new survey of them, so there is nothing to score the forecasts against. Case records are not used for this.</p>`
}</section>
<section><h2>Answers</h2>${table(
    'Files by operation',
    [
      { head: 'Operation' },
      { head: 'Same bytes', number: true },
      { head: 'Changed', number: true },
      { head: 'Only old', number: true },
      { head: 'Only new', number: true },
    ],
    diff.answers.map((row) => [row.operation, row.same, row.changed, row.only_in_a, row.only_in_b]),
  )}</section>
<section><h2>Tables</h2>${table(
    'Rows of the two versions are matched by area and month',
    [
      { head: 'Table' },
      { head: 'Rows', number: true },
      { head: 'Changed', number: true },
      { head: 'Only old', number: true },
      { head: 'Only new', number: true },
      { head: 'Changed columns, with number of rows and largest change' },
    ],
    diff.tables.map((row) => [
      row.table,
      row.rows.b,
      row.keyed?.changed,
      row.keyed?.only_in_a,
      row.keyed?.only_in_b,
      describeColumns(row),
    ]),
  )}</section>`;
}

/** Areas and months that are only in one of the two versions. */
function onlyIn(which: string, { lgas, periods }: SnapshotDiff['only_in_a'], { lga }: Words): Markup | null {
  if (lgas.length + periods.length === 0) return null;
  const months = periods.length > 1 ? `${periods[0]} to ${periods.at(-1)}` : periods[0];
  return html`<p>Only in the ${which} version: ${inSentence([...(lgas.length > 0 ? [`${lgas.length} ${lga.many} (${lgas.slice(0, 5).join(', ')}${lgas.length > 5 ? ' …' : ''})`] : []), ...(months ? [`months ${months}`] : [])])}.</p>`;
}

const tallyCells = (tally: Tally) => [
  tally.compared,
  tally.moved,
  tally.flipped,
  tally.disjoint,
  tally.mean_change.toFixed(4),
  tally.largest_change.toFixed(4),
];

const withRange = ({ score, score_low, score_high }: { score: number; score_low: number; score_high: number }) =>
  `${score.toFixed(4)} (${score_low.toFixed(4)}–${score_high.toFixed(4)})`;
