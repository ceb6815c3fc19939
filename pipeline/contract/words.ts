/**
 * A country's words for its levels, ages and tests, and how texts get them. A text that speaks of levels either takes
 * its words as values, `${lga.many}`, or has placeholders, `{lga.many}`, which `fill` replaces where it is shown. Both
 * spell the same path into `Words`, which lists the placeholders that any text may have; a few texts have further
 * values (`fill`).
 */
import type { Territory } from './territory.ts';

interface LevelWords {
  one: string;
  many: string;
  /** `one` written out, if it is an abbreviation. */
  full: string;
  /** What its codes are, such as `Two-letter state code (ISO 3166-2:NG)`. */
  code: string;
  /** The same without the issuer in brackets. */
  code_short: string;
}
type CapitalisedWords = Pick<LevelWords, 'one' | 'many'>;

/** With Nigeria's words in brackets. */
export interface Words {
  /** `{state.one}` (state), `{state.many}` (states), `{state.full}`, `{state.code}`, `{state.code_short}`. */
  state: LevelWords;
  /** `{lga.one}` (LGA), `{lga.many}` (LGAs), `{lga.full}` (local government area), `{lga.code}`, `{lga.code_short}`. */
  lga: LevelWords;
  /** At the beginning of a sentence: `{State.one}` (State), `{State.many}` (States). */
  State: CapitalisedWords;
  /** `{Lga.one}` (LGA), `{Lga.many}` (LGAs). */
  Lga: CapitalisedWords;
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
    State: { one: capitalise(state.one), many: capitalise(state.many) },
    Lga: { one: capitalise(lga.one), many: capitalise(lga.many) },
    a,
    A: { state: capitalise(a.state), lga: capitalise(a.lga) },
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
}: Pick<Territory['state'], 'one' | 'many' | 'full' | 'code_is'>): LevelWords => ({
  one,
  many,
  full,
  code: code_is,
  code_short: code_is.replace(/ \([^)]*\)$/, ''),
});

const capitalise = (word: string) => word[0]!.toUpperCase() + word.slice(1);

/** `an LGA` and `an emirate`, but `a unit`: abbreviations are spelled out when they are spoken. */
function withArticle(word: string): string {
  const isAbbreviation = /^[A-Z]{2}/.test(word);
  const vowelPattern = isAbbreviation ? /^[AEFHILMNORSX]/ : /^(?!uni|eu|one\b)[aeiou]/i;
  // Decomposed, so that an accent does not hide the letter: an état.
  return `${vowelPattern.test(word.normalize('NFD')) ? 'an' : 'a'} ${word}`;
}

/**
 * `text` with its placeholders, `{name}` or `{name.name}`, replaced by the values at these paths; braces around
 * anything else stay. Values are put in as they are, whatever braces they contain.
 * @param values a country's words, and what else the text has placeholders for
 * @throws Error for a placeholder without a value
 */
export function fillPlaceholders<Values extends Words>(text: string, values: Values): string {
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
export const wordingInCountry = (wording: string | Wording, words: Words): string =>
  typeof wording === 'string'
    ? wording
    : fillPlaceholders(wording.text, { ...words, ...wording.values.map((value) => wordingInCountry(value, words)) });
