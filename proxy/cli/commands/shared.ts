import { type Command, InvalidArgumentError, Option } from 'commander';
import { UsageError } from '../../../pipeline/lib/errors.ts';
import { DEFAULT_STORE, openStore } from '../../server/backends.ts';
import type { AccountStore } from '../../store/account-store.ts';

export interface StoreOptions {
  store: string;
  json?: boolean;
}

/** Adds the option for the location of the store, and --json. */
export function addStoreOptions(command: Command): Command {
  return command
    .addOption(
      new Option('--store <url>', 'where accounts, keys, limits and people are stored: sqlite:FILE or postgres://…')
        .env('MALARIA_STORE')
        .default(DEFAULT_STORE),
    )
    .option('--json', 'print JSON instead of text');
}

/** Adds to `parent` a command that does `work` on the store; `argument` is the one in `form`, '' if it has none. */
export function storeCommand<Options extends StoreOptions>(
  parent: Command,
  form: string,
  description: string,
  work: (store: AccountStore, options: Options, argument: string) => Promise<void>,
): Command {
  const command = addStoreOptions(parent.command(form)).description(description);
  return command.action(async (...given: unknown[]) => {
    const [options, argument = ''] = given.slice(0, -1).reverse() as [Options, string?];
    const store = await openStore(options.store);
    try {
      await work(store, options, argument);
    } finally {
      await store.close();
    }
  });
}

export function dashboardUrlOption(): Option {
  return new Option('--dashboard-url <url>', 'URL at which people reach the dashboard; used in links and cookies')
    .env('MALARIA_DASHBOARD_URL')
    .argParser((text) => checkUrl('--dashboard-url', text));
}

/** `text` as an http or https origin, without a trailing slash. @throws UsageError if it is not one. */
export function checkUrl(option: string, text: string): string {
  const url = URL.parse(text.trim());
  const isOrigin = url !== null && ['http:', 'https:'].includes(url.protocol) && url.href === `${url.origin}/`;
  if (!isOrigin) throw new UsageError(`${option}: expected an origin such as https://example.org, found '${text}'`);
  return url.origin;
}

/** A commander parser for whole numbers from `least` to `most`. */
export function wholeNumber(least: number, most = Number.MAX_SAFE_INTEGER): (text: string) => number {
  return (text) => {
    const value = /^\d{1,16}$/.test(text) ? Number(text) : Number.NaN;
    if (value >= least && value <= most) return value;
    const range = most === Number.MAX_SAFE_INTEGER ? `of ${least} or more` : `from ${least} to ${most}`;
    throw new InvalidArgumentError(`expected a whole number ${range}`);
  };
}

export function print(text: string): void {
  process.stdout.write(`${text}\n`);
}

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
export function isoOf(ms: number): string;
export function isoOf(ms: number | null): string | null;
export function isoOf(ms: number | null): string | null {
  return ms === null ? null : new Date(ms).toISOString();
}
