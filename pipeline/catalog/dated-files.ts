/** Rasters that each apply to a month or a year. */

import { type Period, periodRange } from '../contract/months.ts';
import { InputLocation } from '../lib/bad-input.ts';
import { isTable } from './roles.ts';
import type { Source } from './sources.ts';

/** The months of rain that a season is estimated from, in rasters or in a table. */
export const EVERY_MONTH = 'every month of the year at least once';

export interface DatedFile {
  path: string;
  /** `YYYY-MM` or `YYYY`. */
  time: string;
}

/** Whether a source's rasters specify the month or year that they apply to. */
export const isDated = (source: Source): boolean =>
  !isTable(source) && source.files.some(({ period, year }) => period !== undefined || year !== undefined);

/**
 * A source's rasters in order of time. Years may have gaps between them, months may not.
 * @throws BadInput for a file without a month or year, two files for the same one, or a missing month
 */
export function datedFiles(source: Source): DatedFile[] {
  const location = new InputLocation('sources.json', `source ${source.id}`);
  const yearly = source.files.some(({ year }) => year !== undefined);
  const kind = yearly ? 'year' : 'month';
  const files = source.files.map(({ path, period, year }): DatedFile => {
    if (yearly && period !== undefined)
      throw location.error(`${path} with a period among files with years`, 'either periods or years');
    const time = yearly ? year?.toString() : period;
    if (time === undefined)
      throw location.error(`${path} without a ${yearly ? 'year' : 'period'}`, `the ${kind} that it applies to`);
    return { path, time };
  });
  files.sort((a, b) => (a.time < b.time ? -1 : 1));
  const duplicate = files.find(({ time }, i) => files[i + 1]?.time === time);
  if (duplicate) throw location.error(`two files for ${duplicate.time}`, `one file for each ${kind}`);
  if (yearly) return files;
  const months = periodRange(files[0]!.time as Period, files.at(-1)!.time as Period);
  const missing = months.find((month, i) => files[i]!.time !== month);
  if (missing) throw location.error(`no file for ${missing}`, 'a file for every month');
  return files;
}
