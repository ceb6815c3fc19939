import type { ArtifactTables, PredictionCells } from '../artifacts.ts';
import { BadInput } from '../bad-input.ts';
import { covariateName } from '../catalog/covariates.ts';
import type { Covariate } from '../catalog/model.ts';
import type { RowOf } from '../table.ts';

/** A covariate of the catalog, with a value in the source's unit of each prediction cell, in the cells' order. */
export interface CellCovariate extends Pick<Covariate, 'transform' | 'square'> {
  name: string;
  values: readonly number[];
}

/** What the model is told of each cell, and which of its columns each covariate stands for. */
export interface Features {
  /** `features[cell * feature_count + f]`. */
  features: Float64Array;
  feature_count: number;
  covariates: { name: string; columns: number[] }[];
}

/** The covariates that every country has, from its population raster. */
export const POPULATION_COVARIATES = ['population density', 'urban share'] as const;

/**
 * The risk model's covariates by cell, standardised over people (mean 0, variance 1): log of population density, its
 * square about the mean (risk falls in towns, less so between village and hamlet), the share living in urban centres;
 * then those of the catalog, each transformed, and its square about the mean where asked for.
 * @throws BadInput for a covariate of the catalog that is the same everywhere or has no such logarithm or root
 */
export function riskFeatures(cells: PredictionCells, added: readonly CellCovariate[] = []): Features {
  const { population } = cells;
  const density = standardise(cells.population_density.map(Math.log), population);
  const [density_name, urban_name] = POPULATION_COVARIATES;
  const given = [
    { name: density_name, columns: [density, squared(density, population)] },
    { name: urban_name, columns: [standardise(cells.urban_share, population)] },
    ...added.map((covariate) => ({ name: covariate.name, columns: columnsOf(covariate, population) })),
  ];
  const columns = given.flatMap((one) => one.columns);
  const feature_count = columns.length;
  const features = new Float64Array(population.length * feature_count);
  columns.forEach((column, f) => {
    column.forEach((v, c) => {
      features[c * feature_count + f] = v;
    });
  });
  return {
    features,
    feature_count,
    covariates: given.map(({ name, columns: own }) => ({
      name,
      columns: own.map((column) => columns.indexOf(column)),
    })),
  };
}

/** The same features without the columns of covariates that are not in `names`. */
export function selectFeatures({ features, feature_count, covariates }: Features, names: readonly string[]): Features {
  const kept = covariates.filter(({ name }) => names.includes(name));
  const columns = kept.flatMap((one) => one.columns);
  const cells = features.length / feature_count;
  const selected = new Float64Array(cells * columns.length);
  for (let c = 0; c < cells; c++)
    columns.forEach((column, f) => {
      selected[c * columns.length + f] = features[c * feature_count + column]!;
    });
  return {
    features: selected,
    feature_count: columns.length,
    covariates: kept.map(({ name, columns: own }) => ({ name, columns: own.map((column) => columns.indexOf(column)) })),
  };
}

type ByLga = RowOf<ArtifactTables['ingest/covariates']>;
type ByCell = RowOf<ArtifactTables['zonal/covariates']>;

/**
 * The catalog's covariates that do not change, by cell: of rasters as they are, of tables each LGA's own; and the means
 * over their times of those of which no more is asked.
 */
export function cellCovariates(
  entries: readonly Covariate[],
  { lga_code }: Pick<PredictionCells, 'lga_code'>,
  byLga: readonly ByLga[],
  byCell: readonly ByCell[],
): CellCovariate[] {
  const tables = Map.groupBy(byLga, ({ covariate }) => covariate);
  const rasters = Map.groupBy(byCell, ({ covariate }) => covariate);
  const constant = entries.filter(({ time }) => time === undefined || time === 'mean');
  return constant.map((entry) => {
    const { source, transform, square = false } = entry;
    const places = Map.groupBy(tables.get(source) ?? [], (row) => row.lga_code);
    const means = new Map(
      [...places].map(([code, rows]) => [code, rows.reduce((sum, r) => sum + r.value, 0) / rows.length]),
    );
    const values = rasters.get(source)?.map(({ value }) => value) ?? lga_code.map((code) => means.get(code)!);
    return { name: covariateName(entry), transform, square, values };
  });
}

export const TRANSFORMS: Record<Covariate['transform'], (value: number) => number> = {
  none: (value) => value,
  log: Math.log,
  log1p: Math.log1p,
  sqrt: Math.sqrt,
};

function columnsOf({ name, values, transform, square }: CellCovariate, weights: number[]): number[][] {
  const complain = (found: string, expected: string) =>
    new BadInput('model.json', `parameters.risk.covariates, ${name}`, found, expected);
  const transformed = values.map(TRANSFORMS[transform]);
  const at = transformed.findIndex((value) => !Number.isFinite(value));
  if (at !== -1) throw complain(`the value ${values[at]} under the transform ${transform}`, 'a transform that it has');
  const column = standardise(transformed, weights);
  if (column.every((value) => value === 0)) throw complain('the same value everywhere', 'one that varies');
  return square ? [column, squared(column, weights)] : [column];
}

const squared = (column: number[], weights: number[]) =>
  standardise(
    column.map((v) => v * v),
    weights,
  );

/** Weighted mean 0 and variance 1; all 0 if the values do not vary, whatever their unit. */
function standardise(values: number[], weights: number[]): number[] {
  const total = weights.reduce((sum, w) => sum + w, 0);
  const mean = values.reduce((sum, v, i) => sum + weights[i]! * v, 0) / total;
  const variance = values.reduce((sum, v, i) => sum + weights[i]! * (v - mean) ** 2, 0) / total;
  const size = values.reduce((sum, v, i) => sum + weights[i]! * v * v, 0) / total;
  return values.map((v) => (variance > 1e-12 * size ? (v - mean) / Math.sqrt(variance) : 0));
}
