import { areasOf } from '../areas.ts';
import type { Areas, ClimateRow, Polygons, PredictionCell, ReportLine, ZonalRow } from '../artifacts.ts';
import type { Source } from '../catalog/sources.ts';
import { figuresOf } from '../context/figures.ts';
import { runSplit, type Split } from '../engine/split.ts';
import type { StageIo, StageRun } from '../engine/stage.ts';
import { refuseUnknownPlaces, sourceOf } from '../ingest/input.ts';
import { CLIMATE } from '../ingest/tables.ts';
import { byCode, type RowOf, rowsOf, tableOf } from '../table.ts';
import { compareWithCensus } from './checks.ts';
import { fillCells } from './covariates.ts';
import { measureLgas, type ZonalPart } from './measure.ts';
import { prepareZonal, type ZonalPrepared } from './prepare.ts';
import { climateOf } from './rain.ts';
import { fillGaps, rasterSources } from './sources.ts';
import { CELLS, COVARIATES, LGAS } from './tables.ts';
import { countTouched } from './touched-cells.ts';

export interface ZonalInput {
  areas: Areas;
  polygons: Polygons;
  sources: readonly Source[];
  /** Directory of the raw files. */
  rawData: string;
}

type CovariateRow = RowOf<typeof COVARIATES>;

export interface ZonalOutput {
  lgas: ZonalRow[];
  cells: PredictionCell[];
  /** None where rain does not come as rasters. */
  climate: ClimateRow[];
  covariates: CovariateRow[];
  report: ReportLine[];
}

const inputOf = (io: StageIo): ZonalInput => ({
  areas: areasOf(io),
  polygons: io.artifact('ingest/polygons'),
  sources: io.sources,
  rawData: io.rawData,
});

/** LGAs are measured state by state; towns and gaps can cross state borders. */
export const split: Split<ZonalPrepared, ZonalPart> = {
  prepare(io) {
    refuseUnknownPlaces(io.sources, areasOf(io));
    return prepareZonal(io.sources, io.rawData, io.progress);
  },
  part: (io, prepared) => measureLgas(inputOf(io), io.sources, io.rawData, prepared, io.progress),
  async merge(io, prepared, parts) {
    const input = inputOf(io);
    const { lgas, cells, climate, covariates, report } = merge(input, prepared, parts);
    const census = byCode(io.table('ingest/census'), 'lga_code');
    compareWithCensus(sourceOf(io, 'population'), input.areas, lgas, census);
    return {
      lgas: tableOf(LGAS, lgas),
      cells: tableOf(CELLS, cells),
      climate: tableOf(CLIMATE, climate),
      covariates: tableOf(COVARIATES, covariates),
      report,
    };
  },
};

export const run: StageRun = (io) => runSplit(split, io);

/**
 * Figures from rasters by LGA, population cells for prediction, and rain by month where it comes as rasters.
 * @throws BadInput for an unusable raster, for an LGA that lies off the population raster or has no people, and for a
 *   missing figure that the catalog does not declare
 */
export async function zonal(input: ZonalInput): Promise<ZonalOutput> {
  const { sources, rawData } = input;
  const prepared = await prepareZonal(sources, rawData, () => {});
  return merge(input, prepared, [await measureLgas(input, sources, rawData, prepared, () => {})]);
}

/** Joins the parts in the areas' order and fills the gaps that the catalog declares. */
function merge(
  { areas, polygons: { neighbours }, sources }: ZonalInput,
  { centres, people, peopledCells }: ZonalPrepared,
  parts: readonly ZonalPart[],
): ZonalOutput {
  const codes = areas.lgas.map((lga) => lga.lga_code);
  const found = new Map(parts.flatMap((part) => part.lgas).map((lga) => [lga.lga_code, lga]));
  const measured = codes.map((code) => found.get(code)!);
  const mapped = measured.reduce((sum, { population }) => sum + population, 0);
  const touched = countTouched(parts.map((part) => part.touched));
  const report: ReportLine[] = [
    { source: 'population', rule: 'urban centres', what: `${centres.count} found` },
    {
      source: 'population',
      rule: 'uncovered',
      what: `${Math.round(people - mapped)} of ${Math.round(people)} people (lagoon, coast, borders); ${peopledCells - touched} of ${peopledCells} cells with people meet no LGA`,
    },
  ];
  const fill = (source: Source, figure: string, values: (number | null)[]) =>
    fillGaps(source, figure, values, codes, neighbours, report);
  const elevation = rasterSources(sources, 'elevation')[0];
  const heights = measured.map((lga) => lga.elevation_m);
  const filled = elevation ? fill(elevation, 'elevation', heights) : heights;
  const layers: Record<string, (number | null)[]> = {};
  for (const source of rasterSources(sources, 'layer')) {
    const figure = source.figure!;
    const values = measured.map((lga) => lga.layers[figure]!);
    layers[figure] = fill(source, figure, values);
  }
  const rain = rasterSources(sources, 'climate')[0];
  const lgas = measured.map(
    ({ lga_code, population, urban_population }, i): ZonalRow => ({
      lga_code,
      population,
      urban_population,
      elevation_m: filled[i]!,
      ...figuresOf((figure) => layers[figure]?.[i] ?? null),
    }),
  );
  const byLga = Map.groupBy(
    parts.flatMap((part) =>
      rowsOf<PredictionCell>(part.cells).map((cell, i) => ({ cell, values: part.covariates.map((own) => own[i]!) })),
    ),
    ({ cell }) => cell.lga_code,
  );
  const pooled = codes.flatMap((code) => byLga.get(code) ?? []);
  const cells = pooled.map(({ cell }) => cell);
  const covariates = rasterSources(sources, 'covariate').flatMap((source, k) => {
    const values = pooled.map((own) => own.values[k]!);
    return fillCells(source, cells, values, report).map((value, cell) => ({ covariate: source.id, cell, value }));
  });
  return {
    lgas,
    cells,
    covariates,
    climate: rain ? climateOf(rain, codes, (lga) => measured[lga]!.rain_mm!, fill) : [],
    report,
  };
}
