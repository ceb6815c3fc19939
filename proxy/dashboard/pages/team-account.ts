/** One account, as the service team manages it: its status, limits, people, keys and usage. */

import { UsageError } from '../../../pipeline/lib/errors.ts';
import { type Html, type HtmlValue, html } from '../../../pipeline/lib/pages/html.ts';
import { type AccountChange, accountStatus, keyStatus } from '../../store/account-rules.ts';
import { auditActor } from '../../store/people/person-rules.ts';
import type { Account } from '../../store/row-types.ts';
import {
  button,
  doneNotice,
  factList,
  formatNumber,
  inputField,
  linkButton,
  postForm,
  problemNotice,
  timeElement,
} from '../kit/parts.ts';
import type { Services } from '../kit/services.ts';
import { type Answer, type PageHandler, resultOrUsageError, routes, type SignedIn } from '../kit/visit.ts';
import { unlockedMail } from '../mail/mails.ts';
import { confirmRevoke, keyCreators, keyTable } from './key-parts.ts';
import { invite, inviteForm, peopleTables, requestedRole } from './people-parts.ts';
import { ACCOUNTS_PATH, statusBadge } from './team.ts';
import { accountUsage, monthSection, requestedSpan } from './usage.ts';

const DONE_MESSAGES: Record<string, string> = {
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

const NO_SUCH_ACCOUNT: Answer = {
  title: 'No such account',
  status: 404,
  body: html`<h1>No such account</h1><p><a href="${ACCOUNTS_PATH}">Back to the accounts</a></p>`,
};

/** A page about the account in the path, if there is one. */
const withAccount =
  (handler: (account: Account, visit: SignedIn, services: Services) => Promise<Answer>): PageHandler =>
  async (visit, services) => {
    const account = await services.accounts.accountById(visit.params.id!);
    return account ? handler(account, visit, services) : NO_SUCH_ACCOUNT;
  };

interface FormErrors {
  banner?: HtmlValue;
  limits?: { perMinute?: string | undefined; perMonth?: string | undefined };
  invitation?: string;
}

async function accountPage(
  account: Account,
  visit: SignedIn,
  services: Services,
  errors: FormErrors = {},
): Promise<Answer> {
  const accountPath = `${ACCOUNTS_PATH}/${account.id}`;
  const keys = (await services.accounts.listKeys(account.name)).map(({ key }) => key).reverse();
  const activeKeys = keys.filter((key) => keyStatus(key, visit.now) === 'active');
  const isRemoved = account.removed_at !== null;
  const people = await services.directory.listPeople(account.id);
  const canInvite = !isRemoved && (account.kind === 'organisation' || people.length === 0);
  const body = html`<p class="kicker">Accounts</p><h1>${account.name}</h1>
    ${errors.banner || doneNotice(visit.query, DONE_MESSAGES)}
    ${factList([
      ['Status', statusBadge(account)],
      ['Kind', account.kind],
      ['Id', html`<code>${account.id}</code>`],
      ['Created', timeElement(account.created_at)],
      account.unlocked_at !== null && ['Unlocked', timeElement(account.unlocked_at)],
      account.suspended_at !== null && ['Suspended', timeElement(account.suspended_at)],
      isRemoved && ['Removed', timeElement(account.removed_at)],
    ])}
    ${!isRemoved && html`<section><h2>Status</h2><div class="actions">${statusActions(account, visit)}</div></section>`}
    ${!isRemoved && limitsSection(account, visit, services, errors.limits ?? {})}
    ${await monthSection(account, services)}
    <p class="actions">${linkButton(`${accountPath}/usage`, 'Usage by day', 'plain')} ${linkButton(`/team/activity?account=${account.id}`, 'Audit log', 'plain')}</p>
    <h2>People</h2>
    ${await peopleTables(account, { people: '/team/people', invitations: `${accountPath}/invitations` }, visit, services)}
    ${canInvite && html`<section><h2>Invite somebody</h2>${inviteForm(`${accountPath}/invitations`, account, visit, errors.invitation)}</section>`}
    <h2>Active keys</h2>
    ${
      activeKeys.length > 0
        ? keyTable(
            'Active keys',
            activeKeys,
            await keyCreators(activeKeys, services),
            visit.now,
            (id) => `${accountPath}/keys/${id}/revoke`,
          )
        : html`<p class="soft">None${keys.length > 0 && `; ${keys.length} expired or revoked`}.</p>`
    }`;
  return { title: account.name, body, status: errors.banner ? 400 : 200 };
}

function statusActions(account: Account, { csrf }: SignedIn): HtmlValue {
  const accountPath = `${ACCOUNTS_PATH}/${account.id}`;
  const status = accountStatus(account);
  return [
    account.kind === 'researcher' &&
      account.unlocked_at === null &&
      postForm(csrf, `${accountPath}/unlock`, button('Unlock API access')),
    status === 'suspended'
      ? postForm(csrf, `${accountPath}/reinstate`, button('Reinstate'))
      : linkButton(`${accountPath}/suspend`, 'Suspend …', 'plain'),
    linkButton(`${accountPath}/remove`, 'Remove …', 'plain'),
  ];
}

function limitsSection(
  account: Account,
  visit: SignedIn,
  services: Services,
  errors: NonNullable<FormErrors['limits']>,
): Html {
  const { perMinute, perMonth } = services;
  const limitText = (name: string, stored: number | null) =>
    errors.perMinute || errors.perMonth ? visit.formData.text(name) : stored === null ? '' : String(stored);
  return html`<section><h2>Limits</h2>
    ${postForm(
      visit.csrf,
      `${ACCOUNTS_PATH}/${account.id}/limits`,
      html`<div class="inline">${inputField({
        label: 'Requests per minute, per key',
        name: 'per_minute',
        inputmode: 'numeric',
        value: limitText('per_minute', account.per_minute),
        hint: `Leave empty for the default, ${formatNumber(perMinute)}`,
        error: errors.perMinute,
        optional: true,
      })}
      ${inputField({
        label: 'Requests per month, all live keys together',
        name: 'per_month',
        inputmode: 'numeric',
        value: limitText('per_month', account.per_month),
        hint: `Leave empty for the default, ${formatNumber(perMonth)}`,
        error: errors.perMonth,
        optional: true,
      })}</div>
      ${button('Set the limits', 'plain')}`,
    )}</section>`;
}

/** The limit that was entered: null for the default, undefined if it is invalid. */
function parseLimit(text: string): number | null | undefined {
  const entered = text.trim().replaceAll(',', '');
  if (entered === '') return null;
  const value = /^\d{1,12}$/.test(entered) ? Number(entered) : 0;
  return value >= 1 ? value : undefined;
}

async function setLimits(account: Account, visit: SignedIn, services: Services): Promise<Answer> {
  const [perMinute, perMonth] = [
    parseLimit(visit.formData.text('per_minute')),
    parseLimit(visit.formData.text('per_month')),
  ];
  if (perMinute === undefined || perMonth === undefined) {
    const error = (value: unknown) =>
      value === undefined ? 'Enter a whole number of 1 or more, or leave it empty.' : undefined;
    const limits = { perMinute: error(perMinute), perMonth: error(perMonth) };
    return accountPage(account, visit, services, { banner: problemNotice('The limits have not been changed'), limits });
  }
  await services.accounts.setLimits(account.name, { perMinute, perMonth }, visit.now, auditActor(visit.visitor.person));
  return { location: `${ACCOUNTS_PATH}/${account.id}?done=limits` };
}

const applyChange = (change: AccountChange) =>
  withAccount(async (account, { visitor, now }, { accounts, directory, mailer, runAfterAnswer, dashboardUrl }) => {
    await accounts.changeAccount(account.name, change, now, auditActor(visitor.person));
    if (change === 'unlock' && account.unlocked_at === null)
      runAfterAnswer(async () => {
        const people = await directory.listPeople(account.id);
        await Promise.all(people.map(({ email }) => mailer.send(unlockedMail(email, dashboardUrl()), now)));
      });
    return { location: `${ACCOUNTS_PATH}/${account.id}?done=${change}` };
  });

const CONFIRMATIONS = {
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

function confirmPage(account: Account, change: keyof typeof CONFIRMATIONS, { csrf }: SignedIn, error?: string): Html {
  const accountPath = `${ACCOUNTS_PATH}/${account.id}`;
  return html`<p class="kicker">Accounts</p><h1>${change === 'suspend' ? 'Suspend' : 'Remove'} ${account.name}?</h1>
    <p>${CONFIRMATIONS[change].text}</p>
    ${postForm(
      csrf,
      `${accountPath}/${change}`,
      html`${
        change === 'remove' &&
        inputField({
          label: 'Type the name of the account',
          name: 'name',
          error,
          hint: account.name,
          autocomplete: 'off',
        })
      }<div class="actions">${button(CONFIRMATIONS[change].button, 'danger')}<a href="${accountPath}">Cancel</a></div>`,
    )}`;
}

const confirmHandler = (change: keyof typeof CONFIRMATIONS) =>
  withAccount(async (account, visit) => ({
    title: CONFIRMATIONS[change].button,
    body: confirmPage(account, change, visit),
  }));

export const teamAccountRoutes = routes(`${ACCOUNTS_PATH}/:id`, ['service'], {
  GET: withAccount(accountPage),
  'GET /usage': withAccount(async (account, visit, services) => {
    const { spanDays, links } = requestedSpan(visit, `${ACCOUNTS_PATH}/${account.id}/usage`);
    const body = html`<p class="kicker"><a href="${ACCOUNTS_PATH}/${account.id}">${account.name}</a></p><h1>Usage</h1>
      ${await monthSection(account, services)}${links}${await accountUsage(account, spanDays, visit.now, services)}`;
    return { title: `Usage of ${account.name}`, body };
  }),
  'POST /unlock': applyChange('unlock'),
  'GET /suspend': confirmHandler('suspend'),
  'POST /suspend': applyChange('suspend'),
  'POST /reinstate': applyChange('reinstate'),
  'GET /remove': confirmHandler('remove'),
  'POST /remove': withAccount(async (account, visit, { accounts }) => {
    if (visit.formData.text('name').trim() !== account.name) {
      const body = confirmPage(account, 'remove', visit, 'This is not the name of the account.');
      return { title: 'Remove: error', status: 400, body };
    }
    await accounts.changeAccount(account.name, 'remove', visit.now, auditActor(visit.visitor.person));
    return { location: `${ACCOUNTS_PATH}/${account.id}?done=remove` };
  }),
  'POST /limits': withAccount(setLimits),
  'POST /invitations': withAccount(async (account, visit, services) => {
    const returnPath = `${ACCOUNTS_PATH}/${account.id}?done=invited`;
    const answer = await resultOrUsageError(() =>
      invite(account, requestedRole(account, visit), visit, services, returnPath),
    );
    if (answer instanceof UsageError) {
      return accountPage(account, visit, services, {
        banner: problemNotice('The invitation was not sent'),
        invitation: answer.message,
      });
    }
    return answer;
  }),
  'POST /invitations/:invitation/withdraw': withAccount(async (account, { params, visitor, now }, { directory }) => {
    await directory.links.withdrawInvitation(params.invitation!, account.id, now, auditActor(visitor.person));
    return { location: `${ACCOUNTS_PATH}/${account.id}?done=withdrawn` };
  }),
  'GET /keys/:key/revoke': withAccount(async (account, visit, services) => {
    const match = (await services.accounts.listKeys(account.name)).find(({ key }) => key.id === visit.params.key);
    if (!match) return NO_SUCH_ACCOUNT;
    const accountPath = `${ACCOUNTS_PATH}/${account.id}`;
    const creators = await keyCreators([match.key], services);
    return {
      title: 'Revoke a key',
      body: confirmRevoke(match.key, creators, visit, accountPath, `${accountPath}/keys`),
    };
  }),
  'POST /keys/:key/revoke': withAccount(async (account, { params, visitor, now }, { accounts }) => {
    await accounts.revokeKey(params.key!, now, auditActor(visitor.person), account.id);
    return { location: `${ACCOUNTS_PATH}/${account.id}?done=revoked` };
  }),
});
