import type { DatabaseSync, StatementSync } from 'node:sqlite';
import type { Clock } from '../../pipeline/lib/clock.ts';
import { TryAgain } from '../../pipeline/lib/errors.ts';
import { monthAt } from '../limits/calendar-month.ts';
import { refusingLimit } from '../limits/verdict.ts';
import { type Decision, type DefaultLimits, STATEMENTS } from './admission.ts';
import type { Admitter, AdmitterOptions } from './database.ts';
import { asTryAgain, checkIntact, isBusyError, openSqliteFile } from './sqlite-file.ts';

/** How long a request waits while another connection writes. */
const LONGEST_WAIT_MS = 500;
/** Waiting requests try again in each turn of the event loop, and after this many turns every millisecond. */
const TURNS_BEFORE_TIMER = 1000;
/** Requests decided in one transaction, so that other processes need not wait for long. */
const BATCH_SIZE = 100;

/** Pages in the write-ahead log, 16 MB, after which they are copied to the file, which waits for the disk. */
const CHECKPOINT_PAGES = 4000;

/** How long opening may wait while another process recovers a file that was not closed properly, ms. */
const RECOVERY_TIMEOUT_MS = 5000;

/**
 * Admission in an SQLite file, on a connection of its own. Any number of processes may share the file.
 *
 * The requests that arrive in one turn of the event loop are decided one after the other in one transaction, and
 * answered once it is committed: this takes half the time that a transaction each would. It takes the write lock only
 * when it charges a grant. SQLite then fails (BUSY_SNAPSHOT) if anything was committed since it began to read, and all
 * is done again; so what was read, and the clock, are as if the lock had been held from the start.
 *
 * SQLite's own wait for a lock would stop the event loop, and with it everything else, so it is off: requests that find
 * the file locked try again from the event loop. Commits do not wait for the disk (`synchronous = NORMAL`): a killed
 * process loses nothing, but a power cut may lose the grants since the last change or checkpoint.
 */
export class SqliteAdmitter implements Admitter {
  readonly #db: DatabaseSync;
  readonly #clock: Clock;
  readonly #defaultLimits: DefaultLimits;
  readonly #statements: Statements;
  readonly #queue: Job[] = [];
  /** How many of the next jobs get a transaction of their own, because a batch with them failed. */
  #jobsToRunAlone = 0;
  /** Turns of the event loop since the file was found locked. */
  #turnsWaited = 0;
  #isClosed = false;

  /** @throws UsageError if the file is damaged. */
  constructor(file: string, { clock, ...defaultLimits }: AdmitterOptions) {
    const db = openSqliteFile(file, (opened) => checkIntact(opened, file), RECOVERY_TIMEOUT_MS);
    db.exec(`PRAGMA synchronous = NORMAL; PRAGMA wal_autocheckpoint = ${CHECKPOINT_PAGES}; PRAGMA busy_timeout = 0`);
    this.#db = db;
    this.#clock = clock;
    this.#defaultLimits = defaultLimits;
    const texts = Object.entries({ ...STATEMENTS, ...CONTROL_STATEMENTS });
    this.#statements = Object.fromEntries(texts.map(([name, text]) => [name, db.prepare(text)])) as Statements;
  }

  decide(hash: Buffer): Promise<Decision | null> {
    return this.#enqueue(() => this.#decideNow(hash));
  }

  probe(): Promise<number> {
    return this.#enqueue(() => Number(this.#statements.probe.get(Math.floor(this.#clock.wallMs()))!.behind));
  }

