/** Months after the origin, the last month of data, that are forecast. */
export const HORIZONS: readonly number[] = [1, 2, 3, 4];
