/** One account, as the service team manages it: its status, limits, people, keys and usage. */

import { UsageError } from '../../../pipeline/lib/errors.ts';
import { type Html, type HtmlValue, html } from '../../../pipeline/lib/pages/html.ts';
import { type AccountChange, accountStatus, keyStatus } from '../../store/account-rules.ts';
import { auditActor } from '../../store/people/person-rules.ts';
import type { Account } from '../../store/row-types.ts';
import { button, doneNotice, facts, field, form, linkButton, moment, number, problem } from '../kit/parts.ts';
import type { Services } from '../kit/services.ts';
import { type Answer, attempt, type Page, routes, type SignedIn } from '../kit/visit.ts';
import { unlockedMail } from '../mail/mails.ts';
import { confirmRevoke, keyCreators, keyTable } from './key-parts.ts';
import { invite, inviteForm, peopleTables, requestedRole } from './people-parts.ts';
import { statusMark } from './team.ts';
import { accountUsage, monthSection, requestedSpan } from './usage.ts';

const PATH = '/team/accounts';

const DONE: Record<string, string> = {
  created: 'The account has been created, and the invitation is on its way',
  uninvited:
    'The account has been created, but its invitation was not sent: you have sent too many. Try again in an hour',
  unlock: 'API access has been unlocked',
  suspend: 'The account has been suspended: its keys no longer work, and its people are signed out',
  reinstate: 'The account has been reinstated: its keys work again',
  remove: 'The account has been removed for good',
  limits: 'The limits have been set and apply from the next request',
  invited: 'The invitation is on its way',
  withdrawn: 'The invitation has been withdrawn',
  revoked: 'The key has been revoked',
};

const NO_ACCOUNT: Answer = {
  title: 'No such account',
  status: 404,
  body: html`<h1>No such account</h1><p><a href="${PATH}">Back to the accounts</a></p>`,
};

/** A page about the account in the path, if there is one. */
const withAccount =
  (answer: (account: Account, visit: SignedIn, services: Services) => Promise<Answer>): Page =>
  async (visit, services) => {
    const account = await services.accounts.accountById(visit.params.id!);
    return account ? answer(account, visit, services) : NO_ACCOUNT;
  };

interface Shown {
  banner?: HtmlValue;
  limits?: { perMinute?: string | undefined; perMonth?: string | undefined };
  email?: string;
}

async function accountPage(account: Account, visit: SignedIn, services: Services, shown: Shown = {}): Promise<Answer> {
  const base = `${PATH}/${account.id}`;
  const keys = (await services.accounts.listKeys(account.name)).map(({ key }) => key).reverse();
  const active = keys.filter((key) => keyStatus(key, visit.now) === 'active');
  const isRemoved = account.removed_at !== null;
  const people = await services.directory.listPeople(account.id);
  const canInvite = !isRemoved && (account.kind === 'organisation' || people.length === 0);
  const body = html`<p class="kicker">Accounts</p><h1>${account.name}</h1>
    ${shown.banner || doneNotice(visit.query, DONE)}
    ${facts([
      ['Status', statusMark(account)],
      ['Kind', account.kind],
      ['Id', html`<code>${account.id}</code>`],
      ['Created', moment(account.created_at)],
      account.unlocked_at !== null && ['Unlocked', moment(account.unlocked_at)],
      account.suspended_at !== null && ['Suspended', moment(account.suspended_at)],
      isRemoved && ['Removed', moment(account.removed_at)],
    ])}
    ${!isRemoved && html`<section><h2>Status</h2><div class="actions">${stateActions(account, visit)}</div></section>`}
    ${!isRemoved && limitsSection(account, visit, services, shown.limits ?? {})}
    ${await monthSection(account, services)}
    <p class="actions">${linkButton(`${base}/usage`, 'Usage by day', 'plain')} ${linkButton(`/team/activity?account=${account.id}`, 'Audit log', 'plain')}</p>
    <h2>People</h2>
    ${await peopleTables(account, { people: '/team/people', invitations: `${base}/invitations` }, visit, services)}
    ${canInvite && html`<section><h2>Invite somebody</h2>${inviteForm(`${base}/invitations`, account, visit, shown.email)}</section>`}
    <h2>Active keys</h2>
    ${
      active.length > 0
        ? keyTable(
            'Active keys',
            active,
            await keyCreators(active, services),
            visit.now,
            (id) => `${base}/keys/${id}/revoke`,
          )
        : html`<p class="soft">None${keys.length > 0 && `; ${keys.length} expired or revoked`}.</p>`
    }`;
  return { title: account.name, body, status: shown.banner ? 400 : 200 };
}

