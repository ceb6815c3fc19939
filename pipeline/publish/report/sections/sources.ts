import type { ReportLine } from '../../../artifacts.ts';
import { inWords, type Territory } from '../../../contract/territory.ts';
import type { Contents } from '../../snapshot/contents.ts';
import { html, type Markup, table } from '../markup.ts';

type Finding = ReportLine & { stage: string };

/** Stages that fit and check models: what they tell is no gap in what came in. */
const MODELS = new Set(['season', 'link', 'risk', 'validation', 'forecast', 'transmission']);

/** Gaps and rules: what the build found in what it read, and what it did about it. */
export function findingsSection(findings: readonly Finding[]): Markup {
  const ofModels = findings.filter(({ stage }) => MODELS.has(stage));
  const gaps = findings.filter(({ stage }) => !MODELS.has(stage));
  return html`<section id="findings" aria-labelledby="findings-head">
<h2 id="findings-head">What was missing, and what was done</h2>
<p class="lead">What the build found in the data it read, and the rule it followed for each.</p>
${gaps.length > 0 ? findingsTable(`${gaps.length} findings in the data`, gaps) : html`<p>Nothing was missing.</p>`}
${ofModels.length > 0 && html`<details><summary>What the models reported while they were fitted</summary>${findingsTable(`${ofModels.length} lines`, ofModels)}</details>`}
</section>`;
}

const findingsTable = (caption: string, findings: readonly Finding[]) =>
  table(
    caption,
    [{ head: 'Stage' }, { head: 'Source' }, { head: 'Rule' }, { head: 'What' }],
    findings.map((f) => [f.stage, f.source, f.rule, f.what]),
  );

/** A note in the country's words where it is the program's own; what others wrote stays as they wrote it. */
const drafted = (note: string, territory: Territory): string =>
  note.startsWith('Drafted by new-country: ') ? inWords(note, territory) : note;

/** Whose data it is, under which licence, and of which bytes. */
export function sourcesSection({ sources, model_version, model }: Contents): Markup {
  return html`<section id="sources" aria-labelledby="sources-head">
<h2 id="sources-head">Whose data</h2>
<p>Version <code>${model_version}</code>, updated <time datetime="${model.updated_at}">${model.updated_at}</time>. <code>manifest.json</code> beside this report holds the hash of every file read and written; <code>malaria-risk verify</code> rechecks them offline. Some licences forbid passing the raw data on.</p>
<div class="sources">${sources.map(
    (source) => html`<article class="card source">
<h3>${source.title}</h3>
<dl><dt>Producer</dt><dd>${source.producer}</dd><dt>Cite as</dt><dd>${source.citation}</dd><dt>Licence</dt><dd>${source.licence}</dd><dt>Release</dt><dd>${source.release}</dd><dt>Unit</dt><dd>${source.unit}</dd>
${source.access && html`<dt>Access</dt><dd>${source.access}</dd>`}
${source.gaps?.length ? html`<dt>Known gaps</dt><dd>${source.gaps.map((gap) => html`${gap.reason} (${gap.rule}). `)}</dd>` : null}
${source.notes?.length ? html`<dt>Notes</dt><dd>${source.notes.map((note) => html`${drafted(note, model.territory)}. `)}</dd>` : null}</dl>
<details><summary>${source.files.length} ${source.files.length === 1 ? 'file' : 'files'}</summary><ul class="files">${source.files.map((file) => html`<li>${file.path}${file.sha256 && html`<br><code>${file.sha256}</code>`}</li>`)}</ul></details></article>`,
  )}</div>
</section>`;
}
