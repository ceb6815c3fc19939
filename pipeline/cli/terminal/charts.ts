/** Small text charts for the terminal. */

const BARS = ' ▁▂▃▄▅▆▇█';

/** One character per value, as high as its share of `max`; negative and missing values are blank. */
export function sparkline(
  values: readonly (number | null)[],
  max = Math.max(...values.map((value) => value ?? 0)),
): string {
  return values
    .map((value) => BARS[value === null || max <= 0 ? 0 : Math.max(0, Math.min(8, Math.round((value / max) * 8)))]!)
    .join('');
}

/**
 * A range with its middle on a scale from 0 to `max`: `··├──●────┤···`.
 * @param width characters in all, 3 or more
 */
export function rangeBar(low: number, middle: number, high: number, max: number, width: number): string {
  const column = (value: number) => Math.min(width - 1, Math.round((value / max) * (width - 1)));
  return Array.from({ length: width }, (_, i) => {
    if (i === column(middle)) return '●';
    if (i === column(low)) return '├';
    if (i === column(high)) return '┤';
    return i > column(low) && i < column(high) ? '─' : '·';
  }).join('');
}