  close(): void {
    if (this.#isClosed) return;
    this.#isClosed = true;
    for (const { reject } of this.#queue.splice(0)) reject(storeClosedError());
    this.#db.close();
  }

  #decideNow(hash: Buffer): Decision | null {
    const { findKey, countMinute, countMonth, chargeMinute, chargeMonth, lastToExpire } = this.#statements;
    const now_ms = Math.floor(this.#clock.wallMs());
    const key = findKey.get({ this_hash: hash, now_ms }) as unknown as KeyRow | undefined;
    if (!key) return null;
    const { key_id, owner_id, kind, scopes } = key;
    const per_minute = key.per_minute ?? this.#defaultLimits.perMinute;
    const per_month = key.per_month ?? this.#defaultLimits.perMonth;
    const now_second = Math.floor(now_ms / 1000);
    const current_month = monthAt(now_ms).name;

    const minuteRow = countMinute.get({ this_key: key_id, this_second: now_second }) as unknown as MinuteRow;
    const this_second = Math.max(now_second, minuteRow.latest ?? 0);
    const monthRow = countMonth.get({ this_owner: owner_id, this_month: current_month }) as unknown as
      | MonthRow
      | undefined;
    const this_month = monthRow?.month ?? current_month;
    let { minute_count, minute_first } = minuteRow;
    let month_count = monthRow?.month_count ?? 0;

    const refused = refusingLimit(minute_count, per_minute, month_count, kind === 'live' ? per_month : null);
    if (refused === null) {
      chargeMinute.run({ this_key: key_id, this_second });
      minute_count++;
      minute_first ??= this_second;
      if (kind === 'live') {
        chargeMonth.run({ this_owner: owner_id, this_month });
        month_count++;
      }
    }
    if (minute_count > per_minute) {
      const expiring = lastToExpire.get({ this_key: key_id, this_second, minute_limit: per_minute });
      ({ minute_first } = expiring as unknown as Pick<MinuteRow, 'minute_first'>);
    }
    const limits = { refused, per_minute, minute_count, minute_first, per_month, month: this_month, month_count };
    return { key_id, owner_id, kind, scopes, ...limits, now_ms };
  }

  /** Runs `work` in one of the next transactions. */
  #enqueue<T>(work: () => T): Promise<T> {
    return new Promise<T>((resolve, reject) => {
      if (this.#isClosed) return reject(storeClosedError());
      const deadline = performance.now() + LONGEST_WAIT_MS;
      this.#queue.push({ work, deadline, resolve: resolve as Job['resolve'], reject });
      if (this.#queue.length === 1) setImmediate(() => this.#runQueue());
    });
  }

  /** Runs the queued jobs in batches, one transaction each, until the file is found locked. */
  #runQueue(): void {
    while (this.#queue.length > 0 && !this.#isClosed) {
      const batch = this.#queue.splice(0, this.#jobsToRunAlone > 0 ? 1 : BATCH_SIZE);
      this.#jobsToRunAlone = Math.max(0, this.#jobsToRunAlone - 1);
      try {
        this.#runBatch(batch);
        this.#turnsWaited = 0;
      } catch (error) {
        if (this.#db.isTransaction) this.#statements.rollback.run();
        const reason = asTryAgain(error);
        if (reason === error && batch.length > 1) {
          // One job failed and not the file, for example on a row that cannot be read: run each by itself.
          this.#queue.unshift(...batch);
          this.#jobsToRunAlone = batch.length;
          continue;
        }
        const now = performance.now();
        const mayStillWait = ({ deadline }: Job) => isBusyError(error) && now < deadline;
        this.#queue.unshift(...batch.filter(mayStillWait));
        for (const job of batch) if (!mayStillWait(job)) job.reject(reason);
        if (this.#queue.length > 0) this.#retryLater();
        return;
      }
    }
  }

  #runBatch(batch: readonly Job[]): void {
    const { begin, commit } = this.#statements;
    begin.run();
    const results = batch.map((job) => job.work());
    commit.run();
    for (const [i, { resolve }] of batch.entries()) resolve(results[i]);
  }

  #retryLater(): void {
    const runQueue = () => this.#runQueue();
    if (this.#turnsWaited++ < TURNS_BEFORE_TIMER) setImmediate(runQueue);
    else setTimeout(runQueue, 1);
  }
}

/** Statements other than those of a decision. */
const CONTROL_STATEMENTS = {
  begin: 'BEGIN',
  commit: 'COMMIT',
  rollback: 'ROLLBACK',
  probe: 'INSERT INTO probe VALUES (1, ?1) ON CONFLICT (id) DO UPDATE SET at = max(at, ?1) RETURNING at - ?1 AS behind',
} as const;

type Statements = Record<keyof typeof STATEMENTS | keyof typeof CONTROL_STATEMENTS, StatementSync>;

/** Answers /metrics and /readyz while the server stops. */
const storeClosedError = () => new TryAgain('store: it has been closed');

/** Work for the next transaction, retried in later ones until `deadline` (performance.now) while the file is locked. */
interface Job {
  work: () => unknown;
  deadline: number;
  resolve: (result: unknown) => void;
  reject: (error: unknown) => void;
}

type KeyRow = Pick<Decision, 'key_id' | 'owner_id' | 'kind' | 'scopes'> & {
  per_minute: number | null;
  per_month: number | null;
};
type MinuteRow = Pick<Decision, 'minute_count' | 'minute_first'> & { latest: number | null };
type MonthRow = Pick<Decision, 'month' | 'month_count'>;
