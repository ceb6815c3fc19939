/** Invitations and links for a new password: each works once, and only the newest one works. */
import { describe, expect, test } from 'vitest';
import { auditActor } from '../../../../proxy/store/people/person-rules.ts';
import { BACKENDS } from '../../../support/proxy/backends.ts';
import { race, token, twoSides } from '../../../support/proxy/two-sides.ts';

const HOUR = 3_600_000;

describe.each(BACKENDS.filter((backend) => !backend.skip))('$name', ({ newStore }) => {
  test('a link used twice at once works once', async () => {
    const { one, two, invited, actions } = await twoSides(newStore);
    for (let i = 0; i < 10; i++) {
      const email = `ada${i}@example.org`;
      const link = await invited(email, 'administrator', 'ministry');
      const joined = await race(
        () => one.links.acceptInvitation(link, 'Ada', 'first', 2),
        () => two.links.acceptInvitation(link, 'Eve', 'second', 2),
      );
      expect(joined.filter((person) => person === null).length, 'the later one finds it used').toBe(1);
      const { person } = (await one.credentialsByEmail(email))!;
      const reset = token();
      await one.links.createReset(person.id, reset, 3, null);
      const set = await race(
        () => one.links.resetPassword(reset, 'third', 4),
        () => two.links.resetPassword(reset, 'fourth', 4),
      );
      expect(set.filter((done) => done === null).length).toBe(1);
      expect((await one.credentialsByEmail(email))!.passwordHash).toBe(set[0] === null ? 'fourth' : 'third');
    }
    expect((await actions()).filter((action) => action === 'person.join').length).toBe(10);
    expect((await actions()).filter((action) => action === 'password.reset').length).toBe(10);
  });

  test('an address that accepts two invitations at once joins one account, and the other link stays valid', async () => {
    const { one, two, invited } = await twoSides(newStore);
    for (let i = 0; i < 5; i++) {
      const email = `ada${i}@example.org`;
      const links = [await invited(email, 'member', 'alpha'), await invited(email, 'member', 'beta')];
      const joined = await race(
        () => one.links.acceptInvitation(links[0]!, 'Ada', 'x', 2),
        () => two.links.acceptInvitation(links[1]!, 'Ada', 'x', 2),
      );
      expect(joined.filter((done) => typeof done === 'string')).toEqual([expect.stringMatching(/one account only/)]);
      const unused = links[joined.findIndex((done) => typeof done === 'string')]!;
      expect(await two.links.findLink(unused, 3)).not.toBeNull();
    }
  });

  test('a researcher’s account has one person, even if two join at once', async () => {
    const { one, two, invited } = await twoSides(newStore);
    for (let i = 0; i < 5; i++) {
      const name = `Rui ${i}`;
      const links = [
        await invited(`a${i}@example.org`, 'researcher', name),
        await invited(`b${i}@example.org`, 'researcher', name),
      ];
      const joined = await race(
        () => one.links.acceptInvitation(links[0]!, 'Rui', 'x', 2),
        () => two.links.acceptInvitation(links[1]!, 'Rui', 'x', 2),
      );
      expect(joined.filter((done) => done === null).length).toBe(1);
    }
  });

  test('a newer link replaces an older one, whoever creates it, and an expired link does not work', async () => {
    const { one, two, invited, join } = await twoSides(newStore);
    const ada = await join('ada@example.org', 'administrator', 'ministry');
    const old = await invited('ben@example.org', 'member', 'ministry');
    const request = { email: 'ben@example.org', role: 'member', accountId: ada.account_id } as const;
    const newer = token();
    const { id } = await two.links.invite({ ...request, hash: newer }, 5, auditActor(ada));
    expect([await one.links.findLink(old, 6), (await one.links.findLink(newer, 6))?.invitation]).toEqual([
      null,
      {
        id,
        ...request,
        accountId: undefined,
        account_id: ada.account_id,
        created_at: 5,
        expires_at: 5 + 7 * 24 * HOUR,
      },
    ]);
    expect((await one.links.listInvitations(ada.account_id, 6)).map((invitation) => invitation.id)).toEqual([id]);
    expect(await one.links.listInvitations(null, 6)).toEqual([]);
    await expect(async () => two.links.withdrawInvitation(id, null, 7, auditActor(ada))).rejects.toThrow(
      /no longer open/,
    );
    await two.links.withdrawInvitation(id, ada.account_id, 7, auditActor(ada));
    expect(await one.links.acceptInvitation(newer, 'Ben', 'x', 8)).toBeNull();
    await expect(async () => two.links.withdrawInvitation(id, ada.account_id, 9, auditActor(ada))).rejects.toThrow(
      /no longer open/,
    );

    const resets = [token(), token()];
    for (const [i, hash] of resets.entries()) await [one, two][i]!.links.createReset(ada.id, hash, 10, null);
    expect([await two.links.findLink(resets[0]!, 11), await one.links.findLink(resets[1]!, 11)]).toEqual([
      null,
      { invitation: null, person: ada },
    ]);
    expect(await one.links.resetPassword(resets[1]!, 'x', 10 + HOUR), 'after an hour').toBeNull();
    // An invitation of the same address to another account does not affect the reset.
    await invited('ada@example.org', 'service', null, 12);
    expect(await one.links.findLink(resets[1]!, 13)).not.toBeNull();
    const nobodys = token();
    await one.links.createReset(null, nobodys, 14, null);
    expect([await two.links.findLink(nobodys, 15), await two.links.resetPassword(nobodys, 'x', 15)]).toEqual([
      null,
      null,
    ]);
  });
});
