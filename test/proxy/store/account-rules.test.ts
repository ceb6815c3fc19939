import { describe, expect, test } from 'vitest';
import { UsageError } from '../../../pipeline/lib/errors.ts';
import {
  type AccountChange,
  accountStatus,
  applyChange,
  checkMayHoldKeys,
  checkName,
  keyStatus,
  parseExpiry,
  parseScopes,
  visualForm,
} from '../../../proxy/store/account-rules.ts';
import type { Account } from '../../../proxy/store/row-types.ts';

const account = (kind: Account['kind']): Account => ({
  id: 'acc_1',
  name: 'ada',
  kind,
  created_at: 0,
  unlocked_at: null,
  suspended_at: null,
  removed_at: null,
  per_minute: null,
  per_month: null,
});
const changed = (kind: Account['kind'], ...changes: AccountChange[]) =>
  changes.reduce((before, change, i) => applyChange(before, change, i + 1), account(kind));

describe('accounts', () => {
  test.each<[Account['kind'], AccountChange[], string]>([
    ['organisation', [], 'active'],
    ['researcher', [], 'locked'],
    ['researcher', ['unlock'], 'active'],
    ['researcher', ['suspend'], 'suspended'],
    ['researcher', ['suspend', 'reinstate'], 'locked'],
    ['researcher', ['suspend', 'unlock'], 'suspended'],
    ['researcher', ['unlock', 'suspend', 'reinstate'], 'active'],
    ['organisation', ['suspend', 'suspend'], 'suspended'],
    ['organisation', ['suspend', 'reinstate'], 'active'],
    ['organisation', ['reinstate'], 'active'],
    ['organisation', ['suspend', 'remove'], 'removed'],
    ['organisation', ['remove', 'remove'], 'removed'],
  ])('a %s after %j is %s', (kind, changes, status) => {
    expect(accountStatus(changed(kind, ...changes))).toBe(status);
  });

  test('removal is final, and organisations cannot be unlocked', () => {
    for (const change of ['unlock', 'suspend', 'reinstate'] as const) {
      expect(() => applyChange(changed('researcher', 'remove'), change, 9)).toThrow(UsageError);
    }
    expect(() => changed('organisation', 'unlock')).toThrow(/only researchers/);
  });

  test('repeating a change keeps the time of the first', () => {
    expect(changed('organisation', 'suspend', 'suspend').suspended_at).toBe(1);
    expect(changed('organisation', 'remove', 'remove').removed_at).toBe(1);
  });

  test('only active accounts may have keys', () => {
    expect(() => checkMayHoldKeys(changed('researcher', 'unlock'))).not.toThrow();
    expect(() => checkMayHoldKeys(account('researcher'))).toThrow(/locked; unlock/);
    expect(() => checkMayHoldKeys(changed('organisation', 'suspend'))).toThrow(/suspended; reinstate/);
    expect(() => checkMayHoldKeys(changed('organisation', 'remove'))).toThrow(/removed/);
  });
});

test('a key expires exactly to the millisecond, and a revoked key stays revoked after that', () => {
  const key = { revoked_at: null, expires_at: 1000 };
  expect([999, 1000, 1001].map((now) => keyStatus(key, now))).toEqual(['active', 'expired', 'expired']);
  expect(keyStatus({ ...key, revoked_at: 5 }, 2000)).toBe('revoked');
});

test('an expiry is a time with its zone or a day in UTC, in the future', () => {
  const now = Date.parse('2026-01-01T00:00:00Z');
  expect(parseExpiry('2026-01-02', now)).toBe(now + 86_400_000);
  expect(parseExpiry('2026-01-01T00:00:00.001Z', now)).toBe(now + 1);
  expect(parseExpiry('2026-01-01T02:00+01:00', now)).toBe(now + 3_600_000);
  for (const wrong of [
    '',
    'soon',
    '2026-02-30',
    '2026-13-01',
    '2026-01-02T00:00:00',
    '2026-01-02T25:00Z',
    '1893456000',
  ]) {
    expect(() => parseExpiry(wrong, now)).toThrow(/expected a date or a time/);
  }
  for (const past of ['2025-12-31', '2026-01-01T00:00:00Z'])
    expect(() => parseExpiry(past, now)).toThrow(/in the future/);
});

test('scopes must be known and are returned in a fixed order', () => {
  expect(parseScopes('forecasts, risk_scores,forecasts')).toEqual(['risk_scores', 'forecasts']);
  for (const wrong of ['', 'risk', 'risk_scores,', 'RISK_SCORES'])
    expect(() => parseScopes(wrong)).toThrow(/scopes: expected/);
});

test.each([
  ['two spaces', 'Health  Ministry'],
  ['a no-break space', 'Health\u00a0Ministry'],
  ['case', 'HEALTH ministry'],
  ['a zero-width space', 'Health\u200b Ministry'],
  ['a soft hyphen', 'He\u00adalth Ministry'],
  ['full-width letters', 'Ｈｅａｌｔｈ Ministry'],
  ['a Cyrillic е', 'H\u0435alth Ministry'],
  ['a Cyrillic Н', '\u041dealth Ministry'],
  ['a Greek Μ', 'Health \u039cinistry'],
  ['a capital I for l', 'HeaIth Ministry'],
  ['a digit 1 for l', 'Hea1th Ministry'],
  ['a bar for l', 'Hea|th Ministry'],
  ['a Cyrillic palochka for l', 'Hea\u04cfth Ministry'],
  ['a Cyrillic і for l', 'Hea\u0456th Ministry'],
  ['a Latin alpha', 'He\u0251lth Ministry'],
])('a name looks the same with %s', (_, name) => {
  expect(visualForm(name)).toBe(visualForm('Health Ministry'));
});

test('names of several scripts that people tell apart look different', () => {
  const names = ['Kano', 'Kanu', 'Kano 2', 'Káno', 'Канада', 'Κένυα', 'وزارة الصحة', '保健省', 'Straße', 'Strase'];
  expect(new Set(names.map(visualForm)).size).toBe(names.length);
  expect(visualForm('STRASSE–Χίος')).toBe(visualForm('Straße-χίος'));
  expect(visualForm('0yo 10')).toBe(visualForm('Oyo IO'));
});

test('names must be short and printable', () => {
  expect(checkName('name', '  Kano State ')).toBe('Kano State');
  for (const wrong of ['', '  ', '\u200b\u2060', 'a\nb', 'x'.repeat(101)])
    expect(() => checkName('name', wrong)).toThrow(/1 to 100/);
});
