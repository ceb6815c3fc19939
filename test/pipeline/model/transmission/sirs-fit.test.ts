import { expect, test } from 'vitest';
import { randomStream } from '../../../../pipeline/lib/numerics/random.ts';
import { rainForcing, sirsCycle } from '../../../../pipeline/lib/numerics/sirs.ts';
import { fitSirs } from '../../../../pipeline/model/transmission/sirs-fit.ts';
import { simulateSirs } from '../../../../pipeline/synthetic/sirs.ts';

const RAIN = [3, 8, 30, 80, 140, 170, 190, 210, 230, 120, 15, 3];
const DURATIONS = { infectious_months: 2, immune_months: 3 };
const options = () => ({ starts: 8, random: randomStream(3, 'fit') });
const drift = (t: number) => 0.4 * Math.sin(t / 15);

test('without noise or drift the fit recovers cases, year-round share and lag', () => {
  const truth = { transmission_rate: 1.4, share_year_round: 0.4, ...DURATIONS };
  const { incidence, reproduction_number } = sirsCycle(truth, { monthly: rainForcing(RAIN, 80), lag_months: 1.5 });
  const per_1000 = Array.from({ length: 60 }, (_, t) => 20 * incidence[t % 12]!);
  const fit = fitSirs({ first_month: 0, per_1000, masked: new Set() }, RAIN, DURATIONS, options());
  expect(fit.correlation).toBeGreaterThan(0.99999);
  expect(fit.parameters.share_year_round).toBeCloseTo(0.4, 2);
  expect(fit.parameters.transmission_rate).toBeCloseTo(1.4, 1);
  expect(fit.lag_months).toBeCloseTo(1.5, 2);
  for (const [month, r] of reproduction_number.entries())
    expect(fit.cycle.reproduction_number[month]).toBeCloseTo(r, 2);
});

test('with noise, drift, gaps and another integrator, modelled cases are within the noise of the expected ones', () => {
  const noise = randomStream(11, 'noise');
  const season = rainForcing(RAIN, 80).map((_, month, all) => all[(month + 11) % 12]!);
  const incidence = simulateSirs({ b: 1.6, share_year_round: 0.4, ...DURATIONS }, season, 84);
  const expected = incidence.map((value, t) => 20 * value * Math.exp(drift(t)));
  const per_1000: (number | null)[] = expected.map((value) => value * Math.exp(0.08 * noise.normal()));
  const masked = new Set([17, 18]);
  per_1000[17] = 0.001;
  per_1000[18] = 0;
  per_1000[40] = null;
  const fit = fitSirs({ first_month: 0, per_1000, masked }, RAIN, DURATIONS, options());
  const errors = fit.modelled.map((value, t) => Math.log(value / expected[t]!));
  expect(Math.sqrt(errors.reduce((sum, e) => sum + e * e, 0) / errors.length)).toBeLessThan(0.08);
  expect(Math.abs(errors[17]!)).toBeLessThan(0.2);
  expect(fit.correlation).toBeGreaterThan(0.95);
});

test('records may have any length and first month, and fits are reproducible', () => {
  const { incidence } = sirsCycle(
    { transmission_rate: 1.4, share_year_round: 0.4, ...DURATIONS },
    { monthly: rainForcing(RAIN, 80), lag_months: 1.5 },
  );
  const record = {
    first_month: 4,
    per_1000: Array.from({ length: 31 }, (_, t) => 5 * incidence[(4 + t) % 12]!),
    masked: new Set<number>(),
  };
  const fit = fitSirs(record, RAIN, DURATIONS, options());
  expect(fit.modelled).toHaveLength(31);
  expect(fit.correlation).toBeGreaterThan(0.9999);
  expect(fitSirs(record, RAIN, DURATIONS, options())).toEqual(fit);
});

test('the detrended correlation measures the season alone: 1 with any drift, and low if drift explains everything', () => {
  const { incidence } = sirsCycle(
    { transmission_rate: 1.4, share_year_round: 0.4, ...DURATIONS },
    { monthly: rainForcing(RAIN, 80), lag_months: 1.5 },
  );
  const fitOf = (value: (t: number) => number, masked: number[] = []) => {
    const per_1000 = Array.from({ length: 72 }, (_, t) => value(t));
    return fitSirs({ first_month: 0, per_1000, masked: new Set(masked) }, RAIN, DURATIONS, options());
  };
  const growing = fitOf((t) => 20 * incidence[t % 12]! * Math.exp(t / 30));
  expect(growing.detrended_correlation).toBeGreaterThan(0.999);
  // no season, but reporting that oscillates with a period of nine months
  const swinging = fitOf((t) => 5 * Math.exp(0.6 * Math.sin((2 * Math.PI * t) / 9)));
  expect(swinging.correlation).toBeGreaterThan(0.9);
  expect(Math.abs(swinging.detrended_correlation!)).toBeLessThan(0.2);
  // every other half year is masked, so no window of thirteen months is complete
  const halves = Array.from({ length: 72 }, (_, t) => t).filter((t) => t % 12 < 6);
  expect(fitOf((t) => 20 * incidence[t % 12]!, halves).detrended_correlation).toBeNull();
});