function stateActions(account: Account, { csrf }: SignedIn): HtmlValue {
  const base = `${PATH}/${account.id}`;
  const status = accountStatus(account);
  return [
    account.kind === 'researcher' &&
      account.unlocked_at === null &&
      form(csrf, `${base}/unlock`, button('Unlock API access')),
    status === 'suspended'
      ? form(csrf, `${base}/reinstate`, button('Reinstate'))
      : linkButton(`${base}/suspend`, 'Suspend …', 'plain'),
    linkButton(`${base}/remove`, 'Remove …', 'plain'),
  ];
}

function limitsSection(
  account: Account,
  visit: SignedIn,
  services: Services,
  errors: NonNullable<Shown['limits']>,
): Html {
  const { perMinute, perMonth } = services;
  const value = (name: string, stored: number | null) =>
    errors.perMinute || errors.perMonth ? visit.form.text(name) : stored === null ? '' : String(stored);
  return html`<section><h2>Limits</h2>
    ${form(
      visit.csrf,
      `${PATH}/${account.id}/limits`,
      html`<div class="inline">${field({
        label: 'Requests per minute, per key',
        name: 'per_minute',
        inputmode: 'numeric',
        value: value('per_minute', account.per_minute),
        hint: `Leave empty for the default, ${number(perMinute)}`,
        error: errors.perMinute,
        optional: true,
      })}
      ${field({
        label: 'Requests per month, all live keys together',
        name: 'per_month',
        inputmode: 'numeric',
        value: value('per_month', account.per_month),
        hint: `Leave empty for the default, ${number(perMonth)}`,
        error: errors.perMonth,
        optional: true,
      })}</div>
      ${button('Set the limits', 'plain')}`,
    )}</section>`;
}

/** The limit that was entered: null for the default, undefined if it is invalid. */
function toLimit(text: string): number | null | undefined {
  const entered = text.trim().replaceAll(',', '');
  if (entered === '') return null;
  const value = /^\d{1,12}$/.test(entered) ? Number(entered) : 0;
  return value >= 1 ? value : undefined;
}

async function setLimits(account: Account, visit: SignedIn, services: Services): Promise<Answer> {
  const [perMinute, perMonth] = [toLimit(visit.form.text('per_minute')), toLimit(visit.form.text('per_month'))];
  if (perMinute === undefined || perMonth === undefined) {
    const error = (value: unknown) =>
      value === undefined ? 'Enter a whole number of 1 or more, or leave it empty.' : undefined;
    const limits = { perMinute: error(perMinute), perMonth: error(perMonth) };
    return accountPage(account, visit, services, { banner: problem('The limits have not been changed'), limits });
  }
  await services.accounts.setLimits(account.name, { perMinute, perMonth }, visit.now, auditActor(visit.visitor.person));
  return { location: `${PATH}/${account.id}?done=limits` };
}

const applyChange = (what: AccountChange) =>
  withAccount(async (account, { visitor, now }, { accounts, directory, mailer, later, url }) => {
    await accounts.changeAccount(account.name, what, now, auditActor(visitor.person));
    if (what === 'unlock' && account.unlocked_at === null)
      later(async () => {
        const people = await directory.listPeople(account.id);
        await Promise.all(people.map(({ email }) => mailer.send(unlockedMail(email, url()), now)));
      });
    return { location: `${PATH}/${account.id}?done=${what}` };
  });

