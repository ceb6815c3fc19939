/** The audit log: all of it for the service team, an account's entries for those who manage the account. */

import { type Html, html } from '../../../pipeline/lib/pages/html.ts';
import { renderTable } from '../../../pipeline/lib/pages/table.ts';
import { ACTIONS } from '../../store/audit-actions.ts';
import type { AuditEntry } from '../../store/row-types.ts';
import { linkButton, timeElement } from '../kit/parts.ts';
import type { Services } from '../kit/services.ts';
import { type Answer, routes, type SignedIn } from '../kit/visit.ts';

const PER_PAGE = 50;

function activityTable(entries: readonly AuditEntry[], accounts: ReadonlyMap<string, string> | null): Html {
  // Accounts see that the service team did it, but not who on the team.
  const visibleActor = ({ actor: visibleActor, by_service }: AuditEntry): string =>
    by_service === 1 && !accounts ? 'service team' : visibleActor;
  return renderTable(
    'Audit log, newest first',
    [
      { title: 'When', cell: ({ at }) => timeElement(at) },
      { title: 'Who', variant: 'email', cell: visibleActor },
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

async function activityPage(
  visit: SignedIn,
  { directory, accounts }: Services,
  view: { kicker: string; title: string; path: string; accountId: string | null },
): Promise<Answer> {
  const before = Number(visit.query.text('before'));
  const { accountId, path } = view;
  const entries = await directory.listAudit({
    ...(accountId === null ? {} : { accountId }),
    ...(Number.isSafeInteger(before) && before > 0 ? { beforeId: before } : {}),
    limit: PER_PAGE + 1,
  });
  const entriesOnPage = entries.slice(0, PER_PAGE);
  const isTeam = visit.visitor.person.role === 'service';
  const accountNames = isTeam ? new Map((await accounts.listAccounts()).map(({ id, name }) => [id, name])) : null;
  const nextBefore = entries.length > PER_PAGE && entriesOnPage.at(-1)!.id;
  const query = isTeam && accountId !== null ? `account=${encodeURIComponent(accountId)}&` : '';
  const body = html`<p class="kicker">${view.kicker}</p><h1>${view.title}</h1>
    <p>Who did what, newest first. Entries are never changed or deleted.</p>
    ${isTeam && accountId !== null && html`<p>Only entries about <strong>${accountNames!.get(accountId) ?? 'an unknown account'}</strong>. <a href="${path}">Show all</a></p>`}
    ${entriesOnPage.length > 0 ? activityTable(entriesOnPage, accountNames) : html`<section class="empty"><p>Nothing yet.</p></section>`}
    ${nextBefore && linkButton(`${path}?${query}before=${nextBefore}`, 'Earlier', 'plain')}`;
  return { title: view.title, body };
}

export const activityRoutes = [
  ...routes('/settings/activity', ['administrator', 'researcher'], {
    GET: (visit, services) => {
      const accountId = visit.visitor.person.account_id;
      return activityPage(visit, services, {
        kicker: 'Settings',
        title: 'Activity',
        path: '/settings/activity',
        accountId,
      });
    },
  }),
  ...routes('/team/activity', ['service'], {
    GET: (visit, services) => {
      const accountId = visit.query.text('account') || null;
      return activityPage(visit, services, {
        kicker: 'Service',
        title: 'Audit log',
        path: '/team/activity',
        accountId,
      });
    },
  }),
];
