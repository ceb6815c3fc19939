/** What files cannot tell of a country: each question with a guess, if there is one. */

export interface Question {
  /** Its name in the file of answers. */
  id: string;
  asks: string;
  /** Taken unless somebody says otherwise; null where nothing can be guessed. */
  guess: string | null;
  /** What an answer must look like. */
  form: RegExp;
}

export type Answers = Readonly<Record<string, string>>;

const WORDS = /\S/;
const MONTH = /^(19|20)\d\d-(0[1-9]|1[0-2])$/;

/** What the drafts say, to guess by. */
export interface Hints {
  /** Codes of lower areas, whose first two letters may be the country's. */
  codes: readonly string[];
  first: string;
  last: string;
  ages: readonly [number, number];
}

/** The questions of a country, in the order in which they are asked. */
export function questionsOf({ codes, first, last, ages }: Hints): Question[] {
  const iso = /^[A-Z]{2}(?![A-Z])/.exec(codes[0] ?? '')?.[0] ?? null;
  const same = iso !== null && codes.every((code) => code.startsWith(iso));
  const name = same ? (new Intl.DisplayNames(['en'], { type: 'region', fallback: 'none' }).of(iso) ?? null) : null;
  return [
    { id: 'name', asks: 'Name of the country', guess: name, form: WORDS },
    { id: 'iso_code', asks: 'Its two letters of ISO 3166-1', guess: same ? iso : null, form: /^[A-Z]{2}$/ },
    {
      id: 'language',
      asks: 'Language of the names of its areas (BCP 47)',
      guess: 'en',
      form: /^[a-z]{2,3}(-[A-Za-z0-9]+)*$/,
    },
    { id: 'upper_one', asks: 'What one area of the upper level is called', guess: 'region', form: WORDS },
    { id: 'upper_many', asks: 'What several of them are called', guess: 'regions', form: WORDS },
    { id: 'lower_one', asks: 'What one area of the lower level is called', guess: 'district', form: WORDS },
    { id: 'lower_many', asks: 'What several of them are called', guess: 'districts', form: WORDS },
    {
      id: 'code_is',
      asks: 'What the codes of areas are',
      guess: same ? 'OCHA p-code' : 'code of the data team',
      form: WORDS,
    },
    { id: 'first_estimated', asks: 'First month to estimate', guess: first, form: MONTH },
    { id: 'last_estimated', asks: 'Last month to estimate', guess: last, form: MONTH },
    {
      id: 'ages_months',
      asks: 'Ages of the children that surveys tested, months',
      guess: ages.join('-'),
      form: /^\d+-\d+$/,
    },
  ];
}

/** What is wrong with an answer; null if nothing is. */
export const refuseAnswer = ({ id, form }: Question, answer: string): string | null =>
  form.test(answer) ? null : `${id}: found ${JSON.stringify(answer)}, expected the form ${form.source}`;
