/** HTML. Everything else is escaped when it enters a page, so that no name, citation or finding can break out. */
export interface Markup {
  readonly markup: string;
}
export type Content = Markup | string | number | null | undefined | false | readonly Content[];

/** Text that is already HTML, such as one of this project's own scripts. */
export const raw = (markup: string): Markup => ({ markup });

const ENTITIES: Record<string, string> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;', "'": '&#39;' };

/**
 * Template tag: literal parts are HTML, values are escaped unless they are markup. null, undefined and false show
 * nothing.
 */
export function html(strings: TemplateStringsArray, ...values: Content[]): Markup {
  return raw(strings.map((text, i) => text + (i < values.length ? textOf(values[i]) : '')).join(''));
}

function textOf(content: Content): string {
  if (content === null || content === undefined || content === false) return '';
  if (typeof content === 'object') return 'markup' in content ? content.markup : content.map(textOf).join('');
  return String(content).replace(/[&<>"']/g, (character) => ENTITIES[character]!);
}

/** A value as JSON inside a `<script>` that is not run, with `<` escaped so that nothing in it ends the element. */
export const jsonScript = (id: string, value: unknown): Markup =>
  raw(`<script type="application/json" id="${id}">${JSON.stringify(value).replaceAll('<', '\\u003c')}</script>`);

export interface Column {
  head: Content;
  /** Numbers are right-aligned. */
  number?: boolean;
}

/** A table that scrolls if it is wider than the page. Missing cells show a dash. */
export function table(caption: Content, columns: readonly Column[], rows: readonly (readonly Content[])[]): Markup {
  const kind = columns.map(({ number }) => raw(number ? ' class="number"' : ''));
  return html`<div class="scroll" tabindex="0" role="group" aria-label="Table"><table><caption>${caption}</caption>
<thead><tr>${columns.map(({ head }, i) => html`<th scope="col"${kind[i]}>${head}</th>`)}</tr></thead>
<tbody>${rows.map((row) => html`<tr>${row.map((cell, i) => html`<td${kind[i]}>${cell ?? '—'}</td>`)}</tr>\n`)}</tbody></table></div>`;
}
