/** The report, which opens from disk: everything of a snapshot for a reader without server, key or network. */
import { createHash } from 'node:crypto';
import { hasScores } from '../../contract/products.ts';
import { countryWords } from '../../contract/words.ts';
import { Html, html, jsonScript } from '../../lib/pages/html.ts';
import { offlinePageHead, pageBody, renderPage } from '../../lib/pages/page.ts';
import { describeSurveyEvidence } from '../../model/risk/survey-evidence.ts';
import type { Contents } from '../snapshot/contents.ts';
import type { Finding } from '../snapshot/provenance.ts';
import { bundlePage, pageStyle } from './bundle.ts';
import { renderCasesView } from './cases-report.ts';
import { pageData } from './encode.ts';
import { annexData } from './encode-annex.ts';
import { renderDataTab } from './sections/data.ts';
import { renderMethods } from './sections/methods.ts';
import { renderObserved } from './sections/observations.ts';
import { renderMapView } from './sections/risk.ts';
import { renderSeason, renderSeasonCheck } from './sections/season.ts';
import { renderModelMessages } from './sections/sources-section.ts';
import { renderSurveys } from './sections/surveys.ts';
import { renderTransmission } from './sections/transmission.ts';
import { renderValidation } from './sections/validation.ts';
import { renderVerdicts } from './sections/verdicts.ts';
import type { Evidence } from './shared/evidence.ts';
import { periodName } from './shared/names.ts';
import { PARTS, type PageData, VIEWS } from './shared/page-data.ts';

/** The report as one file that contains its style, script and data and fetches nothing. */
export async function renderReport(
  contents: Contents,
  evidence: Evidence,
  findings: readonly Finding[],
): Promise<string> {
  const { model, coverage, tables } = contents;
  const { state, lga } = countryWords(model.territory);
  const size = `${tables.context_states.length} ${state.many}, ${tables.context_lgas.length} ${lga.many}`;
  if (!hasScores(coverage))
    return renderScriptedPage(contents, {
      title: `Malaria in ${model.name}`,
      headerContent: html`<p class="about">${periodName(coverage.first_estimated)} to ${periodName(coverage.last_estimated)} · ${size}</p>
<nav aria-label="Parts"><a href="annex.html">Annex</a><a href="api.html">API</a></nav>`,
      main: html`${renderCasesView(contents, evidence)}
${renderVerdicts(contents, evidence)}
${renderDataTab(contents, evidence, findings)}`,
      data: {},
      script: '',
    });
  const data = pageData(contents, evidence);
  const unanswered = new Set([
    ...(Object.keys(data.alerts).length > 0 ? [] : ['warnings']),
    ...(data.totals.states.length > 0 ? [] : ['total']),
    ...(data.now.chances === null ? ['sure'] : []),
    ...(data.changes.grid.months.length === 0 ? ['changed'] : []),
    ...(data.windows.length > 0 ? [] : ['when']),
  ]);
  const coverageText = html`Estimates ${periodName(coverage.first_estimated)} to ${periodName(coverage.last_estimated)}, forecast to ${periodName(coverage.last_forecast)} · ${size}`;
  const doubt = describeSurveyEvidence(evidence.surveys, model.parameters, countryWords(model.territory));
  return renderScriptedPage(contents, {
    title: `Malaria risk in ${model.name}`,
    headerContent: html`${doubt && html`<p class="notice">${doubt}</p>`}<p class="about">${coverageText}</p>
${renderObserved(data.observed)}
<p id="age"></p>
<nav aria-label="Questions">${Object.entries(VIEWS)
      .filter(([id]) => !unanswered.has(id))
      .map(
        ([id, name]) => html`<a href="#${id}">${name}</a>`,
      )}<a href="annex.html">Annex</a><a href="api.html">API</a></nav>`,
    main: html`${renderMapView(contents)}
<p id="waiting" role="status" hidden>This part of the page is still arriving …</p>
<div data-tab="good">${renderVerdicts(contents, evidence)}</div>
<div data-tab="sources">${renderDataTab(contents, evidence, findings)}</div>`,
    skip: html`<a class="skip" href="#stage">Skip to the map</a>`,
    data: withoutParts(data),
    parts: Object.entries(PARTS).map(([part, names]) => [
      part,
      Object.fromEntries(names.map((name) => [name, data[name]])),
    ]),
    script: await bundlePage('report'),
  });
}

