/**
 * HTML from a tagged template that escapes every value; a template library would bring its own language and no types.
 * Values must be placed between tags or in double-quoted attributes: only there is the escaping safe.
 */

/** Trusted markup; no text from outside can be mistaken for it. */
export class Html {
  readonly #markup: string;
  private constructor(markup: string) {
    this.#markup = markup;
  }
  toString(): string {
    return this.#markup;
  }
  /** Trusts `markup` as it is. Never for text from outside. */
  static fromTrustedMarkup(markup: string): Html {
    return new Html(markup);
  }
}

/** A value in a template. False, null and undefined render as nothing, for `condition && …`. */
export type HtmlValue = string | number | Html | false | null | undefined | readonly HtmlValue[];

const ENTITIES: Record<string, string> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;', "'": '&#39;' };

function toMarkup(value: HtmlValue): string {
  if (value === false || value === null || value === undefined) return '';
  if (Array.isArray(value)) return value.map(toMarkup).join('');
  if (value instanceof Html) return value.toString();
  return String(value).replace(/[&<>"']/g, (character) => ENTITIES[character]!);
}

export function html(strings: TemplateStringsArray, ...values: readonly HtmlValue[]): Html {
  return Html.fromTrustedMarkup(strings.reduce((markup, text, i) => markup + toMarkup(values[i - 1]) + text));
}

/** Text in which `code` is in backticks, marked up as such. */
export const withCodeMarked = (text: string): Html =>
  html`${text.split('`').map((part, i) => (i % 2 ? html`<code>${part}</code>` : part))}`;

/** A value as JSON inside a `<script>` that is not run, with `<` escaped so that nothing in it ends the element. */
export const jsonScript = (id: string, value: unknown): Html =>
  html`<script type="application/json" id="${id}">${Html.fromTrustedMarkup(JSON.stringify(value).replaceAll('<', '\\u003c'))}</script>`;
