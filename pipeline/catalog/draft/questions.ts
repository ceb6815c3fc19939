/** What files cannot tell of a country: each question with a guess, if there is one. */

export interface Question {
  /** Its name in the file of answers. */
  id: string;
  asks: string;
  /** Taken unless somebody says otherwise; null where nothing can be guessed. */
  guess: string | null;
  /** What an answer must look like. */
  form: RegExp;
  /** The last month that it may be. */
  most?: string;
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
  /** The last month that surveys and case records let be estimated. */
  most: string;
  ages: readonly [number, number];
  /** Rasters of people to choose from, the likeliest first. */
  people: readonly string[];
}

/** The questions of a country, in the order in which they are asked. */
export function questionsOf({ codes, first, last, most, ages, people }: Hints): Question[] {
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
    { id: 'last_estimated', asks: `Last month to estimate, ${most} at most`, guess: last, form: MONTH, most },
    {
      id: 'ages_months',
      asks: 'Ages of the children that surveys tested, months',
      guess: ages.join('-'),
      form: /^\d+-\d+$/,
    },
    ...(people.length > 1
      ? [
          {
            id: 'population',
            asks: `Raster of people per cell: ${people.join(', ')}`,
            guess: people[0]!,
            form: new RegExp(`^(${people.map((file) => RegExp.escape(file)).join('|')})$`),
          },
        ]
      : []),
  ];
}

/** What is wrong with an answer; null if nothing is. */
export function refuseAnswer({ id, form, most }: Question, answer: string): string | null {
  const expected = !form.test(answer) ? `the form ${form.source}` : most && answer > most ? `${most} at most` : null;
  return expected && `${id}: found ${JSON.stringify(answer)}, expected ${expected}`;
}
