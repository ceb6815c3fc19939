import { type Command, InvalidArgumentError, Option } from 'commander';
import { DEFAULT_STORE, openStore } from '../../server/open-store.ts';
import type { AccountStore } from '../../store/account-store.ts';

export interface StoreOptions {
  store: string;
  json?: boolean;
}

/** Adds the option for the location of the store, and --json. */
export function addStoreOptions(command: Command): Command {
  return command
    .addOption(
      envOption(
        '--store <url>',
        'where accounts, keys, limits and people are stored: sqlite:FILE or postgres://…',
      ).default(DEFAULT_STORE),
    )
    .option('--json', 'print JSON instead of text');
}

/** Adds to `parent` a command that does `work` on the store; `argument` is the one in `syntax`, '' if it has none. */
export function storeCommand<Options extends StoreOptions>(
  parent: Command,
  syntax: string,
  description: string,
  work: (store: AccountStore, options: Options, argument: string) => Promise<void>,
): Command {
  const command = addStoreOptions(parent.command(syntax)).description(description);
  return command.action(async (...actionArguments: unknown[]) => {
    const [options, argument = ''] = actionArguments.slice(0, -1).reverse() as [Options, string?];
    const store = await openStore(options.store);
    try {
      await work(store, options, argument);
    } finally {
      await store.close();
    }
  });
}

/**
 * An option that the environment can set too: `--per-minute` by MALARIA_PER_MINUTE (or by a file:
 * settings-from-files.ts).
 */
export function envOption(flags: string, description: string): Option {
  const name = flags.split(' ')[0]!.slice(2).replaceAll('-', '_').toUpperCase();
  return new Option(flags, description).env(`MALARIA_${name}`);
}

/** A commander parser for http and https origins, without a trailing slash. */
export function parseOrigin(text: string): string {
  const url = URL.parse(text.trim());
  if (url !== null && ['http:', 'https:'].includes(url.protocol) && url.href === `${url.origin}/`) return url.origin;
  throw new InvalidArgumentError('expected an origin such as https://example.org');
}

/** A commander parser for whole numbers from `minimum` to `maximum`. */
export function wholeNumber(minimum: number, maximum = Number.MAX_SAFE_INTEGER): (text: string) => number {
  return (text) => {
    const value = /^\d{1,16}$/.test(text) ? Number(text) : Number.NaN;
    if (value >= minimum && value <= maximum) return value;
    const range = maximum === Number.MAX_SAFE_INTEGER ? `of ${minimum} or more` : `from ${minimum} to ${maximum}`;
    throw new InvalidArgumentError(`expected a whole number ${range}`);
  };
}

export function print(text: string): void {
  process.stdout.write(`${text}\n`);
}

export const printJson = (value: unknown) => print(JSON.stringify(value, null, 2));

/** Prints `rows` under `header` in aligned columns. */
export function printTable(header: readonly string[], rows: readonly (readonly string[])[]): void {
  const widths = header.map((title, i) => Math.max(title.length, ...rows.map((row) => row[i]!.length)));
  for (const row of [header, ...rows])
    print(
      row
        .map((cell, i) => cell.padEnd(widths[i]!))
        .join('  ')
        .trimEnd(),
    );
}

/** Milliseconds since 1970 as ISO 8601; null stays null. */
export function toIso(ms: number): string;
export function toIso(ms: number | null): string | null;
export function toIso(ms: number | null): string | null {
  return ms === null ? null : new Date(ms).toISOString();
}
