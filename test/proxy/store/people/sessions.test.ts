/** Sessions and two-step sign-in: a code works once, and a session ends when its basis does. */
import { describe, expect, test } from 'vitest';
import { COMMAND_LINE } from '../../../../proxy/store/audit.ts';
import { auditActor } from '../../../../proxy/store/people/person-rules.ts';
import { BACKENDS } from '../../../support/proxy/backends.ts';
import { race, token, twoSides } from '../../../support/proxy/two-sides.ts';

describe.each(BACKENDS.filter((backend) => !backend.skip))('$name', ({ newStore }) => {
  test('a code used twice at once works once, and so does a recovery code', async () => {
    const { one, two, join } = await twoSides(newStore);
    const ada = await join('ada@example.org', 'administrator', 'ministry');
    expect(await one.factors.spendStep(ada.id, 5, 0), 'without two-step sign-in there is nothing to spend').toBe(false);
    const codeHashes = Array.from({ length: 10 }, token);
    await one.factors.turnOn(ada.id, { secret: 'A'.repeat(32), step: 7, codeHashes }, 3);
    expect((await two.credentialsByEmail('ada@example.org'))!.factorSecret).toBe('A'.repeat(32));
    expect(await two.factors.spendStep(ada.id, 7, 0), 'the step that turned it on is used').toBe(false);
    for (let step = 8; step < 28; step++) {
      const spent = await race(
        () => one.factors.spendStep(ada.id, step, 0),
        () => two.factors.spendStep(ada.id, step, 0),
      );
      expect(spent.sort()).toEqual([false, true]);
    }
    expect(await one.factors.spendStep(ada.id, 26, 0)).toBe(false);
    for (const code of codeHashes) {
      const spent = await race(
        () => one.factors.spendRecoveryCode(ada.id, code, 4),
        () => two.factors.spendRecoveryCode(ada.id, code, 4),
      );
      expect(spent.sort()).toEqual([false, true]);
    }
    const recorded = (await two.listAudit({ limit: 3 })).map(({ action, detail }) => `${action} ${detail}`);
    expect(recorded).toEqual(['factor.recovery 0 left', 'factor.recovery 1 left', 'factor.recovery 2 left']);
    const session = token();
    await one.sessions.open(session, { id: ada.id, passwordHash: 'hash of ada@example.org', factorDue: true }, 5);
    const entered = [token(), token()];
    const done = await race(
      () => one.sessions.complete(session, entered[0]!, 6),
      () => two.sessions.complete(session, entered[1]!, 6),
    );
    expect(done.toSorted()).toEqual([false, true]);
    expect(await two.sessions.findVisitor(session, 7)).toBeNull();
    const full = entered[done.indexOf(true)]!;
    expect(await one.sessions.complete(full, token(), 8), 'a complete session cannot be completed again').toBe(false);
    await two.factors.turnOff(ada.id, 8, COMMAND_LINE);
    expect(await one.factors.spendStep(ada.id, 99, 0)).toBe(false);
  });

  test('a sign-in overtaken by turning on two-step sign-in opens no session without it', async () => {
    const { one, two, join } = await twoSides(newStore);
    const ada = await join('ada@example.org', 'administrator', 'ministry');
    await two.factors.turnOn(ada.id, { secret: 'A'.repeat(32), step: 0, codeHashes: [] }, 3);
    const credentials = { id: ada.id, passwordHash: 'hash of ada@example.org' };
    expect(await one.sessions.open(token(), { ...credentials, factorDue: false }, 4)).toBe(false);
    expect(await one.sessions.open(token(), { ...credentials, factorDue: true }, 4)).toBe(true);
  });

  test('two people who turn off each other’s two-step sign-in at once do not deadlock', async () => {
    const { one, two, join } = await twoSides(newStore);
    const ada = await join('ada@example.org', 'administrator', 'ministry');
    const ben = await join('ben@example.org', 'administrator', 'ministry');
    for (let i = 0; i < 10; i++) {
      for (const { id } of [ada, ben])
        await one.factors.turnOn(id, { secret: 'A'.repeat(32), step: 0, codeHashes: [] }, 3);
      const done = await race(
        () => one.factors.turnOff(ada.id, 4, auditActor(ben)),
        () => two.factors.turnOff(ben.id, 4, auditActor(ada)),
      );
      expect(done).toEqual([undefined, undefined]);
    }
  });

  test('turning on two-step sign-in while the account is changing does not deadlock', async () => {
    const { stores, one, two, join } = await twoSides(newStore);
    const ada = await join('ada@example.org', 'administrator', 'ministry');
    for (let i = 0; i < 20; i++) {
      const done = await race<unknown>(
        () => stores[0].changeAccount('ministry', i % 2 === 0 ? 'suspend' : 'reinstate', 4),
        () => two.factors.turnOn(ada.id, { secret: 'A'.repeat(32), step: 0, codeHashes: [token()] }, 4),
        () => one.factors.turnOn(ada.id, { secret: 'B'.repeat(32), step: 0, codeHashes: [token()] }, 4),
      );
      expect(done.filter((ended) => typeof ended === 'string')).toEqual([]);
    }
  });

  test.each(['suspend', 'remove'] as const)(
    '%s by another process ends every session, whatever else is in progress',
    async (what) => {
      const { stores, one, two, invited, join, signedIn } = await twoSides(newStore);
      for (let i = 0; i < 10; i++) {
        const name = `${what} ${i}`;
        const ada = await join(`ada${i}@example.org`, 'administrator', name);
        const session = await signedIn(ada);
        const fresh = [token(), token()];
        const credentials = { id: ada.id, passwordHash: `hash of ${ada.email}`, factorDue: false };
        const reset = token();
        await one.links.createReset(ada.id, reset, 4, null);
        const link = await invited(`ben${i}@example.org`, 'member', name, 4);
        await race<unknown>(
          () => stores[1].changeAccount(name, what, 5),
          () => one.sessions.open(fresh[0]!, credentials, 5),
          () => one.changePassword(session, credentials.passwordHash, fresh[1]!, 5),
          () => one.links.acceptInvitation(link, 'Ben', 'x', 5),
        );
        if (what === 'suspend') await stores[1].changeAccount(name, 'reinstate', 6);
        for (const hash of [session, ...fresh])
          expect(await one.sessions.findVisitor(hash, 7), 'sessions do not come back').toBeNull();
        const stillExists = (await one.credentialsByEmail(ada.email)) !== null;
        expect(stillExists).toBe(what === 'suspend');
        if (what === 'suspend') continue;
        expect(await one.listPeople(ada.account_id), 'nobody has joined meanwhile').toEqual([]);
        expect([await two.links.resetPassword(reset, 'x', 7), await two.links.findLink(reset, 7)]).toEqual([
          null,
          null,
        ]);
        expect(await two.links.acceptInvitation(link, 'Ben', 'x', 7)).toBeNull();
        expect((await join(ada.email, 'member', 'elsewhere')).id, 'the address can be used again').not.toBe(ada.id);
      }
    },
  );

  test('of a reset by the owner’s link and a password change in a thief’s session at once, only one succeeds', async () => {
    const { one, two, join } = await twoSides(newStore);
    const ada = await join('ada@example.org', 'administrator', 'ministry');
    for (let i = 0; i < 10; i++) {
      const passwordHash = (await one.credentialsByEmail(ada.email))!.passwordHash;
      const [thief, fresh, reset] = [token(), token(), token()];
      await one.sessions.open(thief, { id: ada.id, passwordHash, factorDue: false }, 3);
      await one.links.createReset(ada.id, reset, 3, null);
      const [owner, stolen] = await race<unknown>(
        () => one.links.resetPassword(reset, `the owner’s ${i}`, 4),
        () => two.changePassword(thief, `the thief’s ${i}`, fresh, 4),
      );
      // Whoever is first invalidates the other's session or link.
      expect([owner !== null, stolen === true].sort()).toEqual([false, true]);
      expect((await one.credentialsByEmail(ada.email))!.passwordHash).toBe(
        owner ? `the owner’s ${i}` : `the thief’s ${i}`,
      );
      expect((await one.sessions.findVisitor(fresh, 5)) !== null).toBe(stolen);
      expect(await one.sessions.findVisitor(thief, 5)).toBeNull();
    }
  });

  test('a sign-in at the moment of a removal or a new password leaves no session behind', async () => {
    const { one, two, join } = await twoSides(newStore);
    await join('stays@example.org', 'service', null);
    for (let i = 0; i < 20; i++) {
      const someone = await join(`t${i}@example.org`, 'service', null);
      const [session, reset] = [token(), token()];
      await one.links.createReset(someone.id, reset, 3, null);
      const credentials = { id: someone.id, passwordHash: `hash of ${someone.email}`, factorDue: false };
      await race<unknown>(
        () => one.sessions.open(session, credentials, 4),
        () => (i % 2 === 0 ? two.removePerson(someone.id, 4, COMMAND_LINE) : two.links.resetPassword(reset, 'new', 4)),
      );
      expect(await one.sessions.findVisitor(session, 5)).toBeNull();
    }
  });
});
