/** Deadlines and intervals. */
export interface GateTimes {
  /** How long Redis may be trusted without PostgreSQL. */
  leaseMs: number;
  /** How far the clocks of two machines may drift apart during a lease. */
  marginMs: number;
  /** How often epoch, lease and outstanding changes are checked. */
  beatMs: number;
  /** How long a request waits for Redis, and again for PostgreSQL. */
  deadlineMs: number;
  /** How long a change waits to be confirmed as being in force everywhere. */
  confirmMs: number;
  /** Length of the minute; shorter only in tests. */
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
