/** The secrets with which the tags of keys are made. */
import { randomBytes } from 'node:crypto';
import { sql } from 'kysely';
import { UsageError } from '../../pipeline/lib/errors.ts';
import { type Actor, record } from './audit.ts';
import type { DbOrTx } from './database.ts';
import type { TableRows } from './row-types.ts';
import { insert, update } from './statements.ts';

export type TagSecret = TableRows['tag_secrets'];

/** How often each process reads the secrets. */
export const SECRETS_POLL_MS = 1000;
/** New keys are tagged with a new secret only after this long, when every process has read it. */
export const PROPAGATION_MS = 3 * SECRETS_POLL_MS;
/** Tags made with earlier secrets stay valid for at least this long, so that keys made meanwhile work. */
const SHORTEST_NOTICE_MS = 60_000;

export const mintTagSecret = (): Buffer => randomBytes(32);

/** All secrets, oldest first. */
export const readTagSecrets = (db: DbOrTx): Promise<TagSecret[]> =>
  db.selectFrom('tag_secrets').selectAll().orderBy('created_at').execute();

/** The secrets whose tags are valid at `now`. */
export const validSecrets = (secrets: readonly TagSecret[], now: number): Uint8Array[] =>
  secrets.filter(({ until }) => until === null || now < until).map(({ secret }) => secret);

/** The secret for the tags of new keys: the latest that every process has read; a new store has only one. */
export function mintingSecret(secrets: readonly TagSecret[], now: number): Uint8Array {
  return (secrets.findLast(({ created_at }) => created_at <= now - PROPAGATION_MS) ?? secrets[0]!).secret;
}

/**
 * Adds a secret; tags made with the others are valid until `earlierEnd` at the latest.
 * @throws UsageError if that is less than a minute ahead.
 */
export async function changeTagSecret(tx: DbOrTx, earlierEnd: number, now: number, actor: Actor): Promise<void> {
  if (earlierEnd < now + SHORTEST_NOTICE_MS) throw new UsageError('earlier keys must work for at least another minute');
  await update(tx, 'tag_secrets', { until: null }, { until: earlierEnd });
  await sql`UPDATE tag_secrets SET until = ${earlierEnd} WHERE until > ${earlierEnd}`.execute(tx);
  await insert(tx, 'tag_secrets', { secret: mintTagSecret(), created_at: now, until: null });
  const detail = `keys made before end at ${new Date(earlierEnd).toISOString()}`;
  await record(tx, { action: 'key.secret', accountId: null, detail }, actor, now);
}
