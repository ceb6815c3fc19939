import { expect, test } from 'vitest';
import { sourceIn, type TinyCountry } from '../../support/tiny-country.ts';
import { read } from './broken.ts';

const FROM = { source: 'annual report, table 4', tolerance: 0.02 };
const withControls =
  (id: string, ...controls: object[]) =>
  (country: TinyCountry) => {
    Object.assign(sourceIn(country, id), { controls: controls.map((control) => ({ ...FROM, ...control })) });
  };
const controlsOf = async (change: (country: TinyCountry) => void) =>
  (await read(change)).tables.report.flatMap(({ source, rule, what }) =>
    rule === 'control' ? [`${source}: ${what}`] : [],
  );

test('sums that agree with a figure printed elsewhere are told, by year, month and area', async () => {
  const cases = withControls(
    'cases',
    { period: '2019', area: null, value: 18035 },
    { period: '2019', area: 'NG001', value: 18200 },
  );
  expect(await controlsOf(cases)).toEqual([
    'cases: 2019: the same as in annual report, table 4',
    'cases: NG001, 2019: 0.9% less than in annual report, table 4',
  ]);
  const passedOn = (country: TinyCountry) => {
    cases(country);
    sourceIn(country, 'cases').pass_on = 'yes';
  };
  expect((await controlsOf(passedOn))[0]).toBe('cases: 2019: 18,035 read, the same as 18,035 (annual report, table 4)');
  expect(await controlsOf(withControls('population_census', { area: 'NG002', value: 200_000 }))).toEqual([
    'population_census: NG002: 200,005 read, 0.0% more than 200,000 (annual report, table 4)',
  ]);
  // Rapid tests too, which are not used.
  expect(await controlsOf(withControls('surveys', { period: '2018', value: 284, tolerance: 0 }))).toHaveLength(1);
});

test('a build that misses a control stops', async () => {
  const missed = withControls('cases', { period: '2019', value: 19_000 }, { period: '2031', value: 5 });
  await expect(read(missed)).rejects.toThrow(
    'sources.json, source cases, controls, 2019: found 18,035, expected 19,000 (annual report, table 4), within 2%',
  );
  await expect(read(withControls('cases', { period: '2031', value: 5 }))).rejects.toThrow(
    'sources.json, source cases, controls, 2031: found nothing, expected 5 (annual report, table 4), within 2%',
  );
});
