import { type Html, html } from '../../../lib/pages/html.ts';
import { periodName } from '../shared/names.ts';
import type { PageData } from '../shared/page-data.ts';

/** The observations that everything on the page is based on, with their dates. */
export function renderObserved(observed: PageData['observed']): Html {
  return html`<dl class="observed">${observed.map(({ what, months, span }) =>
    months.length === 0
      ? null
      : html`<div><dt>${what}</dt><dd>${span ? `${periodName(months[0]!)} to ${periodName(months.at(-1)!)}` : months.map(periodName).join(', ')}</dd></div>`,
  )}</dl>`;
}
