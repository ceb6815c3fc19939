import { KM_PER_DEGREE, type RiskCells } from './mesh.ts';

/** The cells in which a surveyed place may be, with weights that sum to 1. */
export interface WeightedCells {
  cells: Int32Array;
  weights: Float64Array;
}

/** Rings of equal probability, points on each, and the size of the bins in which nearby cells are looked up. */
const RINGS = 5;
const POINTS_PER_RING = 12;
const BIN_DEGREES = 0.1;

/**
 * Returns a function that finds the possible locations of a survey cluster. DHS displaces a cluster in a random
 * direction by a uniform distance of up to 2 km (urban) or 5 km (rural; 10 km for one in a hundred, which is
 * neglected), within its district (Burgert et al. 2013, DHS Spatial Analysis Reports 7). The cells' weights come from
 * spots on rings of equal probability around the published point, each weighted by the population density of its
 * nearest cell.
 */
export function createClusterLocator(cells: RiskCells & { density: ArrayLike<number> }) {
  const binKey = (i: number, j: number) => `${i}/${j}`;
  const toBin = (degrees: number) => Math.floor(degrees / BIN_DEGREES);
  const cellsByBin = Map.groupBy(cells.lga.keys(), (c) =>
    binKey(toBin(cells.longitude[c]!), toBin(cells.latitude[c]!)),
  );
  const nearestCell = (longitude: number, latitude: number, lga: number | null): number => {
    const longitudeScale = Math.cos((latitude * Math.PI) / 180);
    const [i, j] = [toBin(longitude), toBin(latitude)];
    let cell = -1;
    let leastSquare = Number.POSITIVE_INFINITY;
    for (let di = -1; di <= 1; di++)
      for (let dj = -1; dj <= 1; dj++)
        for (const c of cellsByBin.get(binKey(i + di, j + dj)) ?? []) {
          if (lga !== null && cells.lga[c] !== lga) continue;
          const squaredDistance =
            ((cells.longitude[c]! - longitude) * longitudeScale) ** 2 + (cells.latitude[c]! - latitude) ** 2;
          if (squaredDistance < leastSquare) {
            leastSquare = squaredDistance;
            cell = c;
          }
        }
    return cell;
  };

  /**
   * @param lga index of the cluster's LGA, or null if unknown
   * @param displaced_km largest displacement; 0 for a true position
   * @throws RangeError if there is no cell within about 10 km of the point
   */
  return (
    longitude: number,
    latitude: number,
    lga: number | null,
    displaced_km: number,
    name: string,
  ): WeightedCells => {
    const points: [number, number][] =
      displaced_km === 0
        ? [[longitude, latitude]]
        : Array.from({ length: RINGS * POINTS_PER_RING }, (_, k) => {
            const distance = (displaced_km * (Math.floor(k / POINTS_PER_RING) + 0.5)) / RINGS / KM_PER_DEGREE;
            const angle = (2 * Math.PI * ((k % POINTS_PER_RING) + 0.5)) / POINTS_PER_RING;
            const longitudeScale = Math.cos((latitude * Math.PI) / 180);
            return [longitude + (distance * Math.cos(angle)) / longitudeScale, latitude + distance * Math.sin(angle)];
          });
    const weightByCell = new Map<number, number>();
    for (const [x, y] of points) {
      const c = nearestCell(x, y, lga);
      if (c !== -1) weightByCell.set(c, (weightByCell.get(c) ?? 0) + cells.density[c]!);
    }
    const total = [...weightByCell.values()].reduce((a, b) => a + b, 0);
    if (!(total > 0))
      throw new RangeError(`${name}: no inhabited cell near (${longitude}, ${latitude}), expected one within 10 km`);
    const cellOrder = [...weightByCell.keys()].sort((a, b) => a - b);
    return {
      cells: Int32Array.from(cellOrder),
      weights: Float64Array.from(cellOrder, (c) => weightByCell.get(c)! / total),
    };
  };
}
