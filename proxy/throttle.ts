import type { Clock } from './clock.ts';

/**
 * Reports lines, but in any `spanMs` only the first; the next one that is reported says how many were left out, or a line
 * of its own does where none comes.
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
