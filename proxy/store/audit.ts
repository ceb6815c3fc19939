/** Who did what: one entry for each change, written in the transaction of the change and never altered. */
import { UsageError } from '../../pipeline/lib/errors.ts';
import type { Action } from './audit-actions.ts';
import type { DbOrTx } from './database.ts';
import type { AuditEntry } from './row-types.ts';
import { insert } from './statements.ts';

/** The author of a change. `id` is that of a person, or null for the operator's command line. */
export interface Actor {
  id: string | null;
  /** Their name in the log: their email at the time. */
  label: string;
  /** Whether they act for the service (as its team or operator); organisations do not see those names. */
  isService: boolean;
}

/** The author of a failed sign-in, whose identity is unknown. */
export const UNKNOWN_ACTOR: Actor = { id: null, label: 'somebody', isService: false };
export const COMMAND_LINE: Actor = { id: null, label: 'command line', isService: true };

export interface AuditEvent {
  action: Action;
  accountId: string | null;
  subject?: string;
  detail?: string;
}

/**
 * Writes one entry. Call this in the transaction of the change itself.
 * @throws UsageError, to undo the change, if its author has been removed meanwhile.
 */
export async function record(tx: DbOrTx, event: AuditEvent, actor: Actor, now: number): Promise<void> {
  if (actor.id !== null) {
    // Locked, so that the actor is removed either before or after this transaction.
    const person = tx.selectFrom('people').select('removed_at').where('id', '=', actor.id).forShare();
    const { removed_at = null } = (await person.executeTakeFirst()) ?? {};
    if (removed_at !== null) throw new UsageError('you have been removed from the service');
  }
  const { action, accountId: account_id, subject = '', detail = '' } = event;
  const actorColumns = { actor_id: actor.id, actor: actor.label, by_service: actor.isService };
  await insert(tx, 'audit', { at: now, ...actorColumns, account_id, action, subject, detail });
}

/** Entries older than `beforeId`, newest first; only those of `accountId` if given. */
export async function listAudit(
  db: DbOrTx,
  { accountId, beforeId, limit }: { accountId?: string; beforeId?: number; limit: number },
): Promise<AuditEntry[]> {
  const rows = await db
    .selectFrom('audit')
    .selectAll()
    .$if(accountId !== undefined, (query) => query.where('account_id', '=', accountId!))
    .$if(beforeId !== undefined, (query) => query.where('id', '<', beforeId!))
    .orderBy('id', 'desc')
    .limit(limit)
    .execute();
  return rows.map((row) => ({ ...row, by_service: Number(row.by_service) }));
}
