import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { Ajv2020 } from 'ajv/dist/2020.js';
import { describe, expect, test } from 'vitest';
import { readCountry } from '../../../pipeline/catalog/country.ts';
import { HeldBack } from '../../../pipeline/catalog/held-back.ts';
import { Model } from '../../../pipeline/catalog/model.ts';
import { Sources } from '../../../pipeline/catalog/sources.ts';
import { Manifest } from '../../../pipeline/contract/manifest.ts';
import { REAL_CATALOG } from '../../support/real-data.ts';
import { sourceIn, type TinyCountry, writeTiny } from '../../support/tiny-country.ts';

const read = (change?: (country: TinyCountry) => void) => readCountry(writeTiny(change).directory);

test('a valid catalog is read', () => {
  const country = read();
  expect(country.sources).toHaveLength(10);
  expect(country.model.expected).toEqual({ states: 2, lgas: 4 });
});

test('with several tests the score is by the first, whatever the catalog calls it', () => {
  const { territory } = read((country) => {
    country.model.territory = {
      ...country.model.territory,
      method: 'microscopy, or where that is missing by rapid test',
    };
    country.model.parameters.survey.method = ['rdt', 'microscopy'];
    country.model.parameters.risk.test_offset = { mean: 0.6, sd: 0.4, source: 'test' };
  }).model;
  expect(territory.method).toBe('rapid diagnostic test');
  expect(territory.survey_method).toBe('rapid diagnostic test, or, where that was not done, by microscopy');
  expect(read().model.territory).not.toHaveProperty('survey_method');
});

test('the schemas are valid JSON Schema, which the program does not check', () => {
  const ajv = new Ajv2020();
  for (const form of [Sources, Model, HeldBack, Manifest]) expect(ajv.validateSchema(form)).toBe(true);
  expect(ajv.validateSchema({ type: 'text' })).toBe(false);
});

test('a directory in place of a raw file is refused by name', () => {
  const { directory } = writeTiny();
  rmSync(path.join(directory, 'surveys.csv'));
  mkdirSync(path.join(directory, 'surveys.csv'));
  expect(() => readCountry(directory)).toThrow('surveys.csv: found something that is not a file, expected a file');
});

test.each(['sources', 'model', 'held-back'])(
  'an invalid %s.json is refused with the command that prints its schema',
  (name) => {
    const { directory } = writeTiny();
    writeFileSync(path.join(directory, `${name}.json`), '[]');
    expect(() => readCountry(directory)).toThrow(`(\`malaria-risk catalog schema ${name}.json\` prints its form)`);
  },
);

test('a file of a shapefile that the catalog does not list is refused: it would be read but not hashed', () => {
  const shapefile = (files: string[]) => {
    const { directory } = writeTiny((country) => {
      Object.assign(sourceIn(country, 'lga_boundaries'), {
        format: 'shapefile',
        files: files.map((file) => ({ path: file })),
      });
    });
    for (const name of ['lgas.shp', 'lgas.dbf', 'lgas.PRJ', 'lgas.txt', 'others.cpg'])
      writeFileSync(path.join(directory, name), '');
    return () => readCountry(directory);
  };
  expect(shapefile(['lgas.shp', 'lgas.dbf', 'lgas.PRJ'])).not.toThrow();
  expect(shapefile(['lgas.shp', 'lgas.dbf'])).toThrow(
    'sources.json, source lga_boundaries: found lgas.PRJ beside lgas.shp and not in `files`, expected every file',
  );
});

