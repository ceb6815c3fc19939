/** Who did what: one entry for each change, written in the change's own transaction and never altered. */
import { UsageError } from '../../pipeline/lib/errors.ts';
import type { Db } from './database.ts';
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

/** The recorded actions, and the words with which pages describe them. */
export const ACTIONS = {
  'account.create': 'created the account',
  'account.unlock': 'unlocked API access',
  'account.suspend': 'suspended the account',
  'account.reinstate': 'reinstated the account',
  'account.remove': 'removed the account',
  'account.limits': 'set limits',
  'key.create': 'created a key',
  'key.revoke': 'revoked a key',
  'key.end': 'set an expiry for a key',
  'person.invite': 'invited',
  'person.uninvite': 'withdrew the invitation of',
  'person.join': 'accepted an invitation',
  'person.role': 'changed the role of',
  'person.remove': 'removed',
  'sign-in': 'signed in',
  'password.wrong': 'gave a wrong password for',
  'password.change': 'changed the password',
  'password.link': 'issued a link to reset the password of',
  'password.reset': 'reset the password with a link',
  'factor.on': 'turned on two-step sign-in',
  'factor.off': 'turned off two-step sign-in',
  'factor.drop': 'turned off two-step sign-in for',
  'factor.recovery': 'used a recovery code',
  'code.wrong': 'gave a wrong code for',
} as const;
export type Action = keyof typeof ACTIONS;

export interface AuditEntry {
  id: number;
  at: number;
  actor_id: string | null;
  actor: string;
  by_service: number;
  /** The account concerned; null for the service itself. */
  account_id: string | null;
  action: Action;
  /** The name of the key, person or account that was changed. */
  subject: string;
  detail: string;
}

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
