import { type HtmlValue, html } from '../../../pipeline/lib/pages/html.ts';
import { hashPassword } from '../../store/people/passwords.ts';
import { ROLE_NAMES, ROLES } from '../../store/people/person-rules.ts';
import { hashToken, mintToken } from '../../store/people/tokens.ts';
import { button, doneNotice, facts, form, linkButton, mark, problem } from '../kit/parts.ts';
import type { Services } from '../kit/services.ts';
import { type Answer, routes, type SignedIn } from '../kit/visit.ts';
import { currentPassword, refuseWithoutPassword } from './confirm.ts';
import { passwordErrors, passwordFields } from './one-time-link.ts';
import { needsFactor, TWO_STEP } from './second-factor.ts';

const DONE: Record<string, string> = {
  password: 'Your password has been changed, and you have been signed out everywhere else',
  elsewhere: 'You have been signed out everywhere else',
  'factor-on': 'Two-step sign-in is on',
  'factor-off': 'Two-step sign-in is off',
  codes: 'You have new recovery codes',
};

type Errors = Partial<Record<'current' | 'password' | 'again', string>>;

async function profilePage(
  { visitor, csrf, query }: SignedIn,
  { directory, twoStep }: Services,
  errors: Errors = {},
  banner: HtmlValue = null,
) {
  const { person, account } = visitor;
  const codes = person.has_factor ? await directory.factors.recoveryCodesLeft(person.id) : 0;
  return html`<h1>Your profile</h1>
    ${banner || doneNotice(query, DONE)}
    ${facts([
      ['Name', person.name],
      ['Email', person.email],
      ['Account', account?.name ?? 'Service team'],
      ['Role', ROLE_NAMES[person.role]],
    ])}
    <section><h2>Two-step sign-in ${person.has_factor ? mark('on', 'good') : mark('off', 'calm')}</h2>
    <p>With two-step sign-in you need your password and a code from an app on your phone.</p>
    ${
      person.has_factor
        ? html`<p>${codes === 1 ? '1 recovery code is' : `${codes} recovery codes are`} left.</p>
        <div class="actions">${form(csrf, `${TWO_STEP}/codes`, button('Make new recovery codes', 'plain'))}
        ${linkButton(`${TWO_STEP}/off`, needsFactor(person, twoStep) ? 'Use another phone' : 'Turn it off', 'plain')}</div>`
        : linkButton(TWO_STEP, 'Turn it on', 'plain')
    }</section>
    <section><h2>Change your password</h2>
    ${form(
      csrf,
      '/profile/password',
      html`${currentPassword(errors.current)}
      ${passwordFields(errors)}
      ${button('Change your password')}`,
    )}</section>
    <section><h2>Other sessions</h2>
    <p>Are you signed in on a device that you no longer have, or not sure?</p>
    ${form(csrf, '/profile/sessions', button('Sign out everywhere else', 'plain'))}</section>`;
}

async function changePassword(visit: SignedIn, services: Services): Promise<Answer> {
  const { person } = visit.visitor;
  const again = async (errors: Errors): Promise<Answer> => ({
    title: 'Your profile: error',
    status: 400,
    body: await profilePage(visit, services, errors, problem('Your password has not been changed')),
  });
  const refused = await refuseWithoutPassword(visit, services, (current) => again({ current }));
  if (refused) return refused;
  const errors = await passwordErrors(visit, [person.email, person.name]);
  if (Object.keys(errors).length > 0) return again(errors);
  const passwordHash = await hashPassword(visit.form.text('password'));
  const session = mintToken();
  const isDone = await services.directory.changePassword(visit.session, passwordHash, hashToken(session), visit.now);
  return isDone ? { location: '/profile?done=password', session } : { location: '/sign-in' };
}

export const profileRoutes = routes('/profile', ROLES, {
  GET: async (visit, services) => ({ title: 'Your profile', body: await profilePage(visit, services) }),
  'POST /password': { withoutConfirmation: 'Its form asks for the password.', answer: changePassword },
  'POST /sessions': {
    withoutConfirmation:
      'It only ends sessions, and whoever fears for theirs must not lose time. A thief gains nothing by it.',
    answer: async ({ visitor, session }, { directory }) => {
      await directory.sessions.closeOthers(visitor.person.id, session);
      return { location: '/profile?done=elsewhere' };
    },
  },
});
