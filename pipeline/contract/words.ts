/**
 * A country's words for its levels, ages and tests, and how texts get them. A text that speaks of levels either takes
 * its words as values, `${lga.many}`, or has placeholders, `{lga.many}`, which `fill` replaces where it is shown. Both
 * spell the same path into `Words`, which lists the placeholders that any text may have; a few texts have further
 * values (`fill`).
 */
import type { Territory } from './territory.ts';

interface Level {
  one: string;
  many: string;
  /** `one` written out, if it is an abbreviation. */
  full: string;
  /** What its codes are, such as `Two-letter state code (ISO 3166-2:NG)`. */
  code: string;
  /** The same without the issuer in brackets. */
  code_short: string;
}
type Capital = Pick<Level, 'one' | 'many'>;

/** With Nigeria's words in brackets. */
export interface Words {
  /** `{state.one}` (state), `{state.many}` (states), `{state.full}`, `{state.code}`, `{state.code_short}`. */
  state: Level;
  /** `{lga.one}` (LGA), `{lga.many}` (LGAs), `{lga.full}` (local government area), `{lga.code}`, `{lga.code_short}`. */
  lga: Level;
  /** At the beginning of a sentence: `{State.one}` (State), `{State.many}` (States). */
  State: Capital;
  /** `{Lga.one}` (LGA), `{Lga.many}` (LGAs). */
  Lga: Capital;
  /** With the article: `{a.state}` (a state), `{a.lga}` (an LGA). */
  a: { state: string; lga: string };
  /** `{A.state}` (A state), `{A.lga}` (An LGA). */
  A: { state: string; lga: string };
  /** `{zone}`: what a group of states is called, with a capital. */
  zone: string;
  /** `{youngest}` and `{oldest}`: ages in months of the children that the score is about. */
  youngest: string;
  oldest: string;
  /** `{method}`: the score's test; `{survey_method}`: the surveys' tests. */
  method: string;
  survey_method: string;
}

export function countryWords(territory: Territory): Words {
  const { state, lga, ages_months, method, survey_method = method, zones } = territory;
  const [youngest, oldest] = ages_months.map(String) as [string, string];
  const a = { state: withArticle(state.one), lga: withArticle(lga.one) };
  return {
    state: levelWords(state),
    lga: levelWords(lga),
    State: { one: capital(state.one), many: capital(state.many) },
    Lga: { one: capital(lga.one), many: capital(lga.many) },
    a,
    A: { state: capital(a.state), lga: capital(a.lga) },
    zone: zones?.one ?? 'Zone',
    youngest,
    oldest,
    method,
    survey_method,
  };
}

const levelWords = ({
  one,
  many,
  full = one,
  code_is,
}: Pick<Territory['state'], 'one' | 'many' | 'full' | 'code_is'>): Level => ({
  one,
  many,
  full,
  code: code_is,
  code_short: code_is.replace(/ \([^)]*\)$/, ''),
});

const capital = (word: string) => word[0]!.toUpperCase() + word.slice(1);

/** `an LGA` and `an emirate`, but `a unit`: abbreviations are spelled out when they are spoken. */
function withArticle(word: string): string {
  const abbreviated = /^[A-Z]{2}/.test(word);
  const vowel = abbreviated ? /^[AEFHILMNORSX]/ : /^(?!uni|eu|one\b)[aeiou]/i;
  // Decomposed, so that an accent does not hide the letter: an état.
  return `${vowel.test(word.normalize('NFD')) ? 'an' : 'a'} ${word}`;
}

/**
 * `text` with its placeholders, `{name}` or `{name.name}`, replaced by the values at these paths; braces around
 * anything else stay. Values are put in as they are, whatever braces they contain.
 * @param values a country's words, and what else the text has placeholders for
 * @throws Error for a placeholder without a value
 */
export function fill<Values extends Words>(text: string, values: Values): string {
  return text.replaceAll(/\{(\w+(?:\.\w+)*)\}/g, (placeholder, path: string) => {
    const value = path
      .split('.')
      .reduce<unknown>(
        (node, name) => (Object.hasOwn(Object(node), name) ? (node as Record<string, unknown>)[name] : null),
        values,
      );
    if (typeof value !== 'string')
      throw new Error(`found the placeholder ${placeholder}, expected one of contract/words.ts`);
    return value;
  });
}

/**
 * A text that is made where the country's words are not at hand, such as a stage's finding: plain JSON, so that it can
 * be passed on in files. Its values are kept apart, so that a place called State Farm, or braces in a file, stay as
 * they are.
 */
export interface Wording {
  /** With placeholders for words, and `{0}`, `{1}` … for the values. */
  text: string;
  values: (string | Wording)[];
}

/** Template tag: ``worded`${count} {lga.many} have no rain` ``. */
export const worded = (strings: TemplateStringsArray, ...values: (string | number | Wording)[]): Wording => ({
  text: strings.reduce((before, after, i) => `${before}{${i - 1}}${after}`),
  values: values.map((value) => (typeof value === 'number' ? String(value) : value)),
});

/** A wording in a country's words. A plain string is shown as it is, never searched for placeholders. */
export const tell = (what: string | Wording, words: Words): string =>
  typeof what === 'string' ? what : fill(what.text, { ...words, ...what.values.map((value) => tell(value, words)) });
