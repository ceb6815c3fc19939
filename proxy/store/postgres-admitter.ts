import type pg from 'pg';
import { ADMIT_FUNCTION_NAME, type Decision, type DefaultLimits } from './admission.ts';
import type { Admitter, AdmitterOptions } from './database.ts';
import { type Connection, connect, openPool, toTryAgain } from './postgres-connections.ts';

/** How long a request waits for its decision, and how much earlier the server must have made it, for the way back. */
const DECISION_TIMEOUT_MS = 1000;
const ANSWER_MARGIN_MS = 200;
/** Requests of one owner that are decided together. */
const BATCH_SIZE = 32;
/** Keys whose owners are remembered. */
const OWNER_CACHE_SIZE = 10_000;

/**
 * Admission once the schema exists, on connections of its own, which visitors of the dashboard cannot use up.
 *
 * An owner's requests are decided one after the other, as the owner's lock requires anyway. Those that arrive while a
 * connection is awaited are decided together, in one transaction, so that a busy owner neither holds all connections
 * nor waits for a connection and the disk once per request.
 */
export class PostgresAdmitter implements Admitter {
  readonly #pool: pg.Pool;
  readonly #defaultLimits: DefaultLimits;
  /** Requests that wait for their turn, by owner. */
  readonly #queues = new Map<string, WaitingRequest[]>();
  /** A key's owner never changes. It is learned from the first decision; until then a key takes turns by itself. */
  readonly #ownerByKey = new Map<string, string>();

  constructor(url: string, defaultLimits: AdmitterOptions) {
    this.#pool = openPool(url, DECISION_TIMEOUT_MS);
    this.#defaultLimits = defaultLimits;
  }

  async decide(hash: Buffer): Promise<Decision | null> {
    const keyHash = hash.toString('latin1');
    const decision = await withTimeout(this.#enqueue(this.#ownerByKey.get(keyHash) ?? keyHash, hash));
    if (decision.key_id === null) return null;
    if (this.#ownerByKey.size >= OWNER_CACHE_SIZE) this.#ownerByKey.clear();
    this.#ownerByKey.set(keyHash, decision.owner_id);
    return decision;
  }

  async probe(): Promise<number> {
    const { rows } = await withTimeout(this.#withConnection((client) => client.query(PROBE_SQL)));
    return rows[0].behind;
  }

  close(): Promise<void> {
    return this.#pool.end();
  }

  #enqueue(owner: string, hash: Buffer): Promise<DecisionRow> {
    return new Promise((resolve, reject) => {
      const request = { hash, deadline: performance.now() + DECISION_TIMEOUT_MS - ANSWER_MARGIN_MS, resolve, reject };
      const queue = this.#queues.get(owner);
      if (queue) queue.push(request);
      else void this.#runQueue(owner, [request]);
    });
  }

  async #runQueue(owner: string, queue: WaitingRequest[]): Promise<void> {
    this.#queues.set(owner, queue);
    while (queue.length > 0)
      await this.#withConnection((client) => this.#decideBatch(client, queue)).catch((error) => {
        for (const { reject } of queue.splice(0)) reject(error);
      });
    this.#queues.delete(owner);
  }

  async #decideBatch(client: Connection, queue: WaitingRequest[]): Promise<void> {
    // Those that are too late have been refused, or are about to be.
    const now = performance.now();
    const batch = queue.splice(0, BATCH_SIZE).filter(({ deadline }) => deadline - now >= 1);
    if (batch.length === 0) return;
    const withinMs = Math.floor(Math.min(...batch.map(({ deadline }) => deadline)) - now);
    const hashes = batch.map(({ hash }) => hash);
    const { perMinute, perMonth } = this.#defaultLimits;
    try {
      const { rows } = await client.query({
        name: ADMIT_FUNCTION_NAME,
        text: DECIDE_SQL,
        values: [hashes, perMinute, perMonth, withinMs],
      });
      for (const [i, { resolve }] of batch.entries()) resolve(rows[i]);
    } catch (error) {
      for (const { reject } of batch) reject(error);
    }
  }

  async #withConnection<T>(work: (client: Connection) => Promise<T>): Promise<T> {
    const client = await connect(this.#pool);
    try {
      return await work(client);
    } finally {
      client.release();
    }
  }
}

type DecisionRow = Decision | { key_id: null };

/** A queued request. After `deadline` (performance.now) its decision is of no use. */
interface WaitingRequest {
  hash: Buffer;
  deadline: number;
  resolve(decided: DecisionRow): void;
  reject(error: unknown): void;
}

/** Requests of one owner, each decided as if it came alone. */
const DECIDE_SQL = `SELECT decided.* FROM unnest($1::bytea[]) WITH ORDINALITY AS requests (hash, position),
  LATERAL ${ADMIT_FUNCTION_NAME}(hash, $2, $3, $4) AS decided ORDER BY position`;

/** Asks as a request does, for a hash that no key has, and writes a row. */
const PROBE_SQL = `INSERT INTO probe SELECT 1, extract(epoch FROM statement_timestamp()) * 1000 FROM ${ADMIT_FUNCTION_NAME}('', 1, 1, 1000)
  ON CONFLICT (id) DO UPDATE SET at = greatest(probe.at, excluded.at)
  RETURNING (at - extract(epoch FROM statement_timestamp()) * 1000)::float8 AS behind`;

/** `promise`, or a rejection after DECISION_TIMEOUT_MS. */
async function withTimeout<T>(promise: Promise<T>): Promise<T> {
  let timer: NodeJS.Timeout | undefined;
  const timeout = new Promise<never>((_, reject) => {
    const rejectLate = () => reject(toTryAgain(new Error(`no answer within ${DECISION_TIMEOUT_MS} ms`)));
    // If this process itself was paused, answers that have arrived since are read first.
    timer = setTimeout(() => setImmediate(rejectLate), DECISION_TIMEOUT_MS);
  });
  return Promise.race([promise, timeout]).finally(() => clearTimeout(timer));
}
