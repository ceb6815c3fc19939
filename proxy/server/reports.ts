/** What can fail, with the level of its lines: `error` if requests, pages or mails fail because of it, else `warn`. */
export const CAUSE_LEVELS = {
  store: 'error',
  clock: 'error',
  snapshot: 'error',
  request: 'error',
  dashboard: 'error',
  mail: 'error',
  publication: 'warn',
  usage: 'warn',
  sign_in: 'warn',
  log: 'warn',
} as const;
export type Cause = keyof typeof CAUSE_LEVELS;

export type Level = 'info' | (typeof CAUSE_LEVELS)[Cause];

export interface Reports {
  /**
   * Passes on a line. With a cause it is a failure: it is counted, and of each cause one line a minute is passed on, so
   * that neither a flood of failures fills the log nor one cause hides another.
   */
  report: (line: string, cause?: Cause) => void;
  /** How many failures there have been. */
  failures: Readonly<Record<Cause, number>>;
}

const SUPPRESSED_MS = 60_000;

/** Reports to `write`, without the emails that errors of mail servers contain. */
export function openReports(write: (line: string, level: Level) => void): Reports {
  const failures = Object.fromEntries(Object.keys(CAUSE_LEVELS).map((cause) => [cause, 0])) as Record<Cause, number>;
  /** Causes with a line in the last minute: how many more failures there were, and the line of the latest. */
  const suppressed = new Map<Cause, { count: number; latestLine: string }>();
  const writeThenSuppress = (line: string, cause: Cause) => {
    suppressed.set(cause, { count: 0, latestLine: '' });
    write(line, CAUSE_LEVELS[cause]);
    setTimeout(() => {
      const { count, latestLine } = suppressed.get(cause)!;
      suppressed.delete(cause);
      if (count > 0)
        writeThenSuppress(count === 1 ? latestLine : `${latestLine} (and ${count - 1} more in the last minute)`, cause);
      else write(`${cause}: no failure in the last minute`, 'info');
    }, SUPPRESSED_MS).unref();
  };
  return {
    failures,
    report(text, cause) {
      const line = text.replaceAll(/[^\s<>@,;:"'/]+@(?=\w)/g, '…@');
      if (cause === undefined) return write(line, 'info');
      failures[cause]++;
      const earlier = suppressed.get(cause);
      if (earlier) suppressed.set(cause, { count: earlier.count + 1, latestLine: line });
      else writeThenSuppress(line, cause);
    },
  };
}
