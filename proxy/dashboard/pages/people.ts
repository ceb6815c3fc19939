import type { Awaitable } from '../../../pipeline/lib/clock.ts';
import { UsageError } from '../../../pipeline/lib/errors.ts';
import { html } from '../../../pipeline/lib/pages/html.ts';
import { auditActor, ROLE_NAMES, rolesIn } from '../../store/people/person-rules.ts';
import type { Person, Role } from '../../store/row-types.ts';
import {
  badge,
  button,
  choiceField,
  doneNotice,
  factList,
  linkButton,
  postForm,
  problemNotice,
  timeElement,
} from '../kit/parts.ts';
import type { Services } from '../kit/services.ts';
import { type Answer, type PageHandler, type Route, resultOrUsageError, routes, type SignedIn } from '../kit/visit.ts';
import { invite, inviteForm, outboxNote, peopleTables, requestedRole } from './people-parts.ts';

const DONE_MESSAGES: Record<string, string> = {
  invited: 'The invitation is on its way',
  withdrawn: 'The invitation has been withdrawn',
  removed: 'The person has been removed and signed out everywhere',
  role: 'The role has been changed',
  'two-step': 'Two-step sign-in has been turned off for this person',
};

/** One of the two lists of people: an organisation's, or the service team's. */
interface PeopleList {
  basePath: string;
  title: string;
  kicker: string;
  managerRole: 'administrator' | 'service';
  viewers: readonly Role[];
}

const PEOPLE_LISTS: readonly PeopleList[] = [
  {
    basePath: '/settings/people',
    title: 'People',
    kicker: 'Settings',
    managerRole: 'administrator',
    viewers: ['administrator', 'member'],
  },
  { basePath: '/team/people', title: 'Service team', kicker: 'Service', managerRole: 'service', viewers: ['service'] },
];

const NO_SUCH_PERSON: Answer = {
  title: 'No such person',
  status: 404,
  body: html`<h1>No such person</h1><p>They may have been removed.</p>`,
};

/** A page about the person in the path, if the visitor may manage them: in the same account, or as the service team. */
const withPerson =
  (handler: (person: Person, visit: SignedIn, services: Services) => Awaitable<Answer>): PageHandler =>
  async (visit, services) => {
    const credentials = await services.directory.credentialsById(visit.params.id!);
    const manager = visit.visitor.person;
    const mayManage = manager.role === 'service' || credentials?.person.account_id === manager.account_id;
    return credentials && mayManage ? handler(credentials.person, visit, services) : NO_SUCH_PERSON;
  };

async function listPage(list: PeopleList, visit: SignedIn, services: Services, error?: string): Promise<Answer> {
  const { basePath } = list;
  const { person, account } = visit.visitor;
  const canManage = person.role === list.managerRole;
  const body = html`<p class="kicker">${list.kicker}</p><h1>${list.title}</h1>
    ${error === undefined ? doneNotice(visit.query, DONE_MESSAGES) : problemNotice('The invitation was not sent')}
    ${person.role === 'service' && outboxNote(services)}
    ${await peopleTables(account, canManage ? { people: basePath, invitations: `${basePath}/invitations` } : null, visit, services)}
    ${canManage && html`<section><h2>Invite somebody</h2>${inviteForm(`${basePath}/invitations`, account, visit, error)}</section>`}`;
  return {
    title: error === undefined ? list.title : `${list.title}: error`,
    body,
    status: error === undefined ? 200 : 400,
  };
}

