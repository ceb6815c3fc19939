import type { Awaitable } from '../../../pipeline/lib/clock.ts';
import { UsageError } from '../../../pipeline/lib/errors.ts';
import { html } from '../../../pipeline/lib/pages/html.ts';
import { auditActor, ROLE_NAMES, rolesIn } from '../../store/people/person-rules.ts';
import type { Person, Role } from '../../store/row-types.ts';
import { button, choices, doneNotice, facts, form, linkButton, mark, moment, problem } from '../kit/parts.ts';
import type { Services } from '../kit/services.ts';
import { type Answer, attempt, type Page, type Route, routes, type SignedIn } from '../kit/visit.ts';
import { invite, inviteForm, outboxNote, peopleTables, requestedRole } from './people-parts.ts';

const DONE: Record<string, string> = {
  invited: 'The invitation is on its way',
  withdrawn: 'The invitation has been withdrawn',
  removed: 'The person has been removed and signed out everywhere',
  role: 'The role has been changed',
  'two-step': 'Two-step sign-in has been turned off for this person',
};

/** One of the two lists of people: an organisation's, or the service team's. */
interface PeopleList {
  base: string;
  title: string;
  kicker: string;
  for: 'administrator' | 'service';
  viewers: readonly Role[];
}

const LISTS: readonly PeopleList[] = [
  {
    base: '/settings/people',
    title: 'People',
    kicker: 'Settings',
    for: 'administrator',
    viewers: ['administrator', 'member'],
  },
  { base: '/team/people', title: 'Service team', kicker: 'Service', for: 'service', viewers: ['service'] },
];

const NOBODY: Answer = {
  title: 'No such person',
  status: 404,
  body: html`<h1>No such person</h1><p>They may have been removed.</p>`,
};

/** A page about the person in the path, if the visitor may manage them: in the same account, or as the service team. */
const withPerson =
  (answer: (person: Person, visit: SignedIn, services: Services) => Awaitable<Answer>): Page =>
  async (visit, services) => {
    const credentials = await services.directory.credentialsById(visit.params.id!);
    const manager = visit.visitor.person;
    const isTheirs = manager.role === 'service' || credentials?.person.account_id === manager.account_id;
    return credentials && isTheirs ? answer(credentials.person, visit, services) : NOBODY;
  };

async function listPage(list: PeopleList, visit: SignedIn, services: Services, error?: string): Promise<Answer> {
  const { base } = list;
  const { person, account } = visit.visitor;
  const manages = person.role === list.for;
  const body = html`<p class="kicker">${list.kicker}</p><h1>${list.title}</h1>
    ${error === undefined ? doneNotice(visit.query, DONE) : problem('The invitation was not sent')}
    ${person.role === 'service' && outboxNote(services)}
    ${await peopleTables(account, manages ? { people: base, invitations: `${base}/invitations` } : null, visit, services)}
    ${manages && html`<section><h2>Invite somebody</h2>${inviteForm(`${base}/invitations`, account, visit, error)}</section>`}`;
  return {
    title: error === undefined ? list.title : `${list.title}: error`,
    body,
    status: error === undefined ? 200 : 400,
  };
}

async function personPage(
  { base, kicker }: PeopleList,
  person: Person,
  visit: SignedIn,
  services: Services,
): Promise<Answer> {
  const account = person.account_id === null ? null : await services.accounts.accountById(person.account_id);
  const roles = rolesIn(account);
  const body = html`<p class="kicker">${kicker}</p><h1>${person.name}</h1>
    ${doneNotice(visit.query, DONE)}
    ${facts([
      ['Email', person.email],
      ['Account', account?.name ?? 'Service team'],
      ['Role', ROLE_NAMES[person.role]],
      ['Since', moment(person.created_at)],
    ])}
    ${
      roles.length > 1 &&
      html`<section><h2>Role</h2>${form(
        visit.csrf,
        `${base}/${person.id}/role`,
        html`${choices({
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
      html`<section><h2>Two-step sign-in ${mark('on', 'good')}</h2>
      <p>Turn it off for somebody who has lost both phone and recovery codes. Make sure that the request
      really comes from them.</p>
      ${form(visit.csrf, `${base}/${person.id}/two-step-off`, button('Turn it off', 'plain'))}</section>`
    }
    <section><h2>Remove</h2>
    <p>They will no longer be able to sign in. The keys that they created remain, since keys belong to the account.</p>
    ${linkButton(`${base}/${person.id}/remove`, 'Remove …', 'plain')}</section>`;
  return { title: person.name, body };
}

function removePage({ base }: PeopleList, person: Person, { csrf }: SignedIn): Answer {
  const body = html`<h1>Remove ${person.name}?</h1>
    <p>${person.email} will be signed out at once and can return only with a new invitation.</p>
    <div class="actions">${form(csrf, `${base}/${person.id}/remove`, button('Remove', 'danger'))}
    <a href="${base}/${person.id}">Cancel</a></div>`;
  return { title: 'Remove', body };
}

function listRoutes(list: PeopleList): Route[] {
  const { base } = list;
  return [
    ...routes(base, list.viewers, { GET: (visit, services) => listPage(list, visit, services) }),
    ...routes(base, [list.for], {
      'POST /invitations': async (visit, services) => {
        const { account } = visit.visitor;
        const back = `${base}?done=invited`;
        const done = await attempt(() => invite(account, requestedRole(account, visit), visit, services, back));
        return done instanceof UsageError ? listPage(list, visit, services, done.message) : done;
      },
      'POST /invitations/:id/withdraw': async ({ visitor: { person }, params, now }, { directory }) => {
        await directory.links.withdrawInvitation(params.id!, person.account_id, now, auditActor(person));
        return { location: `${base}?done=withdrawn` };
      },
      'GET /:id': withPerson((person, visit, services) => personPage(list, person, visit, services)),
      'POST /:id/role': withPerson(async (person, { visitor, form: sent, now }, { directory }) => {
        await directory.changeRole(person.id, sent.text('role') as Role, now, auditActor(visitor.person));
        return { location: person.id === visitor.person.id ? base : `${base}/${person.id}?done=role` };
      }),
      'POST /:id/two-step-off': withPerson(async (person, { visitor, now }, { directory }) => {
        // People turn off their own on the profile page.
        if (person.id === visitor.person.id) return NOBODY;
        await directory.factors.turnOff(person.id, now, auditActor(visitor.person));
        return { location: `${base}/${person.id}?done=two-step` };
      }),
      'GET /:id/remove': withPerson((person, visit) => removePage(list, person, visit)),
      'POST /:id/remove': withPerson(async (person, { visitor, now }, { directory }) => {
        await directory.removePerson(person.id, now, auditActor(visitor.person));
        const isElsewhere = person.account_id !== visitor.person.account_id;
        return { location: isElsewhere ? `/team/accounts/${person.account_id}` : `${base}?done=removed` };
      }),
    }),
  ];
}

export const peopleRoutes = LISTS.flatMap(listRoutes);
