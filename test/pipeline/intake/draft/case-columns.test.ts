import { expect, test } from 'vitest';
import { findCaseColumns } from '../../../../pipeline/intake/draft/case-columns.ts';

/** A table of one row with a count in each column. */
const foundIn = (columns: readonly string[]) =>
  findCaseColumns({ file: 'x.csv', header: [...columns], rows: [{ line: 2, cells: columns.map(() => '7') }] }, columns);

test.each<[string, string[], string[]]>([
  ['ages', ['Confirmed malaria cases <5', 'Confirmed malaria cases 5+'], ['Suspected malaria cases <5']],
  ['ages in French', ['Cas confirmés moins de 5 ans', 'Cas confirmés 5 ans et plus'], ['Cas suspects moins de 5 ans']],
  ['ages in Portuguese', ['Casos confirmados 0-4 anos', 'Casos confirmados 5 anos e mais'], ['Óbitos por malária']],
  ['four ages', ['conf <1y', 'conf 1-4y', 'conf 5-14y', 'conf 15+'], []],
  ['months and years', ['Confirmed 0-59 months', 'Confirmed 5-14 years', 'Confirmed ≥ 15 years'], []],
  ['under five and five and above', ['Malaria confirmed under five', 'Malaria confirmed five years and above'], []],
  ['ages of one test', ['RDT positive <5', 'RDT positive 5+', 'BS positive'], ['Malaria deaths 5+']],
  ['tests by ages', ['TDR positifs <5', 'TDR positifs ≥5', 'GE positives <5', 'GE positives ≥5'], ['Cas TDR réalisés']],
  ['short names', ['conf_u5', 'conf_5_14', 'conf_ov15'], ['susp_u5', 'maldth_u5']],
  [
    'days, years and sexes',
    ['0-28Dys, Male', '0-28Dys, Female', '29Dys-4Yrs, Male', '29Dys-4Yrs, Female', '5plus Male', '5plus Female'].map(
      (whom) => `105-EP01b. Malaria Confirmed (B/s and RDT Positive) ${whom}`,
    ),
    [],
  ],
  ['positives of malaria', ['Malaria tested positive <5', 'Malaria tested positive 5+'], ['Malaria tested <5']],
  ['ages in Spanish', ['Casos confirmados menores de 5 años', 'Casos confirmados mayores de 5 años'], []],
  ['sexes', ['Confirmed malaria, male', 'Confirmed malaria, female'], []],
  ['a total, and no parts of it', ['Malaria confirmed all ages'], ['Malaria confirmed <5', 'Malaria confirmed 5+']],
  [
    'both tests in one name, after the number of a form, and not those that nobody tested',
    ['105-1 OPD Malaria confirmed (B/s + RDT positive)'],
    ['105-1 OPD Malaria total (confirmed + not tested)', '108-6 IPD Malaria confirmed'],
  ],
  [
    'the total of both tests in Portuguese',
    ['Malária - Total de casos confirmados (TDR + HTZ)'],
    ['Malária - Casos suspeitos testados (TDR + HTZ)', 'Malária - TDR positivo', 'Malária - HTZ positivo'],
  ],
  ['tests with signs', ['Palu - Cas confirmés (TDR+ ou GE+)'], ['Cas présumés']],
  ['ages in fewer groups', ['conf cases <5', 'conf cases 5+'], ['conf cases 5-14', 'conf cases 15+']],
  [
    'all but in-patients, pregnant women and the community',
    ['Confirmed malaria <5', 'Confirmed malaria 5+'],
    ['Confirmed malaria in-patients 5+', 'Confirmed malaria pregnant women', 'Confirmed malaria <5 community'],
  ],
])('confirmed cases are added up from %s', (_, summed, leftOut) => {
  expect(foundIn([...leftOut, ...summed])).toMatchObject({ summed, leftOut });
});

test.each<[string, string[]]>([
  ['an age is missing', ['Confirmed malaria <5', 'Confirmed malaria 15+']],
  ['ages overlap', ['Confirmed malaria <5', 'Confirmed malaria 1+']],
  ['a test is missing', ['RDT positive <5', 'RDT positive 5+']],
  ['two columns count the same', ['Confirmed malaria <5', 'Confirmed malaria, new form <5', 'Confirmed malaria 5+']],
  ['a test is not known by its name', ['Malaria RDT positive', 'Malaria QBC positive']],
  ['ages are not understood', ['Confirmed malaria children', 'Confirmed malaria 5+']],
])('nothing is added up if %s', (_, columns) => {
  expect(foundIn(columns)).toMatchObject({ summed: [] });
});

test('confirmed cases of anything, without a part or a word of malaria, are not taken for cases', () => {
  expect(foundIn(['Measles confirmed', 'Suspected'])).toBeNull();
  expect(foundIn(['Suspected <5', 'Tested <5'])).toBeNull();
});
