import { globSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, test } from 'vitest';
import { ROLES } from '../../../pipeline/catalog/roles.ts';
import { ERRORS, FAULTS } from '../../../pipeline/contract/errors.ts';
import { buildOpenapi } from '../../../pipeline/contract/openapi.ts';
import { OPERATIONS } from '../../../pipeline/contract/operations.ts';
import { SCOPES } from '../../../pipeline/contract/scopes.ts';
import type { Territory } from '../../../pipeline/contract/territory.ts';
import { countryWords, fillPlaceholders, worded, wordingInCountry } from '../../../pipeline/contract/words.ts';
import { describeColumn as meaningOf, type TableSchema } from '../../../pipeline/lib/tables/table.ts';
import { TABLES } from '../../../pipeline/publish/snapshot/table-columns.ts';
import { STAGE_TABLES } from '../../../pipeline/stages.ts';
import { TERRITORY } from '../../../pipeline/synthetic/states.ts';
import { foreignWords, proseOf } from '../../support/nigerian.ts';
import { OTHER } from '../../support/other-country.ts';
import { type Node, sourceFiles, visitNodes } from '../../support/source-files.ts';

const ROOT = path.resolve(import.meta.dirname, '../../..');
const words = countryWords(OTHER);
/** A territory whose upper level has this name. */
const called = (one: string): Territory => ({ ...OTHER, state: { ...OTHER.state, one, many: `${one}s` } });

test('placeholders are replaced by the words of the country', () => {
  expect(fillPlaceholders('Outlines of every {lga.one} in {a.state}. {Lga.many} by `lga`', words)).toBe(
    'Outlines of every commune in a department. Communes by `lga`',
  );
  expect(fillPlaceholders('{A.lga} of {a.state}; {state.code}; {state.code_short}', countryWords(TERRITORY))).toBe(
    'An LGA of a state; Two-letter state code (ISO 3166-2:NG); Two-letter state code',
  );
  expect(fillPlaceholders('{zone}, {youngest}-{oldest} months, {survey_method}', words)).toBe(
    'Zone, 6-59 months, microscopy, or where that is missing by rapid test',
  );
});

test.each([
  ['emirate', 'an'],
  ['region', 'a'],
  ['union', 'a'],
  ['upazila', 'an'],
  ['UC', 'a'],
  ['LGA', 'an'],
])('%s has the article %s', (one, article) => {
  expect(countryWords(called(one)).a.state).toBe(`${article} ${one}`);
});

test.each(['{lga.some}', '{lgas}', '{lga}', '{constructor}', '{state.one.length}', '{0}'])('%s is refused', (name) => {
  expect(() => fillPlaceholders(`a ${name}`, words)).toThrow(`found the placeholder ${name}`);
});

test('braces that are no placeholder stay, and values are put in as they are', () => {
  expect(
    fillPlaceholders("import { a, b } from '{example.state}' {} {", { ...words, example: { state: '{lga.one}' } }),
  ).toBe("import { a, b } from '{lga.one}' {} {");
});

test('a wording keeps text from files apart from its own placeholders', () => {
  const finding = worded`${'State Farm, {lga.many}, LGA'}: ${3} {lga.many} of ${worded`{a.state} ${'{0}'}`}`;
  expect(wordingInCountry(JSON.parse(JSON.stringify(finding)), words)).toBe(
    'State Farm, {lga.many}, LGA: 3 communes of a department {0}',
  );
});

test('a plain string is not a wording', () => {
  expect(wordingInCountry('a reason from {some} catalog about {lga.many}', words)).toBe(
    'a reason from {some} catalog about {lga.many}',
  );
});

/** Made-up Nigerian countries, help of commands whose examples are Nigeria's, and what no country shows. */
const OF_NIGERIA = /^pipeline\/(synthetic|deploy|cli\/commands)\/|contract\/(words|territory|manifest)\.ts$/;
/** Names of columns, as files have them, one after the other on lines of their own. */
const COLUMN_NAMES = /^\n[a-z0-9\s]+$/;
const SQL = /\b(SELECT|FROM|JOIN|ORDER BY|GROUP BY)\b/;

