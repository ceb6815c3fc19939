import { EXPECTED_MONTHS_OF_RAIN } from '../catalog/rain-files.ts';
import { monthFromIndex, monthIndex } from '../contract/months.ts';
import { readEach } from '../lib/bad-input.ts';
import type { Areas, ClimateRow, Polygons } from './ingest-tables.ts';
import { codeAndName, codeReader, declareGap, gapFor, type IngestInput, sourcesInRole } from './input.ts';
import { readPlaced } from './places-by-name.ts';
import type { RawRow } from './readers/raw-table.ts';

/** A lower yearly average over the country, mm, suggests another unit. */
const LEAST_RAIN = 50;

type Weather = Pick<ClimateRow, 'rain_mm' | 'temperature_c'>;

/**
 * Monthly climate from a table, complete for every LGA: mm and °C, one value for each month. An LGA that the catalog
 * declares missing gets the unweighted mean of its neighbours. Empty if the country's climate comes as rasters.
 * @throws BadInput for an undeclared missing LGA or month, a duplicate, or a value out of range
 */
export async function ingestClimate(input: IngestInput, areas: Areas, polygons: Polygons): Promise<ClimateRow[]> {
  const source = sourcesInRole(input, 'climate')[0];
  if (!source) return [];
  const table = await readPlaced(input, areas, source);
  table.refuseDuplicates(['lga_pcode', ...table.timeColumns]);
  const code = codeReader(input, areas);
  const monthOfRow = new Map(readEach(table.rows, (row) => [row, monthIndex(row.month())] as const));
  const span = source.span!;
  const first = table.rows.reduce((least, row) => Math.min(least, monthOfRow.get(row)!), monthIndex(span.first));
  const last = table.rows.reduce((most, row) => Math.max(most, monthOfRow.get(row)!), monthIndex(span.last));
  const months = last - first + 1;
  if (months < 12) throw table.error(`${months} months of rain`, EXPECTED_MONTHS_OF_RAIN);

  const weatherByLga = new Map<string, Weather[]>();
  const placeOfRow = new Map(readEach(table.rows, (row) => [row, code.lga(row).lga_code] as const));
  readEach(
    Map.groupBy(table.rows, (row) => placeOfRow.get(row)!),
    ([lga, rows]) => {
      const byMonth = new Map(readEach(rows, (row) => [monthOfRow.get(row)!, readWeather(row)] as const));
      const series = Array.from({ length: months }, (_, i) => {
        const weather = byMonth.get(first + i);
        if (weather) return weather;
        const expected = `every month from ${monthFromIndex(first)} to ${monthFromIndex(last)}`;
        throw table.at(codeAndName(areas, lga)).error(`no month ${monthFromIndex(first + i)}`, expected);
      });
      weatherByLga.set(lga, series);
    },
  );

  const seriesByLga = new Map(
    readEach(areas.lgas, ({ lga_code }) => {
      const weather = weatherByLga.get(lga_code);
      if (weather) return [lga_code, weather] as const;
      const gap = gapFor(source, lga_code);
      const near = (polygons.neighbours[lga_code] ?? []).flatMap((lga) => weatherByLga.get(lga) ?? []);
      const count = near.length / months;
      if (gap?.rule !== 'neighbours' || count === 0) {
        const expected =
          'every month, or a gap declared in the catalog with the rule `neighbours` and a neighbour with data';
        const remedy = declareGap({ rule: 'neighbours', lga_pcode: lga_code });
        throw table.at(codeAndName(areas, lga_code)).error('no row', expected, remedy);
      }
      const what = `${codeAndName(areas, lga_code)}: ${gap.reason}; unweighted mean of its ${count} neighbours`;
      input.report.push({ source: source.id, rule: 'neighbours', what });
      const mean = (field: keyof Weather, month: number) =>
        Array.from({ length: count }, (_, neighbour) => near[neighbour * months + month]![field]!).reduce(
          (a, b) => a + b,
        ) / count;
      const filled = Array.from({ length: months }, (_, i) => ({
        rain_mm: mean('rain_mm', i),
        temperature_c: table.columns.has('temperature_c') ? mean('temperature_c', i) : null,
      }));
      return [lga_code, filled] as const;
    }),
  );
  table.refuseShort();
  const rows = [...weatherByLga.values()].flat();
  const yearly = (12 * rows.reduce((sum, { rain_mm }) => sum + rain_mm, 0)) / rows.length;
  if (yearly < LEAST_RAIN)
    throw table
      .at('rain_mm')
      .error(`${yearly.toFixed(1)} mm a year on average`, `${LEAST_RAIN} or more (is the unit mm?)`);
  return [...seriesByLga].flatMap(([lga_code, series]) =>
    series.map((weather, i) => ({ lga_code, period: monthFromIndex(first + i), ...weather })),
  );
}

function readWeather(row: RawRow): Weather {
  return {
    rain_mm: row.number('rain_mm', { least: 0, most: 3000 }),
    temperature_c: row.hasColumn('temperature_c') ? row.number('temperature_c', { least: -20, most: 50 }) : null,
  };
}
