import { actorOf, type Person, ROLE_NAMES, type Role, rolesIn } from '../../people/people.ts';
import { UsageError } from '../../usage-error.ts';
import { html } from '../html.ts';
import { button, choices, doneNotice, facts, form, linkButton, mark, moment, problem } from '../parts.ts';
import type { Services } from '../services.ts';
import type { Answer, RoleRoute, SignedIn } from '../visit.ts';
import { invite, inviteForm, outboxNote, peopleTables } from './people-parts.ts';

const DONE: Record<string, string> = {
  invited: 'The invitation is on its way',
  withdrawn: 'The invitation is withdrawn',
  removed: 'Removed, and signed out everywhere',
  role: 'The role is changed',
  'two-step': 'Two-step sign-in is turned off for this person',
};

/** One of the two places: who runs it, whose people it lists, and whom it manages. */
interface Place {
  base: string;
  title: string;
  kicker: string;
  for: 'administrator' | 'service';
  viewers: readonly Role[];
}

const PLACES: readonly Place[] = [
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
  title: 'Nobody here',
  status: 404,
  body: html`<h1>Nobody here</h1><p>There is no such person. They may have been removed.</p>`,
};

/** The person of the path, where the visitor may manage them: their own organisation's, or for the service team all. */
async function managed(visit: SignedIn, { directory }: Services): Promise<Person | null> {
  const found = await directory.credentialsById(visit.params.id!);
  const { person } = visit.visitor;
  if (!found || (person.role !== 'service' && found.person.account_id !== person.account_id)) return null;
  return found.person;
}

function routesOf(place: Place): RoleRoute[] {
  const { base } = place;
  const managers = [place.for];

  const listPage = async (visit: SignedIn, services: Services, error?: string): Promise<Answer> => {
    const { person, account } = visit.visitor;
    const manages = person.role === place.for;
    const body = html`<p class="kicker">${place.kicker}</p><h1>${place.title}</h1>
      ${error === undefined ? doneNotice(visit.query, DONE) : problem('Nobody is invited')}
      ${person.role === 'service' && outboxNote(services)}
      ${await peopleTables(account, manages ? { people: base, invitations: `${base}/invitations` } : null, visit, services)}
      ${manages && html`<section><h2>Invite somebody</h2>${inviteForm(`${base}/invitations`, account, visit, error)}</section>`}`;
    return {
      title: error === undefined ? place.title : `${place.title}: error`,
      body,
      status: error === undefined ? 200 : 400,
    };
  };

  const personPage = async (visit: SignedIn, services: Services): Promise<Answer> => {
    const person = await managed(visit, services);
    if (!person) return NOBODY;
    const account = person.account_id === null ? null : await services.accounts.accountById(person.account_id);
    const roles = rolesIn(account);
    const body = html`<p class="kicker">${place.kicker}</p><h1>${person.name}</h1>
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
          html`${choices(
            'radio',
            'role',
            'Role',
            roles.map((role) => ({ value: role, label: ROLE_NAMES[role] })),
            [person.role],
          )}
          ${button('Change the role', 'plain')}`,
        )}</section>`
      }
      ${
        person.has_factor &&
        person.id !== visit.visitor.person.id &&
        html`<section><h2>Two-step sign-in ${mark('on', 'good')}</h2>
        <p>Turn it off for somebody who has lost the phone and the recovery codes. Be sure that it is they who ask.</p>
        ${form(visit.csrf, `${base}/${person.id}/two-step-off`, button('Turn it off', 'plain'))}</section>`
      }
      <section><h2>Remove</h2>
      <p>They can no longer sign in. Keys that they have made stay, since keys belong to the account.</p>
      ${linkButton(`${base}/${person.id}/remove`, 'Remove …', 'plain')}</section>`;
    return { title: person.name, body };
  };

  return [
    { method: 'GET', path: base, for: place.viewers, answer: (visit, services) => listPage(visit, services) },
    {
      method: 'POST',
      path: `${base}/invitations`,
      for: managers,
      answer: async (visit, services) => {
        const { account } = visit.visitor;
        const role = rolesIn(account).find((one) => one === visit.form.text('role')) ?? rolesIn(account).at(-1)!;
        try {
          await invite(account, visit.form.text('email'), role, visit, services);
        } catch (error) {
          if (error instanceof UsageError) return listPage(visit, services, error.message);
          throw error;
        }
        return { location: `${base}?done=invited` };
      },
    },
    {
      method: 'POST',
      path: `${base}/invitations/:id/withdraw`,
      for: managers,
      answer: async ({ visitor: { person }, params, now }, { directory }) => {
        await directory.withdrawInvitation(params.id!, person.account_id, now, actorOf(person));
        return { location: `${base}?done=withdrawn` };
      },
    },
    { method: 'GET', path: `${base}/:id`, for: managers, answer: personPage },
    {
      method: 'POST',
      path: `${base}/:id/role`,
      for: managers,
      answer: async (visit, services) => {
        const person = await managed(visit, services);
        if (!person) return NOBODY;
        const role = visit.form.text('role') as Role;
        await services.directory.changeRole(person.id, role, visit.now, actorOf(visit.visitor.person));
        const isOwn = person.id === visit.visitor.person.id;
        return { location: isOwn ? base : `${base}/${person.id}?done=role` };
      },
    },
    {
      method: 'POST',
      path: `${base}/:id/two-step-off`,
      for: managers,
      answer: async (visit, services) => {
        const person = await managed(visit, services);
        // One's own wants the password, on the profile's page.
        if (!person || person.id === visit.visitor.person.id) return NOBODY;
        await services.directory.turnFactorOff(person.id, visit.now, actorOf(visit.visitor.person));
        return { location: `${base}/${person.id}?done=two-step` };
      },
    },
    {
      method: 'GET',
      path: `${base}/:id/remove`,
      for: managers,
      answer: async (visit, services) => {
        const person = await managed(visit, services);
        if (!person) return NOBODY;
        const body = html`<h1>Remove ${person.name}?</h1>
          <p>${person.email} can no longer sign in, from this moment on. To come back they must be invited again.</p>
          <div class="actions">${form(visit.csrf, `${base}/${person.id}/remove`, button('Remove', 'danger'))}
          <a href="${base}/${person.id}">Keep</a></div>`;
        return { title: 'Remove', body };
      },
    },
    {
      method: 'POST',
      path: `${base}/:id/remove`,
      for: managers,
      answer: async (visit, services) => {
        const person = await managed(visit, services);
        if (!person) return NOBODY;
        await services.directory.removePerson(person.id, visit.now, actorOf(visit.visitor.person));
        const isElsewhere = person.account_id !== visit.visitor.person.account_id;
        return { location: isElsewhere ? `/team/accounts/${person.account_id}` : `${base}?done=removed` };
      },
    },
  ];
}

export const peopleRoutes: readonly RoleRoute[] = PLACES.flatMap(routesOf);
