import { expect, test } from 'vitest';
import { OtherNames } from '../../../pipeline/ingest/other-names.ts';
import { outputRows } from '../../support/stage-io.ts';
import { sourceIn } from '../../support/tiny-country.ts';
import { edit, read } from './broken.ts';

test('other names are kept once; a difference in case, accents or punctuation does not make another name', () => {
  const names = new OtherNames();
  names.add('lga', 'NG001002', 'Garun Malam');
  names.add('lga', 'NG001002', 'GARUN-MALAM');
  names.add('lga', 'NG001001', ' Kiru South ');
  names.add('state', 'AB', 'Abia North');
  expect(names.rows()).toEqual([
    { area: 'lga', code: 'NG001001', name: 'Kiru South' },
    { area: 'lga', code: 'NG001002', name: 'Garun Malam' },
    { area: 'state', code: 'AB', name: 'Abia North' },
  ]);
});

test('a different name in a table becomes another name of the place', async () => {
  const { tables } = await read((country) => {
    const names = ['place', 'Plaice One', 'PLACE-2', 'place 3', 'Place 4'];
    edit('nets.csv', (text) =>
      text
        .split('\n')
        .map((row, i) => row && `${row},${names[i]}`)
        .join('\n'),
    )(country);
    sourceIn(country, 'itn_use').columns.lga = 'place';
  });
  expect(outputRows(tables.other_names)).toEqual([{ area: 'lga', code: 'NG001001', name: 'Plaice One' }]);
});

test('aliases of states in the catalog become other names', async () => {
  const { tables } = await read((country) => {
    country.model.states[0].aliases = ['The First', 'Alpha State'];
  });
  expect(outputRows(tables.other_names)).toEqual([
    { area: 'state', code: 'AB', name: 'Alpha State' },
    { area: 'state', code: 'AB', name: 'The First' },
  ]);
});