const CONFIRM = {
  suspend: {
    button: 'Suspend',
    text: 'Its keys stop working at once, and its people are signed out and cannot sign in until you reinstate it.',
  },
  remove: {
    button: 'Remove for good',
    text:
      'Its keys stop working at once, and its people can no longer sign in. ' +
      'This cannot be undone, and the name cannot be used again.',
  },
} as const;

function confirmPage(account: Account, what: keyof typeof CONFIRM, { csrf }: SignedIn, error?: string): Html {
  const base = `${PATH}/${account.id}`;
  return html`<p class="kicker">Accounts</p><h1>${what === 'suspend' ? 'Suspend' : 'Remove'} ${account.name}?</h1>
    <p>${CONFIRM[what].text}</p>
    ${form(
      csrf,
      `${base}/${what}`,
      html`${
        what === 'remove' &&
        field({ label: 'Type the name of the account', name: 'name', error, hint: account.name, autocomplete: 'off' })
      }<div class="actions">${button(CONFIRM[what].button, 'danger')}<a href="${base}">Cancel</a></div>`,
    )}`;
}

const confirm = (what: keyof typeof CONFIRM) =>
  withAccount(async (account, visit) => ({ title: CONFIRM[what].button, body: confirmPage(account, what, visit) }));

export const teamAccountRoutes = routes(`${PATH}/:id`, ['service'], {
  GET: withAccount(accountPage),
  'GET /usage': withAccount(async (account, visit, services) => {
    const { span, links } = requestedSpan(visit, `${PATH}/${account.id}/usage`);
    const body = html`<p class="kicker"><a href="${PATH}/${account.id}">${account.name}</a></p><h1>Usage</h1>
      ${await monthSection(account, services)}${links}${await accountUsage(account, span, visit.now, services)}`;
    return { title: `Usage of ${account.name}`, body };
  }),
  'POST /unlock': applyChange('unlock'),
  'GET /suspend': confirm('suspend'),
  'POST /suspend': applyChange('suspend'),
  'POST /reinstate': applyChange('reinstate'),
  'GET /remove': confirm('remove'),
  'POST /remove': withAccount(async (account, visit, { accounts }) => {
    if (visit.form.text('name').trim() !== account.name) {
      const body = confirmPage(account, 'remove', visit, 'This is not the name of the account.');
      return { title: 'Remove: error', status: 400, body };
    }
    await accounts.changeAccount(account.name, 'remove', visit.now, auditActor(visit.visitor.person));
    return { location: `${PATH}/${account.id}?done=remove` };
  }),
  'POST /limits': withAccount(setLimits),
  'POST /invitations': withAccount(async (account, visit, services) => {
    const back = `${PATH}/${account.id}?done=invited`;
    const done = await attempt(() => invite(account, requestedRole(account, visit), visit, services, back));
    if (done instanceof UsageError) {
      return accountPage(account, visit, services, {
        banner: problem('The invitation was not sent'),
        email: done.message,
      });
    }
    return done;
  }),
  'POST /invitations/:invitation/withdraw': withAccount(async (account, { params, visitor, now }, { directory }) => {
    await directory.links.withdrawInvitation(params.invitation!, account.id, now, auditActor(visitor.person));
    return { location: `${PATH}/${account.id}?done=withdrawn` };
  }),
  'GET /keys/:key/revoke': withAccount(async (account, visit, services) => {
    const match = (await services.accounts.listKeys(account.name)).find(({ key }) => key.id === visit.params.key);
    if (!match) return NO_ACCOUNT;
    const back = `${PATH}/${account.id}`;
    const creators = await keyCreators([match.key], services);
    return { title: 'Revoke a key', body: confirmRevoke(match.key, creators, visit, back, `${back}/keys`) };
  }),
  'POST /keys/:key/revoke': withAccount(async (account, { params, visitor, now }, { accounts }) => {
    await accounts.revokeKey(params.key!, now, auditActor(visitor.person), account.id);
    return { location: `${PATH}/${account.id}?done=revoked` };
  }),
});
