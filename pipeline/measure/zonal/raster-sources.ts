import { join } from 'node:path';
import type { Role } from '../../catalog/roles.ts';
import type { Source } from '../../catalog/sources.ts';
import type { ReportLine } from '../../engine/stage.ts';
import type { Polygons } from '../../ingest/ingest-tables.ts';
import { gapRemedy } from '../../ingest/input.ts';
import { openRaster, type Raster } from '../../ingest/readers/geotiff.ts';
import { BadInput } from '../../lib/bad-input.ts';

/** Plausible values of rasters by unit, and the factor for conversion to the project's unit. */
const UNITS: Record<string, { valid: readonly [number, number]; factor: number }> = {
  persons: { valid: [0, 1e7], factor: 1 },
  m: { valid: [-500, 9000], factor: 1 },
  share: { valid: [0, 1], factor: 1 },
  percent: { valid: [0, 100], factor: 0.01 },
  // 30 days: far longer than the walk from the remotest places, but less than the nodata value 65535.
  minutes: { valid: [0, 43_200], factor: 1 },
  'mm per month': { valid: [0, 10_000], factor: 1 },
};

/** For covariates, which are standardised. */
const ANY_UNIT = { valid: [Number.NEGATIVE_INFINITY, Number.POSITIVE_INFINITY], factor: 1 } as const;

/** The sources of a role that are rasters. */
export function rasterSources(sources: readonly Source[], role: Role): Source[] {
  return sources.filter((source) => source.role === role && source.format === 'geotiff');
}

/** The units that the source may have. */
export function allowedUnits({ role, figure, unit }: Source): string[] {
  if (role === 'population') return ['persons'];
  if (role === 'elevation') return ['m'];
  if (role === 'climate') return ['mm per month'];
  if (role === 'covariate') return [unit];
  return figure === 'travel_minutes_to_care' ? ['minutes'] : ['share', 'percent'];
}

/** Opens one of a source's files with the source's declarations. `factor` converts values to the project's unit. */
export async function openSource(
  source: Source,
  rawData: string,
  units: string[],
  path = source.files[0]!.path,
): Promise<Raster & { factor: number }> {
  const unit = units.includes(source.unit) ? (UNITS[source.unit] ?? ANY_UNIT) : undefined;
  if (!unit)
    throw new BadInput({
      file: 'sources.json',
      where: `source ${source.id}`,
      found: `the unit ${source.unit}`,
      expected: units.join(' or '),
    });
  const [leastInRange, mostInRange] = (source.range ?? unit.valid) as [number, number];
  const valid = [Math.max(leastInRange, unit.valid[0]), Math.min(mostInRange, unit.valid[1])] as const;
  const raster = await openRaster(join(rawData, path), { nodata: source.nodata, valid });
  return { ...raster, factor: unit.factor };
}

/**
 * Fills gaps in the LGAs' figures by the rules that the catalog declares; `values[i]` belongs to `codes[i]`. The rule
 * `null` leaves the figure unknown, `neighbours` uses the unweighted mean of the LGAs with a figure that share an edge.
 * @throws BadInput for an LGA without a figure or a declared gap
 */
export function fillGaps(
  source: Source,
  figure: string,
  values: (number | null)[],
  codes: string[],
  neighbours: Polygons['neighbours'],
  report: ReportLine[],
): (number | null)[] {
  const figureByCode = new Map(codes.map((code, i) => [code, values[i] ?? null]));
  return values.map((value, i) => {
    if (value !== null) return value;
    const code = codes[i]!;
    const rule = source.gaps?.find(({ lga_pcode }) => lga_pcode === code)?.rule;
    if (rule === 'null') {
      report.push({ source: source.id, rule, what: `${code} has no ${figure}` });
      return null;
    }
    const neighbourCodes = rule === 'neighbours' ? (neighbours[code] ?? []) : [];
    const neighbourFigures = neighbourCodes
      .map((neighbour) => figureByCode.get(neighbour))
      .filter((value) => value != null);
    if (neighbourFigures.length === 0) {
      throw new BadInput({
        file: source.files[0]!.path,
        where: code,
        found: `no cell with ${figure}`,
        expected: 'at least one, or a gap declared in the catalog',
        remedy: rule ? null : gapRemedy({ rule: source.role === 'climate' ? 'neighbours' : 'null', lga_pcode: code }),
      });
    }
    report.push({
      source: source.id,
      rule: 'neighbours',
      what: `${code} has ${figure} set to the mean of ${neighbourFigures.length} neighbours`,
    });
    return neighbourFigures.reduce((sum, value) => sum + value, 0) / neighbourFigures.length;
  });
}
