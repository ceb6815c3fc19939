import type { DatabaseSync, StatementSync } from 'node:sqlite';
import type { Clock } from '../../pipeline/lib/clock.ts';
import { TryAgain } from '../../pipeline/lib/errors.ts';
import { type CalendarMonth, calendarMonth } from '../limits/calendar-month.ts';
import { refusedBy } from '../limits/verdict.ts';
import { type Decision, type DefaultLimits, STATEMENTS } from './admission.ts';
import type { Admitter, AdmitterOptions } from './database.ts';
import { checkIntact, isBusyError, openSqliteFile, unavailable } from './sqlite-file.ts';

/** How long a request waits while another connection writes. */
const WAIT_MS = 500;
/** While they wait, requests try in each turn of the event loop, and after this many turns every millisecond. */
const EAGER_TURNS = 1000;
/** Requests decided in one transaction, so that other processes need not wait for long. */
const MOST_AT_ONCE = 100;

/** Pages in the write-ahead log, 16 MB, after which they are copied to the file, which waits for the disk. */
const CHECKPOINT_PAGES = 4000;

/** For the first statement of a process that opens a file which was not closed properly. */
const RECOVERY_MS = 5000;

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
  readonly #defaults: DefaultLimits;
  readonly #statements: Record<keyof typeof STATEMENTS | keyof typeof CONTROL, StatementSync>;
  #calendar: CalendarMonth;
  readonly #queue: Job[] = [];
  /** How many of the next jobs get a transaction each. */
  #singly = 0;
  /** Turns of the event loop since the file was found locked. */
  #turns = 0;
  #isClosed = false;

  /** @throws UsageError if the file is damaged. */
  constructor(file: string, { clock, ...defaults }: AdmitterOptions) {
    const db = openSqliteFile(file, (opened) => checkIntact(opened, file), RECOVERY_MS);
    db.exec(`PRAGMA synchronous = NORMAL; PRAGMA wal_autocheckpoint = ${CHECKPOINT_PAGES}; PRAGMA busy_timeout = 0`);
    this.#db = db;
    this.#clock = clock;
    this.#defaults = defaults;
    const prepared = Object.entries({ ...STATEMENTS, ...CONTROL }).map(([name, text]) => [name, db.prepare(text)]);
    this.#statements = Object.fromEntries(prepared);
    this.#calendar = calendarMonth(clock.wallMs());
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
    for (const { reject } of this.#queue.splice(0)) reject(storeClosed());
    this.#db.close();
  }

  #decideNow(this_hash: Buffer): Decision | null {
    const { find, minute, month, takeMinute, takeMonth, lowered } = this.#statements;
    const now_ms = Math.floor(this.#clock.wallMs());
    const key = find.get({ this_hash, now_ms }) as unknown as AdmittedKey | undefined;
    if (!key) return null;
    const { key_id, owner_id, kind, scopes } = key;
    const per_minute = key.per_minute ?? this.#defaults.perMinute;
    const per_month = key.per_month ?? this.#defaults.perMonth;
    this.#calendar = calendarMonth(now_ms, this.#calendar);
    const now_second = Math.floor(now_ms / 1000);

    const counted = minute.get({ this_key: key_id, this_second: now_second }) as unknown as CountedMinute;
    const this_second = Math.max(now_second, counted.latest ?? 0);
    const used = month.get({ this_owner: owner_id, this_month: this.#calendar.name }) as unknown as
      | CountedMonth
      | undefined;
    const this_month = used?.month ?? this.#calendar.name;
    let { minute_count, minute_first } = counted;
    let month_count = used?.month_count ?? 0;

    const refused = refusedBy(minute_count, per_minute, month_count, kind === 'live' ? per_month : null);
    if (refused === null) {
      takeMinute.run({ this_key: key_id, this_second });
      minute_count++;
      minute_first ??= this_second;
      if (kind === 'live') {
        takeMonth.run({ this_owner: owner_id, this_month });
        month_count++;
      }
    }
    if (minute_count > per_minute) {
      const left = lowered.get({ this_key: key_id, this_second, minute_limit: per_minute });
      ({ minute_first } = left as unknown as Pick<CountedMinute, 'minute_first'>);
    }
    const limits = { refused, per_minute, minute_count, minute_first, per_month, month: this_month, month_count };
    return { key_id, owner_id, kind, scopes, ...limits, now_ms };
  }

  /** Does `work` in one of the next transactions. */
  #enqueue<T>(work: () => T): Promise<T> {
    return new Promise<T>((resolve, reject) => {
      if (this.#isClosed) return reject(storeClosed());
      const until = performance.now() + WAIT_MS;
      this.#queue.push({ work, until, resolve: resolve as Job['resolve'], reject });
      if (this.#queue.length === 1) setImmediate(() => this.#workOff());
    });
  }

  /** Does the queued jobs, in transactions of all or none of them, until the file is found locked. */
  #workOff(): void {
    while (this.#queue.length > 0 && !this.#isClosed) {
      const batch = this.#queue.splice(0, this.#singly > 0 ? 1 : MOST_AT_ONCE);
      this.#singly = Math.max(0, this.#singly - 1);
      try {
        this.#transact(batch);
        this.#turns = 0;
      } catch (error) {
        if (this.#db.isTransaction) this.#statements.rollback.run();
        const reason = unavailable(error);
        if (reason === error && batch.length > 1) {
          // Not the file's fault but that of one job, such as a row that cannot be read: the others are done.
          this.#queue.unshift(...batch);
          this.#singly = batch.length;
          continue;
        }
        const now = performance.now();
        const isPatient = ({ until }: Job) => isBusyError(error) && now < until;
        this.#queue.unshift(...batch.filter(isPatient));
        for (const job of batch) if (!isPatient(job)) job.reject(reason);
        if (this.#queue.length > 0) this.#tryAgain();
        return;
      }
    }
  }

  #transact(batch: readonly Job[]): void {
    const { begin, commit } = this.#statements;
    begin.run();
    const results = batch.map((job) => job.work());
    commit.run();
    for (const [i, { resolve }] of batch.entries()) resolve(results[i]);
  }

  #tryAgain(): void {
    const workOff = () => this.#workOff();
    if (this.#turns++ < EAGER_TURNS) setImmediate(workOff);
    else setTimeout(workOff, 1);
  }
}

/** Statements other than those of a decision. */
const CONTROL = {
  begin: 'BEGIN',
  commit: 'COMMIT',
  rollback: 'ROLLBACK',
  probe: 'INSERT INTO probe VALUES (1, ?1) ON CONFLICT (id) DO UPDATE SET at = max(at, ?1) RETURNING at - ?1 AS behind',
} as const;

/** While the server stops, /metrics and /readyz still ask. */
const storeClosed = () => new TryAgain('store: it has been closed');

/** Work to be done in the next transaction, or until the time `until` (performance.now) in a later one. */
interface Job {
  work: () => unknown;
  until: number;
  resolve: (result: unknown) => void;
  reject: (error: unknown) => void;
}

type AdmittedKey = Pick<Decision, 'key_id' | 'owner_id' | 'kind' | 'scopes'> & {
  per_minute: number | null;
  per_month: number | null;
};
type CountedMinute = Pick<Decision, 'minute_count' | 'minute_first'> & { latest: number | null };
type CountedMonth = Pick<Decision, 'month' | 'month_count'>;
