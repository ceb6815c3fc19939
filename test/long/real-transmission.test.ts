/** Season and transmission fitted to the real records. */
import { Value } from 'typebox/value';
import { beforeAll, describe, expect, test } from 'vitest';
import type { HeldBack } from '../../pipeline/catalog/held-back.ts';
import { TransmissionModel } from '../../pipeline/contract/schemas.ts';
import { countryWords, wordingInCountry } from '../../pipeline/contract/words.ts';
import { estimateSeasons, type SeasonOutput } from '../../pipeline/model/season/season-stage.ts';
import { readRegister } from '../../pipeline/model/transmission/held-back-design.ts';
import { fitTransmission, type TransmissionOutput } from '../../pipeline/model/transmission/transmission-stage.ts';
import { TERRITORY } from '../../pipeline/synthetic/states.ts';
import { realArtifacts } from '../support/real-artifacts.ts';
import { HAS_REAL_DATA, needsReal, REAL_CATALOG } from '../support/real-data.ts';

describe.skipIf(!HAS_REAL_DATA)(needsReal('Nigeria'), () => {
  let seasons: SeasonOutput;
  let transmitted: TransmissionOutput;
  let register: HeldBack;
  beforeAll(async () => {
    const real = await realArtifacts();
    real.model.held_back = readRegister(REAL_CATALOG);
    register = real.model.held_back;
    seasons = estimateSeasons(real);
    transmitted = fitTransmission({ ...real, rain: seasons.rain });
  });

  test('cross-validation over twelve states reaches the required figures', () => {
    const { check } = seasons.method;
    expect(check.states).toEqual(['AK', 'BA', 'BE', 'CR', 'EB', 'EK', 'KE', 'KW', 'NA', 'OY', 'PL', 'ZA']);
    expect(check.median_correlation).toBeGreaterThanOrEqual(0.873);
    expect(check.median_correlation).toBeLessThan(0.92); // above it, suspect overfitting
    expect(check.mean_months_peak_is_off).toBeLessThanOrEqual(1.2);
    expect(check.mean_months_off).toBeLessThanOrEqual(0.79);
    expect(Object.keys(seasons.lgas)).toHaveLength(774);
  });

  test('the amplitude of the season is right: making held-out seasons flatter or deeper increases the error', () => {
    const error = (power: number) => {
      const squares = seasons.check.flatMap(({ expected, recorded }) =>
        expected.map((value, month) => (value ** power - recorded[month]!) ** 2),
      );
      return Math.sqrt(squares.reduce((sum, value) => sum + value, 0) / squares.length);
    };
    expect(error(1)).toBeLessThan(0.1);
    for (const power of [0.8, 1.2]) expect(error(power), `to the power of ${power}`).toBeGreaterThan(1.05 * error(1));
    // A prediction without rain: the mean season of the other states' records.
    const others = seasons.check.flatMap((left) => {
      const rest = seasons.check.filter((row) => row !== left);
      const sums = left.recorded.map((_, month) => rest.reduce((sum, row) => sum + row.recorded[month]!, 0));
      return sums.map((value, month) => (value / Math.max(...sums) - left.recorded[month]!) ** 2);
    });
    expect(Math.sqrt(others.reduce((sum, value) => sum + value, 0) / others.length)).toBeGreaterThan(1.2 * error(1));
    const wrong = seasons.check.reduce((sum, row) => sum + row.wrong_months, 0);
    expect(wrong / seasons.check.length).toBeLessThanOrEqual(0.6); // twelve months high everywhere: 0.58
  });

  test('the description reports which low months the check found, and the meaning of a twelve-month season', () => {
    const words = countryWords(TERRITORY);
    const description = wordingInCountry(seasons.method.description, words);
    expect(description).toMatch(/In 9 of the 12 records no month falls below it/);
    expect(description).toMatch(
      /Of 144 left-out months, \d+ were recorded below 0\.5: the index identified \d+ of them/,
    );
    expect(description).toMatch(/over 203 LGAs of left-out states, the median correlation is 0\.7/);
    expect(description).toMatch(/whose case records include 2023/);
    expect(transmitted.model!.limits.map((limit) => wordingInCountry(limit, words)).join()).toMatch(
      /case records include 2023, the held-back year/,
    );
  });

  test('two peaks in the south, where rain pauses in August, as in the records; one in the north', () => {
    const peaks = (values: readonly number[]) =>
      values.filter((value, month) => value > values[(month + 11) % 12]! && value >= values[(month + 1) % 12]!).length;
    for (const state of ['OY', 'OG', 'LA', 'OS']) expect(peaks(seasons.states[state]!.seasonal_index), state).toBe(2);
    for (const state of ['SO', 'YO', 'KN', 'BO']) expect(peaks(seasons.states[state]!.seasonal_index), state).toBe(1);
    const recorded = seasons.check.find(({ state_code }) => state_code === 'OY')!.recorded;
    expect(peaks(recorded)).toBeGreaterThan(1);
    // The south's year is flatter than the north's.
    const lowest = (state: string) => Math.min(...seasons.states[state]!.seasonal_index);
    expect(lowest('RI')).toBeGreaterThan(lowest('SO'));
  });

  /** Seasonal chemoprevention in 2020: July to October. */
  const CHEMOPREVENTION = ['BA', 'BO', 'JI', 'KE', 'KN', 'KT', 'SO', 'YO', 'ZA'];

  test('months to act in: the nine states with chemoprevention in 2020 have the most concentrated years', () => {
    const four = (measure: string) =>
      new Map(
        Object.entries(seasons.windows.states).map(([state, rows]) => [
          state,
          rows.find((row) => row.measure === measure && row.months === 4)!,
        ]),
      );
    const [cases, rain] = [four('reported_cases'), four('rain_transmission')];
    const most = [...rain].sort(([, a], [, b]) => b.share - a.share).map(([state]) => state);
    expect(most.slice(0, 9).sort()).toEqual(CHEMOPREVENTION);
    // A published rule based on rain: exactly these nine have 60% of the year's rain in three months.
    const wet = Object.entries(seasons.windows.states).filter(([, [three]]) => three!.rain_share >= 0.6);
    expect(wet.map(([state]) => state).sort()).toEqual(CHEMOPREVENTION);
    for (const state of CHEMOPREVENTION) {
      // July to October by reported cases, or a month later; August to November by rain.
      expect([7, 8], state).toContain(cases.get(state)!.first_month);
      expect(rain.get(state)!.first_month, state).toBe(8);
      expect([cases.get(state)!.criterion, rain.get(state)!.criterion], state).toEqual(['unlikely', 'reached']);
    }
    for (const row of cases.values()) expect(row.criterion).toBe('unlikely');
  });

  test('ranges of the months to act in cover the records of nearly all states and of nine LGAs in ten', () => {
    const held = (areas: SeasonOutput['windows']['states']) => {
      const rows = Object.values(areas)
        .flat()
        .filter((row) => row.measure === 'reported_cases' && row.record_share !== null);
      const inside = rows.filter((row) => row.share_low! <= row.record_share! && row.record_share! <= row.share_high!);
      return { records: rows.length / 3, share: inside.length / rows.length };
    };
    const states = held(seasons.windows.states);
    expect(states.records).toBe(12);
    expect(states.share).toBeGreaterThan(0.85);
    const lgas = held(seasons.windows.lgas);
    expect(lgas.records).toBe(203);
    expect(Math.abs(lgas.share - 0.9)).toBeLessThan(0.05);
  });

  test('simple projections match the reference to three decimals', () => {
    const { development, held_back } = transmitted.fits!.projection;
    expect([development.months, held_back.months]).toEqual([132, 36]);
    const figures = ({ errors }: typeof development) =>
      ['same_month_last_year', 'same_month_last_three_years', 'abeku_log', 'abeku_raw', 'flat'].map((name) =>
        Number(errors[name]!.toFixed(3)),
      );
    expect(figures(development)).toEqual([1.109, 1.486, 1.072, 0.998, 1.168]);
    expect(figures(held_back)).toEqual([1.556, 1.564, 1.432, 1.351, 1.25]);
  });

  test('the design is registered, with its errors (otherwise run malaria-risk evaluate held-back)', () => {
    const { design, standing, projection } = transmitted.fits!;
    expect(standing).toEqual({ registered: true, looks: register.looks.length });
    const { result } = register.looks.find((look) => look.design === design)!;
    for (const [name, error] of Object.entries(result!.mean_absolute_error))
      expect(projection.held_back.errors[name]).toBeCloseTo(error, 3);
    expect(transmitted.model!.limits.at(-1)).toMatch(/registered before it was scored .* evaluation \d+ on this year/);
  });

  test('ranges of R classify months as growing, shrinking or uncertain, and limits list the uncertain ones', () => {
    for (const [k, { reproduction_range }] of transmitted.fits!.states.entries()) {
      const { low, high } = reproduction_range;
      expect(low.filter((value) => value > 1).length).toBeGreaterThan(0);
      expect(high.filter((value) => value < 1).length).toBeGreaterThan(0);
      for (const [month, number] of transmitted.model!.states[k]!.reproduction_number_by_month.entries()) {
        expect(low[month]! - 0.03).toBeLessThan(number);
        expect(high[month]! + 0.03).toBeGreaterThan(number);
      }
    }
    expect(transmitted.model!.limits.join('\n')).toMatch(
      /growth cannot be distinguished from decline: Ekiti .*; Kebbi .*; Kwara /,
    );
  });

  test('after detrending independently of the fit, the season alone has a lower correlation', () => {
    for (const [k, { detrended_correlation }] of transmitted.fits!.states.entries()) {
      expect(detrended_correlation!).toBeGreaterThan(0.5);
      expect(detrended_correlation!).toBeLessThan(transmitted.model!.states[k]!.fit_correlation);
    }
  });

  test('the months left out of the fit are those that the catalog masks', () => {
    const left = Object.fromEntries(transmitted.fits!.states.map((state) => [state.state_code, state.left_out]));
    expect(left).toMatchObject({ EK: ['2016-06'], KE: [] });
    expect([left.KW!.length, left.KW![0], left.KW!.at(-1)]).toEqual([13, '2015-01', '2016-01']);
  });

  test('fits correlate at 0.91 or more; projections beat last year in development, but not suspiciously well', () => {
    const words = countryWords(TERRITORY);
    const limits = transmitted.model!.limits.map((limit) => wordingInCountry(limit, words));
    expect(Value.Check(TransmissionModel, { ...transmitted.model, limits })).toBe(true);
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
