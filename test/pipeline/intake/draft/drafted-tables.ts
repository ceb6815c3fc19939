/** Tables of the tiny country in many forms, and what a build reads of them by the drafted catalog. */
import { expect } from 'vitest';
import { ingestAreas } from '../../../../pipeline/ingest/areas.ts';
import { ingestCases } from '../../../../pipeline/ingest/cases.ts';
import { ingestClimate } from '../../../../pipeline/ingest/climate.ts';
import { ingestCensus } from '../../../../pipeline/ingest/layers.ts';
import { Locator } from '../../../../pipeline/ingest/locator.ts';
import { LGAS, tinyCountry } from '../../../support/tiny-country.ts';
import { catalogOf, filesOf } from './drafted.ts';

export { MONTHS as NAMES } from '../../../../pipeline/publish/report/shared/names.ts';

export const GIVEN = { name: 'Tiny country', iso_code: 'NG', upper_one: 'state', upper_many: 'states' };
export const MONTHS = Array.from({ length: 36 }, (_, i) => ({ year: 2018 + Math.floor(i / 12), month: (i % 12) + 1 }));
export const two = (number: number) => String(number).padStart(2, '0');
export const iso = ({ year, month }: (typeof MONTHS)[number]) => `${year}-${two(month)}`;
export const cases = (lga: number, i: number) => 100 + 10 * lga + ((7 * i) % 40);
export const rain = (lga: number, i: number) => (20 + lga + ((13 * i) % 90) / 2).toFixed(1);
export const people = (lga: number, year: number) => 100_000 + 1000 * lga + (year - 2018);

/** A row for each area and month. */
export const rows = (
  cells: (lga: number, month: (typeof MONTHS)[number], i: number) => (string | number)[],
  separator = ',',
) => LGAS.flatMap((_, lga) => MONTHS.map((month, i) => cells(lga, month, i).join(separator)));
export const table = (header: string, lines: readonly string[], end = '\n') => `${[header, ...lines].join('\n')}${end}`;

/** The tiny country's files with others in place of its cases. */
export function country(files: Record<string, string | Buffer>, without: readonly string[] = []) {
  const { 'cases.csv': _, 'nets.csv': _nets, 'access.csv': _access, ...own } = tinyCountry().files;
  return filesOf({ ...Object.fromEntries(Object.entries(own).filter(([name]) => !without.includes(name))), ...files });
}

/** What a build reads by the drafted catalog. */
export async function ingested(directory: string, given: Record<string, string> = {}) {
  const { sources, model, root, draft, faults } = await catalogOf(directory, { ...GIVEN, ...given });
  expect(faults).toEqual([]);
  const input = { rawData: root, sources, model, report: [] };
  const { areas, polygons } = await ingestAreas(input);
  const { census, people: counts } = await ingestCensus(input, areas);
  const counted = Object.fromEntries(census.map((row) => [row.lga_code, row]));
  return {
    draft,
    input,
    census,
    people: counts,
    sources,
    cases: await ingestCases(input, areas, counted, new Locator(areas, polygons)),
    climate: await ingestClimate(input, areas, polygons),
  };
}

export const CASES = LGAS.flatMap((lga_code, lga) =>
  MONTHS.map((month, i) => expect.objectContaining({ lga_code, period: iso(month), confirmed: cases(lga, i) })),
);

export const long = (header: string, form: (month: (typeof MONTHS)[number]) => string, separator = ',', end = '\n') =>
  table(
    header,
    rows((lga, month, i) => [LGAS[lga]!, form(month), cases(lga, i)], separator),
    end,
  );