/** The technical annex: tests, fits, methods and messages of the models, for reviewers. */
export async function renderAnnex(
  contents: Contents,
  evidence: Evidence,
  findings: readonly Finding[],
): Promise<string> {
  const { coverage, model, model_version } = contents;
  const sections: [id: string, name: string][] = [
    ['validation', hasScores(coverage) ? 'Scores' : 'Forecasts'],
    ['season', 'Season'],
    ...(hasScores(coverage) ? [['surveys', 'Surveys'] as [string, string]] : []),
    ['transmission', 'Transmission'],
    ['methods', 'Methods'],
    ['messages', 'Messages'],
  ];
  return renderScriptedPage(contents, {
    title: `Technical annex: malaria ${hasScores(coverage) ? 'risk ' : ''}in ${model.name}`,
    headerContent: html`<p class="about">How the ${hasScores(coverage) ? 'scores' : 'figures'} of version <code>${model_version}</code> were computed, and how they were tested</p>
<nav aria-label="Parts">${sections.map(([id, name]) => html`<a href="#${id}">${name}</a>`)}<a href="index.html">Report</a><a href="api.html">API</a></nav>`,
    main: html`${renderValidation(contents, evidence)}
${renderSeason(contents)}
${renderSeasonCheck(contents, evidence)}
${hasScores(coverage) && renderSurveys(contents, evidence)}
${renderTransmission(contents, evidence)}
${renderMethods(model.territory)}
${renderModelMessages(findings)}`,
    data: annexData(contents, evidence),
    script: await bundlePage('annex'),
  });
}

interface PageParts {
  title: string;
  /** The rest of the header. */
  headerContent: Html;
  main: Html;
  skip?: Html;
  data: unknown;
  /** Data that may arrive after the script has started. */
  parts?: [name: string, data: unknown][];
  script: string;
}

/** Tells the page's script that a part of its data has arrived. */
const PART_SCRIPT = 'dispatchEvent(new Event("part"))';

/** The data of the first view. */
const withoutParts = (data: PageData) => {
  const late = new Set<string>(Object.values(PARTS).flat());
  return Object.fromEntries(Object.entries(data).filter(([name]) => !late.has(name)));
};

/** A page that opens from disk and runs one script over its data. */
function renderScriptedPage(
  { model }: Contents,
  { title, headerContent, main, skip, data, parts = [], script }: PageParts,
): string {
  const hashes = [script, PART_SCRIPT].map((code) => `'sha256-${createHash('sha256').update(code).digest('base64')}'`);
  // Plot uses inline styles and draws a legend's ramp as a data URL; a script is allowed only by its hash.
  const allowedSources = `script-src ${hashes.join(' ')}; img-src data:; `;
  return renderPage(
    `${model.synthetic ? '[made up] ' : ''}${title}`,
    offlinePageHead({ style: pageStyle(), cspDirectives: allowedSources }),
    html`${skip}
${model.synthetic && html`<p class="made-up" role="alert"><strong>Made-up country.</strong> Nothing on this page describes a real place. It was invented to test the service; do not use it for any decision.</p>`}
${pageBody(html`<h1>${model.synthetic && 'Made up: '}${title}</h1>\n${headerContent}`, main)}
${jsonScript('data', data)}
<script>${Html.fromTrustedMarkup(script)}</script>
${parts.map(([name, part]) => html`${jsonScript(`data-${name}`, part)}<script>${Html.fromTrustedMarkup(PART_SCRIPT)}</script>\n`)}`,
  );
}
