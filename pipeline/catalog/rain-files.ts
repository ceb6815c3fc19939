/** Rasters of rain, each of one month. */

import { type Period, periodRange } from '../contract/months.ts';
import { InputLocation } from '../lib/bad-input.ts';
import type { Source } from './sources.ts';

/** The months of rain that a season is estimated from, in rasters or in a table. */
export const EXPECTED_MONTHS_OF_RAIN = 'every month of the year at least once';

export const isRainRaster = ({ role, format }: Source): boolean => role === 'climate' && format === 'geotiff';

/**
 * The rasters of rain in order of time.
 * @throws BadInput for a file without a month, two files for the same one, or a missing month
 */
export function rainFiles(source: Source): { path: string; period: Period }[] {
  const location = new InputLocation('sources.json', `source ${source.id}`);
  const files = source.files.map(({ path, period }) => {
    if (period === undefined) throw location.error(`${path} without a period`, 'the month that it applies to');
    return { path, period };
  });
  files.sort((a, b) => (a.period < b.period ? -1 : 1));
  const duplicate = files.find(({ period }, i) => files[i + 1]?.period === period);
  if (duplicate) throw location.error(`two files for ${duplicate.period}`, 'one file for each month');
  const missing = periodRange(files[0]!.period, files.at(-1)!.period).find((month, i) => files[i]!.period !== month);
  if (missing) throw location.error(`no file for ${missing}`, 'a file for every month');
  return files;
}
