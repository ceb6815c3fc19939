/** Forecast horizons: months after the origin, which is the last month of data. */
export const HORIZONS: readonly number[] = [1, 2, 3, 4];
