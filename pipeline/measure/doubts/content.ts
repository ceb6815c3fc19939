/** The content of a country's files as the checks see it. */
import { monthIndex } from '../../contract/months.ts';
import type {
  Areas,
  CasesRow,
  CensusRow,
  ClimateRow,
  LayerRow,
  Polygons,
  SurveyRow,
} from '../../ingest/ingest-tables.ts';
import { correlation, median } from '../../lib/numerics/averages.ts';

/** What all files together contain. A list is empty if the country has no such file. */
export interface Content {
  areas: Areas;
  neighbours: Polygons['neighbours'];
  climate: readonly ClimateRow[];
  /** Whether rain comes as rasters, in whose cells small areas share their rain. */
  gridded: boolean;
  surveys: readonly SurveyRow[];
  cases: readonly CasesRow[];
  census: readonly CensusRow[];
  layers: readonly LayerRow[];
  /** People by LGA code, from the population raster. */
  people: ReadonlyMap<string, number>;
}

/** Monthly values of a place without gaps, from `first` (a `monthIndex`); null if unknown. */
export interface Series {
  code: string;
  state_code: string;
  /** Whether it is the record of a state, not of an LGA. */
  of_state: boolean;
  name: string;
  first: number;
  values: readonly (number | null)[];
}

/** Names of areas by the project's code, with the code, as messages show them. */
export function areaNames({ states, lgas }: Areas): ReadonlyMap<string, string> {
  return new Map([
    ...states.map(({ state_code, state }) => [state_code, `${state_code} ${state}`] as const),
    ...lgas.map(({ lga_code, lga }) => [lga_code, `${lga_code} ${lga}`] as const),
  ]);
}

/** The state of each LGA, by the project's codes. */
export const mapLgasToStates = ({ lgas }: Areas): ReadonlyMap<string, string> =>
  new Map(lgas.map(({ lga_code, state_code }) => [lga_code, state_code]));

/** Monthly rain, mm, or temperature, °C, by LGA; empty if the country has none. */
export function weatherSeries({ areas, climate }: Content, field: 'rain_mm' | 'temperature_c'): Series[] {
  const names = areaNames(areas);
  const rowsByLga = Map.groupBy(climate, ({ lga_code }) => lga_code);
  return areas.lgas.flatMap(({ lga_code, state_code }) => {
    const rows = rowsByLga.get(lga_code);
    if (!rows || rows.some((row) => row[field] === null)) return [];
    return {
      code: lga_code,
      state_code,
      of_state: false,
      name: names.get(lga_code)!,
      first: monthIndex(rows[0]!.period),
      values: rows.map((row) => row[field]),
    };
  });
}

/** Confirmed cases by place, states first; months that the catalog masks are unknown. */
export function caseSeries({ areas, cases }: Content): Series[] {
  const names = areaNames(areas);
  const rowsByPlace = Map.groupBy(cases, ({ state_code, lga_code }) => lga_code ?? state_code);
  return [...rowsByPlace]
    .map(([code, rows]) => ({
      code,
      state_code: rows[0]!.state_code,
      of_state: rows[0]!.lga_code === null,
      name: names.get(code)!,
      first: monthIndex(rows[0]!.period),
      values: rows.map(({ confirmed, masked }) => (masked ? null : confirmed)),
    }))
    .sort((a, b) => Number(b.of_state) - Number(a.of_state) || (a.code < b.code ? -1 : 1));
}

/** Series of LGAs by state, the LGAs in the areas' order. */
export const groupLgasByState = (series: readonly Series[]): Map<string, Series[]> =>
  Map.groupBy(
    series.filter(({ of_state }) => !of_state),
    ({ state_code }) => state_code,
  );

/** With fewer areas, one may have as much as all others. */
const LEAST_FOR_TOTAL = 5;
/** A total is at least the sum of the others; rounding and late reports take a few per cent. */
const TOTAL_SHARE = 0.95;

/** The areas of a state that have as much as all others together. */
export function findTotals(areas: readonly { name: string; amount: number }[]) {
  const total = areas.reduce((sum, { amount }) => sum + amount, 0);
  return areas.length < LEAST_FOR_TOTAL
    ? []
    : areas
        .map(({ name, amount }) => ({ name, amount, rest: total - amount }))
        .filter(({ amount, rest }) => amount > TOTAL_SHARE * rest);
}

/** How much better, in correlation, two columns fit if one of them is moved by a row, forwards or backwards. */
export function gainOneRowOff(a: readonly number[], b: readonly number[]): number {
  const shiftRows = (offset: number) => b.map((_, i) => b.at((i + offset) % b.length)!);
  return Math.max(correlation(a, shiftRows(-1)), correlation(a, shiftRows(1))) - correlation(a, b);
}

/** Standard deviations of a normal distribution in its median absolute deviation. */
const NORMAL_MAD = 1.4826;
/** The usual size of departures, as a standard deviation that a few large ones do not change. */
export const usualDeparture = (departures: readonly number[]): number => NORMAL_MAD * median(departures.map(Math.abs));

export const nonMissing = (values: readonly (number | null)[]): number[] => values.filter((value) => value !== null);

export const percent = (share: number): string => `${(100 * share).toFixed(1)}%`;
