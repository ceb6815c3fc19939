import { Value } from 'typebox/value';
import { beforeAll, describe, expect, test } from 'vitest';
import type { Areas, ClimateRow } from '../../../pipeline/artifacts.ts';
import type { Cases } from '../../../pipeline/case-series.ts';
import type { HeldBack } from '../../../pipeline/catalog/held-back.ts';
import type { Model } from '../../../pipeline/catalog/model.ts';
import { periodRange } from '../../../pipeline/contract/months.ts';
import { Season, SeasonMethod, TransmissionModel } from '../../../pipeline/contract/schemas.ts';
import { type SeasonOutput, season } from '../../../pipeline/season/stage.ts';
import { readRegister } from '../../../pipeline/transmission/held-back.ts';
import { type TransmissionOutput, transmission } from '../../../pipeline/transmission/stage.ts';
import { realArtifacts } from '../../support/real-artifacts.ts';
import { HAS_REAL_DATA, needsReal, REAL_CATALOG } from '../../support/real-data.ts';

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
const none: Cases = { states: [], lgas: [] };
const census = {
  NG001001: { people: 600, children_0_4: 1 },
  NG002001: { people: 1000, children_0_4: 1 },
};

describe('a country of three LGAs', () => {
  const populations = { NG001001: 0, NG001002: 500, NG002001: 10 };
  const out = season({ areas, climate, populations, cases: none, model });

  test('without case records: seasons by the defaults, a check of nothing, and no transmission model', () => {
    expect(out.method.check.series).toBe(0);
    expect(out.report).toMatchObject([{ rule: 'no case records' }]);
    expect(Value.Check(SeasonMethod, out.method)).toBe(true);
    for (const value of [out.national, ...Object.values(out.states), ...Object.values(out.lgas)])
      expect(Value.Check(Season, value)).toBe(true);
    expect(transmission({ areas, cases: none, census, rain: out.rain, model })).toMatchObject({
      model: null,
      fits: null,
      report: [{ rule: 'no case records' }],
    });
  });

  test("a state's season is that of its people's rain: all of them live on the coast", () => {
    expect(out.rain.AA).toEqual(COAST);
    expect(out.states.AA).toEqual(out.lgas.NG001002);
    expect(out.lgas.NG001001!.peak_month).toBeGreaterThan(out.lgas.NG001002!.peak_month);
  });

  test('cases are told per 1,000 people of the census; months without a report are left out', () => {
    const confirmed: (number | null)[] = Array.from({ length: 36 }, (_, t) => 30 + ((t * 7) % 12));
    confirmed[5] = null;
    const cases: Cases = {
      states: [{ state_code: 'AA', lga_code: null, first: '2021-03', confirmed, masked: [7] }],
      lgas: [],
    };
    const { model: published } = transmission({ areas, cases, census, rain: out.rain, model });
    expect(Value.Check(TransmissionModel, published)).toBe(true);
    const [state] = published!.states;
    expect(state!.series).toHaveLength(35);
    expect(state!.series[0]).toMatchObject({ period: '2021-03', reported: 50 });
    expect(state!.series.some(({ period }) => period === '2021-08')).toBe(false);
    expect(state!.series.some(({ period }) => period === '2021-10')).toBe(true); // masked, and shown
    expect(() => transmission({ areas, cases, census: {}, rain: out.rain, model })).toThrow(/no people in AA/);
  });

  test('records that are too short, all zero or all masked are left out and named; with no other there is no model', () => {
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
      const nothing = transmission({ areas, cases: alone, census, rain: out.rain, model });
      expect(nothing.model).toBeNull();
      expect(nothing.report.map(({ rule }) => rule)).toEqual(['record left out', 'no case records']);
      const seasons = season({ areas, climate, populations, cases: alone, model });
      expect(seasons.method.check.series).toBe(0);
      expect(seasons.report[0]).toMatchObject({ rule: 'record left out' });
    }
    const cases = { states: [sound, series(months.map(() => 0))], lgas: [] };
    const both = transmission({ areas, cases, census, rain: out.rain, model });
    expect(both.model!.states.map(({ state_code }) => state_code)).toEqual(['BB']);
    expect(both.report[0]!.what).toMatch(/^AA: fewer than 24 months/);
    expect(Value.Check(TransmissionModel, both.model)).toBe(true);
  });
});

