/** Parts that several pages about people share: tables, and inviting somebody. */

import { DAY_MS, HOUR_MS } from '../../../pipeline/lib/clock.ts';
import { errorLine, UsageError } from '../../../pipeline/lib/errors.ts';
import { type Html, type HtmlValue, html } from '../../../pipeline/lib/pages/html.ts';
import { renderTable } from '../../../pipeline/lib/pages/table.ts';
import { auditActor, INVITATION_LINK_MS, ROLE_NAMES, rolesIn } from '../../store/people/person-rules.ts';
import { hashToken, mintToken } from '../../store/people/tokens.ts';
import type { Account, Role } from '../../store/row-types.ts';
import {
  badge,
  button,
  choiceField,
  copyBlock,
  inputField,
  linkButton,
  notice,
  postForm,
  timeElement,
} from '../kit/parts.ts';
import type { Services } from '../kit/services.ts';
import type { Answer, SignedIn } from '../kit/visit.ts';
import { invitationMail, invitedElsewhereMail, linkUrl } from '../mail/mails.ts';

/**
 * Tables of the people and invitations of `account`. @param paths paths for managing them, null if the visitor may not
 */
export async function peopleTables(
  account: Account | null,
  paths: { people: string; invitations: string } | null,
  visit: SignedIn,
  { directory }: Services,
): Promise<Html> {
  const people = await directory.listPeople(account?.id ?? null);
  const invitations = paths === null ? [] : await directory.links.listInvitations(account?.id ?? null, visit.now);
  const visitorId = visit.visitor.person.id;
  return html`${
    people.length > 0
      ? renderTable(
          'People',
          [
            {
              title: 'Name',
              cell: (person) =>
                html`${person.name}${person.id === visitorId && html` <span class="soft">(you)</span>`}`,
            },
            { title: 'Email', variant: 'email', cell: ({ email }) => email },
            { title: 'Role', cell: ({ role }) => ROLE_NAMES[role] },
            {
              title: 'Two-step',
              cell: ({ has_factor }) => (has_factor ? badge('on', 'good') : badge('off', 'calm')),
            },
            { title: 'Since', cell: ({ created_at }) => timeElement(created_at) },
            paths && {
              title: 'Manage',
              variant: 'controls',
              cell: ({ id, name }) =>
                html`<a href="${paths.people}/${id}">Manage<span class="unseen"> ${name}</span></a>`,
            },
          ],
          people,
        )
      : html`<p class="soft">Nobody yet.</p>`
  }
  ${
    paths !== null &&
    invitations.length > 0 &&
    html`<h2>Pending invitations</h2>${renderTable(
      'Pending invitations',
      [
        { title: 'Email', cell: ({ email }) => email },
        { title: 'Role', cell: ({ role }) => ROLE_NAMES[role] },
        { title: 'Expires', cell: ({ expires_at }) => timeElement(expires_at) },
        {
          title: 'Withdraw',
          variant: 'controls',
          cell: ({ id, email }) =>
            postForm(
              visit.csrf,
              `${paths.invitations}/${id}/withdraw`,
              html`<button type="submit" class="link">Withdraw<span class="unseen"> the invitation to ${email}</span></button>`,
            ),
        },
      ],
      invitations,
    )}`
  }`;
}

export function inviteForm(action: string, account: Account | null, visit: SignedIn, error?: string): Html {
  const roles = rolesIn(account);
  const hints: Partial<Record<Role, string>> = {
    administrator: 'Creates and revokes keys, invites and removes people.',
    member: 'Sees usage.',
  };
  return postForm(
    visit.csrf,
    action,
    html`${inputField({ label: 'Email', name: 'email', type: 'email', value: visit.formData.text('email'), error, autocomplete: 'off' })}
    ${
      roles.length > 1 &&
      choiceField({
        kind: 'radio',
        name: 'role',
        legend: 'Role',
        options: roles.map((role) => ({ value: role, label: ROLE_NAMES[role], hint: hints[role] })),
        chosen: [visit.formData.text('role') || 'member'],
      })
    }
    ${button('Send the invitation')}`,
  );
}

/** Shows the folder in which mails are kept if none are sent. */
export function outboxNote({ mailer }: Services): HtmlValue {
  return (
    mailer.outbox !== null &&
    notice(
      'Mail is not being sent',
      html`Mails are kept in the folder <code>${mailer.outbox}</code> on the server, for you to pass on. Set up
      sending with <code>--mail</code>.`,
      'calm',
    )
  );
}

/** The role in `account` that the form names; if it names none, the one with the fewest rights. */
export function requestedRole(account: Account | null, { formData }: SignedIn): Role {
  const roles = rolesIn(account);
  return roles.find((role) => role === formData.text('role')) ?? roles.at(-1)!;
}

/**
 * Invites the address in the form to `account` and redirects to `returnPath`; if no mail is sent, or it could not be,
 * it shows the link first. If the address has an account elsewhere, only its owner learns of that, by mail.
 * @throws UsageError with a message to show in the form.
 */
export async function invite(
  account: Account | null,
  role: Role,
  visit: SignedIn,
  services: Services,
  returnPath: string,
): Promise<Answer> {
  const { directory, mailer } = services;
  const actor = auditActor(visit.visitor.person);
  const allowance = { name: `invitations ${actor.id}`, limit: 50, windowMs: HOUR_MS };
  if ((await services.attempts.charge([allowance], visit.now)) !== null) {
    throw new UsageError('You have sent too many invitations. Try again in an hour.');
  }
  const token = mintToken();
  const invitation = {
    email: visit.formData.text('email'),
    role,
    accountId: account?.id ?? null,
    hash: hashToken(token),
  };
  const { email } = await directory.links.invite(invitation, visit.now, actor);
  const link = linkUrl(services.dashboardUrl(), token);
  const [isElsewhere, accountName] = [(await directory.credentialsByEmail(email)) !== null, account?.name ?? null];
  const mail = isElsewhere ? invitedElsewhereMail(email, accountName) : invitationMail(email, role, accountName, link);
  const isSent = await mailer.send(mail, visit.now).then(
    () => mailer.outbox === null,
    (error) => {
      services.logLine(`mail not sent: ${errorLine(error)}`, 'mail');
      return false;
    },
  );
  if (isSent) return { location: returnPath };
  const body = html`<h1>Pass the invitation on</h1>
    ${notice(
      mailer.outbox === null ? 'The mail could not be sent' : 'No mail is sent',
      `Give this link to ${email} and to nobody else: whoever opens it first chooses the password. ` +
        `It will not be shown again. It works once, within ${INVITATION_LINK_MS / DAY_MS} days.`,
    )}
    ${copyBlock('link', 'Invitation', link)}
    ${linkButton(returnPath, 'I have passed it on')}`;
  return { title: 'Invitation', body };
}
