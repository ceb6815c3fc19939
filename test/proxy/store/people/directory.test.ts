/** The guarantees of every directory of people, tested with two directories on one store, as in two proxies. */
import { describe, expect, test } from 'vitest';
import { COMMAND_LINE } from '../../../../proxy/store/audit.ts';
import { auditActor } from '../../../../proxy/store/people/person-rules.ts';
import { BACKENDS } from '../../../support/proxy/backends.ts';
import { giveKey } from '../../../support/proxy/service.ts';
import { race, token, twoSides } from '../../../support/proxy/two-sides.ts';

const HOUR = 3_600_000;

describe.each(BACKENDS.filter((backend) => !backend.skip))('$name', ({ newStore }) => {
  test('each directory sees the changes of the other: people, links, sessions, browsers, audit log', async () => {
    const { stores, one, two, join, signedIn } = await twoSides(newStore);
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
    expect(await two.credentialsByEmail('ada@example.org')).toEqual({
      person: ada,
      passwordHash: 'hash of ada@example.org',
      factorSecret: null,
    });
    expect([await two.credentialsById(team.id), await two.credentialsByEmail('nobody@example.org')]).toMatchObject([
      { person: team },
      null,
    ]);
    expect([await two.listPeople(null), await two.listPeople(ada.account_id)]).toEqual([[team], [ada]]);
    expect(await two.personNames([ada.id, 'per_x', ada.id])).toEqual(
      new Map([
        [ada.id, 'ada'],
        ['per_x', 'per_x'],
      ]),
    );
    const account = (await stores[1].findAccount('ministry'))!;
    const [hers, theirs] = [await signedIn(ada), await signedIn(team)];
    expect(await two.sessions.findVisitor(hers, 4)).toEqual({ person: ada, confirmedAt: 3, account, factorDue: false });
    expect(await two.sessions.findVisitor(theirs, 4)).toEqual({
      person: team,
      confirmedAt: 3,
      account: null,
      factorDue: false,
    });
    expect(await two.sessions.findVisitor(token(), 4)).toBeNull();
    // Used after 50 minutes, it lives for another hour.
    expect(await one.sessions.findVisitor(hers, 50 * 60_000)).not.toBeNull();
    expect([
      (await two.sessions.findVisitor(hers, 1.5 * HOUR)) === null,
      await two.sessions.findVisitor(theirs, 1.5 * HOUR),
    ]).toEqual([false, null]);
    const other = await signedIn(ada, 4);
    await two.sessions.closeOthers(ada.id, hers);
    expect([await one.sessions.findVisitor(other, 5), (await one.sessions.findVisitor(hers, 5)) === null]).toEqual([
      null,
      false,
    ]);
    await two.sessions.close(hers);
    expect(await one.sessions.findVisitor(hers, 5)).toBeNull();
    const browser = token();
    await one.sessions.rememberBrowser(browser, ada.id, 10);
    await two.sessions.rememberBrowser(browser, ada.id, 20);
    expect([
      await two.sessions.knowsBrowser(browser, ada.id, 30),
      await two.sessions.knowsBrowser(browser, team.id, 30),
    ]).toEqual([true, false]);
    expect(await two.sessions.knowsBrowser(browser, ada.id, 20 + 365 * 24 * HOUR)).toBe(false);
    const [last, ...rest] = await two.listAudit({ limit: 2 });
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
    const older = await two.listAudit({ accountId: ada.account_id!, beforeId: rest[0]!.id, limit: 9 });
    expect(older.map(({ action }) => action)).toEqual(['account.create']);
  });

  test('if two administrators remove each other at once, one remains', async () => {
    const { one, two, join } = await twoSides(newStore);
    for (let i = 0; i < 10; i++) {
      const ada = await join(`ada${i}@example.org`, 'administrator', `org ${i}`);
      const ben = await join(`ben${i}@example.org`, 'administrator', `org ${i}`);
      const done = await race(
        () => one.removePerson(ben.id, 5, auditActor(ada)),
        () => two.removePerson(ada.id, 5, auditActor(ben)),
      );
      expect(done.filter((ended) => ended === undefined).length).toBe(1);
      expect(done.filter((ended) => /last administrator|removed from the service/.test(String(ended))).length).toBe(1);
      expect((await one.listPeople(ada.account_id)).length).toBe(1);
    }
    let last = await join('t@example.org', 'service', null);
    for (let i = 0; i < 10; i++) {
      const other = await join(`t${i}@example.org`, 'service', null);
      await race(
        () => one.removePerson(last.id, 5, COMMAND_LINE),
        () => two.removePerson(other.id, 5, COMMAND_LINE),
      );
      const left = await one.listPeople(null);
      expect(left.length).toBe(1);
      last = left[0]!;
    }
  });

  test('a request of somebody who is being removed is completed before the removal or refused', async () => {
    const { stores, one, two, join, signedIn, actions } = await twoSides(newStore);
    await join('ada@example.org', 'administrator', 'ministry');
    for (let i = 0; i < 10; i++) {
      const ben = await join(`ben${i}@example.org`, 'administrator', 'ministry');
      const by = auditActor(ben);
      const session = await signedIn(ben);
      const request = {
        email: `new${i}@example.org`,
        role: 'member',
        accountId: ben.account_id,
        hash: token(),
      } as const;
      const { id } = await giveKey(stores[0]);
      const before = (await actions()).length;
      const removal = () => two.removePerson(ben.id, 5, COMMAND_LINE);
      const theirs: (() => unknown)[] = [
        () => one.links.invite(request, 5, by),
        () => stores[0].setLimits('ministry', { perMinute: 100 + i }, 5, by),
        () => stores[0].revokeKey(id, 5, by),
      ];
      const ended = await race<unknown>(...theirs.toSpliced(i % 4, 0, removal));
      const refused = ended.filter((one) => /you have been removed/.test(String(one))).length;
      const recorded = (await actions()).slice(before);
      expect(recorded.indexOf('person.remove'), 'nothing of theirs is recorded after it').toBe(recorded.length - 1);
      expect(recorded.length - 1 + refused, 'each was done or refused').toBe(theirs.length);
      expect(await one.sessions.findVisitor(session, 6)).toBeNull();
      await expect(async () => one.links.invite({ ...request, hash: token() }, 7, by)).rejects.toThrow(
        /you have been removed/,
      );
      await expect(async () => stores[0].setLimits('ministry', { perMinute: 1 }, 7, by)).rejects.toThrow(
        /you have been removed/,
      );
      expect((await stores[1].findAccount('ministry'))!.per_minute).not.toBe(1);
      await expect(async () => one.record({ action: 'sign-in', accountId: ben.account_id }, by, 7)).rejects.toThrow();
    }
  });

  test('a refused change leaves nothing behind, not even an entry in the audit log', async () => {
    const { one, join, actions } = await twoSides(newStore);
    const ada = await join('ada@example.org', 'administrator', 'ministry');
    const before = await actions();
    const request = { email: 'x@example.org', role: 'member', accountId: ada.account_id, hash: token() } as const;
    for (const [work, message] of [
      [() => one.changeRole(ada.id, 'member', 5, auditActor(ada)), /last administrator/],
      [() => one.changeRole(ada.id, 'service', 5, auditActor(ada)), /no such role/],
      [() => one.removePerson('per_x', 5, COMMAND_LINE), /has been removed/],
      [() => one.links.invite({ ...request, email: 'x' }, 5, COMMAND_LINE), /expected an address/],
      [
        () => one.links.invite({ ...request, email: 'ada@example.org' }, 5, COMMAND_LINE),
        /already belongs to this account/,
      ],
      [() => one.links.invite({ ...request, role: 'researcher' }, 5, COMMAND_LINE), /no such role/],
      [() => one.links.createReset('per_x', token(), 5, COMMAND_LINE), /has been removed/],
      [() => one.factors.turnOff('per_x', 5, COMMAND_LINE), /has been removed/],
    ] as const) {
      await expect(async () => work()).rejects.toThrow(message);
    }
    await one.factors.turnOff(ada.id, 5, COMMAND_LINE);
    await one.changeRole(ada.id, 'administrator', 5, COMMAND_LINE);
    expect(await actions()).toEqual(before);
  });

  test('people may remove themselves', async () => {
    const { one, two, join } = await twoSides(newStore);
    await join('ada@example.org', 'administrator', 'ministry');
    const ben = await join('ben@example.org', 'member', 'ministry');
    await one.removePerson(ben.id, 5, auditActor(ben));
    expect(await two.credentialsByEmail('ben@example.org')).toBeNull();
    expect(await two.listAudit({ limit: 1 })).toMatchObject([{ action: 'person.remove', actor: 'ben@example.org' }]);
  });
});
