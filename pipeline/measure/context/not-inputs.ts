/** Detects coverage figures that are used as covariates of the risk score under another name or in another form. */
import { COVERAGE_IS_NO_INPUT } from '../../catalog/covariate-rules.ts';
import { COVERAGE_FIGURES, type Figure } from '../../catalog/figures.ts';
import type * as ingest from '../../ingest/ingest-tables.ts';
import { BadInput } from '../../lib/bad-input.ts';
import { rankCorrelation } from '../../lib/numerics/rank-correlation.ts';
import type { TableRow } from '../../lib/tables/table.ts';
import type * as zonal from '../zonal/zonal-tables.ts';
import type { PredictionCells } from '../zonal/zonal-tables.ts';

type CovariateByLga = TableRow<typeof ingest.COVARIATES>;
type CovariateByCell = TableRow<typeof zonal.COVARIATES>;

/** Minimum number of distinct values: figures with fewer have no recognisable pattern. */
const LEAST_DISTINCT_VALUES = 3;
/**
 * With this many LGAs and distinct values, figures that are not copies of each other never have such similar orders.
 */
const SAME_ORDER_LIMITS = { correlation: 0.999, lgas: 30, values: 10 };

/**
 * Refuses a covariate whose values by LGA are those of a coverage figure: a multiple of it (percent for shares), or in
 * a country with many LGAs almost the same order (a logarithm, a raster made from a table).
 * @param figures coverage by LGA, null if there is no estimate
 * @throws BadInput naming the source and the figure
 */
export function refuseCoverageValues(
  figures: readonly ({ lga_code: string } & Record<Figure, number | null>)[],
  byLga: readonly CovariateByLga[],
  byCell: readonly CovariateByCell[],
  cells: Pick<PredictionCells, 'lga_code' | 'population'>,
): void {
  const rowsByTable = Map.groupBy(byLga, ({ covariate }) => covariate);
  const rowsByRaster = Map.groupBy(byCell, ({ covariate }) => covariate);
  const covariates = [
    ...[...rowsByTable].map(([source, rows]) => ({
      source,
      values: new Map(rows.map(({ lga_code, value }) => [lga_code, value])),
    })),
    ...[...rowsByRaster].map(([source, rows]) => ({ source, values: meansByLga(rows, cells) })),
  ];
  for (const { source, values } of covariates)
    for (const figure of COVERAGE_FIGURES) {
      const pairs = figures.flatMap((lga) => {
        const [value, coverage] = [values.get(lga.lga_code), lga[figure]];
        return value === undefined || coverage === null ? [] : [{ value, coverage }];
      });
      if (isCopy(pairs))
        throw new BadInput({
          file: 'sources.json',
          where: `source ${source}`,
          found: `the values of ${figure} as a covariate`,
          expected: `a different covariate: ${COVERAGE_IS_NO_INPUT}`,
        });
    }
}

function meansByLga(
  rows: readonly CovariateByCell[],
  { lga_code, population }: Pick<PredictionCells, 'lga_code' | 'population'>,
) {
  const sums = new Map<string, { value: number; people: number }>();
  for (const { cell, value } of rows) {
    const lgaSum = sums.get(lga_code[cell]!) ?? { value: 0, people: 0 };
    lgaSum.value += population[cell]! * value;
    lgaSum.people += population[cell]!;
    sums.set(lga_code[cell]!, lgaSum);
  }
  return new Map([...sums].map(([code, { value, people }]) => [code, value / people]));
}

function isCopy(pairs: readonly { value: number; coverage: number }[]): boolean {
  const values = pairs.map(({ value }) => value);
  const coverages = pairs.map(({ coverage }) => coverage);
  const distinct = new Set(coverages).size;
  if (distinct < LEAST_DISTINCT_VALUES) return false;
  const ratio = values.reduce((a, b) => a + b, 0) / coverages.reduce((a, b) => a + b, 0);
  const largest = Math.max(...values.map(Math.abs));
  const isMultiple = pairs.every(({ value, coverage }) => Math.abs(value - ratio * coverage) < 1e-6 * largest);
  if (largest > 0 && isMultiple) return true;
  if (pairs.length < SAME_ORDER_LIMITS.lgas || distinct < SAME_ORDER_LIMITS.values) return false;
  return Math.abs(rankCorrelation(values, coverages) ?? 0) > SAME_ORDER_LIMITS.correlation;
}
