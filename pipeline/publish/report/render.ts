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
import { VIEWS } from './shared/page-data.ts';

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
    ...(data.certainty === '' ? ['sure'] : []),
    ...(data.changes.months.length === 0 ? ['changed'] : []),
    ...(data.windows.length > 0 ? [] : ['when']),
  ]);
  const coverageText = html`Estimates ${periodName(coverage.first_estimated)} to ${periodName(coverage.last_estimated)}, forecast to ${periodName(coverage.last_forecast)} · ${size}`;
  const doubt = describeSurveyEvidence(evidence.surveys, model.parameters, countryWords(model.territory));
  return renderScriptedPage(contents, {
    title: `Malaria risk in ${model.name}`,
    headerContent: html`${doubt && html`<p class="notice">${doubt}</p>`}<p class="about">${coverageText}</p>
${renderObserved(data.observed)}
<p id="age" hidden></p>
<nav aria-label="Questions">${Object.entries(VIEWS)
      .filter(([id]) => !unanswered.has(id))
      .map(
        ([id, name]) => html`<a href="#${id}">${name}</a>`,
      )}<a href="annex.html">Annex</a><a href="api.html">API</a></nav>`,
    main: html`${renderMapView(contents)}
<div data-tab="good">${renderVerdicts(contents, evidence)}</div>
<div data-tab="sources">${renderDataTab(contents, evidence, findings)}</div>`,
    skip: html`<a class="skip" href="#stage">Skip to the map</a>`,
    data,
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
  script: string;
}

/** A page that opens from disk and runs one script over its data. */
function renderScriptedPage(
  { model }: Contents,
  { title, headerContent, main, skip, data, script }: PageParts,
): string {
  const hash = createHash('sha256').update(script).digest('base64');
  // Plot uses inline styles and draws a legend's ramp as a data URL; a script is allowed only by its hash.
  const allowedSources = `script-src 'sha256-${hash}'; img-src data:; `;
  return renderPage(
    `${model.synthetic ? '[made up] ' : ''}${title}`,
    offlinePageHead({ style: pageStyle(), cspDirectives: allowedSources }),
    html`${skip}
${model.synthetic && html`<p class="made-up" role="alert"><strong>Made-up country.</strong> Nothing on this page describes a real place. It was invented to test the service; do not use it for any decision.</p>`}
${pageBody(html`<h1>${model.synthetic && 'Made up: '}${title}</h1>\n${headerContent}`, main)}
${jsonScript('data', data)}
<script type="module">${Html.fromTrustedMarkup(script)}</script>`,
  );
}
