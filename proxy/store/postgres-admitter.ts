import type pg from 'pg';
import { ADMIT, type Decision, type DefaultLimits } from './admission.ts';
import type { Admitter, AdmitterOptions } from './database.ts';
import { type Connection, connect, openPool, unavailable } from './postgres-connections.ts';

/** How long a request waits for its decision, and how much earlier the server must have made it, to be in time. */
const DECISION_MS = 1000;
const MARGIN_MS = 200;
/** Requests of one owner that are decided together. */
const MOST_AT_ONCE = 32;
/** Keys whose owners are remembered. */
const MOST_OWNERS = 10_000;

/**
 * Admission once the schema exists, on connections of its own, which visitors of the dashboard cannot use up.
 *
 * An owner's requests are decided one after the other, in their order: the owner's lock would have it so anyway. Those
 * that have come while a connection was awaited are decided on it together, in one transaction, so that a busy owner
 * neither holds all connections nor waits for one, and for the disk, once per request.
 */
export class PostgresAdmitter implements Admitter {
  readonly #pool: pg.Pool;
  readonly #defaults: DefaultLimits;
  /** Requests that wait for their turn, by owner. */
  readonly #queues = new Map<string, Waiting[]>();
  /** A key's owner never changes. It is learned from the first decision; until then a key takes turns by itself. */
  readonly #owners = new Map<string, string>();

  constructor(url: string, defaults: AdmitterOptions) {
    this.#pool = openPool(url, DECISION_MS);
    this.#defaults = defaults;
  }

  async decide(hash: Buffer): Promise<Decision | null> {
    const key = hash.toString('latin1');
    const decision = await inTime(this.#inTurn(this.#owners.get(key) ?? key, hash));
    if (decision.key_id === null) return null;
    if (this.#owners.size >= MOST_OWNERS) this.#owners.clear();
    this.#owners.set(key, decision.owner_id);
    return decision;
  }

  async probe(): Promise<number> {
    const { rows } = await inTime(this.#connected((client) => client.query(PROBE)));
    return rows[0].behind;
  }

  close(): Promise<void> {
    return this.#pool.end();
  }

  #inTurn(owner: string, hash: Buffer): Promise<Decided> {
    return new Promise((resolve, reject) => {
      const request = { hash, until: performance.now() + DECISION_MS - MARGIN_MS, resolve, reject };
      const queue = this.#queues.get(owner);
      if (queue) queue.push(request);
      else void this.#takeTurns(owner, [request]);
    });
  }

  async #takeTurns(owner: string, queue: Waiting[]): Promise<void> {
    this.#queues.set(owner, queue);
    while (queue.length > 0)
      await this.#connected((client) => this.#decideTogether(client, queue)).catch((error) => {
        for (const { reject } of queue.splice(0)) reject(error);
      });
    this.#queues.delete(owner);
  }

  async #decideTogether(client: Connection, queue: Waiting[]): Promise<void> {
    // Those that are too late have been refused, or are about to be.
    const now = performance.now();
    const turn = queue.splice(0, MOST_AT_ONCE).filter(({ until }) => until - now >= 1);
    if (turn.length === 0) return;
    const withinMs = Math.floor(Math.min(...turn.map(({ until }) => until)) - now);
    const hashes = turn.map(({ hash }) => hash);
    const { perMinute, perMonth } = this.#defaults;
    try {
      const { rows } = await client.query({
        name: ADMIT,
        text: DECIDE,
        values: [hashes, perMinute, perMonth, withinMs],
      });
      for (const [i, { resolve }] of turn.entries()) resolve(rows[i]);
    } catch (error) {
      for (const { reject } of turn) reject(error);
    }
  }

  async #connected<T>(work: (client: Connection) => Promise<T>): Promise<T> {
    const client = await connect(this.#pool);
    try {
      return await work(client);
    } finally {
      client.release();
    }
  }
}

type Decided = Decision | { key_id: null };

/** A request that waits for its turn, and the time until which its decision is of use. */
interface Waiting {
  hash: Buffer;
  until: number;
  resolve(decided: Decided): void;
  reject(error: unknown): void;
}

/** Requests of one owner, each decided as if it came alone. */
const DECIDE = `SELECT decided.* FROM unnest($1::bytea[]) WITH ORDINALITY AS asked (hash, place),
  LATERAL ${ADMIT}(hash, $2, $3, $4) AS decided ORDER BY place`;

/** Asks as a request does, for a hash that no key has, and writes a row. */
const PROBE = `INSERT INTO probe SELECT 1, extract(epoch FROM statement_timestamp()) * 1000 FROM ${ADMIT}('', 1, 1, 1000)
  ON CONFLICT (id) DO UPDATE SET at = greatest(probe.at, excluded.at)
  RETURNING (at - extract(epoch FROM statement_timestamp()) * 1000)::float8 AS behind`;

/** `promise`, or a rejection after DECISION_MS. */
async function inTime<T>(promise: Promise<T>): Promise<T> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_, reject) => {
    const refuse = () => reject(unavailable(new Error(`no answer within ${DECISION_MS} ms`)));
    // If this process itself was paused, answers that have arrived since are read first.
    timer = setTimeout(() => setImmediate(refuse), DECISION_MS);
  });
  return Promise.race([promise, late]).finally(() => clearTimeout(timer));
}
