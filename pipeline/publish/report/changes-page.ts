import { countryWords } from '../../contract/words.ts';
import { renderSections, type Section } from '../../lib/pages/blocks.ts';
import { html } from '../../lib/pages/html.ts';
import { offlinePageHead, pageBody, renderPage } from '../../lib/pages/page.ts';
import type { SnapshotDiff } from '../snapshot/diff.ts';
import { pageStyle } from './bundle.ts';
import { makeChangeScale, renderChangeMaps, renderHeatMap } from './diff-maps.ts';
import type { DiffOutlines } from './diff-sections.ts';

export interface ChangesPage {
  title: string;
  /** What the page is about, in a sentence. */
  lead: string;
  synthetic: boolean;
  /** What comes before the maps, and after them. */
  sections: readonly Section[];
  details: readonly Section[];
  /** Null if there is nothing to compare with. */
  diff: SnapshotDiff | null;
  outlines: DiffOutlines;
}

/** A page on what a new version changes, in the report's style, without scripts: `sections`, maps, and `details`. */
export const renderChangesPage = ({ title, lead, synthetic, sections, details, diff, outlines }: ChangesPage): string =>
  renderPage(
    `${synthetic ? '[made up] ' : ''}${title}`,
    offlinePageHead({ style: pageStyle() }),
    html`${synthetic && html`<p class="made-up" role="alert"><strong>Made-up country.</strong> Nothing on this page describes a real place.</p>`}
${pageBody(
  html`<h1>${title}</h1><p>${lead}</p>`,
  html`${renderSections(sections)}${diff && mapSection(diff, outlines)}${renderSections(details)}`,
)}`,
  );

function mapSection(diff: SnapshotDiff, outlines: DiffOutlines) {
  const scale = makeChangeScale(diff);
  const { state, a } = countryWords(outlines.territory);
  return html`<section><h2>Changes by place and month</h2><p class="lead">Changes are new minus old. Point to ${a.lga} to see its figures.</p>
<div class="cards">${renderChangeMaps(diff, outlines, scale)}</div>
<div class="card scroll" tabindex="0" role="group" aria-label="Mean change by area and month"><h3>Mean change by ${state.one} and month</h3>${renderHeatMap(diff, scale)}</div></section>`;
}
