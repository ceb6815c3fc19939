/** The service team's list of accounts, and the form for a new one. */

import { UsageError } from '../../../pipeline/lib/errors.ts';
import { type Html, type HtmlValue, html } from '../../../pipeline/lib/pages/html.ts';
import { renderTable } from '../../../pipeline/lib/pages/table.ts';
import { accountStatus } from '../../store/account-rules.ts';
import { auditActor, parseEmail } from '../../store/people/person-rules.ts';
import type { Account, AccountKind } from '../../store/row-types.ts';
import { button, choices, field, form, linkButton, mark, moment, number, problem } from '../kit/parts.ts';
import type { Services } from '../kit/services.ts';
import { type Answer, attempt, routes, type SignedIn } from '../kit/visit.ts';
import { invite, outboxNote } from './people-parts.ts';

const PATH = '/team/accounts';
const PER_PAGE = 50;

export const VARIANTS = { active: 'good', locked: 'calm', suspended: 'bad', removed: 'bad' } as const;
export const statusMark = (account: Account) => mark(accountStatus(account), VARIANTS[accountStatus(account)]);

const limit = (value: number | null) => (value === null ? html`<span class="soft">default</span>` : number(value));

/** Accounts that need attention come first, removed ones last. */
const ORDER = ['locked', 'suspended', 'active', 'removed'] as const;

async function listPage({ query }: SignedIn, services: Services): Promise<Answer> {
  const search = query.text('q').trim().toLowerCase();
  const all = (await services.accounts.listAccounts())
    .filter(({ name }) => name.toLowerCase().includes(search))
    .sort(
      (a, b) => ORDER.indexOf(accountStatus(a)) - ORDER.indexOf(accountStatus(b)) || a.name.localeCompare(b.name, 'en'),
    );
  const page = Math.max(1, Math.trunc(Number(query.text('page')) || 1));
  const shown = all.slice((page - 1) * PER_PAGE, page * PER_PAGE);
  const waiting = all.filter((account) => accountStatus(account) === 'locked').length;
  const searchQuery = search === '' ? '' : `q=${encodeURIComponent(search)}&`;
  const body = html`<p class="kicker">Service</p><h1>Accounts</h1>
    ${outboxNote(services)}
    <div class="toolbar">
    <form method="get" action="${PATH}" role="search"><label class="unseen" for="q">Name of an account</label>
      <input id="q" name="q" type="search" value="${query.text('q')}" placeholder="Name of an account"> ${button('Find', 'plain')}</form>
    ${linkButton(`${PATH}/new`, 'New account')}</div>
    <p class="soft">${all.length} ${all.length === 1 ? 'account' : 'accounts'}${waiting > 0 && `, ${waiting} waiting to be unlocked`}</p>
    ${
      shown.length > 0
        ? renderTable(
            'Accounts',
            [
              { title: 'Name', cell: ({ id, name }) => html`<a href="${PATH}/${id}">${name}</a>` },
              { title: 'Kind', cell: ({ kind }) => kind },
              { title: 'Status', cell: statusMark },
              { title: 'Per minute', variant: 'number', cell: ({ per_minute }) => limit(per_minute) },
              { title: 'Per month', variant: 'number', cell: ({ per_month }) => limit(per_month) },
              { title: 'Created', cell: ({ created_at }) => moment(created_at) },
            ],
            shown,
          )
        : html`<section class="empty"><p>No accounts${search !== '' && ' with that name'}.</p></section>`
    }
    <p class="actions">${page > 1 && linkButton(`${PATH}?${searchQuery}page=${page - 1}`, 'Previous', 'plain')}
    ${all.length > page * PER_PAGE && linkButton(`${PATH}?${searchQuery}page=${page + 1}`, 'Next', 'plain')}</p>`;
  return { title: 'Accounts', body };
}

const KINDS = [
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

function newPage({ csrf, form: sent }: SignedIn, errors: Errors = {}, banner: HtmlValue = null): Html {
  return html`<p class="kicker">Service</p><h1>New account</h1>
    ${banner}
    ${form(
      csrf,
      PATH,
      html`${choices({ kind: 'radio', name: 'kind', legend: 'Kind', options: KINDS, chosen: [sent.text('kind')], error: errors.kind })}
      ${field({ label: 'Name', name: 'name', value: sent.text('name'), error: errors.name, hint: 'Name of the organisation or the researcher. It cannot be changed later.', autocomplete: 'off' })}
      ${field({
        label: 'Email of the researcher or the first administrator',
        name: 'email',
        type: 'email',
        value: sent.text('email'),
        error: errors.email,
        hint: 'An invitation will be sent to this address.',
        autocomplete: 'off',
      })}
      <div class="actions">${button('Create the account')}<a href="${PATH}">Cancel</a></div>`,
    )}`;
}

async function create(visit: SignedIn, services: Services): Promise<Answer> {
  const { form: sent, now, visitor } = visit;
  const kind = KINDS.find(({ value }) => value === sent.text('kind'))?.value as AccountKind | undefined;
  const again = (errors: Errors): Answer => ({
    title: 'New account: error',
    status: 400,
    body: newPage(visit, errors, problem('The account has not been created', 'Please check the field marked below.')),
  });
  if (kind === undefined) return again({ kind: 'Choose a kind.' });
  if (parseEmail(sent.text('email')) === null) return again({ email: 'Enter an address such as ada@example.org.' });
  const { accounts } = services;
  const account = await attempt(() => accounts.createAccount(kind, sent.text('name'), now, auditActor(visitor.person)));
  if (account instanceof UsageError) return again({ name: account.message });
  const role = kind === 'organisation' ? 'administrator' : 'researcher';
  const back = `${PATH}/${account.id}?done=`;
  const done = await attempt(() => invite(account, role, visit, services, `${back}created`));
  // The account exists even if the invitation failed; its page has a form to invite somebody.
  return done instanceof UsageError ? { location: `${back}uninvited` } : done;
}

export const teamRoutes = routes(PATH, ['service'], {
  GET: listPage,
  'GET /new': (visit) => ({ title: 'New account', body: newPage(visit) }),
  POST: create,
});
