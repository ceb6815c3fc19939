import { isTable } from '../catalog/roles.ts';
import type { Source } from '../catalog/sources.ts';
import { readEach } from '../lib/bad-input.ts';
import type { TableRow } from '../lib/tables/table.ts';
import type * as ingest from './ingest-tables.ts';
import type { Areas, Polygons } from './ingest-tables.ts';
import { codeAndName, declaredGap, gapRemedy, type IngestInput, sourcesInRole } from './input.ts';
import { readValuesByLga } from './layers.ts';

type CovariateRow = TableRow<typeof ingest.COVARIATES>;

/**
 * Covariates from tables: a value for every LGA, sources in the catalog's order. From a table by state, each LGA gets
 * its state's value. A declared gap is filled by its rule; any other gap stops the build.
 * @throws BadInput for an undeclared missing place, a duplicate, or a value out of range
 */
export async function ingestCovariates(
  input: IngestInput,
  areas: Areas,
  { neighbours }: Pick<Polygons, 'neighbours'>,
): Promise<CovariateRow[]> {
  const rows: CovariateRow[][] = [];
  for (const source of sourcesInRole(input, 'covariate'))
    if (isTable(source)) rows.push(await readCovariate(input, areas, neighbours, source));
  return rows.flat();
}

async function readCovariate(
  input: IngestInput,
  areas: Areas,
  neighbours: Polygons['neighbours'],
  source: Source,
): Promise<CovariateRow[]> {
  const { table, values } = await readValuesByLga(input, areas, source, (row) => row.numberOrNull('value'));
  const rows = readEach(areas.lgas, ({ lga_code }): CovariateRow => {
    const valueInTable = values.get(lga_code);
    if (valueInTable != null) return { covariate: source.id, lga_code, value: valueInTable };
    const gap = declaredGap(source, lga_code);
    const neighbourValues = (neighbours[lga_code] ?? []).map((lga) => values.get(lga)).filter((value) => value != null);
    const value =
      gap?.rule === 'value' ? gap.value! : neighbourValues.reduce((a, b) => a + b, 0) / neighbourValues.length;
    if (!gap || Number.isNaN(value))
      throw table
        .at(codeAndName(areas, lga_code))
        .error(
          'no value',
          'a value, or a gap declared with the rule `value`, or `neighbours` if a neighbour has one',
          gapRemedy({ rule: 'neighbours', lga_pcode: lga_code }),
        );
    input.report.push({ source: source.id, rule: gap.rule, what: `${codeAndName(areas, lga_code)}: ${gap.reason}` });
    return { covariate: source.id, lga_code, value };
  });
  table.refuseTooFewRows();
  return rows;
}
