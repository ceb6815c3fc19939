/** The audit log: all of it for the service team, an account's entries for those who manage the account. */

import { type Html, html } from '../../../pipeline/lib/pages/html.ts';
import { renderTable } from '../../../pipeline/lib/pages/table.ts';
import { ACTIONS } from '../../store/audit-actions.ts';
import type { AuditEntry } from '../../store/row-types.ts';
import { linkButton, moment } from '../kit/parts.ts';
import type { Services } from '../kit/services.ts';
import { type Answer, routes, type SignedIn } from '../kit/visit.ts';

const PER_PAGE = 50;

function activityTable(entries: readonly AuditEntry[], accounts: ReadonlyMap<string, string> | null): Html {
  // Accounts see that the service team did it, but not who on the team.
  const actor = ({ actor, by_service }: AuditEntry): string => (by_service === 1 && !accounts ? 'service team' : actor);
  return renderTable(
    'Audit log, newest first',
    [
      { title: 'When', cell: ({ at }) => moment(at) },
      { title: 'Who', variant: 'email', cell: actor },
      {
        title: 'What',
        cell: ({ action, subject, detail }) =>
          html`${ACTIONS[action]}${
            subject !== '' && html` <strong>${subject}</strong>`
          }${detail !== '' && html`<br><small>${detail}</small>`}`,
      },
      accounts && {
        title: 'Account',
        cell: ({ account_id }) =>
          account_id === null
            ? 'service'
            : html`<a href="/team/accounts/${account_id}">${accounts.get(account_id) ?? account_id}</a>`,
      },
    ],
    entries,
  );
}

async function page(
  visit: SignedIn,
  { directory, accounts }: Services,
  frame: { kicker: string; title: string; path: string; accountId: string | null },
): Promise<Answer> {
  const before = Number(visit.query.text('before'));
  const { accountId, path } = frame;
  const entries = await directory.listAudit({
    ...(accountId === null ? {} : { accountId }),
    ...(Number.isSafeInteger(before) && before > 0 ? { beforeId: before } : {}),
    limit: PER_PAGE + 1,
  });
  const shown = entries.slice(0, PER_PAGE);
  const isTeam = visit.visitor.person.role === 'service';
  const names = isTeam ? new Map((await accounts.listAccounts()).map(({ id, name }) => [id, name])) : null;
  const more = entries.length > PER_PAGE && shown.at(-1)!.id;
  const query = isTeam && accountId !== null ? `account=${encodeURIComponent(accountId)}&` : '';
  const body = html`<p class="kicker">${frame.kicker}</p><h1>${frame.title}</h1>
    <p>Who did what, newest first. Entries are never changed or deleted.</p>
    ${isTeam && accountId !== null && html`<p>Only entries about <strong>${names!.get(accountId) ?? 'an unknown account'}</strong>. <a href="${path}">Show all</a></p>`}
    ${shown.length > 0 ? activityTable(shown, names) : html`<section class="empty"><p>Nothing yet.</p></section>`}
    ${more && linkButton(`${path}?${query}before=${more}`, 'Earlier', 'plain')}`;
  return { title: frame.title, body };
}

export const activityRoutes = [
  ...routes('/settings/activity', ['administrator', 'researcher'], {
    GET: (visit, services) => {
      const accountId = visit.visitor.person.account_id;
      return page(visit, services, { kicker: 'Settings', title: 'Activity', path: '/settings/activity', accountId });
    },
  }),
  ...routes('/team/activity', ['service'], {
    GET: (visit, services) => {
      const accountId = visit.query.text('account') || null;
      return page(visit, services, { kicker: 'Service', title: 'Audit log', path: '/team/activity', accountId });
    },
  }),
];
