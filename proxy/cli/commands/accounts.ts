import { type Command, InvalidArgumentError } from 'commander';
import { systemClock } from '../../../pipeline/lib/clock.ts';
import { UsageError } from '../../../pipeline/lib/errors.ts';
import { type AccountChange, accountStatus } from '../../store/account-rules.ts';
import type { AccountStore } from '../../store/account-store.ts';
import type { Account } from '../../store/row-types.ts';
import { addPeopleCommands } from './people.ts';
import { print, printJson, printTable, type StoreOptions, storeCommand, toIso, wholeNumber } from './shared.ts';

const CHANGE_DESCRIPTIONS: Record<AccountChange, string> = {
  unlock: 'allow a researcher to have keys',
  suspend: 'refuse all requests and new keys until reinstated',
  reinstate: 'undo a suspension; the keys work again',
  remove: 'refuse all requests for good; the name cannot be used again',
};

export function addCommands(program: Command): void {
  const accounts = program
    .command('accounts')
    .description('manage the accounts that own keys, their limits and people');

  for (const [kind, description] of [
    ['organisation', 'create an organisation, which may have keys at once'],
    ['researcher', 'create a researcher, who may have keys once unlocked'],
  ] as const) {
    storeCommand(accounts, `create-${kind} <name>`, description, async (store, options, name) => {
      const account = await store.createAccount(kind, name, systemClock.wallMs());
      showAccount(account, options, `created, ${accountStatus(account)}`);
    });
  }

  for (const [change, description] of Object.entries(CHANGE_DESCRIPTIONS) as [AccountChange, string][]) {
    storeCommand(accounts, `${change} <name>`, description, async (store, options, name) => {
      const account = await store.changeAccount(name, change, systemClock.wallMs());
      showAccount(account, options, `is now ${accountStatus(account)}`);
    });
  }

  const showOrSetLimits = async (store: AccountStore, options: StoreOptions & LimitOptions, name: string) => {
    const { perMinute, perMonth } = options;
    const account =
      perMinute === undefined && perMonth === undefined
        ? await store.findAccount(name)
        : await store.setLimits(name, { perMinute: toStoredLimit(perMinute), perMonth: toStoredLimit(perMonth) });
    if (!account) throw new UsageError(`no account named ${JSON.stringify(name)}`);
    const { per_minute, per_month } = account;
    showAccount(account, options, `has limits: ${limitText(per_minute)} a minute, ${limitText(per_month)} a month`);
  };
  storeCommand(accounts, 'limits <name>', 'show or set the limits of an account', showOrSetLimits)
    .option('--per-minute <n>', "requests per minute for each key, or 'default'", parseLimit)
    .option('--per-month <n>', "requests per month for all live keys together, or 'default'", parseLimit);

  addPeopleCommands(accounts);

  storeCommand(accounts, 'list', 'list all accounts', async (store, { json }) => {
    const outputs = (await store.listAccounts()).map(toOutput);
    if (json) return printJson(outputs);
    printTable(
      ['NAME', 'KIND', 'STATUS', 'PER MINUTE', 'PER MONTH', 'CREATED'],
      outputs.map(({ name, kind, status, per_minute, per_month, created_at }) => [
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

interface LimitOptions {
  perMinute?: number | 'default';
  perMonth?: number | 'default';
}

function parseLimit(text: string): number | 'default' {
  if (text === 'default') return text;
  try {
    return wholeNumber(1)(text);
  } catch {
    throw new InvalidArgumentError("expected a whole number of 1 or more, or 'default'");
  }
}

const toStoredLimit = (value: number | 'default' | undefined) => (value === 'default' ? null : value);
const limitText = (value: number | null) => (value === null ? 'default' : String(value));

function toOutput(account: Account) {
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

/** Prints the account as JSON, or a line that ends with `text`. */
function showAccount(account: Account, { json }: StoreOptions, text: string): void {
  if (json) printJson(toOutput(account));
  else print(`${account.kind} '${account.name}' ${text}`);
}
