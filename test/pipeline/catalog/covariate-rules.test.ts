import { cpSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, test } from 'vitest';
import { readCountry } from '../../../pipeline/catalog/country.ts';
import { hashRawFiles } from '../../../pipeline/release/raw-hashes.ts';
import { sourceIn, type TinyCountry, writeTiny } from '../../support/tiny-country.ts';
import { addCovariate, heightCovariate } from '../covariates.ts';
import { type Case, refuses } from '../ingest/broken.ts';

const REASON = 'context; not inputs to the risk score$';
const entry = (fields: Record<string, unknown>) => (country: TinyCountry) => {
  heightCovariate()(country);
  Object.assign(country.model.parameters.risk.covariates[0], fields);
};
const source = (fields: Record<string, unknown>) => (country: TinyCountry) => {
  heightCovariate()(country);
  Object.assign(sourceIn(country, 'height'), fields);
};
const table = (columns: Record<string, string>, fields: Record<string, unknown> = {}) =>
  addCovariate(
    { format: 'csv', columns: { lga_pcode: 'lga', value: 'x', ...columns }, ...fields },
    { transform: 'none' },
  );

describe('coverage is refused as a covariate under any name', () => {
  const nets = (country: TinyCountry) => String(country.files['nets.csv']);
  const cases: Case[] = [
    [
      'the source itself',
      (country) => {
        country.model.parameters.risk.covariates = [{ source: 'itn_use', transform: 'none' }];
      },
      new RegExp(`covariates: found the source itn_use, expected a different source: net use.*${REASON}`),
    ],
    [
      'its file',
      addCovariate({
        id: 'wealth',
        format: 'csv',
        columns: { lga_pcode: 'lga', value: 'use' },
        files: [{ path: 'nets.csv', rows: 4 }],
      }),
      new RegExp(
        `source wealth: found the file of itn_use, nets\\.csv, as a covariate, expected a different source:.*${REASON}`,
      ),
    ],
    [
      'a copy of its file',
      (country) => {
        country.files['wealth.csv'] = nets(country);
        addCovariate(
          { id: 'wealth', format: 'csv', columns: { lga_pcode: 'lga', value: 'use' } },
          {},
          'wealth.csv',
        )(country);
      },
      new RegExp(`source wealth: found the file of itn_use, nets\\.csv, as a covariate.*${REASON}`),
    ],
    ['its name', source({ id: 'irs_coverage' }), new RegExp(`found irs_coverage as a covariate.*${REASON}`)],
    [
      'its column',
      table({ value: 'effective_treatment' }),
      new RegExp(`found effective_treatment as a covariate.*${REASON}`),
    ],
  ];
  refuses(cases);

  test('a copy of its file, whatever hash the catalog gives for it', async () => {
    const { directory } = writeTiny(table({}, { files: [{ path: 'x.csv', rows: 4, sha256: '0'.repeat(64) }] }));
    cpSync(path.join(directory, 'nets.csv'), path.join(directory, 'x.csv'));
    await expect(hashRawFiles(readCountry(directory), true)).rejects.toThrow(
      'found the file of itn_use, nets.csv, as a covariate',
    );
  });
});

describe('an incomplete entry, or one without effect, is refused', () => {
  refuses([
    ['no such source', entry({ source: 'depth' }), /covariates: found the source depth, which sources\.json lacks/],
    [
      'a source of another role',
      entry({ source: 'elevation' }),
      /covariates: found the source elevation of the role elevation, expected a source of the role covariate/,
    ],
    ['an unknown transform', entry({ transform: 'cube' }), /model\.json, .*transform: found/],
    [
      'the same twice',
      (country) => {
        heightCovariate()(country);
        country.model.parameters.risk.covariates.push(country.model.parameters.risk.covariates[0]);
      },
      /covariates: found height twice/,
    ],
    [
      'a source that is not used',
      (country) => {
        heightCovariate()(country);
        country.model.parameters.risk.covariates = [];
      },
      /source height: found a covariate that no entry of parameters\.risk\.covariates in model\.json names/,
    ],
    [
      'several rasters',
      source({ files: [{ path: 'height.tif' }, { path: 'people.tif' }] }),
      /covariates: found height with 2 rasters, expected one raster/,
    ],
    [
      'a month of a raster',
      source({ files: [{ path: 'height.tif', period: '2018-01' }] }),
      /source height: found a period in `files`, expected none: only rain has one/,
    ],
    ['months of a table', table({ period: 'm' }), /source x: found a column period/],
    ['no value', table({ value: undefined as never }), /source x: found no column value/],
    ['a raster without a range', source({ range: undefined }), /source height: found no range/],
    ['nearest without its reach', source({ gaps: [{ rule: 'nearest', reason: 'test' }] }), /without `km`/],
    ['value without its value', source({ gaps: [{ rule: 'value', reason: 'test' }] }), /`value` without its value/],
    [
      'neighbours for cells',
      source({ gaps: [{ rule: 'neighbours', lga_pcode: 'NG001001', reason: 'test' }] }),
      /nearest or value/,
    ],
  ]);
});

test('a covariate may be the file of another source', () => {
  expect(() => readCountry(writeTiny(heightCovariate()).directory)).not.toThrow();
});
