import { KM_PER_DEGREE, type RiskCells } from './mesh.ts';

/** The cells in which a surveyed place may be, with weights that sum to 1. */
export interface Surroundings {
  cells: Int32Array;
  weights: Float64Array;
}

/**
 * Returns a function that finds the possible locations of a survey cluster. DHS displaces a cluster in a random
 * direction by a uniform distance of up to 2 km (urban) or 5 km (rural; 10 km for one in a hundred, which is
 * neglected), within its district (Burgert et al. 2013, DHS Spatial Analysis Reports 7). The cells' weights come from
 * spots on rings of equal probability around the published point, each weighted by the population density of its
 * nearest cell.
 */
export function findSurroundings(cells: RiskCells & { density: ArrayLike<number> }) {
  const RINGS = 5;
  const SPOTS = 12;
  const bin = 0.1;
  const bins = new Map<string, number[]>();
  const key = (i: number, j: number) => `${i}/${j}`;
  for (let c = 0; c < cells.lga.length; c++) {
    const name = key(Math.floor(cells.longitude[c]! / bin), Math.floor(cells.latitude[c]! / bin));
    const list = bins.get(name);
    if (list) list.push(c);
    else bins.set(name, [c]);
  }
  const nearest = (longitude: number, latitude: number, lga: number | null): number => {
    const shrink = Math.cos((latitude * Math.PI) / 180);
    const [i, j] = [Math.floor(longitude / bin), Math.floor(latitude / bin)];
    let cell = -1;
    let least = Number.POSITIVE_INFINITY;
    for (let di = -1; di <= 1; di++)
      for (let dj = -1; dj <= 1; dj++)
        for (const c of bins.get(key(i + di, j + dj)) ?? []) {
          if (lga !== null && cells.lga[c] !== lga) continue;
          const d = ((cells.longitude[c]! - longitude) * shrink) ** 2 + (cells.latitude[c]! - latitude) ** 2;
          if (d < least) {
            least = d;
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
  ): Surroundings => {
    const spots: [number, number][] =
      displaced_km === 0
        ? [[longitude, latitude]]
        : Array.from({ length: RINGS * SPOTS }, (_, k) => {
            const distance = (displaced_km * (Math.floor(k / SPOTS) + 0.5)) / RINGS / KM_PER_DEGREE;
            const angle = (2 * Math.PI * ((k % SPOTS) + 0.5)) / SPOTS;
            const shrink = Math.cos((latitude * Math.PI) / 180);
            return [longitude + (distance * Math.cos(angle)) / shrink, latitude + distance * Math.sin(angle)];
          });
    const weight = new Map<number, number>();
    for (const [x, y] of spots) {
      const c = nearest(x, y, lga);
      if (c !== -1) weight.set(c, (weight.get(c) ?? 0) + cells.density[c]!);
    }
    const total = [...weight.values()].reduce((a, b) => a + b, 0);
    if (!(total > 0))
      throw new RangeError(`${name}: no inhabited cell near (${longitude}, ${latitude}), expected one within 10 km`);
    const order = [...weight.keys()].sort((a, b) => a - b);
    return { cells: Int32Array.from(order), weights: Float64Array.from(order, (c) => weight.get(c)! / total) };
  };
}
