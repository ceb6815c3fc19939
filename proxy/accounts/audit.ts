/** Who did what: one line for each change, written in the change's own transaction, never altered after. */
import { UsageError } from '../errors.ts';
import type { Db } from './database.ts';
import { insert } from './rows.ts';

/** Whoever makes a change. `id` is a person's; null: the command line, which is the operator's. */
export interface Actor {
  id: string | null;
  /** What the log calls them, as of then: the email. */
  label: string;
  /** Whether on behalf of the service (its team or its operator), whose names organisations are not told. */
  isService: boolean;
}

export const COMMAND_LINE: Actor = { id: null, label: 'command line', isService: true };

/** What can happen, and how the log says it. */
export const ACTIONS = {
  'account.create': 'created the account',
  'account.unlock': 'unlocked API access',
  'account.suspend': 'suspended the account',
  'account.reinstate': 'reinstated the account',
  'account.remove': 'removed the account',
  'account.limits': 'set limits',
  'key.create': 'created a key',
  'key.revoke': 'revoked a key',
  'person.invite': 'invited',
  'person.uninvite': 'withdrew the invitation of',
  'person.join': 'accepted an invitation',
  'person.role': 'changed the role of',
  'person.remove': 'removed',
  'sign-in': 'signed in',
  'password.change': 'changed the password',
  'password.link': 'gave out a link to reset the password of',
  'password.reset': 'reset the password by a link',
  'factor.on': 'turned on two-step sign-in',
  'factor.off': 'turned off two-step sign-in',
  'factor.drop': 'turned off two-step sign-in for',
  'factor.recovery': 'signed in with a recovery code',
} as const;
export type Action = keyof typeof ACTIONS;

export interface AuditEntry {
  id: number;
  at: number;
  actor_id: string | null;
  actor: string;
  by_service: number;
  /** The account that it concerns; null: the service itself. */
  account_id: string | null;
  action: Action;
  /** The key, person or account that it was done to, as people know it. */
  subject: string;
  detail: string;
}

export interface Deed {
  action: Action;
  account: string | null;
  subject?: string;
  detail?: string;
}

/**
 * Writes one entry. To be called in the transaction of what it tells.
 * @throws UsageError where whoever did it has been removed since: then it is not to be done.
 */
export async function record(tx: Db, deed: Deed, by: Actor, now: number): Promise<void> {
  if (by.id !== null) {
    // Held, so that the removal of `by` comes before all of this or after.
    const person = tx.selectFrom('people').select('removed_at').where('id', '=', by.id).forShare();
    const { removed_at = null } = (await person.executeTakeFirst()) ?? {};
    if (removed_at !== null) throw new UsageError('you have been removed from the service meanwhile');
  }
  const { action, account: account_id, subject = '', detail = '' } = deed;
  const doer = { actor_id: by.id, actor: by.label, by_service: by.isService };
  await insert(tx, 'audit', { at: now, ...doer, account_id, action, subject, detail });
}

/** Newest first, older than entry `before`; of one account where given. */
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