describe('an invalid catalog is refused with file, field, found and expected', () => {
  const cases: [string, (country: TinyCountry) => void, RegExp][] = [
    [
      'a role twice',
      (country) => country.sources.push({ ...sourceIn(country, 'climate'), id: 'again' }),
      /sources\.json, role climate: found 2 sources, expected at most one/,
    ],
    [
      'a role missing',
      (country) =>
        country.sources.splice(
          country.sources.findIndex((source) => source.id === 'lga_boundaries'),
          1,
        ),
      /role lga_boundaries: found 0 sources/,
    ],
    [
      'an id twice',
      (country) => country.sources.push({ ...sourceIn(country, 'itn_use'), figure: 'irs_coverage' }),
      /found the id itn_use twice/,
    ],
    [
      'a figure twice',
      (country) => country.sources.push({ ...sourceIn(country, 'itn_use'), id: 'again' }),
      /source again: found a second layer of itn_use/,
    ],
    [
      'a layer without a figure',
      (country) => delete sourceIn(country, 'itn_use').figure,
      /source itn_use: found no figure/,
    ],
    [
      'an unknown field',
      (country) => {
        sourceIn(country, 'itn_use').colour = 'red';
      },
      /sources\.json, \/sources\/\d+: found a field colour, expected one of id, role/,
    ],
    [
      'a field missing',
      (country) => delete sourceIn(country, 'itn_use').citation,
      /sources\.json, \/sources\/\d+: found .*citation/,
    ],
    [
      'an unknown role',
      (country) => {
        sourceIn(country, 'itn_use').role = 'nets';
      },
      /\/role: found/,
    ],
    [
      'a file outside the raw data',
      (country) => {
        sourceIn(country, 'itn_use').files = [{ path: '../secret.csv', rows: 4 }];
      },
      /\.\.\/secret\.csv: found a path outside the raw data/,
    ],
    [
      'a file that does not exist',
      (country) => {
        sourceIn(country, 'itn_use').files = [{ path: 'other.csv', rows: 4 }];
      },
      /other\.csv: found no such file/,
    ],
    [
      'more states than expected',
      (country) => {
        country.model.expected.states = 3;
      },
      /model\.json, states: found 2 entries, expected 3/,
    ],
    [
      'a state code twice',
      (country) => {
        country.model.states[1].state_code = 'AB';
      },
      /model\.json, states, state_code: found AB twice/,
    ],
    [
      'months the wrong way round',
      (country) => {
        country.model.first_estimated = '2022-01';
      },
      /first_estimated: found 2022-01, expected a month up to last_estimated 2021-12/,
    ],
    [
      'an estimated month after the last case record',
      (country) => {
        country.model.last_estimated = '2022-01';
      },
      /model\.json, last_estimated: found 2022-01, expected at most 2021-12: the case records end there \(sources\.json, cases/,
    ],
    [
      'an estimated month too long after the last survey',
      (country) => {
        country.model.parameters.evidence.max_months_after_survey = 0;
      },
      /last_estimated: found 2021-12, expected at most 2021-11: 0 months after the last survey, 2021-11 \(parameters\.ev/,
    ],
    [
      'an invalid month',
      (country) => {
        country.model.last_estimated = '2021-13';
      },
      /model\.json, \/last_estimated/,
    ],
    [
      'a real name for a made-up country',
      (country) => {
        country.model.synthetic = true;
      },
      /country: found tiny, expected the country `synthetic`/,
    ],
  ];
  test.each(cases)('%s', (_, change, message) => {
    expect(() => read(change)).toThrow(message);
  });

  test('a missing catalog, and one that is not JSON, are refused', () => {
    expect(() => readCountry('nowhere-at-all')).toThrow(/nowhere-at-all\/sources\.json: found no such file/);
    const { directory } = writeTiny();
    writeFileSync(path.join(directory, 'sources.json'), '{"sources": [');
    expect(() => readCountry(directory)).toThrow(/sources\.json: found .*, expected valid JSON/);
    writeFileSync(path.join(directory, 'sources.json'), '\ufeff{"sources": []}', 'utf16le');
    expect(() => readCountry(directory)).toThrow(/sources\.json: found text in UTF-16, expected UTF-8/);
  });
});

test('the committed catalog of the real files is valid, whether or not the files exist', () => {
  let message = '';
  try {
    readCountry(REAL_CATALOG);
  } catch (error) {
    message = (error as Error).message;
  }
  expect(message).toMatch(/^$|^boundaries\/\S+\.shp: found no such file under/);
});
