/**
 * Markup by a tagged template that escapes whatever is put in; a template library would bring a language of its own and
 * no types. Values go between tags or into double-quoted attributes: escaping holds in both, and nowhere else.
 */

/** Markup that this file made; a text from outside cannot pass for it. */
export class Html {
  readonly #markup: string;
  private constructor(markup: string) {
    this.#markup = markup;
  }
  toString(): string {
    return this.#markup;
  }
  /** What a template of ours says. Not for any text from outside. */
  static of(markup: string): Html {
    return new Html(markup);
  }
}

/** What can be put in. False, null and undefined leave nothing, for `condition && …`. */
export type Value = string | number | Html | false | null | undefined | readonly Value[];

const ENTITIES: Record<string, string> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;', "'": '&#39;' };

function markupOf(value: Value): string {
  if (value === false || value === null || value === undefined) return '';
  if (Array.isArray(value)) return value.map(markupOf).join('');
  if (value instanceof Html) return value.toString();
  return String(value).replace(/[&<>"']/g, (character) => ENTITIES[character]!);
}

export function html(strings: TemplateStringsArray, ...values: readonly Value[]): Html {
  return Html.of(strings.reduce((markup, text, i) => markup + markupOf(values[i - 1]) + text));
}
