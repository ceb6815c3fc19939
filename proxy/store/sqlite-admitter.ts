import { TryAgain } from '../../pipeline/lib/errors.ts';
import { calendarMonth } from '../limits/calendar-month.ts';
import { refusedBy } from '../limits/verdict.ts';
import { type Decision, STATEMENTS } from './admission.ts';
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
 * The requests that arrive in one turn of the event loop are decided one after the other in one transaction, and answered
 * once it is committed: this takes half the time that a transaction each would. It takes the write lock only when it
 * charges a grant. SQLite then fails (BUSY_SNAPSHOT) if anything was committed since it began to read, and all is done
 * again; so what was read, and the clock, are as if the lock had been held from the start.
 *
 * SQLite's own wait for a lock would stop the event loop, and with it everything else, so it is off: requests that find
 * the file locked try again from the event loop. Commits do not wait for the disk (`synchronous = NORMAL`): a killed
 * process loses nothing, but a power cut may lose the grants since the last change or checkpoint.
 *
 * @throws UsageError if the file is damaged.
 */
export function openSqliteAdmitter(file: string, { clock, perMinute, perMonth }: AdmitterOptions): Admitter {
  const db = openSqliteFile(file, (opened) => checkIntact(opened, file), RECOVERY_MS);
  db.exec(`PRAGMA synchronous = NORMAL; PRAGMA wal_autocheckpoint = ${CHECKPOINT_PAGES}; PRAGMA busy_timeout = 0`);
  const [find, minute, lowered, month] = [
    db.prepare(STATEMENTS.find),
    db.prepare(STATEMENTS.minute),
    db.prepare(STATEMENTS.lowered),
    db.prepare(STATEMENTS.month),
  ];
  const [takeMinute, takeMonth] = [db.prepare(STATEMENTS.takeMinute), db.prepare(STATEMENTS.takeMonth)];
  const probe = db.prepare(
    'INSERT INTO probe VALUES (1, ?1) ON CONFLICT (id) DO UPDATE SET at = max(at, ?1) RETURNING at - ?1 AS behind',
  );
  const [begin, commit, rollback] = [db.prepare('BEGIN'), db.prepare('COMMIT'), db.prepare('ROLLBACK')];
  let calendar = calendarMonth(clock.wallMs());

  const decide = (this_hash: Buffer): Decision | null => {
    const now_ms = Math.floor(clock.wallMs());
    const found = find.get({ this_hash, now_ms }) as unknown as FoundKey | undefined;
    if (!found) return null;
    const { key_id, owner_id, kind, scopes } = found;
    const [per_minute, per_month] = [found.per_minute ?? perMinute, found.per_month ?? perMonth];
    calendar = calendarMonth(now_ms, calendar);
    const now_second = Math.floor(now_ms / 1000);

    const counted = minute.get({ this_key: key_id, this_second: now_second }) as unknown as CountedMinute;
    const this_second = Math.max(now_second, counted.latest ?? 0);
    const used = month.get({ this_owner: owner_id, this_month: calendar.name }) as unknown as CountedMonth | undefined;
    const this_month = used?.month ?? calendar.name;
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
  };

  const waiting: Waiting[] = [];
  /** How many of them, from the first, are decided in a transaction each. */
  let apart = 0;
  let turns = 0;
  let isClosed = false;
  /** Does the work that waits, in transactions of all or none of it, until the file is found locked. */
  const work = () => {
    while (waiting.length > 0 && !isClosed) {
      const batch = waiting.splice(0, apart > 0 ? 1 : MOST_AT_ONCE);
      apart = Math.max(0, apart - 1);
      try {
        begin.run();
        const results = batch.map((each) => each.work());
        commit.run();
        turns = 0;
        for (const [i, { resolve }] of batch.entries()) resolve(results[i]);
      } catch (error) {
        if (db.isTransaction) rollback.run();
        const reason = unavailable(error);
        if (reason === error && batch.length > 1) {
          // Not the file's fault but that of one request, such as a row that cannot be read: the others are decided.
          waiting.unshift(...batch);
          apart = batch.length;
          continue;
        }
        const now = performance.now();
        const isPatient = ({ until }: Waiting) => isBusyError(error) && now < until;
        waiting.unshift(...batch.filter(isPatient));
        for (const each of batch) if (!isPatient(each)) each.reject(reason);
        if (waiting.length > 0) again();
        return;
      }
    }
  };
  const again = () => void (turns++ < EAGER_TURNS ? setImmediate(work) : setTimeout(work, 1));
  const soon = <T>(each: () => T): Promise<T> =>
    new Promise<T>((resolve, reject) => {
      if (isClosed) return reject(closed());
      const until = performance.now() + WAIT_MS;
      if (waiting.push({ work: each, until, resolve: resolve as Waiting['resolve'], reject }) === 1) setImmediate(work);
    });

  return {
    decide: (hash) => soon(() => decide(hash)),
    probe: () => soon(() => Number(probe.get(Math.floor(clock.wallMs()))!.behind)),
    close() {
      if (isClosed) return;
      isClosed = true;
      for (const { reject } of waiting.splice(0)) reject(closed());
      db.close();
    },
  };
}

/** While the server stops, /metrics and /readyz still ask. */
const closed = () => new TryAgain('store: it has been closed');

/** Work to be done in the next transaction, or until the time `until` (performance.now) in a later one. */
interface Waiting {
  work: () => unknown;
  until: number;
  resolve: (result: unknown) => void;
  reject: (error: unknown) => void;
}

type FoundKey = Pick<Decision, 'key_id' | 'owner_id' | 'kind' | 'scopes'> & {
  per_minute: number | null;
  per_month: number | null;
};
type CountedMinute = Pick<Decision, 'minute_count' | 'minute_first'> & { latest: number | null };
type CountedMonth = Pick<Decision, 'month' | 'month_count'>;
