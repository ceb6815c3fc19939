/** The report, which opens from disk: everything of a snapshot for a reader without server, key or network. */
import { createHash } from 'node:crypto';
import { wordsOf } from '../../contract/words.ts';
import { Html, html, jsonScript } from '../../lib/pages/html.ts';
import { headed, headOnDisk, page } from '../../lib/pages/page.ts';
import type { Contents } from '../snapshot/contents.ts';
import type { Finding } from '../snapshot/provenance.ts';
import { pageParts } from './bundle.ts';
import { pageData } from './encode.ts';
import { methodsSection } from './sections/methods.ts';
import { evidenceStrip } from './sections/observed.ts';
import { mapStage } from './sections/risk.ts';
import { seasonChecked, seasonSection } from './sections/season.ts';
import { findingsSection, sourcesSection } from './sections/sources-section.ts';
import { surveySection } from './sections/surveys.ts';
import { transmissionSection } from './sections/transmission.ts';
import { validationSection } from './sections/validation.ts';
import { describeRiskLimits } from './sections/words.ts';
import type { Evidence } from './shared/evidence.ts';
import { periodName } from './shared/names.ts';

/** The report's questions, one per tab; the map answers the first five. */
const TABS = {
  where: 'Where',
  sure: 'How certain',
  changed: 'What changed',
  when: 'When',
  who: 'Who first',
  good: 'How reliable',
  sources: 'Sources',
};

/** The page as one file that contains its style, scripts and data and fetches nothing. */
export async function renderReport(
  contents: Contents,
  evidence: Evidence,
  findings: readonly Finding[],
): Promise<string> {
  const { model, coverage, tables } = contents;
  const title = `Malaria risk in ${model.name}`;
  const { state, lga } = wordsOf(model.territory);
  const data = pageData(contents, evidence);
  const hasWindows = data.windows.length > 0;
  const unanswered = new Set([
    ...(data.certainty === '' ? ['sure'] : []),
    ...(data.changes.months.length === 0 ? ['changed'] : []),
    ...(hasWindows ? [] : ['when']),
  ]);
  const body = html`${model.synthetic && html`<p class="made-up" role="alert"><strong>Made-up country.</strong> Nothing on this page describes a real place. It was invented to test the service; do not use it for any decision.</p>`}
${headed(
  html`<h1>${model.synthetic && 'Made up: '}${title}</h1>
<p>Estimates ${periodName(coverage.first_estimated)} to ${periodName(coverage.last_estimated)}, forecast to ${periodName(coverage.last_forecast)} · ${tables.context_states.length} ${state.many}, ${tables.context_lgas.length} ${lga.many} · version <code>${contents.model_version}</code></p>
${evidenceStrip(data.observed)}
<p id="age" hidden></p>
<nav aria-label="Questions">${Object.entries(TABS)
    .filter(([id]) => !unanswered.has(id))
    .map(([id, name]) => html`<a href="#${id}">${name}</a>`)}<a href="api.html">API</a></nav>`,
  html`${mapStage(contents)}
${hasWindows && html`<div data-tab="when">${seasonSection(contents)}</div>`}
<div data-tab="good">
${validationSection(contents, evidence)}
${seasonChecked(contents, evidence)}
${surveySection(contents, evidence)}
${transmissionSection(contents, evidence)}
</div>
<div data-tab="sources">
${!hasWindows && seasonSection(contents)}
<section id="limits" aria-labelledby="limits-head"><h2 id="limits-head">Limits</h2>
<ul class="limits">${describeRiskLimits(contents, evidence).map((limit) => html`<li>${limit}</li>`)}</ul></section>
${methodsSection(model.territory)}
${findingsSection(findings)}
${sourcesSection(contents)}
</div>`,
)}`;
  const { style, script, licences } = await pageParts();
  const hash = createHash('sha256').update(script).digest('base64');
  // Plot uses inline styles and draws a legend's ramp as a data URL; a script is allowed only by its hash.
  const permit = `script-src 'sha256-${hash}'; img-src data:; `;
  return page(
    `${model.synthetic ? '[made up] ' : ''}${title}`,
    headOnDisk({ style, permit }),
    html`<a class="skip" href="#stage">Skip to the map</a>
${body}
<footer class="wrap"><details><summary>Software in this page</summary>${licences.map(({ names, text }) => html`<h3>${names.join(', ')}</h3><pre>${text}</pre>`)}</details></footer>
${jsonScript('data', data)}
<script type="module">${Html.of(script)}</script>`,
  );
}
