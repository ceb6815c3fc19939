/** How long things take at most. */
export interface GateTimes {
  /** Redis may be gone by without a word from PostgreSQL for this long. */
  leaseMs: number;
  /** By how much clocks of two machines may run apart during a lease. */
  marginMs: number;
  /** How often epoch, lease and changes not yet told are looked after. */
  beatMs: number;
  /** A request waits this long for Redis, and as long for PostgreSQL. */
  deadlineMs: number;
  /** A change waits this long until it is known to hold everywhere. */
  confirmMs: number;
  /** Span of the minute; other than 60 s in tests alone. */
  minuteMs: number;
}

export const GATE_TIMES: GateTimes = {
  leaseMs: 15_000,
  marginMs: 1000,
  beatMs: 1000,
  deadlineMs: 1000,
  confirmMs: 60_000,
  minuteMs: 60_000,
};
