import { blocksOf } from '../../../lib/pages/blocks.ts';
import { type Html, html } from '../../../lib/pages/html.ts';
import type { Contents } from '../../snapshot/contents.ts';
import { findingBlocks } from '../../snapshot/findings.ts';
import type { Finding } from '../../snapshot/provenance.ts';

/** What the build found in its data, by what is to be done about it, and the messages of the models. */
export function findingsSection(findings: readonly Finding[]): Html {
  return html`<section id="findings" aria-labelledby="findings-head">
<h2 id="findings-head">Gaps in the data</h2>
<p class="lead">What the build found, and the rule that it applied in each case.</p>
${findings.length > 0 ? blocksOf(findingBlocks(findings)) : html`<p>There are no gaps.</p>`}
</section>`;
}

/** The sources with their producers, licences and hashes. */
export function sourcesSection({ sources, model_version, model }: Contents): Html {
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
