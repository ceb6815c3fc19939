/** Rules for the people who sign in to the dashboard, independent of storage. */
import { DAY_MS, HOUR_MS } from '../../../pipeline/lib/clock.ts';
import { UsageError } from '../../../pipeline/lib/errors.ts';
import { type AccountStatus, accountStatus, checkName } from '../account-rules.ts';
import type { Actor } from '../audit.ts';
import type { Account, Person, Role, SessionTimes } from '../row-types.ts';

/** Every role, with the words that pages use. */
export const ROLE_NAMES: Record<Role, string> = {
  service: 'service team',
  administrator: 'administrator',
  member: 'member',
  researcher: 'independent researcher',
};
export const ROLES = Object.keys(ROLE_NAMES) as Role[];

/** How long links work. */
export const INVITATION_LINK_MS = 7 * DAY_MS;
export const RESET_LINK_MS = HOUR_MS;
/** A session ends after an hour without a request, and twelve hours after sign-in in any case. */
export const SESSION_IDLE_MS = HOUR_MS;
export const SESSION_MS = 12 * HOUR_MS;
/** Time to enter the code of two-step sign-in. */
export const FACTOR_DUE_MS = 10 * 60_000;
/** How long the password or a code is not asked for again after it was given. */
export const CONFIRMATION_MS = 10 * 60_000;
/** How long a browser is remembered after a person last signed in with it. */
export const BROWSER_REMEMBERED_MS = 365 * DAY_MS;

/** How far `seen_at` may lag behind, so that not every page causes a write. */
export const SEEN_LAG_MS = 60_000;

export function isSessionAlive({ factor_due, created_at, seen_at }: SessionTimes, now: number): boolean {
  if (factor_due) return now - created_at < FACTOR_DUE_MS;
  return now - created_at < SESSION_MS && now - seen_at < SESSION_IDLE_MS;
}

/** An address as HTML defines it (html.spec.whatwg.org, 'valid email address'): ASCII, no quotes, no spaces. */
const EMAIL =
  /^[a-z0-9.!#$%&'*+/=?^_`{|}~-]+@[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?(?:\.[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?)*$/;

/** `text` in the form in which addresses are stored, or null if it is not an address. */
export function parseEmail(text: string): string | null {
  const email = text.trim().toLowerCase();
  return email.length <= 254 && EMAIL.test(email) ? email : null;
}

/** @throws UsageError if `text` is not an address. */
export function checkEmail(text: string): string {
  const email = parseEmail(text);
  if (email === null) throw new UsageError(`email: expected an address such as ada@example.org`);
  return email;
}

export const checkPersonName = (name: string) => checkName('name', name);

/** Whether people of `account` may sign in; the service team (null) always may. */
export function maySignIn(account: Account | null): boolean {
  const status = account && accountStatus(account);
  return status === null || status === 'active' || status === 'locked';
}

/** Whether a person must first set up two-step sign-in: the service team always must, others if in `requiredRoles`. */
export function mustSetUpFactor({ role, has_factor }: Person, requiredRoles: readonly Role[]): boolean {
  return !has_factor && (role === 'service' || requiredRoles.includes(role));
}

/** Null if `person` may create keys for `account`; else the reason why not. */
export function whyNoKeys(
  person: Pick<Person, 'role'>,
  account: Account | null,
): 'service' | 'member' | Exclude<AccountStatus, 'active'> | null {
  if (account === null) return 'service';
  const status = accountStatus(account);
  if (status !== 'active') return status;
  return person.role === 'member' ? 'member' : null;
}

/** The roles that people of an account, or of the service team if null, can have. */
export function rolesIn(account: Pick<Account, 'kind'> | null): readonly Role[] {
  if (account === null) return ['service'];
  return account.kind === 'organisation' ? ['administrator', 'member'] : ['researcher'];
}

/** @throws UsageError if `person` is the last of `people` in a role that somebody must have. */
export function checkNotLast(person: Person, people: readonly Person[], change: string): void {
  if (person.role !== 'administrator' && person.role !== 'service') return;
  if (people.some((colleague) => colleague.id !== person.id && colleague.role === person.role)) return;
  const teamName = person.role === 'service' ? 'the service team' : 'the organisation';
  const title = person.role === 'service' ? 'person' : 'administrator';
  throw new UsageError(`${person.email} is the last ${title} of ${teamName}; add another before you ${change}`);
}

/** @throws UsageError if `email` may not be invited as `role` to `account` (null: the service team) with `people`. */
export function checkMayInvite(email: string, role: Role, account: Account | null, people: readonly Person[]): void {
  if (account && accountStatus(account) === 'removed') throw new UsageError(`'${account.name}' was removed`);
  if (!rolesIn(account).includes(role)) throw new UsageError('this account has no such role');
  if (people.some((person) => person.email === email)) throw new UsageError(`${email} already belongs to this account`);
  if (role === 'researcher' && people.length > 0) throw new UsageError('a researcher’s account is for one person');
}

/** `person` as named in the audit log. */
export function auditActor(person: Pick<Person, 'id' | 'email' | 'role'>): Actor {
  return { id: person.id, label: person.email, isService: person.role === 'service' };
}
