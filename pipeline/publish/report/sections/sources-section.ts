import type { Contents } from '../../snapshot/contents.ts';
import type { Finding } from '../../snapshot/provenance.ts';
import { html, type Markup, table } from '../shared/markup.ts';

/** Stages that fit and check models, whose findings are not gaps in the data. */
const MODELS = new Set(['season', 'link', 'risk', 'validation', 'forecast', 'transmission']);

/** The build's findings in its data, with the rule applied to each, and those of the models. */
export function findingsSection(findings: readonly Finding[]): Markup {
  const ofModels = findings.filter(({ stage }) => MODELS.has(stage));
  const gaps = findings.filter(({ stage }) => !MODELS.has(stage));
  return html`<section id="findings" aria-labelledby="findings-head">
<h2 id="findings-head">Gaps in the data</h2>
<p class="lead">What the build found in its data, and the rule that it applied in each case.</p>
${gaps.length > 0 ? findingsTable(`${gaps.length} findings in the data`, gaps) : html`<p>There are no gaps.</p>`}
${ofModels.length > 0 && html`<details><summary>Messages of the models from their fits</summary>${findingsTable(`${ofModels.length} messages`, ofModels)}</details>`}
</section>`;
}

const findingsTable = (caption: string, findings: readonly Finding[]) =>
  table(
    caption,
    [{ head: 'Stage' }, { head: 'Source' }, { head: 'Rule' }, { head: 'Finding' }],
    findings.map((finding) => [finding.stage, finding.source, finding.rule, finding.what]),
  );

/** The sources with their producers, licences and hashes. */
export function sourcesSection({ sources, model_version, model }: Contents): Markup {
  return html`<section id="sources" aria-labelledby="sources-head">
<h2 id="sources-head">Data sources</h2>
<p>Version <code>${model_version}</code>, updated <time datetime="${model.updated_at}">${model.updated_at}</time>. <code>manifest.json</code> in the directory above this report contains the hash of every file read and written; <code>malaria-risk verify</code> checks them again, offline. Some licences do not permit passing on the raw data.</p>
<div class="sources">${sources.map(
    (source) => html`<article class="card source">
<h3>${source.title}</h3>
<dl><dt>Producer</dt><dd>${source.producer}</dd><dt>Cite as</dt><dd>${source.citation}</dd><dt>Licence</dt><dd>${source.licence}</dd><dt>Release</dt><dd>${source.release}</dd><dt>Unit</dt><dd>${source.unit}</dd>
${source.access && html`<dt>Access</dt><dd>${source.access}</dd>`}
${source.gaps?.length ? html`<dt>Known gaps</dt><dd>${source.gaps.map((gap) => html`${gap.reason} (${gap.rule}). `)}</dd>` : null}
${source.notes?.length ? html`<dt>Notes</dt><dd>${source.notes.map((note) => html`${note}. `)}</dd>` : null}</dl>
<details><summary>${source.files.length} ${source.files.length === 1 ? 'file' : 'files'}</summary><ul class="files">${source.files.map((file) => html`<li>${file.path}${file.sha256 && html`<br><code>${file.sha256}</code>`}</li>`)}</ul></details></article>`,
  )}</div>
</section>`;
}
