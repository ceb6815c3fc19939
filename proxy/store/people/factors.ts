/** Two-step sign-in: the secret of the authenticator app, its codes, and the recovery codes. */
import { type Actor, record } from '../audit.ts';
import type { Database, DbOrTx } from '../database.ts';
import { insert, remove, update } from '../statements.ts';
import { checkPresent, lockPerson, lockTeamAndPerson, selectPeople } from './person-queries.ts';
import { auditActor } from './person-rules.ts';
import { lastPastStep } from './totp.ts';

export class Factors {
  readonly #database: Database;

  constructor(database: Database) {
    this.#database = database;
  }

  /**
   * Uses up the time step of a code, and all before it; false if it was used up, or is null, as for a wrong code. Steps
   * that are past at `now` are used up in any case: a clock set back later must not make their codes valid again.
   */
  spendStep(id: string, step: number | null, now: number): Promise<boolean> {
    return this.#database.transact(async (tx) => {
      const withFactor = selectPeople(tx).where('id', '=', id).where('factor_secret', 'is not', null);
      const row = await withFactor.forNoKeyUpdate().executeTakeFirst();
      if (!row) return false;
      const isUnused = step !== null && step > row.factor_step;
      const factor_step = Math.max(row.factor_step, isUnused ? step : lastPastStep(now));
      await update(tx, 'people', { id }, { factor_step });
      return isUnused;
    });
  }

  spendRecoveryCode(id: string, hash: Buffer, now: number): Promise<boolean> {
    return this.#database.transact(async (tx) => {
      const person = await lockPerson(tx, id);
      if (!person) return false;
      if ((await remove(tx, 'recovery_codes', { person_id: id, hash })) === 0) return false;
      const event = { accountId: person.account_id, detail: `${await countRecoveryCodes(tx, id)} left` };
      await record(tx, { action: 'factor.recovery', ...event }, auditActor(person), now);
      return true;
    });
  }

  /** How many recovery codes the person has left. */
  recoveryCodesLeft(id: string): Promise<number> {
    return countRecoveryCodes(this.#database.db, id);
  }

  /** Replaces all recovery codes; false if two-step sign-in has been turned off meanwhile. */
  replaceRecoveryCodes(id: string, codeHashes: readonly Buffer[], now: number): Promise<boolean> {
    return this.#database.transact(async (tx) => {
      const person = checkPresent(await lockPerson(tx, id));
      if (!person.has_factor) return false;
      await remove(tx, 'recovery_codes', { person_id: id });
      await addRecoveryCodes(tx, id, codeHashes);
      await record(tx, { action: 'factor.codes', accountId: person.account_id }, auditActor(person), now);
      return true;
    });
  }

  /** False if it is already on: of two concurrent calls, the first one wins. */
  turnOn(
    id: string,
    { secret, step, codeHashes }: { secret: string; step: number; codeHashes: readonly Buffer[] },
    now: number,
  ): Promise<boolean> {
    return this.#database.transact(async (tx) => {
      const person = checkPresent(await lockPerson(tx, id));
      if (person.has_factor) return false;
      await update(tx, 'people', { id }, { factor_secret: secret, factor_step: step });
      await addRecoveryCodes(tx, id, codeHashes);
      await record(tx, { action: 'factor.on', accountId: person.account_id }, auditActor(person), now);
      return true;
    });
  }

  turnOff(id: string, now: number, actor: Actor): Promise<void> {
    return this.#database.transact(async (tx) => {
      const { person } = await lockTeamAndPerson(this.#database, tx, id);
      if (!person.has_factor) return;
      await clearFactor(tx, id);
      const action = actor.id === id ? 'factor.off' : 'factor.drop';
      const subject = actor.id === id ? '' : person.email;
      await record(tx, { action, accountId: person.account_id, subject }, actor, now);
    });
  }
}

async function countRecoveryCodes(db: DbOrTx, personId: string): Promise<number> {
  return (await db.selectFrom('recovery_codes').select('hash').where('person_id', '=', personId).execute()).length;
}

async function addRecoveryCodes(tx: DbOrTx, personId: string, hashes: readonly Buffer[]): Promise<void> {
  const codes = hashes.map((hash) => ({ person_id: personId, hash }));
  if (codes.length > 0) await insert(tx, 'recovery_codes', codes);
}

export async function clearFactor(tx: DbOrTx, personId: string): Promise<void> {
  await update(tx, 'people', { id: personId }, { factor_secret: null });
  await remove(tx, 'recovery_codes', { person_id: personId });
}
