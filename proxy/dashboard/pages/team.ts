/** The service team's list of accounts, and the form for a new one. */

import { UsageError } from '../../../pipeline/lib/errors.ts';
import { type Html, type HtmlValue, html } from '../../../pipeline/lib/pages/html.ts';
import { renderTable } from '../../../pipeline/lib/pages/table.ts';
import { accountStatus } from '../../store/account-rules.ts';
import { auditActor, parseEmail } from '../../store/people/person-rules.ts';
import type { Account, AccountKind } from '../../store/row-types.ts';
import {
  badge,
  button,
  choiceField,
  formatNumber,
  inputField,
  linkButton,
  postForm,
  problemNotice,
  timeElement,
} from '../kit/parts.ts';
import type { Services } from '../kit/services.ts';
import { type Answer, resultOrUsageError, routes, type SignedIn } from '../kit/visit.ts';
import { invite, outboxNote } from './people-parts.ts';

export const ACCOUNTS_PATH = '/team/accounts';
const PER_PAGE = 50;

export const STATUS_VARIANTS = { active: 'good', locked: 'calm', suspended: 'bad', removed: 'bad' } as const;
export const statusBadge = (account: Account) => badge(accountStatus(account), STATUS_VARIANTS[accountStatus(account)]);

const limitOrDefault = (value: number | null) =>
  value === null ? html`<span class="soft">default</span>` : formatNumber(value);

/** Accounts that need attention come first, removed ones last. */
const STATUS_ORDER = ['locked', 'suspended', 'active', 'removed'] as const;

async function listPage({ query }: SignedIn, services: Services): Promise<Answer> {
  const searchText = query.text('q').trim().toLowerCase();
  const matches = (await services.accounts.listAccounts())
    .filter(({ name }) => name.toLowerCase().includes(searchText))
    .sort(
      (a, b) =>
        STATUS_ORDER.indexOf(accountStatus(a)) - STATUS_ORDER.indexOf(accountStatus(b)) ||
        a.name.localeCompare(b.name, 'en'),
    );
  const page = Math.max(1, Math.trunc(Number(query.text('page')) || 1));
  const accountsOnPage = matches.slice((page - 1) * PER_PAGE, page * PER_PAGE);
  const lockedCount = matches.filter((account) => accountStatus(account) === 'locked').length;
  const searchQuery = searchText === '' ? '' : `q=${encodeURIComponent(searchText)}&`;
  const body = html`<p class="kicker">Service</p><h1>Accounts</h1>
    ${outboxNote(services)}
    <div class="toolbar">
    <form method="get" action="${ACCOUNTS_PATH}" role="search"><label class="unseen" for="q">Name of an account</label>
      <input id="q" name="q" type="search" value="${query.text('q')}" placeholder="Name of an account"> ${button('Find', 'plain')}</form>
    ${linkButton(`${ACCOUNTS_PATH}/new`, 'New account')}</div>
    <p class="soft">${matches.length} ${matches.length === 1 ? 'account' : 'accounts'}${lockedCount > 0 && `, ${lockedCount} waiting to be unlocked`}</p>
    ${
      accountsOnPage.length > 0
        ? renderTable(
            'Accounts',
            [
              { title: 'Name', cell: ({ id, name }) => html`<a href="${ACCOUNTS_PATH}/${id}">${name}</a>` },
              { title: 'Kind', cell: ({ kind }) => kind },
              { title: 'Status', cell: statusBadge },
              { title: 'Per minute', variant: 'number', cell: ({ per_minute }) => limitOrDefault(per_minute) },
              { title: 'Per month', variant: 'number', cell: ({ per_month }) => limitOrDefault(per_month) },
              { title: 'Created', cell: ({ created_at }) => timeElement(created_at) },
            ],
            accountsOnPage,
          )
        : html`<section class="empty"><p>No accounts${searchText !== '' && ' with that name'}.</p></section>`
    }
    <p class="actions">${page > 1 && linkButton(`${ACCOUNTS_PATH}?${searchQuery}page=${page - 1}`, 'Previous', 'plain')}
    ${matches.length > page * PER_PAGE && linkButton(`${ACCOUNTS_PATH}?${searchQuery}page=${page + 1}`, 'Next', 'plain')}</p>`;
  return { title: 'Accounts', body };
}

const KIND_OPTIONS = [
  {
    value: 'organisation',
    label: 'Organisation',
    hint: 'Its administrators can create keys at once. You invite the first one.',
  },
  {
    value: 'researcher',
    label: 'Independent researcher',
    hint: 'One person. API access is locked until you unlock it.',
  },
] as const;

type Errors = Partial<Record<'name' | 'kind' | 'email', string>>;

function newAccountPage({ csrf, formData }: SignedIn, errors: Errors = {}, banner: HtmlValue = null): Html {
  return html`<p class="kicker">Service</p><h1>New account</h1>
    ${banner}
    ${postForm(
      csrf,
      ACCOUNTS_PATH,
      html`${choiceField({ kind: 'radio', name: 'kind', legend: 'Kind', options: KIND_OPTIONS, chosen: [formData.text('kind')], error: errors.kind })}
      ${inputField({ label: 'Name', name: 'name', value: formData.text('name'), error: errors.name, hint: 'Name of the organisation or the researcher. It cannot be changed later.', autocomplete: 'off' })}
      ${inputField({
        label: 'Email of the researcher or the first administrator',
        name: 'email',
        type: 'email',
        value: formData.text('email'),
        error: errors.email,
        hint: 'An invitation will be sent to this address.',
        autocomplete: 'off',
      })}
      <div class="actions">${button('Create the account')}<a href="${ACCOUNTS_PATH}">Cancel</a></div>`,
    )}`;
}

async function createAccount(visit: SignedIn, services: Services): Promise<Answer> {
  const { formData, now, visitor } = visit;
  const kind = KIND_OPTIONS.find(({ value }) => value === formData.text('kind'))?.value as AccountKind | undefined;
  const showErrors = (errors: Errors): Answer => ({
    title: 'New account: error',
    status: 400,
    body: newAccountPage(
      visit,
      errors,
      problemNotice('The account has not been created', 'Please check the field marked below.'),
    ),
  });
  if (kind === undefined) return showErrors({ kind: 'Choose a kind.' });
  if (parseEmail(formData.text('email')) === null)
    return showErrors({ email: 'Enter an address such as ada@example.org.' });
  const { accounts } = services;
  const account = await resultOrUsageError(() =>
    accounts.createAccount(kind, formData.text('name'), now, auditActor(visitor.person)),
  );
  if (account instanceof UsageError) return showErrors({ name: account.message });
  const role = kind === 'organisation' ? 'administrator' : 'researcher';
  const accountPath = `${ACCOUNTS_PATH}/${account.id}?done=`;
  const answer = await resultOrUsageError(() => invite(account, role, visit, services, `${accountPath}created`));
  // The account exists even if the invitation failed; its page has a form to invite somebody.
  return answer instanceof UsageError ? { location: `${accountPath}uninvited` } : answer;
}

export const teamRoutes = routes(ACCOUNTS_PATH, ['service'], {
  GET: listPage,
  'GET /new': (visit) => ({ title: 'New account', body: newAccountPage(visit) }),
  POST: createAccount,
});