describe.skipIf(!HAS_REAL_DATA)(needsReal('Nigeria'), () => {
  let seasons: SeasonOutput;
  let transmitted: TransmissionOutput;
  let register: HeldBack;
  beforeAll(async () => {
    const real = await realArtifacts();
    real.model.held_back = readRegister(REAL_CATALOG);
    register = real.model.held_back;
    seasons = season(real);
    transmitted = transmission({ ...real, rain: seasons.rain });
  });

  test('twelve states left out in turn reach the figures asked for', () => {
    const { check } = seasons.method;
    expect(check.states).toEqual(['AK', 'BA', 'BE', 'CR', 'EB', 'EK', 'KE', 'KW', 'NA', 'OY', 'PL', 'ZA']);
    expect(check.median_correlation).toBeGreaterThanOrEqual(0.873);
    expect(check.median_correlation).toBeLessThan(0.92); // above it, suspect overfitting
    expect(check.mean_months_peak_is_off).toBeLessThanOrEqual(1.2);
    expect(check.mean_months_off).toBeLessThanOrEqual(0.79);
    expect(Object.keys(seasons.lgas)).toHaveLength(774);
  });

  test("the season's swing is the records' own: held-out seasons made flatter or deeper are further off", () => {
    const error = (power: number) => {
      const squares = seasons.check.flatMap(({ expected, recorded }) =>
        expected.map((value, month) => (value ** power - recorded[month]!) ** 2),
      );
      return Math.sqrt(squares.reduce((sum, value) => sum + value, 0) / squares.length);
    };
    expect(error(1)).toBeLessThan(0.1);
    for (const power of [0.8, 1.2]) expect(error(power), `to the power of ${power}`).toBeGreaterThan(1.05 * error(1));
    // Without rain, the mean season of the other states' records.
    const others = seasons.check.flatMap((left) => {
      const rest = seasons.check.filter((row) => row !== left);
      const sums = left.recorded.map((_, month) => rest.reduce((sum, row) => sum + row.recorded[month]!, 0));
      return sums.map((value, month) => (value / Math.max(...sums) - left.recorded[month]!) ** 2);
    });
    expect(Math.sqrt(others.reduce((sum, value) => sum + value, 0) / others.length)).toBeGreaterThan(1.2 * error(1));
    const wrong = seasons.check.reduce((sum, row) => sum + row.wrong_months, 0);
    expect(wrong / seasons.check.length).toBeLessThanOrEqual(0.6); // twelve months high everywhere: 0.58
  });

  test('the method says which low months the check found, and what a season of twelve months means', () => {
    const { description } = seasons.method;
    expect(description).toMatch(/In 9 of the 12 records no month falls below it/);
    expect(description).toMatch(/Of 144 months left out, \d+ were recorded below 0\.5: the index found \d+ of them/);
    expect(description).toMatch(/over 203 LGAs of states left out, the median correlation is 0\.7/);
    expect(description).toMatch(/whose case records reach 2023/);
    expect(transmitted.model!.limits.join()).toMatch(/case records reach 2023, the held-back year/);
  });

  test('two peaks where southern rain breaks in August, as records show there; one in the north', () => {
    const peaks = (values: readonly number[]) =>
      values.filter((value, m) => value > values[(m + 11) % 12]! && value >= values[(m + 1) % 12]!).length;
    for (const state of ['OY', 'OG', 'LA', 'OS']) expect(peaks(seasons.states[state]!.seasonal_index), state).toBe(2);
    for (const state of ['SO', 'YO', 'KN', 'BO']) expect(peaks(seasons.states[state]!.seasonal_index), state).toBe(1);
    const recorded = seasons.check.find(({ state_code }) => state_code === 'OY')!.recorded;
    expect(peaks(recorded)).toBeGreaterThan(1);
    // The south's year is flatter than the north's.
    const lowest = (state: string) => Math.min(...seasons.states[state]!.seasonal_index);
    expect(lowest('RI')).toBeGreaterThan(lowest('SO'));
  });

  test('simple projections are those of the reference, to its three decimals', () => {
    const { development, held_back } = transmitted.fits!.projection;
    expect([development.months, held_back.months]).toEqual([132, 36]);
    const figures = ({ errors }: typeof development) =>
      ['same_month_last_year', 'same_month_last_three_years', 'abeku_log', 'abeku_raw', 'flat'].map((name) =>
        Number(errors[name]!.toFixed(3)),
      );
    expect(figures(development)).toEqual([1.109, 1.486, 1.072, 0.998, 1.168]);
    expect(figures(held_back)).toEqual([1.556, 1.564, 1.432, 1.351, 1.25]);
  });

  test('the design is registered, and the held-back errors are those of its look (else: malaria-risk score-held-back)', () => {
    const { design, standing, projection } = transmitted.fits!;
    expect(standing).toEqual({ registered: true, looks: register.looks.length });
    const { result } = register.looks.find((look) => look.design === design)!;
    for (const [name, error] of Object.entries(result!.mean_absolute_error))
      expect(projection.held_back.errors[name]).toBeCloseTo(error, 3);
    expect(transmitted.model!.limits.at(-1)).toMatch(/registered before its look.*look \d+ at this year/);
  });

  test("R's range by month: months surely growing, surely not, and doubtful ones named", () => {
    for (const [k, { reproduction_range }] of transmitted.fits!.states.entries()) {
      const { low, high } = reproduction_range;
      expect(low.filter((value) => value > 1).length).toBeGreaterThan(0);
      expect(high.filter((value) => value < 1).length).toBeGreaterThan(0);
      for (const [month, r] of transmitted.model!.states[k]!.reproduction_number_by_month.entries()) {
        expect(low[month]! - 0.03).toBeLessThan(r);
        expect(high[month]! + 0.03).toBeGreaterThan(r);
      }
    }
    expect(transmitted.model!.limits.join('\n')).toMatch(
      /growing cannot be told from shrinking: Ekiti .*; Kebbi .*; Kwara /,
    );
  });

  test('detrended by a mean that owes nothing to the fit, the season alone correlates at less', () => {
    for (const [k, { detrended_correlation }] of transmitted.fits!.states.entries()) {
      expect(detrended_correlation!).toBeGreaterThan(0.5);
      expect(detrended_correlation!).toBeLessThan(transmitted.model!.states[k]!.fit_correlation);
    }
  });

  test('months reported and left out of the fit are those that the catalog masks', () => {
    const left = Object.fromEntries(transmitted.fits!.states.map((state) => [state.state_code, state.left_out]));
    expect(left).toMatchObject({ EK: ['2016-06'], KE: [] });
    expect([left.KW!.length, left.KW![0], left.KW!.at(-1)]).toEqual([13, '2015-01', '2016-01']);
  });

  test('fits correlate at .91 or more; projections beat last year in development, and not too well', () => {
    expect(Value.Check(TransmissionModel, transmitted.model)).toBe(true);
    for (const state of transmitted.model!.states) {
      expect(state.fit_correlation).toBeGreaterThanOrEqual(0.91);
      expect(state.months_with_infection_growing.length).toBeGreaterThan(2);
      expect(state.months_with_infection_growing.length).toBeLessThan(10);
    }
    const { development, held_back } = transmitted.model!.projection_test;
    expect(development.mean_absolute_error.model).toBeLessThan(development.mean_absolute_error.same_month_last_year);
    expect(development.mean_absolute_error.model).toBeGreaterThan(0.88);
    expect(held_back.mean_absolute_error.model).toBeGreaterThan(1.2);
  });
});
