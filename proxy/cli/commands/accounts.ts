import { type Command, InvalidArgumentError } from 'commander';
import { systemClock } from '../../../pipeline/lib/clock.ts';
import { UsageError } from '../../../pipeline/lib/errors.ts';
import { type AccountChange, accountStatus } from '../../store/account-rules.ts';
import type { AccountStore } from '../../store/account-store.ts';
import type { Account } from '../../store/row-types.ts';
import { addPeopleCommands } from './people.ts';
import { print, printTable, type StoreOptions, storeCommand, toIso, wholeNumber } from './shared.ts';

const CHANGES: Record<AccountChange, string> = {
  unlock: 'allow a researcher to have keys',
  suspend: 'refuse all requests and new keys until reinstated',
  reinstate: 'undo a suspension; the keys work again',
  remove: 'refuse all requests for good; the name cannot be used again',
};

export function addAccountCommands(program: Command): void {
  const accounts = program
    .command('accounts')
    .description('manage the accounts that own keys, their limits and people');

  for (const [kind, description] of [
    ['organisation', 'create an organisation, which may have keys at once'],
    ['researcher', 'create a researcher, who may have keys once unlocked'],
  ] as const) {
    storeCommand(accounts, `create-${kind} <name>`, description, async (store, options, name) => {
      show(await store.createAccount(kind, name, systemClock.wallMs()), options, 'created');
    });
  }

  for (const [change, description] of Object.entries(CHANGES) as [AccountChange, string][]) {
    storeCommand(accounts, `${change} <name>`, description, async (store, options, name) => {
      show(await store.changeAccount(name, change, systemClock.wallMs()), options, 'is now');
    });
  }

  const limits = async (store: AccountStore, options: StoreOptions & Limits, name: string) => {
    const { perMinute, perMonth } = options;
    const account =
      perMinute === undefined && perMonth === undefined
        ? await store.findAccount(name)
        : await store.setLimits(name, { perMinute: toStored(perMinute), perMonth: toStored(perMonth) });
    if (!account) throw new UsageError(`no account named ${JSON.stringify(name)}`);
    show(account, options, 'has limits:');
  };
  storeCommand(accounts, 'limits <name>', 'show or set the limits of an account', limits)
    .option('--per-minute <n>', "requests per minute for each key, or 'default'", limit)
    .option('--per-month <n>', "requests per month for all live keys together, or 'default'", limit);

  addPeopleCommands(accounts);

  storeCommand(accounts, 'list', 'list all accounts', async (store, { json }) => {
    const listed = (await store.listAccounts()).map(toShown);
    if (json) return print(JSON.stringify(listed, null, 2));
    printTable(
      ['NAME', 'KIND', 'STATUS', 'PER MINUTE', 'PER MONTH', 'CREATED'],
      listed.map(({ name, kind, status, per_minute, per_month, created_at }) => [
        name,
        kind,
        status,
        limitText(per_minute),
        limitText(per_month),
        created_at,
      ]),
    );
  });
}

interface Limits {
  perMinute?: number | 'default';
  perMonth?: number | 'default';
}

function limit(text: string): number | 'default' {
  if (text === 'default') return text;
  try {
    return wholeNumber(1)(text);
  } catch {
    throw new InvalidArgumentError("expected a whole number of 1 or more, or 'default'");
  }
}

const toStored = (value: number | 'default' | undefined) => (value === 'default' ? null : value);
const limitText = (value: number | null) => (value === null ? 'default' : String(value));

function toShown(account: Account) {
  const { id, name, kind, per_minute, per_month } = account;
  return {
    id,
    name,
    kind,
    status: accountStatus(account),
    per_minute,
    per_month,
    created_at: toIso(account.created_at),
  };
}

function show(account: Account, { json }: StoreOptions, verb: string): void {
  const shown = toShown(account);
  if (json) {
    print(JSON.stringify(shown, null, 2));
    return;
  }
  const limits = `${limitText(shown.per_minute)} a minute, ${limitText(shown.per_month)} a month`;
  const what = { created: `created, ${shown.status}`, 'is now': `is now ${shown.status}` }[verb] ?? `${verb} ${limits}`;
  print(`${shown.kind} '${shown.name}' ${what}`);
}
