import { needsLeave } from '../../../catalog/licences.ts';
import type { Source } from '../../../catalog/sources.ts';
import { TABLE_NAMES } from '../../../contract/table-list.ts';
import { type Html, html } from '../../../lib/pages/html.ts';
import type { Contents } from '../../snapshot/contents.ts';
import { findingLines, isAboutFit } from '../../snapshot/findings.ts';
import type { Finding } from '../../snapshot/provenance.ts';
import { joinInSentence } from '../shared/names.ts';

/** Messages of the models about their fits. */
export const renderModelMessages = (findings: readonly Finding[]): Html =>
  html`<section id="messages" aria-labelledby="messages-head"><h2 id="messages-head">Messages of the models</h2>
<ul>${findingLines(findings.filter(isAboutFit)).map((line) => html`<li>${line}</li>`)}</ul></section>`;

const PASS_ON_TEXTS = { yes: 'Yes', no: 'No', ask: 'Ask first' };

/** What may be done with the figures, by what the sources of a table allow together. */
export function renderLicences({ licences, tables, sources }: Contents): Html {
  const filledTables = TABLE_NAMES.filter((name) => tables[name].length > 0);
  const groups = Map.groupBy(filledTables, (name) => licences.tables[name].may_publish);
  return html`<section id="licence" aria-labelledby="licence-head"><h2 id="licence-head">May I publish this?</h2>
<p><b>${licences.whole.may_publish}</b>${groups.size > 1 && ' That holds for all figures together; of the tables alone:'}</p>
${groups.size > 1 && html`<ul>${[...groups].map(([answer, names]) => html`<li>${answer} <code>${names.join(', ')}</code></li>`)}</ul>`}
<p class="note">Every answer on this page is <b>Yes</b>, with the citation and under the conditions beside it; <b>Ask first</b>, if no licence allows it and the owner named must give leave; or <b>No</b>, if it is forbidden. Figures and raw files have answers of their own: those of raw files stand under Data sources.</p>
${renderOwners(sources.filter(needsLeave), filledTables.includes('risk_lgas') && filledTables.includes('season'))}
<p class="note">As SPDX: <code>${licences.whole.spdx}</code>; of each table, in <code>tables/datapackage.json</code> beside this report.</p></section>`;
}

/** Whom to ask, and why scores need the leave of those who keep case records. */
function renderOwners(sources: readonly Source[], hasScores: boolean): Html {
  const owners = [...Map.groupBy(sources, ({ producer }) => producer)];
  const describe = ({ title, licence, access }: Source) =>
    `“${title}” (licence: ${licence}${access ? `; obtained from: ${access}` : ''})`;
  return html`${owners.length > 0 && html`<h3>Whom to ask</h3>`}<ul>${owners.map(
    ([owner, records]) =>
      html`<li><b>${owner}</b>, owner of ${joinInSentence(records.map(describe))}. The catalog has no address of theirs: ask those who run this service, who got the records, and name the version and the tables you would publish.${hasScores && records.some(({ role }) => role.startsWith('cases_')) && ' Scores need their leave too: the season of every score is fitted to these records.'}</li>`,
  )}</ul>`;
}

/** The sources with their producers, licences and hashes. */
export function renderSources({ sources, model_version, model }: Contents): Html {
  return html`<section aria-labelledby="sources-head">
<h2 id="sources-head">Data sources</h2>
<p>Version <code>${model_version}</code>, updated <time datetime="${model.updated_at}">${model.updated_at}</time>. <code>manifest.json</code> in the directory above this report contains the hash of every file read and written; <code>malaria-risk verify</code> checks them again, offline. The report itself has results and figures by area and no raw file; whether something may be passed on is said below of the raw files.</p>
<div class="sources">${sources.map(
    (source) => html`<article class="card source">
<h3>${source.title}</h3>
<dl><dt>May I pass it on?</dt><dd><b>${PASS_ON_TEXTS[source.pass_on ?? 'ask']}</b></dd><dt>Producer</dt><dd>${source.producer}</dd><dt>Cite as</dt><dd>${source.citation}</dd><dt>Licence</dt><dd>${source.licence}</dd><dt>Release</dt><dd>${source.release}</dd><dt>Unit</dt><dd>${source.unit}</dd>
${source.access && html`<dt>Access</dt><dd>${source.access}</dd>`}
${source.gaps?.length ? html`<dt>Known gaps</dt><dd>${source.gaps.map((gap) => html`${gap.reason} (${gap.rule}). `)}</dd>` : null}
${source.notes?.length ? html`<dt>Notes</dt><dd>${source.notes.map((note) => html`${note}. `)}</dd>` : null}</dl>
<details><summary>${source.files.length} ${source.files.length === 1 ? 'file' : 'files'}</summary><ul class="files">${source.files.map((file) => html`<li>${file.url ? html`<a href="${file.url}">${file.path}</a>` : file.path}${file.sha256 && html`<br><code>${file.sha256}</code>`}</li>`)}</ul></details></article>`,
  )}</div>
</section>`;
}
