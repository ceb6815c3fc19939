import { expect, test } from 'vitest';
import type { Model } from '../../../../pipeline/catalog/model.ts';
import { addMonths } from '../../../../pipeline/contract/months.ts';
import type { ReportLine } from '../../../../pipeline/engine/stage.ts';
import type { CaseSeries } from '../../../../pipeline/ingest/case-series.ts';
import { stateSeason } from '../../../../pipeline/model/season/season-records.ts';

const model = { parameters: { season: { masked: [] } } } as unknown as Model;
const cases = (t: number) => Math.round(1000 * (1.5 + Math.sin(((t - 3) * Math.PI) / 6)));
/** `months` months of cases of an LGA, starting `from` months after 2018-01. */
const lga = (i: number, from: number, months: number): CaseSeries => ({
  state_code: 'AA',
  lga_code: `NG00100${i}`,
  first: addMonths('2018-01', from),
  masked: [],
  confirmed: Array.from({ length: months }, (_, t) => cases(from + t)),
});
const seasonOf = (...lgas: CaseSeries[]) => {
  const report: ReportLine[] = [];
  return { season: stateSeason('AA', { states: [], lgas }, model, report), report };
};

test('an LGA whose record starts later or ends a month later does not change the season of the others', () => {
  const even = seasonOf(lga(1, 0, 48), lga(2, 0, 48), lga(3, 0, 48));
  expect(even.season!.indexOf(Math.max(...even.season!))).toBe(6);
  expect(even.report).toEqual([]);
  const late = seasonOf(lga(1, 0, 48), lga(2, 0, 48), lga(3, 30, 18));
  late.season!.forEach((share, month) => {
    expect(share).toBeCloseTo(even.season![month]!, 12);
  });
  const ahead = seasonOf(lga(1, 0, 49), lga(2, 0, 48), lga(3, 0, 48));
  expect(ahead.season).toEqual(even.season);
  // a single LGA with an earlier first year does not determine where the record starts
  expect(seasonOf(lga(1, 0, 48), lga(2, 12, 36), lga(3, 12, 36), lga(4, 12, 36)).season).not.toBeNull();
});
