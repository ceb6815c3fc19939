/** Who did what: one entry for each change, written in the transaction of the change and never altered. */
import { UsageError } from '../../pipeline/lib/errors.ts';
import type { Action } from './audit-actions.ts';
import type { Db } from './database.ts';
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
export const SOMEBODY: Actor = { id: null, label: 'somebody', isService: false };
export const COMMAND_LINE: Actor = { id: null, label: 'command line', isService: true };

export interface AuditEvent {
  action: Action;
  account: string | null;
  subject?: string;
  detail?: string;
}

/**
 * Writes one entry. Call this in the transaction of the change itself.
 * @throws UsageError, to undo the change, if its author has been removed meanwhile.
 */
export async function record(tx: Db, event: AuditEvent, by: Actor, now: number): Promise<void> {
  if (by.id !== null) {
    // Locked, so that `by` is removed either before or after this transaction.
    const person = tx.selectFrom('people').select('removed_at').where('id', '=', by.id).forShare();
    const { removed_at = null } = (await person.executeTakeFirst()) ?? {};
    if (removed_at !== null) throw new UsageError('you have been removed from the service');
  }
  const { action, account: account_id, subject = '', detail = '' } = event;
  const actor = { actor_id: by.id, actor: by.label, by_service: by.isService };
  await insert(tx, 'audit', { at: now, ...actor, account_id, action, subject, detail });
}

/** Entries older than `before`, newest first; only those of `accountId` if given. */
export async function listAudit(
  db: Db,
  { accountId, before, most }: { accountId?: string; before?: number; most: number },
): Promise<AuditEntry[]> {
  const rows = await db
    .selectFrom('audit')
    .selectAll()
    .$if(accountId !== undefined, (query) => query.where('account_id', '=', accountId!))
    .$if(before !== undefined, (query) => query.where('id', '<', before!))
    .orderBy('id', 'desc')
    .limit(most)
    .execute();
  return rows.map((row) => ({ ...row, by_service: Number(row.by_service) }));
}
