/** The roles of rasters, from their names and values. */
import path from 'node:path';
import type { Source } from '../../catalog/sources.ts';
import type { DraftEntry } from './draft-entry.ts';
import { describeRatios, disagreement, type Ratio, ratiosAgree } from './draft-people.ts';
import type { LeftOut, RasterFile } from './recognise.ts';

export interface DraftRasters {
  drafted: { rasters: RasterFile[]; entry: DraftEntry }[];
  leftOut: LeftOut[];
  /** Candidate population rasters, the chosen one first. */
  population: RasterFile[];
}

/** Rasters of rain are used only if there are at least this many months. */
const LEAST_MONTHS = 12;
/** Number of adjacent cells that may share one value: population projections repeat values from cell to cell. */
const MAX_REPEATS = 2000;

const lowerName = ({ file }: RasterFile) => path.basename(file).toLowerCase();
/** The year in the file's name; null if there is none. */
export function yearInName(raster: RasterFile): number | null {
  const [, year] = /(?<!\d)((?:19|20)\d\d)(?!\d)/.exec(lowerName(raster)) ?? [];
  return year ? Number(year) : null;
}
const withoutYear = (raster: RasterFile) => raster.file.replace(String(yearInName(raster)), '');
const rangeField = (least: number, most: number): Pick<Source, 'range'> => ({ range: [least, most] });

/** Rasters that may be of people per cell, by their values. */
export const mayBePeople = ({ min, max, period }: RasterFile): boolean => min >= 0 && max > 1 && period === null;

/** Rasters of people per cell, by their names and values. */
export const populationRasters = (rasters: readonly RasterFile[]): RasterFile[] =>
  rasters.filter(
    (raster) => /pop|ppp|people|hrsl|(^|[_-])wp[_-]|ghs/.test(lowerName(raster)) && raster.min >= 0 && raster.max > 1,
  );

/**
 * One raster each of population, elevation and travel time, and monthly rasters of rain.
 * @param ratios each population raster compared with the table by area; empty without a table
 * @param requestedFile path of the requested population raster; null chooses those of one name, apart from the year, of
 *   which one agrees best with the table or, without a table, those that are no part of the people, and of them that of
 *   the year that is nearest to the records'
 * @param lastRecordYear the last year of the records; null if there are none
 */
export function draftRasters(
  rasters: readonly RasterFile[],
  ratios: ReadonlyMap<RasterFile, readonly Ratio[]>,
  requestedFile: string | null,
  lastRecordYear: number | null,
): DraftRasters {
  const months = rasters.filter(({ file, period }) => period !== null && /rain|prec|chirps|ppt/i.test(file));
  const rain = months.length >= LEAST_MONTHS ? months : [];
  const remaining = rasters.filter((raster) => !rain.includes(raster));
  const candidates = new Set([
    ...populationRasters(remaining),
    ...remaining.filter(
      (raster) => raster.file === requestedFile || (!isDensity(raster) && ratiosAgree(ratios.get(raster) ?? [])),
    ),
  ]);
  const largestSum = Math.max(...[...candidates].map(({ sum }) => sum));
  const priority = (raster: RasterFile): number[] => {
    const [areaRatios, year] = [ratios.get(raster), yearInName(raster)];
    const years = year === null || lastRecordYear === null ? Number.POSITIVE_INFINITY : Math.abs(year - lastRecordYear);
    const sameName = [...candidates].filter((other) => withoutYear(other) === withoutYear(raster));
    const mismatch = areaRatios
      ? Math.min(...sameName.map((other) => disagreement(ratios.get(other) ?? [])))
      : Number(raster.sum < largestSum / 2);
    return [Number(raster.file !== requestedFile), mismatch, years, year ?? 0, -raster.sum];
  };
  const population = [...candidates]
    .map((raster) => ({ raster, order: priority(raster) }))
    .sort((a, b) => a.order.map((value, i) => value - b.order[i]!).find((difference) => difference) || 0)
    .map(({ raster }) => raster);
  const elevation = remaining.find(
    (raster) =>
      /elev|alti|height|srtm|(^|[_-])dem[._-]/.test(lowerName(raster)) && raster.max > 50 && raster.min > -500,
  );
  const travelTime = remaining.find(
    (raster) => /travel|minutes|walking|motori/.test(lowerName(raster)) && raster.min >= 0,
  );
  const drafted: DraftRasters['drafted'] = [];
  const addEntry = (candidates: readonly (RasterFile | undefined)[], entry: DraftEntry) => {
    const chosen = candidates.filter((raster) => raster !== undefined);
    const [nodata, ...alternatives] = new Set(chosen.flatMap((raster) => raster.nodata ?? []));
    const declared = nodata === undefined || alternatives.length > 0 ? {} : { nodata };
    if (chosen.length > 0) drafted.push({ rasters: chosen, entry: { ...entry, ...declared } });
  };
  const largestValue = (ofRasters: readonly RasterFile[]) =>
    ofRasters.reduce((most, raster) => Math.max(most, raster.max), 0);
  const twiceRounded = (value: number) => Number((2 * value).toPrecision(1));
  const [chosenPeople, ...otherPeople] = population;
  const samePeople = otherPeople.filter(
    (raster) => yearInName(chosenPeople!) !== null && withoutYear(raster) === withoutYear(chosenPeople!),
  );
  addEntry([chosenPeople, ...samePeople], {
    role: 'population',
    unit: 'persons',
    repeats: MAX_REPEATS,
    ...rangeField(0, twiceRounded(largestValue(population.slice(0, 1).concat(samePeople)))),
  });
  addEntry([elevation], { role: 'elevation', unit: 'm', ...rangeField(-430, 9000) });
  addEntry(rain, { role: 'climate', unit: 'mm per month', ...rangeField(0, twiceRounded(largestValue(rain))) });
  addEntry([travelTime], {
    role: 'layer',
    figure: 'travel_minutes_to_care',
    unit: 'minutes',
    ...(travelTime ? rangeField(0, twiceRounded(travelTime.max)) : {}),
  });
  const used = new Set(drafted.flatMap((entry) => entry.rasters));
  return {
    drafted,
    population,
    leftOut: remaining
      .filter((raster) => !used.has(raster))
      .map((raster) => ({
        kind: 'left out',
        file: raster.file,
        why: whyLeftOut(raster, population, ratios.get(raster)),
        lost: null,
      })),
  };
}

/** Cells of about a square kilometre have nearly as many people as their density, so that sums do not tell. */
const isDensity = (raster: RasterFile) => /(^|_)pd_|densit/.test(lowerName(raster));

function whyLeftOut(
  raster: RasterFile,
  population: readonly RasterFile[],
  ratios: readonly Ratio[] | undefined,
): string {
  const values = `values ${formatRounded(raster.min)} to ${formatRounded(raster.max)}`;
  if (isDensity(raster)) return 'people per km² by its name; only people per cell are read';
  if (population.includes(raster))
    return ratios
      ? `people per cell, ${describeRatios(ratios)}; ${population[0]!.file} is used instead`
      : `${formatRounded(raster.sum)} people in total; ${population[0]!.file} is used instead`;
  return `${values}, and a name that suggests no role; if the scores should follow it, enter it as a covariate (raw-data/README.md, Covariates)`;
}

/** Three significant digits, with thousands separators. */
export const formatRounded = (value: number): string =>
  Number(value.toPrecision(3)).toLocaleString('en-US', { maximumSignificantDigits: 3 });
