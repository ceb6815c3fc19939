/** Two directories on one store, as in two proxies, and functions that add people to them. */

import { expect, onTestFinished } from 'vitest';
import { COMMAND_LINE } from '../../../proxy/store/audit.ts';
import { Directory } from '../../../proxy/store/people/directory.ts';
import { hashToken, mintToken } from '../../../proxy/store/people/tokens.ts';
import type { Person, Role } from '../../../proxy/store/row-types.ts';
import type { Backend } from './backends.ts';
import { openStore } from './open-store.ts';

export const token = () => hashToken(mintToken());

/** Runs all of `works` at once. @returns for each its value, or the message it failed with */
export async function race<T>(...works: (() => T | Promise<T>)[]): Promise<(T | string)[]> {
  const settled = await Promise.allSettled(works.map(async (work) => work()));
  return settled.map((one) => (one.status === 'fulfilled' ? one.value : String(one.reason.message)));
}

/** Opens both directories for the running test, on a store of its own. */
export async function twoSides(newStore: Backend['newStore']) {
  const at = await newStore();
  const open = async () => {
    const store = await openStore(at.store);
    onTestFinished(() => store.close());
    return store;
  };
  const stores = [await open(), await open()] as const;
  const [one, two] = [new Directory(stores[0].database), new Directory(stores[1].database)];

  const invited = async (email: string, role: Role, account: string | null, now = 1): Promise<Buffer> => {
    const kind = role === 'researcher' ? 'researcher' : 'organisation';
    const found =
      account && ((await stores[0].findAccount(account)) ?? (await stores[0].createAccount(kind, account, 1)));
    const hash = token();
    await one.links.invite({ email, role, accountId: found ? found.id : null, hash }, now, COMMAND_LINE);
    return hash;
  };
  const join = async (email: string, role: Role, account: string | null): Promise<Person> =>
    (await one.links.acceptInvitation(
      await invited(email, role, account),
      email.split('@')[0]!,
      `hash of ${email}`,
      2,
    ))!;
  const signedIn = async ({ id, email, has_factor }: Person, now = 3): Promise<Buffer> => {
    const hash = token();
    const credentials = { id, passwordHash: `hash of ${email}`, factorDue: has_factor };
    expect(await one.sessions.open(hash, credentials, now)).toBe(true);
    return hash;
  };
  /** Actions in the audit log, oldest first. */
  const actions = async () => (await two.listAudit({ limit: 100 })).map(({ action }) => action).reverse();
  return { stores, one, two, invited, join, signedIn, actions };
}
