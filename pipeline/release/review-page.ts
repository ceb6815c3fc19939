import type { DiffOutlines } from '../publish/report/diff-maps.ts';
import { diffSections, staticPage } from '../publish/report/diff-page.ts';
import { type Content, html, type Markup, table } from '../publish/report/shared/markup.ts';
import type { Finding } from '../publish/snapshot/provenance.ts';
import type { Review } from './review.ts';

/** A page for the person who approves a version, with the changes that publishing it would make. */
export function renderReviewPage(review: Review, outlines: DiffOutlines): string {
  const { model_version, replaces, synthetic, diff } = review;
  return staticPage({
    title: `Review of ${model_version}`,
    synthetic,
    heading: html`<h1>Review of ${model_version}</h1><p>${
      replaces === null
        ? 'Nothing is published yet, so there is nothing to compare it with.'
        : replaces === model_version
          ? 'It is already current.'
          : html`It would replace <code>${replaces}</code>.`
    } Its own report: <code>snapshots/${model_version}/report/index.html</code>.</p>`,
    main: html`${verdict(review)}${findings(review)}${data(review)}${diff && diffSections(diff, outlines)}`,
  });
}

function verdict({ refused, approvals }: Review): Markup {
  const list = (lines: readonly string[]) =>
    html`<ul>${lines.map((line) => html`<li class="missing">${line}</li>`)}</ul>`;
  return html`<section><h2>May it be published?</h2>
${refused.length > 0 && html`<p>No:</p>${list(refused)}`}
${approvals.length > 0 && html`<p>Only with a reason (<code>malaria-risk publish --approve REASON</code>), because of the following:</p>${list(approvals)}`}
${refused.length + approvals.length === 0 && html`<p>Yes, and no reason is required.</p>`}</section>`;
}

function findings({ findings: { new: fresh, known, gone } }: Review): Markup {
  const tableOf = (caption: string, lines: readonly Finding[]) =>
    table(
      caption,
      [{ head: 'Stage' }, { head: 'Source' }, { head: 'Rule' }, { head: 'Finding' }],
      lines.map(({ stage, source, rule, what, needs_approval }) => [
        stage,
        source,
        rule,
        needs_approval ? html`<strong>${what}</strong>` : what,
      ]),
    );
  return html`<section><h2>Findings of the build</h2>
${fresh.length > 0 ? tableOf(`${fresh.length} new findings`, fresh) : html`<p>There are no new findings.</p>`}
${gone.length > 0 && tableOf(`${gone.length} findings that no longer occur`, gone)}
${known.length > 0 && html`<details><summary>${known.length} findings that the current version has too</summary>${tableOf('Known findings', known)}</details>`}</section>`;
}

function data({ replaces, sources, making }: Review): Markup | null {
  if (replaces === null) return null;
  const lines = (label: string, changes: readonly string[]): Content =>
    changes.length > 0 &&
    html`<h3>${label}</h3><ul class="files">${changes.map((change) => html`<li>${change}</li>`)}</ul>`;
  return html`<section><h2>Inputs</h2>
${
  sources.length > 0
    ? table(
        'Changed raw data',
        [
          { head: 'Source' },
          { head: 'Change' },
          { head: 'Release' },
          { head: 'Files' },
          { head: 'Accepted' },
          { head: 'Catalog' },
        ],
        sources.map(({ source, title, change, release, files, accepted, catalog }) => [
          html`${title}<br><code>${source}</code>`,
          change,
          release.was === release.is ? release.is : `${release.was ?? '—'} to ${release.is ?? '—'}`,
          files.map((file) => html`${file.path} (${file.change})<br>`),
          accepted.map(
            ({ at, by, reason, what, doubts = [] }) =>
              html`${at.slice(0, 10)}, ${by}: ${reason}<br>${what}<br>${doubts.map((doubt) => html`<strong>${doubt}</strong><br>`)}`,
          ),
          catalog.map((line) => html`${line}<br>`),
        ]),
      )
    : html`<p>The raw data are the same.</p>`
}
${lines('model.json', making.model)}${lines('Code', making.code)}${lines('Packages', making.packages)}</section>`;
}
