import type { Awaitable } from '../clock.ts';
import type { Account } from '../keys/accounts.ts';
import type { Actor, AuditEntry, Deed } from './audit.ts';
import type { Person, Role } from './people.ts';

/** A person with what sign-in is checked against. */
export interface Credentials {
  person: Person;
  passwordHash: string;
  /** Secret of the second factor in base 32; null where it is off. */
  factorSecret: string | null;
}

export interface Invitation {
  id: string;
  email: string;
  role: Role;
  /** Null: into the service team. */
  account_id: string | null;
  created_at: number;
  expires_at: number;
}

/** What a link is good for, while it is: an invitation, or a new password for a person. */
export type Link = { invitation: Invitation; person: null } | { invitation: null; person: Person };

/** Whoever a session belongs to; `account` null for the service team. */
export interface Visitor {
  person: Person;
  account: Account | null;
  /** The password was right and the second factor's code is still to come. */
  factorDue: boolean;
}

/**
 * People, their links, sessions and deeds, wherever they are kept. Tokens come as SHA-256 hashes and are never stored
 * otherwise. Each method is one atomic step; those that change what someone may do enter it into the audit log too.
 */
export interface Directory {
  credentials(email: string): Awaitable<Credentials | null>;
  credentialsById(id: string): Awaitable<Credentials | null>;
  /** Those of an account, or of the service team; not the removed ones. */
  listPeople(accountId: string | null): Awaitable<Person[]>;
  /** Also of those removed since. */
  namesOf(ids: readonly string[]): Awaitable<Map<string, string>>;
  changeRole(id: string, role: Role, now: number, by: Actor): Awaitable<void>;
  /** For good; ends sessions and links. The last administrator or service-team person stays. */
  removePerson(id: string, now: number, by: Actor): Awaitable<void>;

  /** Takes the place of an earlier invitation of the same address to the same account. */
  invite(
    asked: { email: string; role: Role; accountId: string | null; hash: Buffer },
    now: number,
    by: Actor,
  ): Awaitable<Invitation>;
  listInvitations(accountId: string | null, now: number): Awaitable<Invitation[]>;
  /** Of that account (null: the service team) alone. */
  withdrawInvitation(id: string, accountId: string | null, now: number, by: Actor): Awaitable<void>;
  /**
   * Opens a link for a new password; `by` null: asked for by the person. For nobody (null) as much is written, a link
   * that nobody has and that opens nothing: the time that writing takes must not tell who is known.
   */
  openReset(personId: string | null, hash: Buffer, now: number, by: Actor | null): Awaitable<void>;
  findLink(hash: Buffer, now: number): Awaitable<Link | null>;
  /** Uses the link up and makes the person. Null where it is no longer good, as for the second of two at once. */
  acceptInvitation(hash: Buffer, name: string, passwordHash: string, now: number): Awaitable<Person | null>;
  /** Uses the link up, and every other of the person's; ends all their sessions. */
  resetPassword(hash: Buffer, passwordHash: string, now: number): Awaitable<Person | null>;

  /**
   * For whoever holds `session`: ends all their sessions, and opens one under a new token. False where it has ended since
   * the old password was checked: what ended it, such as a reset, stands.
   */
  changePassword(session: Buffer, passwordHash: string, fresh: Buffer, now: number): Awaitable<boolean>;
  /** A step of the second factor's clock counts once; false where it, or a later one, was spent before. */
  spendStep(id: string, step: number): Awaitable<boolean>;
  spendRecoveryCode(id: string, hash: Buffer, now: number): Awaitable<boolean>;
  turnFactorOn(
    id: string,
    factor: { secret: string; step: number; recovery: readonly Buffer[] },
    now: number,
  ): Awaitable<void>;
  turnFactorOff(id: string, now: number, by: Actor): Awaitable<void>;

  /**
   * Opens a session for whoever gave the right password. False where `passwordHash`, which it was checked against, is no
   * longer the person's, or the second factor was turned on or off since: no session is left behind by a sign-in that a
   * reset, removal, suspension or second factor has overtaken.
   */
  openSession(
    hash: Buffer,
    person: { id: string; passwordHash: string; factorDue: boolean },
    now: number,
  ): Awaitable<boolean>;
  /** Puts a session whose second factor was due under a new token, entered in full. False where it has ended. */
  completeSession(due: Buffer, hash: Buffer, now: number): Awaitable<boolean>;
  /** Who holds a session that is alive at `now`, whose person and account may visit; counts as seen. */
  visitor(hash: Buffer, now: number): Awaitable<Visitor | null>;
  closeSession(hash: Buffer): Awaitable<void>;
  closeOtherSessions(personId: string, kept: Buffer): Awaitable<void>;
  rememberBrowser(hash: Buffer, personId: string, now: number): Awaitable<void>;
  knowsBrowser(hash: Buffer, personId: string, now: number): Awaitable<boolean>;

  /** Enters what happened without changing anything here. */
  enter(deed: Deed, by: Actor, now: number): Awaitable<void>;
  /** Newest first, older than entry `before`; of one account where given. */
  listAudit(asked: { accountId?: string; before?: number; most: number }): Awaitable<AuditEntry[]>;
  close(): Awaitable<void>;
}

/** The part of a directory that is about sessions, and the browsers that people have signed in with. */
export type Sessions = Pick<
  Directory,
  | 'openSession'
  | 'completeSession'
  | 'visitor'
  | 'closeSession'
  | 'closeOtherSessions'
  | 'rememberBrowser'
  | 'knowsBrowser'
>;
