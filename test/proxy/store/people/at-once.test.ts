/** Random concurrent steps on one store by two proxies: each is done or refused, and there are no deadlocks. */

import { describe, expect, onTestFinished, test } from 'vitest';
import { UsageError } from '../../../../pipeline/lib/errors.ts';
import { type Actor, COMMAND_LINE } from '../../../../proxy/store/audit.ts';
import { Directory } from '../../../../proxy/store/people/directory.ts';
import { auditActor } from '../../../../proxy/store/people/person-rules.ts';
import { hashToken, mintToken } from '../../../../proxy/store/people/tokens.ts';
import type { Person, Role } from '../../../../proxy/store/row-types.ts';
import { BACKENDS, rowsIn } from '../../../support/proxy/backends.ts';
import { openStore } from '../../../support/proxy/open-store.ts';
import { giveKey } from '../../../support/proxy/service.ts';

const STEPS = 6000;
const AT_ONCE = 24;
const ORGANISATIONS = ['alpha', 'beta'];
const CODE = hashToken('a recovery code');
const NOW = 5;
const LATER = 70_000;

const token = () => hashToken(mintToken());
const pick = <T>(list: readonly T[]): T => list[Math.floor(Math.random() * list.length)]!;

async function openSide(url: string) {
  const store = await openStore(url);
  onTestFinished(() => store.close());
  return { store, directory: new Directory(store.database) };
}
type Side = Awaited<ReturnType<typeof openSide>>;

/** Links and sessions that steps leave for others to use. */
let [links, sessions]: [Buffer[], Buffer[]] = [[], []];
let invited = 0;

/** A step that concerns `person`, taken by `by`, who may take it, or by `team` if only the service team may. */
type Step = (side: Side, person: Person, by: Actor, team: Actor) => unknown;

const open: Step = async ({ directory }, { id, has_factor: factorDue }) => {
  const hash = token();
  if (await directory.sessions.open(hash, { id, passwordHash: 'h', factorDue }, NOW)) sessions.push(hash);
};
const roleIn = (account: string | null): Role => (account === null ? 'service' : pick(['administrator', 'member']));

const KINDS_OF_STEP: Step[] = [
  async ({ directory }, { account_id: accountId }, by) => {
    const hash = token();
    const email = `p${invited++ % 40}@example.org`;
    await directory.links.invite({ email, role: roleIn(accountId), accountId, hash }, NOW, by);
    links.push(hash);
  },
  async ({ directory }, { account_id }, by) => {
    const [first] = await directory.links.listInvitations(account_id, NOW);
    if (first) await directory.links.withdrawInvitation(first.id, account_id, NOW, by);
  },
  async ({ directory }, { id }) => {
    const hash = token();
    await directory.links.createReset(id, hash, NOW, pick([null, COMMAND_LINE]));
    links.push(hash);
  },
  ({ directory }) => directory.links.acceptInvitation(pick(links), 'somebody', 'h', NOW),
  ({ directory }) => directory.links.acceptInvitation(links.at(-1)!, 'somebody', 'h', NOW),
  ({ directory }) => directory.links.resetPassword(pick(links), 'h', NOW),
  ({ directory }) => directory.links.resetPassword(links.at(-1)!, 'h', NOW),
  open,
  open,
  ({ directory }) => directory.sessions.findVisitor(pick(sessions), LATER),
  ({ directory }) => directory.sessions.complete(pick(sessions), token(), NOW),
  ({ directory }) => directory.changePassword(sessions.at(-1)!, 'h', token(), NOW),
  ({ directory }) => directory.sessions.close(pick(sessions)),
  ({ directory }, { id }) => directory.sessions.closeOthers(id, pick(sessions)),
  ({ directory }, { id }) => directory.sessions.rememberBrowser(token(), id, NOW),
  ({ directory }, { id }, by) => directory.removePerson(id, NOW, by),
  ({ directory }, { id, account_id }, by) => directory.changeRole(id, roleIn(account_id), NOW, by),
  ({ directory }, { id }) => directory.factors.turnOn(id, { secret: 'A', step: 0, codeHashes: [CODE, token()] }, NOW),
  ({ directory }, { id }, by) => directory.factors.turnOff(id, NOW, by),
  ({ directory }, { id }) => directory.factors.spendStep(id, Math.floor(Math.random() * 100), 0),
  ({ directory }, { id }) => directory.factors.spendRecoveryCode(id, CODE, NOW),
  ({ directory }, person) => directory.record({ action: 'sign-in', accountId: null }, auditActor(person), NOW),
  ({ store }, _, __, team) => store.changeAccount(pick(ORGANISATIONS), pick(['suspend', 'reinstate']), NOW, team),
  ({ store }, _, __, team) => store.setLimits(pick(ORGANISATIONS), { perMinute: 5 }, NOW, team),
  ({ store }) => giveKey(store, { owner: pick(ORGANISATIONS) }),
  async ({ store }, _, __, team) => {
    const keys = await store.listKeys();
    if (keys.length > 0) await store.revokeKey(pick(keys).key.id, NOW, team);
  },
];

