import { Value } from 'typebox/value';
import { describe, expect, test } from 'vitest';
import type { Model } from '../../../../pipeline/catalog/model.ts';
import { periodRange } from '../../../../pipeline/contract/months.ts';
import { Season, SeasonMethod, TransmissionModel } from '../../../../pipeline/contract/schemas.ts';
import { countryWords, type Wording, wordingInCountry } from '../../../../pipeline/contract/words.ts';
import type { Cases } from '../../../../pipeline/ingest/case-series.ts';
import type { Areas, ClimateRow } from '../../../../pipeline/ingest/ingest-tables.ts';
import { estimateSeasons } from '../../../../pipeline/model/season/season-stage.ts';
import { fitTransmission } from '../../../../pipeline/model/transmission/transmission-stage.ts';
import { TERRITORY } from '../../../../pipeline/synthetic/states.ts';

const SAHEL = [0, 0, 2, 10, 40, 90, 180, 240, 130, 20, 0, 0];
const COAST = [25, 50, 110, 170, 230, 310, 340, 280, 370, 260, 80, 25];
const areas: Areas = {
  states: [
    { state_code: 'AA', state_pcode: 'NG001', state: 'Aa', zone: 'NW' },
    { state_code: 'BB', state_pcode: 'NG002', state: 'Bb', zone: 'SS' },
  ],
  lgas: [
    { lga_code: 'NG001001', lga: 'One', state_code: 'AA' },
    { lga_code: 'NG001002', lga: 'Two', state_code: 'AA' },
    { lga_code: 'NG002001', lga: 'Three', state_code: 'BB' },
  ],
};
const climate = Object.entries({ NG001001: SAHEL, NG001002: COAST, NG002001: COAST }).flatMap(([lga_code, rain]) =>
  periodRange('2010-01', '2011-12').map(
    (period, t): ClimateRow => ({ lga_code, period, rain_mm: rain[t % 12]!, temperature_c: null }),
  ),
);
const model = {
  parameters: {
    seed: 1,
    season: { high_share: 0.5, masked: [] },
    transmission: {
      infectious_months: 2,
      immune_months: 3,
      assumed_from: 'assumed for a test',
      development_first: 2018,
      held_back_year: 2023,
      starts: 3,
    },
  },
} as unknown as Model;
/** As the snapshot writes it. */
const told = (what: string | Wording) => wordingInCountry(what, countryWords(TERRITORY));
const none: Cases = { states: [], lgas: [] };
const census = {
  NG001001: { people: 600, children_0_4: 1 },
  NG002001: { people: 1000, children_0_4: 1 },
};

describe('a country of three LGAs', () => {
  const populations = { NG001001: 0, NG001002: 500, NG002001: 10 };
  const out = estimateSeasons({ areas, climate, populations, cases: none, model });

  test('without case records, seasons use the defaults, the check is empty, and there is no transmission model', () => {
    expect(out.method.check.series).toBe(0);
    expect(out.report).toMatchObject([{ rule: 'no case records' }]);
    expect(Value.Check(SeasonMethod, { ...out.method, description: told(out.method.description) })).toBe(true);
    for (const value of [out.national, ...Object.values(out.states), ...Object.values(out.lgas)])
      expect(Value.Check(Season, value)).toBe(true);
    const lacking = fitTransmission({ areas, cases: none, census, rain: out.rain, model });
    expect(lacking).toMatchObject({ model: null, fits: null, report: [{ rule: 'no case records' }] });
    // Records by LGA may exist.
    expect(told(lacking.report[0]!.what)).toMatch(/^no state has a sufficient record of its own \(role cases_states\)/);
  });

  test("a state's season is that of its population-weighted rain: everybody lives on the coast", () => {
    expect(out.rain.AA).toEqual(COAST);
    expect(out.states.AA).toEqual(out.lgas.NG001002);
    expect(out.lgas.NG001001!.peak_month).toBeGreaterThan(out.lgas.NG001002!.peak_month);
  });

  test('cases are given per 1,000 people of the census; months without a report are left out', () => {
    const confirmed: (number | null)[] = Array.from({ length: 36 }, (_, t) => 30 + ((t * 7) % 12));
    confirmed[5] = null;
    const cases: Cases = {
      states: [{ state_code: 'AA', lga_code: null, first: '2021-03', confirmed, masked: [7] }],
      lgas: [],
    };
    const { model: published } = fitTransmission({ areas, cases, census, rain: out.rain, model });
    expect(Value.Check(TransmissionModel, { ...published, limits: published!.limits.map(told) })).toBe(true);
    const [state] = published!.states;
    expect(state!.series).toHaveLength(35);
    expect(state!.series[0]).toMatchObject({ period: '2021-03', reported: 50 });
    expect(state!.series.some(({ period }) => period === '2021-08')).toBe(false);
    expect(state!.series.some(({ period }) => period === '2021-10')).toBe(true); // masked, but shown
    expect(() => fitTransmission({ areas, cases, census: {}, rain: out.rain, model })).toThrow(
      /the census, AA: found no people/,
    );
  });

  test('records that are too short, all zero or all masked are left out and reported; without others there is no model', () => {
    const months = Array.from({ length: 36 }, (_, t) => 30 + ((t * 7) % 12));
    const series = (confirmed: (number | null)[], masked: number[] = []) => ({
      state_code: 'AA',
      lga_code: null,
      first: '2021-01',
      confirmed,
      masked,
    });
    const sound = { ...series(months), state_code: 'BB' };
    for (const bad of [
      series(months.slice(0, 23)),
      series(months.map(() => 0)),
      series(months.map(() => null)),
      series(
        months,
        months.map((_, t) => t),
      ),
    ]) {
      const alone = { states: [bad], lgas: [] };
      const nothing = fitTransmission({ areas, cases: alone, census, rain: out.rain, model });
      expect(nothing.model).toBeNull();
      expect(nothing.report.map(({ rule }) => rule)).toEqual(['record left out', 'no case records']);
      const seasons = estimateSeasons({ areas, climate, populations, cases: alone, model });
      expect(seasons.method.check.series).toBe(0);
      expect(seasons.report[0]).toMatchObject({ rule: 'record left out' });
    }
    const cases = { states: [sound, series(months.map(() => 0))], lgas: [] };
    const both = fitTransmission({ areas, cases, census, rain: out.rain, model });
    expect(both.model!.states.map(({ state_code }) => state_code)).toEqual(['BB']);
    expect(both.report[0]!.what).toMatch(/^AA: fewer than 24 months/);
    expect(Value.Check(TransmissionModel, { ...both.model, limits: both.model!.limits.map(told) })).toBe(true);
  });
});
