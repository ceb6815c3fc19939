import type { Clock } from './clock.ts';

/**
 * Passes lines on to `report`, but only the first in any `spanMs`. How many were left out is said before the next line,
 * or when the span ends.
 */
export function throttled(report: (line: string) => void, clock: Clock, spanMs: number): (line: string) => void {
  let [next, leftOut] = [Number.NEGATIVE_INFINITY, 0];
  const sumUp = () => {
    if (leftOut > 0) report(`${leftOut} more like this`);
    leftOut = 0;
  };
  return (line) => {
    const now = clock.steadyMs();
    if (now < next) {
      if (leftOut++ === 0) setTimeout(sumUp, spanMs).unref();
      return;
    }
    sumUp();
    next = now + spanMs;
    report(line);
  };
}