describe.each(BACKENDS.filter((backend) => !backend.skip))('$name', ({ newStore }) => {
  test('concurrent steps of all kinds leave the store consistent', async () => {
    [links, sessions] = [[], []];
    const { store: url } = await newStore();
    const sides = [await openSide(url), await openSide(url)] as const;
    const [{ store, directory }] = sides;
    for (const name of ORGANISATIONS) await store.createAccount('organisation', name, 1);
    const accountIds = [null, ...(await store.listAccounts()).map(({ id }) => id)];
    for (const [i, accountId] of accountIds.entries()) {
      for (let n = 0; n < 4; n++) {
        const hash = token();
        const role = accountId === null ? 'service' : 'administrator';
        await directory.links.invite({ email: `first${i}${n}@example.org`, role, accountId, hash }, 1, COMMAND_LINE);
        const { id } = (await directory.links.acceptInvitation(hash, 'first', 'h', 1))!;
        await open(sides[0], (await directory.credentialsById(id))!.person, COMMAND_LINE, COMMAND_LINE);
        links.push(hash);
      }
    }

    const failures: unknown[] = [];
    let left = STEPS;
    const worker = async () => {
      while (left-- > 0) {
        const side = pick(sides);
        const people = (await Promise.all(accountIds.map((id) => side.directory.listPeople(id)))).flat();
        const person = pick(people);
        const team = pick(people.filter(({ role }) => role === 'service'));
        const by = pick(
          people.filter(
            ({ role, account_id }) =>
              role === 'service' || (role === 'administrator' && account_id === person.account_id),
          ),
        );
        try {
          await pick(KINDS_OF_STEP)(side, person, pick([auditActor(by), COMMAND_LINE]), auditActor(team));
        } catch (error) {
          if (!(error instanceof UsageError)) failures.push(error);
        }
      }
    };
    await Promise.all(Array.from({ length: AT_ONCE }, worker));
    expect(failures).toEqual([]);

    const count = async (sql: string) => (await rowsIn(url, `SELECT 1 FROM ${sql}`)).length;
    for (const table of ['sessions', 'recovery_codes', 'browsers']) {
      const ofRemoved = `${table} JOIN people ON people.id = person_id WHERE people.removed_at IS NOT NULL`;
      expect([table, await count(ofRemoved)]).toEqual([table, 0]);
    }
    const ofSuspended = `sessions JOIN people ON people.id = person_id JOIN accounts ON accounts.id = account_id
      WHERE suspended_at IS NOT NULL`;
    expect(await count(ofSuspended)).toBe(0);
    for (const accountId of accountIds) {
      const people = await directory.listPeople(accountId);
      expect(people.some(({ role }) => role === 'service' || role === 'administrator')).toBe(true);
    }
    const afterRemoval = `audit done JOIN audit removal ON removal.action = 'person.remove' AND removal.id < done.id
      JOIN people ON people.id = done.actor_id AND email = removal.subject AND removed_at IS NOT NULL
      JOIN audit joined ON joined.actor_id = people.id AND joined.action = 'person.join' AND joined.id < removal.id`;
    expect(await count(afterRemoval)).toBe(0);
    for (const action of ['person.join', 'person.remove', 'password.reset', 'password.change', 'factor.recovery']) {
      expect([action, (await count(`audit WHERE action = '${action}'`)) > 5]).toEqual([action, true]);
    }
  });
});
