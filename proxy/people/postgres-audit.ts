import type { Query } from '../postgres.ts';
import { type Actor, type AuditEntry, type Deed, removedMeanwhile } from './audit.ts';

/**
 * Writes one entry. To be called in the transaction of what it tells.
 * @throws UsageError where whoever did it has been removed since: then it is not to be done.
 */
export async function record(query: Query, deed: Deed, by: Actor, now: number): Promise<void> {
  if (by.id !== null) {
    // Held, so that the removal of `by` comes before all of this or after.
    const [actor] = await query<{ removed: boolean }>(
      'SELECT removed_at IS NOT NULL AS removed FROM people WHERE id = $1 FOR SHARE',
      [by.id],
    );
    if (actor?.removed) throw removedMeanwhile();
  }
  await query(
    `INSERT INTO audit (at, actor_id, actor, by_service, account_id, action, subject, detail)
     VALUES ($1, $2, $3, $4, $5, $6, $7, $8)`,
    [now, by.id, by.label, by.isService, deed.account, deed.action, deed.subject ?? '', deed.detail ?? ''],
  );
}

const ENTRY = 'id, at, actor_id, actor, by_service::int AS by_service, account_id, action, subject, detail';

/** Newest first, older than entry `before`; of one account where given. */
export function listAudit(
  query: Query,
  { accountId, before = Number.MAX_SAFE_INTEGER, most }: { accountId?: string; before?: number; most: number },
): Promise<AuditEntry[]> {
  const where = accountId === undefined ? '' : 'account_id = $3 AND';
  const values = accountId === undefined ? [before, most] : [before, most, accountId];
  return query<AuditEntry>(`SELECT ${ENTRY} FROM audit WHERE ${where} id < $1 ORDER BY id DESC LIMIT $2`, values);
}
