/**
 * Admission: from the hash of a key, the key's holder and the verdict of both limits, in one transaction.
 *
 * The statements are the same for both stores. Names that start with `@` are parameters in SQLite, where
 * sqlite-admitter.ts runs the statements one by one, and variables in PostgreSQL, where a function runs them in one
 * round trip.
 */
import { createHash } from 'node:crypto';
import type { Scope } from '../../pipeline/contract/scopes.ts';
import { monthNamed } from '../limits/calendar-month.ts';
import { MINUTE_SECONDS, minuteState, monthState, type Verdict } from '../limits/verdict.ts';
import type { KeyKind } from './key-format.ts';

/** The sender of a request. */
export interface Holder {
  keyId: string;
  ownerId: string;
  kind: KeyKind;
  scopes: readonly Scope[];
}

/** The result for a request with a valid key. */
export interface Admission {
  holder: Holder;
  verdict: Verdict;
}

/** Limits for accounts without limits of their own. */
export interface DefaultLimits {
  perMinute: number;
  perMonth: number;
}

/** What a store reports of a decision. Counts include the request if it was granted. */
export interface Decision {
  key_id: string;
  owner_id: string;
  kind: KeyKind;
  /** Separated by commas. */
  scopes: string;
  refused: Verdict['refusedBy'];
  per_minute: number;
  minute_count: number;
  /** The second that must leave the minute before another request is granted; null if none is counted. */
  minute_first: number | null;
  per_month: number;
  /** The month in which the request counts, YYYY-MM. */
  month: string;
  month_count: number;
  /** The time of the decision by the store's clock, ms. */
  now_ms: number;
}

export const STATEMENTS = {
  /** The holder of a key that is valid now; without a row the answer is 401. */
  findKey: `
    SELECT keys.id AS key_id, owner_id, keys.kind, scopes, per_minute, per_month
    FROM keys JOIN accounts ON accounts.id = owner_id
    WHERE hash = @this_hash AND revoked_at IS NULL AND (expires_at IS NULL OR expires_at > @now_ms)
      AND removed_at IS NULL AND suspended_at IS NULL AND (accounts.kind = 'organisation' OR unlocked_at IS NOT NULL)`,
  /** The grants in the minute that ends with a second. The latest may be later than that, if the clock was set back. */
  countMinute: `
    SELECT coalesce(sum(granted), 0) AS minute_count, min(second) AS minute_first, max(second) AS latest
    FROM seconds WHERE key_id = @this_key AND second >= @this_second - ${MINUTE_SECONDS}`,
  /** If the limit was lowered, several seconds must leave the minute: this is the last of them. */
  lastToExpire: `
    SELECT min(second) AS minute_first
    FROM (SELECT second, sum(granted) OVER (ORDER BY second DESC) - granted AS later
      FROM seconds WHERE key_id = @this_key AND second >= @this_second - ${MINUTE_SECONDS}) AS counted
    WHERE later < @minute_limit`,
  /** The latest month counted, which is a later one than the present if the clock was set back. */
  countMonth: `
    SELECT month, granted AS month_count FROM months
    WHERE owner_id = @this_owner AND month >= @this_month ORDER BY month DESC LIMIT 1`,
  chargeMinute: `
    INSERT INTO seconds (key_id, slot, second, granted)
    VALUES (@this_key, @this_second % ${MINUTE_SECONDS + 1}, @this_second, 1)
    ON CONFLICT (key_id, slot) DO UPDATE SET second = excluded.second,
      granted = CASE WHEN seconds.second = excluded.second THEN seconds.granted + 1 ELSE 1 END`,
  chargeMonth: `
    INSERT INTO months (owner_id, month, granted) VALUES (@this_owner, @this_month, 1)
    ON CONFLICT (owner_id, month) DO UPDATE SET granted = months.granted + 1`,
} as const;

const postgresStatement = (statement: keyof typeof STATEMENTS) => STATEMENTS[statement].replaceAll('@', '');