/**
 * Strings and templates of a file that are texts: several words, no SQL, no columns' names and no options of a program.
 */
function textsIn(file: string): string[] {
  const texts: string[] = [];
  visitNodes(file, ({ type, value, quasis }: Node) => {
    const parts = quasis as { value: { cooked: string } }[];
    const text = type === 'TemplateLiteral' ? parts.map((part) => part.value.cooked).join('…') : value;
    if (typeof text !== 'string' || SQL.test(text) || COLUMN_NAMES.test(text)) return;
    if (/^[^-].*\w \w/s.test(text)) texts.push(text);
  });
  return texts;
}

describe('the texts', () => {
  /** Programs and pages with placeholders, which are dotted paths; `${lga.many}` is code. */
  const sources = globSync(['pipeline/**/*.{ts,md}', 'proxy/**/*.{ts,md}'], {
    cwd: ROOT,
    exclude: ['**/{MODEL,NUMERICS,RESULTS}.md'],
  })
    .filter((file) => file !== 'pipeline/contract/words.ts')
    .map((file) => ({ file, text: readFileSync(path.join(ROOT, file), 'utf8') }));
  const PLACEHOLDER = /(?<!\$)\{[A-Za-z]\w*(?:\.\w+)+\}/g;

  test('have no placeholder that is unknown', () => {
    const example = { state: '', lga: '', period: '' };
    const unknown = sources.flatMap(({ file, text }) =>
      (text.match(PLACEHOLDER) ?? []).flatMap((placeholder) => {
        try {
          return fillPlaceholders(placeholder, { ...words, example }) === placeholder
            ? [`${file}: ${placeholder}`]
            : [];
        } catch {
          return [`${file}: ${placeholder}`];
        }
      }),
    );
    expect(unknown).toEqual([]);
    expect(sources.some(({ text }) => PLACEHOLDER.test(text))).toBe(true);
  });

  test('of stages are wordings, if they have placeholders and are not of a table', () => {
    const stages = sources.filter(({ file }) =>
      /^pipeline\/(ingest|measure|model|validate)\/(?!.*-tables\.ts)/.test(file),
    );
    const plain = stages.flatMap(({ file, text }) =>
      (text.replaceAll(/worded`[^`]*`/g, '').match(PLACEHOLDER) ?? []).map((found) => `${file}: ${found}`),
    );
    expect(plain).toEqual([]);
  });

  test('of the code, errors and findings among them, call no area an LGA or a state', () => {
    const leaks = sourceFiles('pipeline', 'proxy')
      .filter((file) => !OF_NIGERIA.test(file))
      .flatMap((file) =>
        textsIn(file).flatMap((text) =>
          foreignWords(text.replaceAll(/\{\w+(\.\w+)*\}/g, '')).map((word) => `${file}: ${word} in ${text}`),
        ),
      );
    expect(leaks).toEqual([]);
  });

  test('about the contract and all tables have no other words for levels than the country’s, and all are filled in', () => {
    const forms = [...Object.values<TableSchema>(TABLES), ...STAGE_TABLES];
    const texts = [
      ...proseOf(buildOpenapi('other-1-00000000', OTHER)),
      ...forms.flatMap(({ row, columns: own }) =>
        [row, ...Object.values(own).map(meaningOf)].map((text) => fillPlaceholders(text, words)),
      ),
      ...[...Object.values(ERRORS), ...Object.values(FAULTS)].flatMap(({ title, detail }) =>
        [title, detail].map((text) => fillPlaceholders(text, words)),
      ),
      ...Object.values(SCOPES).map((text) => fillPlaceholders(text, words)),
      ...OPERATIONS.map(({ summary }) => fillPlaceholders(summary, words)),
      ...Object.values(ROLES).map(({ description }) => description),
    ];
    expect(texts.length).toBeGreaterThan(300);
    expect(texts.flatMap(foreignWords)).toEqual([]);
    // The test itself finds them.
    expect(foreignWords('every LGA of a state')).toEqual(['LGA', 'state']);
    expect(foreignWords('{lga.one}')).toEqual(['{lga.one}']);
  });
});
