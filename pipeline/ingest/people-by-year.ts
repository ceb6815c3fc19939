/** People of areas in any year, from those of the years that are given. */
import type { Source } from '../catalog/sources.ts';
import type { CensusRow, PeopleRow } from './ingest-tables.ts';

/** People of an area in a year; null if no year of it is known. */
export type PeopleInYear = (lga_code: string, year: number) => number | null;

/**
 * Between two years t₁ < t < t₂, people grow at a constant rate: P(t) = P₁ (P₂ / P₁)^((t − t₁) / (t₂ − t₁)). Before the
 * first year and after the last, P(t) = P₁ (1 + g)^(t − t₁) from the nearest one, with the stated growth g; without it,
 * people change as those of the rasters do, or else as between the two nearest years. With one year and nothing else,
 * they are the same in all years. (Shryock and Siegel 1976, The Methods and Materials of Demography.)
 * @param table counts of the table of people; those of the rasters are used without one
 * @param growth share a year
 */
export function peopleFinder(
  table: readonly PeopleRow[],
  rasters: readonly PeopleRow[],
  growth: number | null,
): PeopleInYear {
  const [byArea, rastersByArea] = [table, rasters].map((counts) =>
    Map.groupBy(
      counts.toSorted((a, b) => a.year - b.year),
      ({ lga_code }) => lga_code,
    ),
  ) as [Map<string, PeopleRow[]>, Map<string, PeopleRow[]>];
  return (lga_code, year) => {
    const ofRasters = rastersByArea.get(lga_code) ?? [];
    const counts = byArea.get(lga_code) ?? ofRasters;
    const nearest = year < (counts[0]?.year ?? year) ? counts[0]! : counts.at(-1);
    if (!nearest) return null;
    const isBetween = counts[0]!.year <= year && year <= nearest.year;
    if (!isBetween && growth !== null) return nearest.people * (1 + growth) ** (year - nearest.year);
    if (isBetween || counts === ofRasters || ofRasters.length < 2) return onCurve(counts, year);
    return (nearest.people * onCurve(ofRasters, year)) / onCurve(ofRasters, nearest.year);
  };
}

/** The rasters' counts that tell people of a year: none beside a table without a year, which counts in all years. */
export const rastersBesideTable = (
  census: readonly CensusRow[],
  table: readonly PeopleRow[],
  rasters: readonly PeopleRow[],
): readonly PeopleRow[] => (census.length > 0 && table.length === 0 ? [] : rasters);

/** People on the curve of constant growth through the two years around `year`, or the two nearest to it. */
function onCurve(counts: readonly PeopleRow[], year: number): number {
  const next = counts.findIndex((count) => count.year >= year);
  const last = next === -1 ? counts.length - 1 : Math.max(next, Math.min(1, counts.length - 1));
  const [a, b] = [counts[Math.max(last - 1, 0)]!, counts[last]!];
  return a === b ? a.people : a.people * (b.people / a.people) ** ((year - a.year) / (b.year - a.year));
}

/** The growth that the catalog states, of the table or else of the raster; null without one. */
export const statedGrowth = (sources: readonly Pick<Source, 'role' | 'growth'>[]): number | null => {
  const growthOf = (name: Source['role']) => sources.find(({ role }) => role === name)?.growth;
  return growthOf('population_census') ?? growthOf('population') ?? null;
};

/**
 * The census with the people of the year that the population raster is of, as far as both years are known.
 * @param table counts of the table of people, of known years
 */
export function censusOfRaster(
  census: readonly CensusRow[],
  table: readonly PeopleRow[],
  rasters: readonly PeopleRow[],
  sources: readonly Pick<Source, 'role' | 'files' | 'growth'>[],
): CensusRow[] {
  const year = sources.find(({ role }) => role === 'population')?.files[0]?.year;
  if (year === undefined || table.length === 0) return [...census];
  const peopleInYear = peopleFinder(table, rasters, statedGrowth(sources));
  return census.map((row) => ({ ...row, people: peopleInYear(row.lga_code, year) ?? row.people }));
}
