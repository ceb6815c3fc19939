/** An LGA that may be held out. */
export interface FoldPlace {
  lga_code: string;
  /** Centre of population, degrees. */
  longitude: number;
  latitude: number;
  /** Children examined there in all rounds. */
  examined: number;
}

/**
 * Folds of LGAs for cross-validation. Each fold consists of complete blocks of `block_degrees` a side, so that held-out
 * places have few neighbours among those fitted (Roberts et al. 2017, Ecography 40:913). Blocks are assigned in
 * descending order of children examined, always to the fold with the fewest, which balances the folds without
 * randomness.
 * @returns fold of each LGA, from 1; at most as many folds as blocks with children
 */
export function foldByBlock(places: readonly FoldPlace[], folds = 5, block_degrees = 1): Map<string, number> {
  const blockOf = ({ longitude, latitude }: FoldPlace) =>
    [longitude, latitude].map((v) => Math.floor(v / block_degrees)).join('/');
  const blocks = [...Map.groupBy(places, blockOf)]
    .map(([name, own]) => ({ name, own, examined: own.reduce((sum, place) => sum + place.examined, 0) }))
    .sort((a, b) => b.examined - a.examined || (a.name < b.name ? -1 : 1));
  const surveyed = blocks.filter(({ examined }) => examined > 0).length;
  const load = new Float64Array(Math.max(1, Math.min(folds, surveyed)));
  const fold = new Map<string, number>();
  for (const { own, examined } of blocks) {
    const least = load.indexOf(Math.min(...load));
    load[least]! += examined;
    for (const { lga_code } of own) fold.set(lga_code, least + 1);
  }
  return fold;
}

/** The LGAs with their centres and the children examined in `surveyed`. */
export function foldPlacesOf(
  cells: {
    lga_code: readonly string[];
    longitude: readonly number[];
    latitude: readonly number[];
    population: readonly number[];
  },
  surveyed: Iterable<{ lga_code: string; examined: number }>,
): FoldPlace[] {
  const sums = new Map<string, { people: number; x: number; y: number; examined: number }>();
  cells.lga_code.forEach((code, c) => {
    const sum = sums.get(code) ?? { people: 0, x: 0, y: 0, examined: 0 };
    const people = cells.population[c]!;
    sum.people += people;
    sum.x += people * cells.longitude[c]!;
    sum.y += people * cells.latitude[c]!;
    sums.set(code, sum);
  });
  for (const { lga_code, examined } of surveyed) sums.get(lga_code)!.examined += examined;
  return [...sums].map(([lga_code, { people, x, y, examined }]) => ({
    ...{ lga_code, examined },
    ...{ longitude: x / people, latitude: y / people },
  }));
}
