import { EXPECTED_MONTHS_OF_RAIN } from '../catalog/rain-files.ts';
import type { Source } from '../catalog/sources.ts';
import { monthFromIndex, monthIndex } from '../contract/months.ts';
import { readEach } from '../lib/bad-input.ts';
import { mean } from '../lib/numerics/averages.ts';
import { describeFill, findFillValue } from './fill-values.ts';
import type { Areas, ClimateRow, Polygons } from './ingest-tables.ts';
import { codeAndName, createAreaLookup, declaredGap, gapRemedy, type IngestInput, sourcesInRole } from './input.ts';
import { readTableWithCodes } from './places-by-name.ts';
import type { RawRow, RawTable } from './readers/raw-table.ts';

/** A lower yearly average over the country, mm, suggests another unit. */
const LEAST_YEARLY_RAIN_MM = 50;

type Weather = Pick<ClimateRow, 'rain_mm' | 'temperature_c'>;
const FIELDS = ['rain_mm', 'temperature_c'] as const;

/**
 * Monthly climate from a table, complete for every LGA: mm and °C, one value for each month. An LGA that the catalog
 * declares missing gets the unweighted mean of its neighbours, and so does a cell with the number that the catalog
 * declares as the mark of a missing value. Empty if the country's climate comes as rasters.
 * @throws BadInput for an undeclared missing LGA or month, a duplicate, or a value out of range
 */
export async function ingestClimate(input: IngestInput, areas: Areas, polygons: Polygons): Promise<ClimateRow[]> {
  const source = sourcesInRole(input, 'climate')[0];
  if (!source) return [];
  const table = await readTableWithCodes(input, areas, source);
  table.refuseDuplicates(['lga_pcode', ...table.timeColumns]);
  const lookup = createAreaLookup(input, areas);
  const monthByRow = new Map(readEach(table.rows, (row) => [row, monthIndex(row.month())] as const));
  const span = source.span!;
  const firstMonth = table.rows.reduce((least, row) => Math.min(least, monthByRow.get(row)!), monthIndex(span.first));
  const lastMonth = table.rows.reduce((most, row) => Math.max(most, monthByRow.get(row)!), monthIndex(span.last));
  const monthCount = lastMonth - firstMonth + 1;
  if (monthCount < 12) throw table.error(`${monthCount} months of rain`, EXPECTED_MONTHS_OF_RAIN);

  const months = new Set(monthByRow.values());
  const missingMonth = Array.from({ length: monthCount }, (_, i) => firstMonth + i).find((month) => !months.has(month));
  if (missingMonth !== undefined)
    throw table.error(
      `no row of ${monthFromIndex(missingMonth)}`,
      `every month from ${monthFromIndex(firstMonth)} to ${monthFromIndex(lastMonth)}: get this month for all areas`,
    );
  const fillValues = findFillValues(table, source);
  const missing: Weather = {
    rain_mm: Number.NaN,
    temperature_c: table.columns.has('temperature_c') ? Number.NaN : null,
  };
  const weatherByLga = new Map<string, Weather[]>();
  const lgaByRow = new Map(readEach(table.rows, (row) => [row, lookup.lga(row).lga_code] as const));
  readEach(
    Map.groupBy(table.rows, (row) => lgaByRow.get(row)!),
    ([lga, rows]) => {
      const hasGap = declaredGap(source, lga)?.rule === 'neighbours';
      const remedy = gapRemedy({ rule: 'neighbours', lga_pcode: lga });
      const byMonth = new Map(
        readEach(rows, (row) => {
          for (const field of FIELDS)
            if (!hasGap && row.hasColumn(field) && !row.hasValue(field))
              throw row.at(field).error('nothing', EXPECTED_WEATHER, remedy);
          return [monthByRow.get(row)!, readWeather(row, fillValues)] as const;
        }),
      );
      const series = readEach(Array(monthCount).keys(), (i) => {
        const weather = byMonth.get(firstMonth + i) ?? (hasGap ? missing : null);
        if (weather) return weather;
        throw table
          .at(codeAndName(areas, lga))
          .error(`no month ${monthFromIndex(firstMonth + i)}`, EXPECTED_WEATHER, remedy);
      });
      weatherByLga.set(lga, series);
    },
  );

  const seriesByLga = new Map(
    readEach(areas.lgas, ({ lga_code }) => {
      const weather = weatherByLga.get(lga_code);
      if (weather) return [lga_code, weather] as const;
      const gap = declaredGap(source, lga_code);
      const neighbourCount = (polygons.neighbours[lga_code] ?? []).filter((lga) => weatherByLga.has(lga)).length;
      if (gap?.rule !== 'neighbours' || neighbourCount === 0) {
        const remedy = gapRemedy({ rule: 'neighbours', lga_pcode: lga_code });
        throw table.at(codeAndName(areas, lga_code)).error('no row', EXPECTED_WEATHER, remedy);
      }
      const what = `${codeAndName(areas, lga_code)}: ${gap.reason}; unweighted mean of its ${neighbourCount} neighbours`;
      input.report.push({ source: source.id, rule: 'neighbours', what });
      return [lga_code, Array.from({ length: monthCount }, () => missing)] as const;
    }),
  );
  const filledRows = [...seriesByLga].flatMap(([lga_code, series]) => {
    const neighbourSeries = (polygons.neighbours[lga_code] ?? []).flatMap((lga) => [seriesByLga.get(lga) ?? []]);
    return series.map((weather, month): ClimateRow => {
      const fillField = (field: keyof Weather) => {
        if (!Number.isNaN(weather[field])) return weather[field];
        const measured = neighbourSeries
          .flatMap((neighbour) => neighbour[month]?.[field] ?? [])
          .filter((value) => !Number.isNaN(value));
        if (measured.length > 0) return mean(measured);
        const place = `column ${field}, ${codeAndName(areas, lga_code)}`;
        throw table.at(place).error('nothing', 'a value there or in an area beside it');
      };
      return {
        lga_code,
        period: monthFromIndex(firstMonth + month),
        rain_mm: fillField('rain_mm')!,
        temperature_c: fillField('temperature_c'),
      };
    });
  });
  for (const gap of source.gaps ?? [])
    if (gap.value !== undefined)
      input.report.push({
        source: source.id,
        rule: 'neighbours',
        what: `cells with ${gap.value}: ${gap.reason}; unweighted mean of the neighbours in the same month`,
      });
  table.refuseTooFewRows();
  const yearlyMm = (12 * filledRows.reduce((sum, { rain_mm }) => sum + rain_mm, 0)) / filledRows.length;
  if (yearlyMm < LEAST_YEARLY_RAIN_MM)
    throw table
      .at('rain_mm')
      .error(`${yearlyMm.toFixed(1)} mm a year on average`, `${LEAST_YEARLY_RAIN_MM} or more (is the unit mm?)`);
  return filledRows;
}

