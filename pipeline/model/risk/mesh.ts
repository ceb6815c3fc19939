import { interpolate, latticeAround, type Matern, prepareMatern } from './matern-lattice.ts';

/** One degree of latitude on the sphere of mean radius 6371.0088 km. */
export const KM_PER_DEGREE = 111.19508;

/**
 * The prediction cells in the form the risk model needs; columns of equal length, with each LGA's cells consecutive.
 */
export interface RiskCells {
  /** Index of the cell's LGA. */
  lga: Int32Array;
  longitude: ArrayLike<number>;
  latitude: ArrayLike<number>;
  population: ArrayLike<number>;
  /** Standardised covariates, cell by cell: `features[cell * feature_count + f]`. */
  features: Float64Array;
  feature_count: number;
}

/** Lattice spacing and margin, km. */
export interface Resolution {
  place_km: number;
  change_km: number;
  margin_km: number;
}
/** Spacing below half of nearly every range that the prior allows; the margin is half a range of 240 km. */
export const RESOLUTION: Resolution = { place_km: 40, change_km: 100, margin_km: 120 };

/** Positions of cells and LGAs on the lattices of the two fields. */
export interface Mesh {
  cells: RiskCells;
  /** State of each LGA. */
  state_of: Int32Array;
  states: number;
  place: Matern;
  change: Matern;
  /** Four nodes and weights of each cell in the lattice of the spatial field. */
  cell_nodes: Int32Array;
  cell_weights: Float64Array;
  /** Four nodes and weights of each LGA's centre of population in the lattice of the field of change. */
  lga_nodes: Int32Array;
  lga_weights: Float64Array;
  /** Cells of LGA a: `first_cell[a]` to `first_cell[a + 1]`. */
  first_cell: Int32Array;
}

/** Smallest and largest value; there may be too many cells for `Math.min(...values)`. */
function extremes(values: ArrayLike<number>): [number, number] {
  let [least, most] = [Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY];
  for (let i = 0; i < values.length; i++) {
    least = Math.min(least, values[i]!);
    most = Math.max(most, values[i]!);
  }
  return [least, most];
}

/**
 * Places cells on the lattices. Plane coordinates are longitude × cos(middle latitude) and latitude, in km (east-west
 * distances are within 1.7% in Nigeria and 5% in Madagascar).
 * @throws RangeError if an LGA has no cell or its cells are not consecutive
 */
export function createMesh(cells: RiskCells, stateByLga: Int32Array, states: number, resolution = RESOLUTION): Mesh {
  const n = cells.lga.length;
  const lgas = stateByLga.length;
  const [south, north] = extremes(cells.latitude);
  const middle = (south + north) / 2;
  const shrink = Math.cos((middle * Math.PI) / 180) * KM_PER_DEGREE;
  const x = Float64Array.from(cells.longitude, (v) => v * shrink);
  const y = Float64Array.from(cells.latitude, (v) => v * KM_PER_DEGREE);
  const place = prepareMatern(latticeAround(x, y, resolution.place_km, resolution.margin_km));
  const change = prepareMatern(latticeAround(x, y, resolution.change_km, resolution.margin_km));

  const first_cell = new Int32Array(lgas + 1).fill(-1);
  const [px, py, people] = [new Float64Array(lgas), new Float64Array(lgas), new Float64Array(lgas)];
  const cell_nodes = new Int32Array(4 * n);
  const cell_weights = new Float64Array(4 * n);
  for (let c = 0; c < n; c++) {
    const a = cells.lga[c]!;
    if (c === 0 || cells.lga[c - 1] !== a) {
      if (c > 0 && cells.lga[c - 1]! < a - 1)
        throw new RangeError(`area ${a - 1} has no prediction cell, expected at least one`);
      if (c > 0 && cells.lga[c - 1] !== a - 1)
        throw new RangeError(`the cells of area ${a} do not follow those of area ${a - 1}`);
      first_cell[a] = c;
    }
    const { nodes, weights } = interpolate(place.lattice, x[c]!, y[c]!);
    cell_nodes.set(nodes, 4 * c);
    cell_weights.set(weights, 4 * c);
    px[a]! += cells.population[c]! * x[c]!;
    py[a]! += cells.population[c]! * y[c]!;
    people[a]! += cells.population[c]!;
  }
  first_cell[lgas] = n;
  const lga_nodes = new Int32Array(4 * lgas);
  const lga_weights = new Float64Array(4 * lgas);
  for (let a = 0; a < lgas; a++) {
    if (first_cell[a] === -1) throw new RangeError(`area ${a} has no prediction cell, expected at least one`);
    const { nodes, weights } = interpolate(change.lattice, px[a]! / people[a]!, py[a]! / people[a]!);
    lga_nodes.set(nodes, 4 * a);
    lga_weights.set(weights, 4 * a);
  }
  return {
    cells,
    state_of: stateByLga,
    states,
    place,
    change,
    cell_nodes,
    cell_weights,
    lga_nodes,
    lga_weights,
    first_cell,
  };
}
