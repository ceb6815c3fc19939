import { bilinearWeights, latticeAround, type MaternField, prepareMaternField } from './matern-lattice.ts';

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
  state_by_lga: Int32Array;
  stateCount: number;
  place_field: MaternField;
  change_field: MaternField;
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
function minAndMax(values: ArrayLike<number>): [number, number] {
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
export function createMesh(
  cells: RiskCells,
  stateByLga: Int32Array,
  stateCount: number,
  resolution = RESOLUTION,
): Mesh {
  const cellCount = cells.lga.length;
  const lgaCount = stateByLga.length;
  const [south, north] = minAndMax(cells.latitude);
  const middleLatitude = (south + north) / 2;
  const kmPerLongitudeDegree = Math.cos((middleLatitude * Math.PI) / 180) * KM_PER_DEGREE;
  const x = Float64Array.from(cells.longitude, (v) => v * kmPerLongitudeDegree);
  const y = Float64Array.from(cells.latitude, (v) => v * KM_PER_DEGREE);
  const place_field = prepareMaternField(latticeAround(x, y, resolution.place_km, resolution.margin_km));
  const change_field = prepareMaternField(latticeAround(x, y, resolution.change_km, resolution.margin_km));

  const first_cell = new Int32Array(lgaCount + 1).fill(-1);
  const [centreX, centreY, populations] = [
    new Float64Array(lgaCount),
    new Float64Array(lgaCount),
    new Float64Array(lgaCount),
  ];
  const cell_nodes = new Int32Array(4 * cellCount);
  const cell_weights = new Float64Array(4 * cellCount);
  for (let c = 0; c < cellCount; c++) {
    const a = cells.lga[c]!;
    if (c === 0 || cells.lga[c - 1] !== a) {
      if (c > 0 && cells.lga[c - 1]! < a - 1)
        throw new RangeError(`area ${a - 1} has no prediction cell, expected at least one`);
      if (c > 0 && cells.lga[c - 1] !== a - 1)
        throw new RangeError(`the cells of area ${a} do not follow those of area ${a - 1}`);
      first_cell[a] = c;
    }
    const { nodes, weights } = bilinearWeights(place_field.lattice, x[c]!, y[c]!);
    cell_nodes.set(nodes, 4 * c);
    cell_weights.set(weights, 4 * c);
    centreX[a]! += cells.population[c]! * x[c]!;
    centreY[a]! += cells.population[c]! * y[c]!;
    populations[a]! += cells.population[c]!;
  }
  first_cell[lgaCount] = cellCount;
  const lga_nodes = new Int32Array(4 * lgaCount);
  const lga_weights = new Float64Array(4 * lgaCount);
  for (let a = 0; a < lgaCount; a++) {
    if (first_cell[a] === -1) throw new RangeError(`area ${a} has no prediction cell, expected at least one`);
    const { nodes, weights } = bilinearWeights(
      change_field.lattice,
      centreX[a]! / populations[a]!,
      centreY[a]! / populations[a]!,
    );
    lga_nodes.set(nodes, 4 * a);
    lga_weights.set(weights, 4 * a);
  }
  return {
    cells,
    state_by_lga: stateByLga,
    stateCount,
    place_field,
    change_field,
    cell_nodes,
    cell_weights,
    lga_nodes,
    lga_weights,
    first_cell,
  };
}
