import { type Command, Option } from 'commander';
import { COMMAND_LINE } from '../accounts/audit.ts';
import type { Directory } from '../accounts/directory.ts';
import { INVITATION_MS, type Person, RESET_MS, type Role } from '../accounts/people.ts';
import { hashToken, mintToken } from '../accounts/tokens.ts';
import { systemClock } from '../clock.ts';
import { linkUrl } from '../dashboard/mails.ts';
import { UsageError } from '../usage-error.ts';
import {
  addStoreOptions,
  dashboardUrlOption,
  isoOf,
  print,
  printTable,
  type StoreOptions,
  withDirectory,
} from './shared.ts';

interface Target extends StoreOptions {
  account?: string;
  serviceTeam?: boolean;
}

/** Where the dashboard is taken to be where nobody says: at the port that README.md uses. */
const DASHBOARD_URL = 'http://127.0.0.1:8090';

/** Adds to `accounts` what concerns the people who sign in to the dashboard. */
export function addPeopleCommands(accounts: Command): void {
  addTarget(addStoreOptions(accounts.command('invite <email>')))
    .description('print a link by which somebody joins an account, or the service team, in the dashboard')
    .addOption(new Option('--role <role>', 'in an organisation').choices(['administrator', 'member']))
    .addOption(dashboardUrlOption().default(DASHBOARD_URL))
    .action((email: string, options: Target & { role?: Role; dashboardUrl: string }) =>
      withDirectory(options, async (directory, store) => {
        const account = await accountOf(options, store.findAccount);
        const role = !account
          ? 'service'
          : account.kind === 'researcher'
            ? 'researcher'
            : (options.role ?? 'administrator');
        const token = mintToken();
        const asked = { email, role, accountId: account?.id ?? null, hash: hashToken(token) };
        const invitation = await directory.invite(asked, systemClock.wallMs(), COMMAND_LINE);
        const shown = { email: invitation.email, role, account: account?.name ?? null };
        showLink(shown, linkUrl(options.dashboardUrl, token), INVITATION_MS, options);
      }),
    );

  addTarget(addStoreOptions(accounts.command('people')))
    .description('who can sign in to the dashboard')
    .action((options: Target) =>
      withDirectory(options, async (directory, store) => {
        const one = options.account !== undefined || options.serviceTeam === true;
        const owners = one ? [await accountOf(options, store.findAccount)] : [null, ...(await store.listAccounts())];
        const listed = [];
        for (const owner of owners) {
          for (const person of await directory.listPeople(owner?.id ?? null))
            listed.push(toShown(person, owner?.name ?? null));
        }
        if (options.json) return print(JSON.stringify(listed, null, 2));
        printTable(
          ['EMAIL', 'NAME', 'ROLE', 'ACCOUNT', 'TWO-STEP', 'SINCE'],
          listed.map((p) => [p.email, p.name, p.role, p.account ?? '-', p.two_step ? 'on' : 'off', p.created_at]),
        );
      }),
    );

  addStoreOptions(accounts.command('reset <email>'))
    .description('print a link by which somebody chooses a new password')
    .option('--two-step-off', 'also turn off their two-step sign-in, for whoever has lost phone and codes')
    .addOption(dashboardUrlOption().default(DASHBOARD_URL))
    .action((email: string, options: StoreOptions & { twoStepOff?: boolean; dashboardUrl: string }) =>
      withDirectory(options, async (directory) => {
        const person = await personOf(email, directory);
        const token = mintToken();
        const now = systemClock.wallMs();
        if (options.twoStepOff) await directory.turnFactorOff(person.id, now, COMMAND_LINE);
        await directory.openReset(person.id, hashToken(token), now, COMMAND_LINE);
        const shown = { email: person.email, two_step: person.has_factor && !options.twoStepOff };
        showLink(shown, linkUrl(options.dashboardUrl, token), RESET_MS, options);
      }),
    );

  addStoreOptions(accounts.command('remove-person <email>'))
    .description('take somebody off the dashboard for good; keys they made stay')
    .action((email: string, options: StoreOptions) =>
      withDirectory(options, async (directory) => {
        const person = await personOf(email, directory);
        await directory.removePerson(person.id, systemClock.wallMs(), COMMAND_LINE);
        print(options.json ? JSON.stringify({ email: person.email, removed: true }) : `${person.email} is removed`);
      }),
    );
}

function addTarget(command: Command): Command {
  return command
    .option('--account <name>', 'organisation or researcher')
    .option('--service-team', 'those who run the accounts of all');
}

async function accountOf<T>({ account, serviceTeam }: Target, find: (name: string) => T | Promise<T>) {
  if ((account === undefined) === (serviceTeam !== true)) {
    throw new UsageError('expected either --account NAME or --service-team');
  }
  if (account === undefined) return null;
  const found = await find(account);
  if (!found) throw new UsageError(`no account named ${JSON.stringify(account)}`);
  return found;
}

async function personOf(email: string, directory: Directory): Promise<Person> {
  const found = await directory.credentials(email.trim().toLowerCase());
  if (!found) throw new UsageError(`nobody with the email ${JSON.stringify(email)}`);
  return found.person;
}

function showLink(shown: { email: string }, link: string, forMs: number, { json }: StoreOptions): void {
  const expires_at = isoOf(systemClock.wallMs() + forMs);
  if (json) print(JSON.stringify({ ...shown, link, expires_at }, null, 2));
  else print(`For ${shown.email}, good once and until ${expires_at}:\n\n  ${link}`);
}

function toShown({ email, name, role, has_factor, created_at }: Person, account: string | null) {
  return { email, name, role, account, two_step: has_factor, created_at: isoOf(created_at) };
}
