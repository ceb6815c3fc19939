/** What the operator is told: lines for the log, and how often what has failed. */

/** What can fail, with the level of its lines: `error` if requests, pages or mails fail because of it, else `warn`. */
export const CAUSES = {
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
export type Cause = keyof typeof CAUSES;

export type Level = 'info' | (typeof CAUSES)[Cause];

export interface Reports {
  /**
   * Passes on a line. With a cause it is a failure: it is counted, and of each cause one line a minute is passed on, so
   * that neither a flood of failures fills the log nor one cause hides another.
   */
  report: (line: string, cause?: Cause) => void;
  /** How many failures there have been. */
  failures: Readonly<Record<Cause, number>>;
}

const SPAN_MS = 60_000;

/** Reports to `write`, without the emails that errors of mail servers contain. */
export function openReports(write: (line: string, level: Level) => void): Reports {
  const failures = Object.fromEntries(Object.keys(CAUSES).map((cause) => [cause, 0])) as Record<Cause, number>;
  /** Causes with a line in the last minute: how many failures followed it, and the line of the latest. */
  const recent = new Map<Cause, { more: number; last: string }>();
  const pass = (line: string, cause: Cause) => {
    recent.set(cause, { more: 0, last: '' });
    write(line, CAUSES[cause]);
    setTimeout(() => {
      const { more, last } = recent.get(cause)!;
      recent.delete(cause);
      if (more > 0) pass(more === 1 ? last : `${last} (and ${more - 1} more in the last minute)`, cause);
      else write(`${cause}: no failure in the last minute`, 'info');
    }, SPAN_MS).unref();
  };
  return {
    failures,
    report(text, cause) {
      const line = text.replaceAll(/[^\s<>@,;:"'/]+@(?=\w)/g, '…@');
      if (cause === undefined) return write(line, 'info');
      failures[cause]++;
      const following = recent.get(cause);
      if (following) recent.set(cause, { more: following.more + 1, last: line });
      else pass(line, cause);
    },
  };
}