const EXPECTED_WEATHER =
  'every month, or a gap declared in the catalog with the rule `neighbours` and a neighbour with data';

/** A row's weather, with NaN where the table marks a value as missing. */
function readWeather(row: RawRow, fillValues: ReadonlyMap<string, number>): Weather {
  const isMissing = (field: keyof Weather) =>
    (row.hasColumn(field) && !row.hasValue(field)) ||
    (fillValues.has(field) && Number(row.values[field]) === fillValues.get(field));
  return {
    rain_mm: isMissing('rain_mm') ? Number.NaN : row.number('rain_mm', { least: 0, most: 3000 }),
    temperature_c: isMissing('temperature_c')
      ? Number.NaN
      : row.hasColumn('temperature_c')
        ? row.number('temperature_c', { least: -20, most: 50 })
        : null,
  };
}

/**
 * The number that marks a missing value, by column.
 * @throws BadInput if the catalog does not declare it
 */
function findFillValues(table: RawTable, { gaps = [] }: Source): ReadonlyMap<string, number> {
  const fills = FIELDS.flatMap((field) => {
    const fill = findFillValue(table.rows.map(({ values }) => Number(values[field] ?? Number.NaN)));
    return fill ? [{ field, value: fill.value, text: describeFill(fill, field) }] : [];
  });
  const undeclared = fills.filter(({ value }) => !gaps.some((gap) => gap.value === value));
  if (undeclared.length > 0) {
    const { field, value } = undeclared[0]!;
    const found = undeclared.map(({ text }) => text).join('; ');
    const expected = 'measurements: nines mark missing values, which the catalog may declare (gaps)';
    throw table.at(`column ${field}`).error(found, expected, gapRemedy({ rule: 'neighbours', value }));
  }
  return new Map(fills.map(({ field, value }) => [field, value]));
}
