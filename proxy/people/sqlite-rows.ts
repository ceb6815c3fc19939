import type { SQLOutputValue } from 'node:sqlite';
import type { Person } from './people.ts';
import type { Credentials, Invitation } from './store.ts';

export type Row = Record<string, SQLOutputValue>;

export function toPerson(row: Row): Person {
  const { password_hash: _, factor_secret, factor_step: __, ...rest } = row;
  return { ...rest, has_factor: factor_secret !== null } as unknown as Person;
}

export function toCredentials(row: Row | undefined): Credentials | null {
  if (!row) return null;
  return {
    person: toPerson(row),
    passwordHash: String(row.password_hash),
    factorSecret: row.factor_secret as string | null,
  };
}

export function toInvitation(row: Row): Invitation {
  const { id, email, role, account_id, created_at, expires_at } = row;
  return { id, email, role, account_id, created_at, expires_at } as unknown as Invitation;
}
