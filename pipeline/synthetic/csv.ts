/** A table as CSV, columns as listed; null is an empty field. Text must need no quoting. */
export function writeCsv<C extends string>(
  columns: readonly C[],
  rows: Record<C, string | number | boolean | null>[],
): string {
  const lines = rows.map((row) => columns.map((column) => row[column] ?? '').join(','));
  return `${columns.join(',')}\n${lines.join('\n')}\n`;
}

/** `value` to `digits` decimals, as a number, so that 0.5 is written 0.5. */
export function toDecimals(value: number, digits: number): number {
  return Number(value.toFixed(digits));
}
