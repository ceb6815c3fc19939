/** What every directory of people promises, with two of them on one store, as two proxies have. */
import { beforeEach, describe, expect, onTestFinished, test } from 'vitest';
import { openStore } from '../../../proxy/keys/open-store.ts';
import type { AccountStore } from '../../../proxy/keys/store.ts';
import { COMMAND_LINE } from '../../../proxy/people/audit.ts';
import { openDirectory } from '../../../proxy/people/open-directory.ts';
import { actorOf, type Person, type Role } from '../../../proxy/people/people.ts';
import type { Directory } from '../../../proxy/people/store.ts';
import { hashToken, mintToken } from '../../../proxy/people/tokens.ts';
import { FORMS, type Place, removeServersAtEnd } from '../forms.ts';
import { giveKey } from '../service.ts';

removeServersAtEnd();

const HOUR = 3_600_000;
const token = () => hashToken(mintToken());

/** How each of `works`, all begun at once, ended: its value, or the message it failed with. */
async function race<T>(...works: (() => T | Promise<T>)[]): Promise<(T | string)[]> {
  const settled = await Promise.allSettled(works.map(async (work) => work()));
  return settled.map((one) => (one.status === 'fulfilled' ? one.value : String(one.reason.message)));
}

describe.each(FORMS.filter((form) => !form.skip))('$name', ({ place }) => {
  let at: Place;
  let stores: [AccountStore, AccountStore];
  let [one, two]: Directory[] = [];
  beforeEach(async () => {
    at = await place();
    const open = () => {
      const store = openStore(at.store, at.limits);
      const directory = openDirectory(at.store, store);
      onTestFinished(async () => {
        await directory.close();
        await store.close();
      });
      return { store, directory };
    };
    const [first, second] = [open(), open()];
    stores = [first.store, second.store];
    [one, two] = [first.directory, second.directory];
  });
  const invited = async (email: string, role: Role, account: string | null, now = 1): Promise<Buffer> => {
    const kind = role === 'researcher' ? 'researcher' : 'organisation';
    const found =
      account && ((await stores[0].findAccount(account)) ?? (await stores[0].createAccount(kind, account, 1)));
    const hash = token();
    await one!.invite({ email, role, accountId: found ? found.id : null, hash }, now, COMMAND_LINE);
    return hash;
  };
  const join = async (email: string, role: Role, account: string | null): Promise<Person> =>
    (await one!.acceptInvitation(await invited(email, role, account), email.split('@')[0]!, `hash of ${email}`, 2))!;
  const signedIn = async ({ id, email, has_factor }: Person, now = 3): Promise<Buffer> => {
    const hash = token();
    const asked = { id, passwordHash: `hash of ${email}`, factorDue: has_factor };
    expect(await one!.openSession(hash, asked, now)).toBe(true);
    return hash;
  };
  const deeds = async () => (await two!.listAudit({ most: 100 })).map(({ action }) => action).reverse();

  test('what one says the other knows: people, links, sessions, browsers, deeds', async () => {
    const team = await join('team@example.org', 'service', null);
    const ada = await join('ada@example.org', 'administrator', 'ministry');
    expect(ada).toEqual({
      id: ada.id,
      email: 'ada@example.org',
      name: 'ada',
      role: 'administrator',
      account_id: ada.account_id,
      has_factor: false,
      created_at: 2,
      removed_at: null,
    });
    expect(await two!.credentials('ada@example.org')).toEqual({
      person: ada,
      passwordHash: 'hash of ada@example.org',
      factorSecret: null,
    });
    expect([await two!.credentialsById(team.id), await two!.credentials('nobody@example.org')]).toMatchObject([
      { person: team },
      null,
    ]);
    expect([await two!.listPeople(null), await two!.listPeople(ada.account_id)]).toEqual([[team], [ada]]);
    expect(await two!.namesOf([ada.id, 'per_x', ada.id])).toEqual(
      new Map([
        [ada.id, 'ada'],
        ['per_x', 'per_x'],
      ]),
    );
    const account = (await stores[1].findAccount('ministry'))!;
    const [hers, theirs] = [await signedIn(ada), await signedIn(team)];
    expect(await two!.visitor(hers, 4)).toEqual({ person: ada, account, factorDue: false });
    expect(await two!.visitor(theirs, 4)).toEqual({ person: team, account: null, factorDue: false });
    expect(await two!.visitor(token(), 4)).toBeNull();
    // Seen at 50 minutes, it lives for another hour.
    expect(await one!.visitor(hers, 50 * 60_000)).not.toBeNull();
    expect([(await two!.visitor(hers, 1.5 * HOUR)) === null, await two!.visitor(theirs, 1.5 * HOUR)]).toEqual([
      false,
      null,
    ]);
    const other = await signedIn(ada, 4);
    await two!.closeOtherSessions(ada.id, hers);
    expect([await one!.visitor(other, 5), (await one!.visitor(hers, 5)) === null]).toEqual([null, false]);
    await two!.closeSession(hers);
    expect(await one!.visitor(hers, 5)).toBeNull();
    const browser = token();
    await one!.rememberBrowser(browser, ada.id, 10);
    await two!.rememberBrowser(browser, ada.id, 20);
    expect([await two!.knowsBrowser(browser, ada.id, 30), await two!.knowsBrowser(browser, team.id, 30)]).toEqual([
      true,
      false,
    ]);
    expect(await two!.knowsBrowser(browser, ada.id, 20 + 365 * 24 * HOUR)).toBe(false);
    const [last, ...rest] = await two!.listAudit({ most: 2 });
    expect(last).toEqual({
      id: last!.id,
      at: 2,
      actor_id: ada.id,
      actor: 'ada@example.org',
      by_service: 0,
      account_id: ada.account_id,
      action: 'person.join',
      subject: '',
      detail: 'administrator',
    });
    expect(rest).toMatchObject([{ action: 'person.invite', actor: 'command line', by_service: 1, actor_id: null }]);
    const older = await two!.listAudit({ accountId: ada.account_id!, before: rest[0]!.id, most: 9 });
    expect(older.map(({ action }) => action)).toEqual(['account.create']);
  });

  test('a link used twice at once works once', async () => {
    for (let i = 0; i < 10; i++) {
      const email = `ada${i}@example.org`;
      const link = await invited(email, 'administrator', 'ministry');
      const joined = await race(
        () => one!.acceptInvitation(link, 'Ada', 'first', 2),
        () => two!.acceptInvitation(link, 'Eve', 'second', 2),
      );
      expect(joined.filter((person) => person === null).length, 'the later finds it used').toBe(1);
      const { person } = (await one!.credentials(email))!;
      const reset = token();
      await one!.openReset(person.id, reset, 3, null);
      const set = await race(
        () => one!.resetPassword(reset, 'third', 4),
        () => two!.resetPassword(reset, 'fourth', 4),
      );
      expect(set.filter((done) => done === null).length).toBe(1);
      expect((await one!.credentials(email))!.passwordHash).toBe(set[0] === null ? 'fourth' : 'third');
    }
    expect((await deeds()).filter((action) => action === 'person.join').length).toBe(10);
    expect((await deeds()).filter((action) => action === 'password.reset').length).toBe(10);
  });

  test('an address accepted in two places at once is in one, and the other link stays good', async () => {
    for (let i = 0; i < 5; i++) {
      const email = `ada${i}@example.org`;
      const links = [await invited(email, 'member', 'alpha'), await invited(email, 'member', 'beta')];
      const joined = await race(
        () => one!.acceptInvitation(links[0]!, 'Ada', 'x', 2),
        () => two!.acceptInvitation(links[1]!, 'Ada', 'x', 2),
      );
      expect(joined.filter((done) => typeof done === 'string')).toEqual([expect.stringMatching(/one account only/)]);
      const unused = links[joined.findIndex((done) => typeof done === 'string')]!;
      expect(await two!.findLink(unused, 3)).not.toBeNull();
    }
  });

  test('a researcher’s account has one person, also when two come at once', async () => {
    for (let i = 0; i < 5; i++) {
      const name = `Rui ${i}`;
      const links = [
        await invited(`a${i}@example.org`, 'researcher', name),
        await invited(`b${i}@example.org`, 'researcher', name),
      ];
      const joined = await race(
        () => one!.acceptInvitation(links[0]!, 'Rui', 'x', 2),
        () => two!.acceptInvitation(links[1]!, 'Rui', 'x', 2),
      );
      expect(joined.filter((done) => done === null).length).toBe(1);
    }
  });

  test('a newer link takes the place of an older one, whoever makes it, and an expired one is dead', async () => {
    const ada = await join('ada@example.org', 'administrator', 'ministry');
    const old = await invited('ben@example.org', 'member', 'ministry');
    const asked = { email: 'ben@example.org', role: 'member', accountId: ada.account_id } as const;
    const newer = token();
    const { id } = await two!.invite({ ...asked, hash: newer }, 5, actorOf(ada));
    expect([await one!.findLink(old, 6), (await one!.findLink(newer, 6))?.invitation]).toEqual([
      null,
      { id, ...asked, accountId: undefined, account_id: ada.account_id, created_at: 5, expires_at: 5 + 7 * 24 * HOUR },
    ]);
    expect((await one!.listInvitations(ada.account_id, 6)).map((invitation) => invitation.id)).toEqual([id]);
    expect(await one!.listInvitations(null, 6)).toEqual([]);
    await expect(async () => two!.withdrawInvitation(id, null, 7, actorOf(ada))).rejects.toThrow(/no longer open/);
    await two!.withdrawInvitation(id, ada.account_id, 7, actorOf(ada));
    expect(await one!.acceptInvitation(newer, 'Ben', 'x', 8)).toBeNull();
    await expect(async () => two!.withdrawInvitation(id, ada.account_id, 9, actorOf(ada))).rejects.toThrow(
      /no longer open/,
    );

    const resets = [token(), token()];
    for (const [i, hash] of resets.entries()) await [one, two][i]!.openReset(ada.id, hash, 10, null);
    expect([await two!.findLink(resets[0]!, 11), await one!.findLink(resets[1]!, 11)]).toEqual([
      null,
      { invitation: null, person: ada },
    ]);
    expect(await one!.resetPassword(resets[1]!, 'x', 10 + HOUR), 'after an hour').toBeNull();
    // An invitation of the same address to another place is none of the reset's business.
    await invited('ada@example.org', 'service', null, 12);
    expect(await one!.findLink(resets[1]!, 13)).not.toBeNull();
    const nobodys = token();
    await one!.openReset(null, nobodys, 14, null);
    expect([await two!.findLink(nobodys, 15), await two!.resetPassword(nobodys, 'x', 15)]).toEqual([null, null]);
  });

  test('a code used twice at once is good once, and so is a recovery code', async () => {
    const ada = await join('ada@example.org', 'administrator', 'ministry');
    expect(await one!.spendStep(ada.id, 5), 'without a second factor there is nothing to spend').toBe(false);
    const recovery = Array.from({ length: 10 }, token);
    await one!.turnFactorOn(ada.id, { secret: 'A'.repeat(32), step: 7, recovery }, 3);
    expect((await two!.credentials('ada@example.org'))!.factorSecret).toBe('A'.repeat(32));
    expect(await two!.spendStep(ada.id, 7), 'the one that turned it on').toBe(false);
    for (let step = 8; step < 28; step++) {
      const spent = await race(
        () => one!.spendStep(ada.id, step),
        () => two!.spendStep(ada.id, step),
      );
      expect(spent.sort()).toEqual([false, true]);
    }
    expect(await one!.spendStep(ada.id, 26)).toBe(false);
    for (const code of recovery) {
      const spent = await race(
        () => one!.spendRecoveryCode(ada.id, code, 4),
        () => two!.spendRecoveryCode(ada.id, code, 4),
      );
      expect(spent.sort()).toEqual([false, true]);
    }
    const told = (await two!.listAudit({ most: 3 })).map(({ action, detail }) => `${action} ${detail}`);
    expect(told).toEqual(['factor.recovery 0 left', 'factor.recovery 1 left', 'factor.recovery 2 left']);
    const session = token();
    const asked = { id: ada.id, passwordHash: 'hash of ada@example.org', factorDue: true };
    await one!.openSession(session, asked, 5);
    const entered = [token(), token()];
    const done = await race(
      () => one!.completeSession(session, entered[0]!, 6),
      () => two!.completeSession(session, entered[1]!, 6),
    );
    expect(done.toSorted()).toEqual([false, true]);
    expect(await two!.visitor(session, 7)).toBeNull();
    const full = entered[done.indexOf(true)]!;
    expect(await one!.completeSession(full, token(), 8), 'nor is one completed that is').toBe(false);
    await two!.turnFactorOff(ada.id, 8, COMMAND_LINE);
    expect(await one!.spendStep(ada.id, 99)).toBe(false);
  });

  test('a sign-in that a second factor has overtaken opens nothing without it', async () => {
    const ada = await join('ada@example.org', 'administrator', 'ministry');
    await two!.turnFactorOn(ada.id, { secret: 'A'.repeat(32), step: 0, recovery: [] }, 3);
    const asked = { id: ada.id, passwordHash: 'hash of ada@example.org' };
    expect(await one!.openSession(token(), { ...asked, factorDue: false }, 4)).toBe(false);
    expect(await one!.openSession(token(), { ...asked, factorDue: true }, 4)).toBe(true);
  });

  test('two administrators who remove each other at once: one stays', async () => {
    for (let i = 0; i < 10; i++) {
      const ada = await join(`ada${i}@example.org`, 'administrator', `org ${i}`);
      const ben = await join(`ben${i}@example.org`, 'administrator', `org ${i}`);
      const done = await race(
        () => one!.removePerson(ben.id, 5, actorOf(ada)),
        () => two!.removePerson(ada.id, 5, actorOf(ben)),
      );
      expect(done.filter((ended) => ended === undefined).length).toBe(1);
      expect(done.filter((ended) => /last administrator|removed from the service/.test(String(ended))).length).toBe(1);
      expect((await one!.listPeople(ada.account_id)).length).toBe(1);
    }
    let last = await join('t@example.org', 'service', null);
    for (let i = 0; i < 10; i++) {
      const other = await join(`t${i}@example.org`, 'service', null);
      await race(
        () => one!.removePerson(last.id, 5, COMMAND_LINE),
        () => two!.removePerson(other.id, 5, COMMAND_LINE),
      );
      const left = await one!.listPeople(null);
      expect(left.length).toBe(1);
      last = left[0]!;
    }
  });

  test('two who turn off each other’s second factor at once hold nobody up', async () => {
    const ada = await join('ada@example.org', 'administrator', 'ministry');
    const ben = await join('ben@example.org', 'administrator', 'ministry');
    for (let i = 0; i < 10; i++) {
      for (const { id } of [ada, ben])
        await one!.turnFactorOn(id, { secret: 'A'.repeat(32), step: 0, recovery: [] }, 3);
      const done = await race(
        () => one!.turnFactorOff(ada.id, 4, actorOf(ben)),
        () => two!.turnFactorOff(ben.id, 4, actorOf(ada)),
      );
      expect(done).toEqual([undefined, undefined]);
    }
  });

  test('two-step sign-in turned on while the account changes holds nobody up', async () => {
    const ada = await join('ada@example.org', 'administrator', 'ministry');
    for (let i = 0; i < 20; i++) {
      const done = await race<unknown>(
        () => stores[0].changeAccount('ministry', i % 2 === 0 ? 'suspend' : 'reinstate', 4),
        () => two!.turnFactorOn(ada.id, { secret: 'A'.repeat(32), step: 0, recovery: [token()] }, 4),
        () => one!.turnFactorOn(ada.id, { secret: 'B'.repeat(32), step: 0, recovery: [token()] }, 4),
      );
      expect(done.filter((ended) => typeof ended === 'string')).toEqual([]);
    }
  });

  test('somebody removed while a request of theirs is under way: it comes before, or is refused', async () => {
    await join('ada@example.org', 'administrator', 'ministry');
    for (let i = 0; i < 10; i++) {
      const ben = await join(`ben${i}@example.org`, 'administrator', 'ministry');
      const by = actorOf(ben);
      const session = await signedIn(ben);
      const asked = { email: `new${i}@example.org`, role: 'member', accountId: ben.account_id, hash: token() } as const;
      const { id } = await giveKey(stores[0]);
      const before = (await deeds()).length;
      const removal = () => two!.removePerson(ben.id, 5, COMMAND_LINE);
      const theirs: (() => unknown)[] = [
        () => one!.invite(asked, 5, by),
        () => stores[0].setLimits('ministry', { perMinute: 100 + i }, 5, by),
        () => stores[0].revokeKey(id, 5, by),
      ];
      const ended = await race<unknown>(...theirs.toSpliced(i % 4, 0, removal));
      const refused = ended.filter((one) => /you have been removed/.test(String(one))).length;
      const told = (await deeds()).slice(before);
      expect(told.indexOf('person.remove'), 'nothing of theirs is written after it').toBe(told.length - 1);
      expect(told.length - 1 + refused, 'each was done or refused').toBe(theirs.length);
      expect(await one!.visitor(session, 6)).toBeNull();
      await expect(async () => one!.invite({ ...asked, hash: token() }, 7, by)).rejects.toThrow(
        /you have been removed/,
      );
      await expect(async () => stores[0].setLimits('ministry', { perMinute: 1 }, 7, by)).rejects.toThrow(
        /you have been removed/,
      );
      expect((await stores[1].findAccount('ministry'))!.per_minute).not.toBe(1);
      await expect(async () => one!.enter({ action: 'sign-in', account: ben.account_id }, by, 7)).rejects.toThrow();
    }
  });

  test.each(['suspend', 'remove'] as const)(
    '%s by another process ends every session, whatever is under way',
    async (what) => {
      for (let i = 0; i < 10; i++) {
        const name = `${what} ${i}`;
        const ada = await join(`ada${i}@example.org`, 'administrator', name);
        const session = await signedIn(ada);
        const fresh = [token(), token()];
        const asked = { id: ada.id, passwordHash: `hash of ${ada.email}`, factorDue: false };
        const reset = token();
        await one!.openReset(ada.id, reset, 4, null);
        const link = await invited(`ben${i}@example.org`, 'member', name, 4);
        await race<unknown>(
          () => stores[1].changeAccount(name, what, 5),
          () => one!.openSession(fresh[0]!, asked, 5),
          () => one!.changePassword(session, asked.passwordHash, fresh[1]!, 5),
          () => one!.acceptInvitation(link, 'Ben', 'x', 5),
        );
        if (what === 'suspend') await stores[1].changeAccount(name, 'reinstate', 6);
        for (const hash of [session, ...fresh]) expect(await one!.visitor(hash, 7), 'nor comes back').toBeNull();
        const isThere = (await one!.credentials(ada.email)) !== null;
        expect(isThere).toBe(what === 'suspend');
        if (what === 'suspend') continue;
        expect(await one!.listPeople(ada.account_id), 'nobody slips in either').toEqual([]);
        expect([await two!.resetPassword(reset, 'x', 7), await two!.findLink(reset, 7)]).toEqual([null, null]);
        expect(await two!.acceptInvitation(link, 'Ben', 'x', 7)).toBeNull();
        expect((await join(ada.email, 'member', 'elsewhere')).id, 'the address is free').not.toBe(ada.id);
      }
    },
  );

  test('a new password by the owner’s link and one by a thief’s session at once: the owner’s stands', async () => {
    const ada = await join('ada@example.org', 'administrator', 'ministry');
    for (let i = 0; i < 10; i++) {
      const passwordHash = (await one!.credentials(ada.email))!.passwordHash;
      const [thief, fresh, reset] = [token(), token(), token()];
      await one!.openSession(thief, { id: ada.id, passwordHash, factorDue: false }, 3);
      await one!.openReset(ada.id, reset, 3, null);
      const [owner, stolen] = await race<unknown>(
        () => one!.resetPassword(reset, `the owner’s ${i}`, 4),
        () => two!.changePassword(thief, `the thief’s ${i}`, fresh, 4),
      );
      // Whoever comes first ends what the other has: the session, or the link.
      expect([owner !== null, stolen === true].sort()).toEqual([false, true]);
      expect((await one!.credentials(ada.email))!.passwordHash).toBe(owner ? `the owner’s ${i}` : `the thief’s ${i}`);
      expect((await one!.visitor(fresh, 5)) !== null).toBe(stolen);
      expect(await one!.visitor(thief, 5)).toBeNull();
    }
  });

  test('a sign-in at the moment of a removal or a new password leaves no session behind', async () => {
    await join('stays@example.org', 'service', null);
    for (let i = 0; i < 20; i++) {
      const someone = await join(`t${i}@example.org`, 'service', null);
      const [session, reset] = [token(), token()];
      await one!.openReset(someone.id, reset, 3, null);
      const asked = { id: someone.id, passwordHash: `hash of ${someone.email}`, factorDue: false };
      await race<unknown>(
        () => one!.openSession(session, asked, 4),
        () => (i % 2 === 0 ? two!.removePerson(someone.id, 4, COMMAND_LINE) : two!.resetPassword(reset, 'new', 4)),
      );
      expect(await one!.visitor(session, 5)).toBeNull();
    }
  });

  test('what is refused leaves nothing behind, not even a line of the log', async () => {
    const ada = await join('ada@example.org', 'administrator', 'ministry');
    const before = await deeds();
    const asked = { email: 'x@example.org', role: 'member', accountId: ada.account_id, hash: token() } as const;
    for (const [work, message] of [
      [() => one!.changeRole(ada.id, 'member', 5, actorOf(ada)), /last administrator/],
      [() => one!.changeRole(ada.id, 'service', 5, actorOf(ada)), /no such role/],
      [() => one!.removePerson('per_x', 5, COMMAND_LINE), /no longer here/],
      [() => one!.invite({ ...asked, email: 'x' }, 5, COMMAND_LINE), /expected an address/],
      [() => one!.invite({ ...asked, email: 'ada@example.org' }, 5, COMMAND_LINE), /is here already/],
      [() => one!.invite({ ...asked, role: 'researcher' }, 5, COMMAND_LINE), /no such role/],
      [() => one!.openReset('per_x', token(), 5, COMMAND_LINE), /no longer here/],
      [() => one!.turnFactorOff('per_x', 5, COMMAND_LINE), /no longer here/],
    ] as const) {
      await expect(async () => work()).rejects.toThrow(message);
    }
    await one!.turnFactorOff(ada.id, 5, COMMAND_LINE);
    await one!.changeRole(ada.id, 'administrator', 5, COMMAND_LINE);
    expect(await deeds()).toEqual(before);
  });

  test('people may remove themselves', async () => {
    await join('ada@example.org', 'administrator', 'ministry');
    const ben = await join('ben@example.org', 'member', 'ministry');
    await one!.removePerson(ben.id, 5, actorOf(ben));
    expect(await two!.credentials('ben@example.org')).toBeNull();
    expect(await two!.listAudit({ most: 1 })).toMatchObject([{ action: 'person.remove', actor: 'ben@example.org' }]);
  });
});