async function personPage(
  { basePath, kicker }: PeopleList,
  person: Person,
  visit: SignedIn,
  services: Services,
): Promise<Answer> {
  const account = person.account_id === null ? null : await services.accounts.accountById(person.account_id);
  const roles = rolesIn(account);
  const body = html`<p class="kicker">${kicker}</p><h1>${person.name}</h1>
    ${doneNotice(visit.query, DONE_MESSAGES)}
    ${factList([
      ['Email', person.email],
      ['Account', account?.name ?? 'Service team'],
      ['Role', ROLE_NAMES[person.role]],
      ['Since', timeElement(person.created_at)],
    ])}
    ${
      roles.length > 1 &&
      html`<section><h2>Role</h2>${postForm(
        visit.csrf,
        `${basePath}/${person.id}/role`,
        html`${choiceField({
          kind: 'radio',
          name: 'role',
          legend: 'Role',
          options: roles.map((role) => ({ value: role, label: ROLE_NAMES[role] })),
          chosen: [person.role],
        })}
        ${button('Change the role', 'plain')}`,
      )}</section>`
    }
    ${
      person.has_factor &&
      person.id !== visit.visitor.person.id &&
      html`<section><h2>Two-step sign-in ${badge('on', 'good')}</h2>
      <p>Turn it off for somebody who has lost both phone and recovery codes. Make sure that the request
      really comes from them.</p>
      ${postForm(visit.csrf, `${basePath}/${person.id}/two-step-off`, button('Turn it off', 'plain'))}</section>`
    }
    <section><h2>Remove</h2>
    <p>They will no longer be able to sign in. The keys that they created remain, since keys belong to the account.</p>
    ${linkButton(`${basePath}/${person.id}/remove`, 'Remove …', 'plain')}</section>`;
  return { title: person.name, body };
}

function removePage({ basePath }: PeopleList, person: Person, { csrf }: SignedIn): Answer {
  const body = html`<h1>Remove ${person.name}?</h1>
    <p>${person.email} will be signed out at once and can return only with a new invitation.</p>
    <div class="actions">${postForm(csrf, `${basePath}/${person.id}/remove`, button('Remove', 'danger'))}
    <a href="${basePath}/${person.id}">Cancel</a></div>`;
  return { title: 'Remove', body };
}

function listRoutes(list: PeopleList): Route[] {
  const { basePath } = list;
  return [
    ...routes(basePath, list.viewers, { GET: (visit, services) => listPage(list, visit, services) }),
    ...routes(basePath, [list.managerRole], {
      'POST /invitations': async (visit, services) => {
        const { account } = visit.visitor;
        const returnPath = `${basePath}?done=invited`;
        const answer = await resultOrUsageError(() =>
          invite(account, requestedRole(account, visit), visit, services, returnPath),
        );
        return answer instanceof UsageError ? listPage(list, visit, services, answer.message) : answer;
      },
      'POST /invitations/:id/withdraw': async ({ visitor: { person }, params, now }, { directory }) => {
        await directory.links.withdrawInvitation(params.id!, person.account_id, now, auditActor(person));
        return { location: `${basePath}?done=withdrawn` };
      },
      'GET /:id': withPerson((person, visit, services) => personPage(list, person, visit, services)),
      'POST /:id/role': withPerson(async (person, { visitor, formData, now }, { directory }) => {
        await directory.changeRole(person.id, formData.text('role') as Role, now, auditActor(visitor.person));
        return { location: person.id === visitor.person.id ? basePath : `${basePath}/${person.id}?done=role` };
      }),
      'POST /:id/two-step-off': withPerson(async (person, { visitor, now }, { directory }) => {
        // People turn off their own on the profile page.
        if (person.id === visitor.person.id) return NO_SUCH_PERSON;
        await directory.factors.turnOff(person.id, now, auditActor(visitor.person));
        return { location: `${basePath}/${person.id}?done=two-step` };
      }),
      'GET /:id/remove': withPerson((person, visit) => removePage(list, person, visit)),
      'POST /:id/remove': withPerson(async (person, { visitor, now }, { directory }) => {
        await directory.removePerson(person.id, now, auditActor(visitor.person));
        const isElsewhere = person.account_id !== visitor.person.account_id;
        return { location: isElsewhere ? `/team/accounts/${person.account_id}` : `${basePath}?done=removed` };
      }),
    }),
  ];
}

export const peopleRoutes = PEOPLE_LISTS.flatMap(listRoutes);
