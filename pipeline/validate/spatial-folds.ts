import { lgaCentres } from './lga-centres.ts';

/** An LGA that may be held out. */
export interface FoldLga {
  lga_code: string;
  /** Centre of population, degrees. */
  longitude: number;
  latitude: number;
  /** Children examined there in all rounds. */
  examined: number;
}

/**
 * Folds of LGAs for cross-validation. Each fold consists of complete blocks of `block_degrees` a side, so that held-out
 * LGAs have few neighbours among those fitted (Roberts et al. 2017, Ecography 40:913). Blocks are assigned in
 * descending order of children examined, always to the fold with the fewest, which balances the folds without
 * randomness.
 * @returns fold of each LGA, from 1; at most as many folds as blocks with children
 */
export function assignFolds(lgas: readonly FoldLga[], folds = 5, block_degrees = 1): Map<string, number> {
  const blockKey = ({ longitude, latitude }: FoldLga) =>
    [longitude, latitude].map((degrees) => Math.floor(degrees / block_degrees)).join('/');
  const blocks = [...Map.groupBy(lgas, blockKey)]
    .map(([name, blockLgas]) => ({
      name,
      lgas: blockLgas,
      examined: blockLgas.reduce((sum, lga) => sum + lga.examined, 0),
    }))
    .sort((a, b) => b.examined - a.examined || (a.name < b.name ? -1 : 1));
  const surveyed = blocks.filter(({ examined }) => examined > 0).length;
  const examinedByFold = new Float64Array(Math.max(1, Math.min(folds, surveyed)));
  const foldByLga = new Map<string, number>();
  for (const { lgas, examined } of blocks) {
    const smallestFold = examinedByFold.indexOf(Math.min(...examinedByFold));
    examinedByFold[smallestFold]! += examined;
    for (const { lga_code } of lgas) foldByLga.set(lga_code, smallestFold + 1);
  }
  return foldByLga;
}

/** The LGAs with their centres and the children examined in `surveyed`. */
export function surveyedLgas(
  cells: Parameters<typeof lgaCentres>[0],
  surveyed: Iterable<{ lga_code: string; examined: number }>,
): FoldLga[] {
  const examinedByLga = new Map<string, number>();
  for (const { lga_code, examined } of surveyed)
    examinedByLga.set(lga_code, (examinedByLga.get(lga_code) ?? 0) + examined);
  return [...lgaCentres(cells)].map(([lga_code, centre]) => ({
    lga_code,
    examined: examinedByLga.get(lga_code) ?? 0,
    ...centre,
  }));
}
