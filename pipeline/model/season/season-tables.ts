import { area, code, lga_code, season, state_code, windows } from '../../contract/fields.ts';
import { real, type TableRow } from '../../lib/tables/table.ts';

export const NATIONAL = { name: 'season/national', row: 'A month of the year', columns: season };
export const STATES = {
  name: 'season/states',
  row: 'A month of the year in {a.state}',
  columns: { state_code, ...season },
};
export const LGAS = { name: 'season/lgas', row: 'A month of the year in {a.lga}', columns: { lga_code, ...season } };
export const RAIN = {
  name: 'season/rain',
  row: 'A month of the year in {a.state}',
  columns: { state_code, month: season.month, rain_mm: real('Usual rain, mm, population-weighted mean') },
};
export const WINDOWS = {
  name: 'season/windows',
  row: 'A run of months in an area',
  columns: { area, code, ...windows },
};

export type SeasonWindow = TableRow<typeof WINDOWS>;

/**
 * season/check: comparison of a state's recorded season with that expected from its rain, using parameters from the
 * other states.
 */
export interface SeasonCheckRow {
  state_code: string;
  correlation: number;
  /** Months 1-12. */
  peak_expected: number;
  peak_recorded: number;
  /** Circular distances in months. */
  peak_off: number;
  midpoint_off: number;
  /** Number of the twelve months on the wrong side of the high season's share of the peak. */
  wrong_months: number;
  /** Root mean square difference of the two, as a share of the peak; the correlation ignores the size of the swing. */
  index_error: number;
  expected: number[];
  recorded: number[];
  /** The same for its LGAs with records, each from its own rain, with parameters fitted without the state. */
  lgas: SeasonFigures[];
}
/** Agreement between a place's expected and recorded seasons. */
export type SeasonFigures = Pick<SeasonCheckRow, 'correlation' | 'peak_off' | 'midpoint_off' | 'wrong_months'>;
/** The two seasons, as shares of their peak, January first. */
export type SeasonPair = Pick<SeasonCheckRow, 'expected' | 'recorded'>;
