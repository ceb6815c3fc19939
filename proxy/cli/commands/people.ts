import type { Command } from 'commander';
import { systemClock } from '../../../pipeline/lib/clock.ts';
import { UsageError } from '../../../pipeline/lib/errors.ts';
import { linkUrl } from '../../dashboard/mail/mails.ts';
import type { AccountStore } from '../../store/account-store.ts';
import { COMMAND_LINE } from '../../store/audit.ts';
import { Directory } from '../../store/people/directory.ts';
import { INVITATION_LINK_MS, RESET_LINK_MS, rolesIn } from '../../store/people/person-rules.ts';
import { hashToken, mintToken } from '../../store/people/tokens.ts';
import type { Account, Person } from '../../store/row-types.ts';
import { addDashboardAddress, type DashboardAddress, dashboardAddress } from './addresses.ts';
import { print, printJson, printTable, type StoreOptions, storeCommand, toIso } from './shared.ts';

interface TeamOptions extends StoreOptions {
  account?: string;
  serviceTeam?: boolean;
}

/** Adds the commands for managing the people who sign in to the dashboard. */
export function addPeopleCommands(accounts: Command): void {
  const inviteDescription = 'print a link with which somebody can join an account or the service team';
  const invite = addTeamOptions(storeCommand(accounts, 'invite <email>', inviteDescription, inviteByLink));

  addTeamOptions(storeCommand(accounts, 'people', 'list who can sign in to the dashboard', showPeople));

  const resetDescription = 'print a link with which somebody can choose a new password';
  const reset = storeCommand(accounts, 'reset <email>', resetDescription, resetByLink).option(
    '--two-step-off',
    'also turn off their two-step sign-in, if they have lost phone and recovery codes',
  );
  for (const command of [invite, reset]) addDashboardAddress(command);

  const removeDescription = 'remove somebody from the dashboard for good; keys that they created stay';
  storeCommand(accounts, 'remove-person <email>', removeDescription, async ({ database }, { json }, address) => {
    const directory = new Directory(database);
    const { id, email } = await requirePerson(address, directory);
    await directory.removePerson(id, systemClock.wallMs(), COMMAND_LINE);
    print(json ? JSON.stringify({ email, removed: true }) : `${email} has been removed`);
  });
}

type LinkOptions = StoreOptions & DashboardAddress;

async function inviteByLink(store: AccountStore, options: TeamOptions & LinkOptions, address: string) {
  const dashboardUrl = dashboardAddress(options);
  const account = await requireTeamAccount(options, store);
  // In an organisation an administrator, who invites its members.
  const role = rolesIn(account)[0]!;
  const token = mintToken();
  const invitation = { email: address, role, accountId: account?.id ?? null, hash: hashToken(token) } as const;
  const { email } = await new Directory(store.database).links.invite(invitation, systemClock.wallMs(), COMMAND_LINE);
  const output = { email, role, account: account?.name ?? null };
  showLink(output, linkUrl(dashboardUrl, token), INVITATION_LINK_MS, options);
}

async function showPeople(store: AccountStore, options: TeamOptions) {
  const hasTeam = options.account !== undefined || options.serviceTeam === true;
  const owners = hasTeam ? [await requireTeamAccount(options, store)] : [null, ...(await store.listAccounts())];
  const outputs = [];
  for (const owner of owners) {
    for (const person of await new Directory(store.database).listPeople(owner?.id ?? null))
      outputs.push(toOutput(person, owner?.name ?? null));
  }
  if (options.json) return printJson(outputs);
  printTable(
    ['EMAIL', 'NAME', 'ROLE', 'ACCOUNT', 'TWO-STEP', 'SINCE'],
    outputs.map(({ email, name, role, account, two_step, created_at }) => [
      email,
      name,
      role,
      account ?? '-',
      two_step ? 'on' : 'off',
      created_at,
    ]),
  );
}

async function resetByLink(
  { database }: AccountStore,
  options: LinkOptions & { twoStepOff?: boolean },
  address: string,
) {
  const dashboardUrl = dashboardAddress(options);
  const directory = new Directory(database);
  const { id, email, has_factor } = await requirePerson(address, directory);
  const token = mintToken();
  const now = systemClock.wallMs();
  if (options.twoStepOff) await directory.factors.turnOff(id, now, COMMAND_LINE);
  await directory.links.createReset(id, hashToken(token), now, COMMAND_LINE);
  const output = { email, two_step: has_factor && !options.twoStepOff };
  showLink(output, linkUrl(dashboardUrl, token), RESET_LINK_MS, options);
}

function addTeamOptions(command: Command): Command {
  return command
    .option('--account <name>', 'account of an organisation or researcher')
    .option('--service-team', 'the service team, which manages all accounts');
}

async function requireTeamAccount({ account, serviceTeam }: TeamOptions, store: AccountStore): Promise<Account | null> {
  if ((account === undefined) === (serviceTeam !== true)) {
    throw new UsageError('expected either --account NAME or --service-team');
  }
  if (account === undefined) return null;
  const target = await store.findAccount(account);
  if (!target) throw new UsageError(`no account named ${JSON.stringify(account)}`);
  return target;
}

async function requirePerson(email: string, directory: Directory): Promise<Person> {
  const credentials = await directory.credentialsByEmail(email.trim().toLowerCase());
  if (!credentials) throw new UsageError(`nobody has the email ${JSON.stringify(email)}`);
  return credentials.person;
}

function showLink(output: { email: string }, link: string, validMs: number, { json }: StoreOptions): void {
  const expires_at = toIso(systemClock.wallMs() + validMs);
  if (json) printJson({ ...output, link, expires_at });
  else print(`For ${output.email}; the link works once, until ${expires_at}:\n\n  ${link}`);
}

function toOutput({ email, name, role, has_factor, created_at }: Person, account: string | null) {
  return { email, name, role, account, two_step: has_factor, created_at: toIso(created_at) };
}
