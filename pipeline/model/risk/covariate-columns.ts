import type { Covariate } from '../../catalog/model.ts';
import type * as ingest from '../../ingest/ingest-tables.ts';
import { InputLocation } from '../../lib/bad-input.ts';
import type { TableRow } from '../../lib/tables/table.ts';
import type * as zonal from '../../measure/zonal/zonal-tables.ts';
import type { PredictionCells } from '../../measure/zonal/zonal-tables.ts';

/** A covariate of the catalog with its value in each prediction cell, in the source's unit and the cells' order. */
export interface CellCovariate extends Pick<Covariate, 'transform' | 'square'> {
  name: string;
  values: readonly number[];
}

/** The model's covariates of each cell, and the columns that belong to each. */
export interface Features {
  /** `features[cell * feature_count + f]`. */
  features: Float64Array;
  feature_count: number;
  covariates: { name: string; columns: number[] }[];
}

/** Covariates from the population raster, which every country has. */
export const POPULATION_COVARIATES = ['population density', 'urban share'] as const;

/**
 * The risk model's covariates by cell, standardised over the population (mean 0, variance 1): log of population
 * density, its square about the mean (risk falls towards towns, less so from hamlet to village), the share living in
 * urban centres; then those of the catalog, each transformed, with its square about the mean where the catalog requests
 * it.
 * @throws BadInput if a covariate of the catalog is the same everywhere or outside the domain of its transform
 */
export function riskFeatures(cells: PredictionCells, catalogCovariates: readonly CellCovariate[] = []): Features {
  const { population } = cells;
  const density = standardise(cells.population_density.map(Math.log), population);
  const [density_name, urban_name] = POPULATION_COVARIATES;
  return toFeatures([
    { name: density_name, columns: [density, standardisedSquare(density, population)] },
    { name: urban_name, columns: [standardise(cells.urban_share, population)] },
    ...catalogCovariates.map((covariate) => ({
      name: covariate.name,
      columns: standardisedColumns(covariate, population),
    })),
  ]);
}

function toFeatures(covariates: readonly { name: string; columns: readonly ArrayLike<number>[] }[]): Features {
  const all = covariates.flatMap(({ columns }) => columns);
  const cells = all[0]?.length ?? 0;
  let next = 0;
  return {
    features: Float64Array.from(
      { length: cells * all.length },
      (_, k) => all[k % all.length]![Math.floor(k / all.length)]!,
    ),
    feature_count: all.length,
    covariates: covariates.map(({ name, columns }) => ({ name, columns: columns.map(() => next++) })),
  };
}

/** The same features without the columns of covariates that are not in `names`. */
export function selectFeatures({ features, feature_count, covariates }: Features, names: readonly string[]): Features {
  const cells = features.length / feature_count;
  const valuesOf = (column: number) =>
    Float64Array.from({ length: cells }, (_, c) => features[c * feature_count + column]!);
  return toFeatures(
    covariates
      .filter(({ name }) => names.includes(name))
      .map(({ name, columns }) => ({ name, columns: columns.map(valuesOf) })),
  );
}

type LgaCovariateRow = TableRow<typeof ingest.COVARIATES>;
type CellCovariateRow = TableRow<typeof zonal.COVARIATES>;

/** The catalog's covariates by cell: of rasters the cell's value, of tables that of its LGA. */
export function cellCovariates(
  entries: readonly Covariate[],
  { lga_code }: Pick<PredictionCells, 'lga_code'>,
  lgaRows: readonly LgaCovariateRow[],
  cellRows: readonly CellCovariateRow[],
): CellCovariate[] {
  const rowsByTable = Map.groupBy(lgaRows, ({ covariate }) => covariate);
  const rowsByRaster = Map.groupBy(cellRows, ({ covariate }) => covariate);
  return entries.map(({ source, transform, square = false }) => {
    const valueByLga = new Map(rowsByTable.get(source)?.map((row) => [row.lga_code, row.value]));
    const values = rowsByRaster.get(source)?.map(({ value }) => value) ?? lga_code.map((code) => valueByLga.get(code)!);
    return { name: source, transform, square, values };
  });
}

const TRANSFORMS: Record<Covariate['transform'], (value: number) => number> = {
  none: (value) => value,
  log: Math.log,
  log1p: Math.log1p,
  sqrt: Math.sqrt,
};

function standardisedColumns({ name, values, transform, square }: CellCovariate, weights: number[]): number[][] {
  const location = new InputLocation('model.json', `parameters.risk.covariates, ${name}`);
  const transformed = values.map(TRANSFORMS[transform]);
  const invalid = transformed.findIndex((value) => !Number.isFinite(value));
  if (invalid !== -1)
    throw location.error(`the value ${values[invalid]} with the transform ${transform}`, 'a transform defined for it');
  const column = standardise(transformed, weights);
  if (column.every((value) => value === 0))
    throw location.error('the same value everywhere', 'a covariate that varies');
  return square ? [column, standardisedSquare(column, weights)] : [column];
}

const standardisedSquare = (column: number[], weights: number[]) =>
  standardise(
    column.map((v) => v * v),
    weights,
  );

/** Weighted mean 0 and variance 1; all 0 if the values do not vary, whatever their unit. */
function standardise(values: number[], weights: number[]): number[] {
  const total = weights.reduce((sum, w) => sum + w, 0);
  const mean = values.reduce((sum, v, i) => sum + weights[i]! * v, 0) / total;
  const variance = values.reduce((sum, v, i) => sum + weights[i]! * (v - mean) ** 2, 0) / total;
  const meanSquare = values.reduce((sum, v, i) => sum + weights[i]! * v * v, 0) / total;
  return values.map((v) => (variance > 1e-12 * meanSquare ? (v - mean) / Math.sqrt(variance) : 0));
}
