/** What rasters are for, by their names and values. */
import path from 'node:path';
import type { Source } from '../sources.ts';
import type { LeftOut, Picture } from './look.ts';
import { farOff, type Ratio, ratiosInWords } from './people.ts';
import type { Drafted } from './tables.ts';

export interface DraftRasters {
  drafted: { pictures: Picture[]; entry: Drafted }[];
  leftOut: LeftOut[];
  /** Rasters of people that were to choose from, the chosen one first. */
  people: Picture[];
}

/** Whole months of rain that make a record. */
const LEAST_MONTHS = 12;
/** Cells that may hold one value: projections spread over cells repeat. */
const REPEATS = 2000;

const nameOf = ({ file }: Picture) => path.basename(file).toLowerCase();
/** The year in its name. */
export function yearOf(one: Picture): number | null {
  const [, year] = /(?<!\d)((?:19|20)\d\d)(?!\d)/.exec(nameOf(one)) ?? [];
  return year ? Number(year) : null;
}
const range = (least: number, most: number): Pick<Source, 'range'> => ({ range: [least, most] });

/** Rasters of people per cell, by their names and values. */
export const peopleAmong = (pictures: readonly Picture[]): Picture[] =>
  pictures.filter(
    (one) => /pop|ppp|people|hrsl|(^|[_-])wp[_-]|ghs/.test(nameOf(one)) && one.least >= 0 && one.most > 1,
  );

/**
 * One raster of people, of elevation and of travel times, and months of rain.
 * @param ratios of each raster of people, its people over those of the table by area; empty without a table. Of several,
 *   the nearest counts
 * @param wanted the file of people that was asked for; null: whichever is nearest
 */
export function draftRasters(
  pictures: readonly Picture[],
  ratios: ReadonlyMap<Picture, readonly Ratio[]>,
  wanted: string | null,
): DraftRasters {
  const months = pictures.filter(({ file, period }) => period !== null && /rain|prec|chirps|ppt/i.test(file));
  const rain = months.length >= LEAST_MONTHS ? months : [];
  const others = pictures.filter((one) => !rain.includes(one));
  const off = (one: Picture) => {
    if (one.file === wanted) return Number.NEGATIVE_INFINITY;
    const own = ratios.get(one);
    return own ? farOff(own) : -one.sum;
  };
  const people = peopleAmong(others).sort((a, b) => off(a) - off(b));
  const height = others.find(
    (one) => /elev|alti|height|srtm|(^|[_-])dem[._-]/.test(nameOf(one)) && one.most > 50 && one.least > -500,
  );
  const travel = others.find((one) => /travel|minutes|walking|motori/.test(nameOf(one)) && one.least >= 0);
  const drafted: DraftRasters['drafted'] = [];
  const add = (found: readonly (Picture | undefined)[], entry: Drafted) => {
    const own = found.filter((one) => one !== undefined);
    if (own.length > 0) drafted.push({ pictures: own, entry });
  };
  const largest = (of: readonly Picture[]) => of.reduce((most, one) => Math.max(most, one.most), 0);
  const rounded = (value: number) => Number((2 * value).toPrecision(1));
  add(people.slice(0, 1), {
    ...{ role: 'population', unit: 'persons', repeats: REPEATS },
    ...range(0, rounded(largest(people.slice(0, 1)))),
  });
  add([height], { role: 'elevation', unit: 'm', ...range(-430, 9000) });
  add(rain, { role: 'climate', unit: 'mm per month', ...range(0, rounded(largest(rain))) });
  add([travel], {
    ...{ role: 'layer', figure: 'travel_minutes_to_care', unit: 'minutes' },
    ...(travel ? range(0, rounded(travel.most)) : {}),
  });
  const used = new Set(drafted.flatMap((one) => one.pictures));
  return {
    ...{ drafted, people },
    leftOut: others
      .filter((one) => !used.has(one))
      .map((one) => ({ kind: 'left out', file: one.file, why: whyNot(one, people, ratios.get(one)) })),
  };
}

function whyNot(one: Picture, people: readonly Picture[], ratios: readonly Ratio[] | undefined): string {
  const values = `values ${short(one.least)} to ${short(one.most)}`;
  if (/(^|_)pd_|densit/.test(nameOf(one))) return 'people per km² by its name, where people per cell are read';
  if (people.includes(one))
    return ratios
      ? `people per cell, ${ratiosInWords(ratios)}; taken is ${people[0]!.file}`
      : `${short(one.sum)} people together; taken is ${people[0]!.file}`;
  return `${values}, and a name that tells no role; it may be a covariate (CONTRIBUTING.md)`;
}

export const short = (value: number): string =>
  Number(value.toPrecision(3)).toLocaleString('en-US', { maximumSignificantDigits: 3 });
