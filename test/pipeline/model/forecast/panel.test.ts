import { expect, test } from 'vitest';
import type { CaseSeries } from '../../../../pipeline/ingest/case-series.ts';
import { buildPanels, hideDisrupted, panelUpTo } from '../../../../pipeline/model/forecast/panel.ts';

const lga = (lga_code: string, confirmed: (number | null)[], masked: number[] = []): CaseSeries => ({
  state_code: lga_code.slice(0, 2),
  lga_code,
  first: '2020-01',
  confirmed,
  masked,
});
const AREAS = {
  states: [],
  lgas: ['AA1', 'AA2', 'BB1'].map((lga_code) => ({ lga_code, lga: lga_code, state_code: lga_code.slice(0, 2) })),
};
const CENSUS = { AA1: { people: 100, children_0_4: 1 }, AA2: { people: 50, children_0_4: 1 } };

test('a state is the sum of its LGAs, unknown if one of them is; its own record is used only if it has no LGA records', () => {
  const own = {
    state_code: 'BB',
    lga_code: null,
    first: '2017-12',
    confirmed: [1, 2, 0, ...new Array(24).fill(9)],
    masked: [1],
  };
  const panels = buildPanels({
    areas: AREAS,
    census: CENSUS,
    cases: {
      lgas: [lga('AA1', [10, null, 30]), lga('AA2', [1, 2, 3], [2])],
      states: [{ ...own, state_code: 'AA', first: '2020-01', confirmed: [99, 99, 99] }, own],
    },
    disrupted: [{ first: '2020-02', last: '2020-02' }],
  });
  expect(panels.map(({ level, areas }) => [level, areas.map(({ code }) => code)])).toEqual([
    ['lga', ['AA1', 'AA2']],
    ['state', ['AA', 'BB']],
    ['long', ['BB']],
  ]);
  const [lgas, states, long] = panels;
  expect([...lgas!.areas[1]!.cases]).toEqual([1, 2, Number.NaN]);
  const [sum, record] = states!.areas;
  expect([...sum!.cases.slice(25)]).toEqual([11, Number.NaN, Number.NaN]);
  expect(sum!.cases.slice(0, 25).every(Number.isNaN)).toBe(true);
  expect(sum!.people).toBe(150);
  // the second month is masked, hence unknown; that the third had no case is known
  expect([...record!.cases.slice(0, 4)]).toEqual([1, Number.NaN, 0, 9]);
  expect(record!.people).toBeNull();
  // two years after the start of the records by LGA, three after the start of a long one
  expect([lgas!, states!, long!].map(({ origins }) => origins)).toEqual([
    { first_forecast: 11, first_scored: 24 },
    { first_forecast: 36, first_scored: 49 },
    { first_forecast: 23, first_scored: 36 },
  ]);
  expect(hideDisrupted(states!).areas[1]!.cases[26]).toBeNaN();
  expect(states!.areas[1]!.cases[26]).toBe(9);
});

test('the data available at an origin end there', () => {
  const [lgas] = buildPanels({
    areas: AREAS,
    census: CENSUS,
    cases: { lgas: [lga('AA1', [1, 2, 3])], states: [] },
    disrupted: [],
  });
  const seen = panelUpTo(lgas!, 1);
  expect(seen.months).toBe(2);
  expect([...seen.areas[0]!.cases]).toEqual([1, 2]);
});