/**
 * The body of the function in PostgreSQL. Each of its statements sees what was committed before that statement (every
 * connection sets the isolation level for which this holds, read committed), so what counts is read after the owner's
 * lock is held, and by then whoever held it before has committed. The clock is read after the lock too: a request that
 * waited would otherwise count in a second that is past. The lock is advisory: unlike one on the owner's row it writes
 * nothing, so a flood of refused requests does not reach the disk.
 *
 * A grant charges minute and month in one transaction; a refusal writes nothing. A decision that takes longer than
 * `within_ms`, for which nobody waits any longer, is rolled back.
 */
const ADMIT_BODY = `
  #variable_conflict use_column
  DECLARE
    this_key text; this_owner text; this_second bigint; latest bigint; this_month text; minute_limit bigint;
  BEGIN
    now_ms := floor(extract(epoch FROM clock_timestamp()) * 1000);
    ${postgresStatement('findKey')} INTO key_id, owner_id, kind, scopes, per_minute, per_month;
    IF NOT FOUND THEN RETURN; END IF;
    this_key := key_id; this_owner := owner_id;
    minute_limit := coalesce(per_minute, default_per_minute);
    per_minute := minute_limit; per_month := coalesce(per_month, default_per_month);

    PERFORM pg_advisory_xact_lock(hashtextextended(this_owner, 0));
    now_ms := floor(extract(epoch FROM clock_timestamp()) * 1000);
    this_second := now_ms / 1000;
    ${postgresStatement('countMinute')} INTO minute_count, minute_first, latest;
    this_second := greatest(this_second, latest);
    this_month := to_char(to_timestamp(now_ms / 1000) AT TIME ZONE 'UTC', 'YYYY-MM');
    ${postgresStatement('countMonth')} INTO month, month_count;
    month := coalesce(month, this_month); month_count := coalesce(month_count, 0);
    this_month := month;

    IF kind = 'live' AND month_count >= per_month THEN refused := 'month';
    ELSIF minute_count >= per_minute THEN refused := 'minute';
    ELSE
      ${postgresStatement('chargeMinute')};
      minute_count := minute_count + 1; minute_first := coalesce(minute_first, this_second);
      IF kind = 'live' THEN
        ${postgresStatement('chargeMonth')};
        month_count := month_count + 1;
      END IF;
    END IF;
    IF minute_count > minute_limit THEN
      ${postgresStatement('lastToExpire')} INTO minute_first;
    END IF;
    IF clock_timestamp() > statement_timestamp() + within_ms * interval '1 millisecond' THEN
      RAISE query_canceled USING MESSAGE = 'decided too late';
    END IF;
  END`;

/** Its name contains a hash of its text, so that proxies of several versions each find their own. */
export const ADMIT_FUNCTION_NAME = `admit_${createHash('sha256').update(ADMIT_BODY).digest('hex').slice(0, 12)}`;
export const CREATE_ADMIT_FUNCTION = `
  CREATE FUNCTION ${ADMIT_FUNCTION_NAME}(
    this_hash bytea, default_per_minute bigint, default_per_month bigint, within_ms bigint,
    OUT key_id text, OUT owner_id text, OUT kind text, OUT scopes text, OUT refused text,
    OUT per_minute bigint, OUT minute_count bigint, OUT minute_first bigint,
    OUT per_month bigint, OUT month text, OUT month_count bigint, OUT now_ms bigint
  ) LANGUAGE plpgsql AS $admit$${ADMIT_BODY}$admit$`;

export function toAdmission(decision: Decision): Admission {
  const { key_id: keyId, owner_id: ownerId, kind, scopes, refused, now_ms } = decision;
  const { per_minute, minute_count, minute_first, per_month, month_count } = decision;
  return {
    holder: { keyId, ownerId, kind, scopes: scopes.split(',') as Scope[] },
    verdict: {
      refusedBy: refused,
      minute: minuteState(per_minute, minute_count, minute_first, now_ms),
      month: kind === 'test' ? null : monthState(per_month, month_count, monthNamed(decision.month), now_ms),
    },
  };
}
