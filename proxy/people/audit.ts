/** Who did what: one line for each change, written in the change's own transaction, never altered after. */
import type { DatabaseSync } from 'node:sqlite';
import { UsageError } from '../usage-error.ts';

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

/** What a change fails with whose maker was removed while it was under way. */
export const removedMeanwhile = () => new UsageError('you have been removed from the service meanwhile');

/**
 * Writes one entry. To be called in the transaction of what it tells.
 * @throws UsageError where whoever did it has been removed since: then it is not to be done.
 */
export function record(db: DatabaseSync, deed: Deed, by: Actor, now: number): void {
  const actor = db.prepare('SELECT removed_at FROM people WHERE id = ?').get(by.id);
  if (actor && actor.removed_at !== null) throw removedMeanwhile();
  db.prepare(
    `INSERT INTO audit (at, actor_id, actor, by_service, account_id, action, subject, detail)
     VALUES (?, ?, ?, ?, ?, ?, ?, ?)`,
  ).run(now, by.id, by.label, Number(by.isService), deed.account, deed.action, deed.subject ?? '', deed.detail ?? '');
}
