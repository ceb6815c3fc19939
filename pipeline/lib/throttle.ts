/**
 * Passes lines on to `report`, but only the first in any `spanMs`. The number of omitted lines is reported before the
 * next line, or when the span ends.
 */
export function throttled(report: (line: string) => void, spanMs: number): (line: string) => void {
  let [next, omitted] = [Number.NEGATIVE_INFINITY, 0];
  const reportOmitted = () => {
    if (omitted > 0) report(`${omitted} more like this`);
    omitted = 0;
  };
  return (line) => {
    const now = performance.now();
    if (now < next) {
      if (omitted++ === 0) setTimeout(reportOmitted, spanMs).unref();
      return;
    }
    reportOmitted();
    next = now + spanMs;
    report(line);
  };
}
