import { type HtmlValue, html } from '../../../pipeline/lib/pages/html.ts';
import { hashPassword } from '../../store/people/passwords.ts';
import { ROLE_NAMES, ROLES } from '../../store/people/person-rules.ts';
import { hashToken, mintToken } from '../../store/people/tokens.ts';
import { badge, button, doneNotice, factList, linkButton, postForm, problemNotice } from '../kit/parts.ts';
import type { Services } from '../kit/services.ts';
import { type Answer, routes, type SignedIn } from '../kit/visit.ts';
import { currentPasswordField, refuseWithoutPassword } from './confirm.ts';
import { passwordErrors, passwordFields } from './one-time-link.ts';
import { roleRequiresFactor, TWO_STEP_PATH } from './second-factor.ts';

const DONE_MESSAGES: Record<string, string> = {
  password: 'Your password has been changed, and you have been signed out everywhere else',
  elsewhere: 'You have been signed out everywhere else',
  'factor-on': 'Two-step sign-in is on',
  'factor-off': 'Two-step sign-in is off',
  codes: 'You have new recovery codes',
};

type Errors = Partial<Record<'current' | 'password' | 'again', string>>;

async function profilePage(
  { visitor, csrf, query }: SignedIn,
  { directory, twoStepRoles }: Services,
  errors: Errors = {},
  banner: HtmlValue = null,
) {
  const { person, account } = visitor;
  const codesLeft = person.has_factor ? await directory.factors.recoveryCodesLeft(person.id) : 0;
  return html`<h1>Your profile</h1>
    ${banner || doneNotice(query, DONE_MESSAGES)}
    ${factList([
      ['Name', person.name],
      ['Email', person.email],
      ['Account', account?.name ?? 'Service team'],
      ['Role', ROLE_NAMES[person.role]],
    ])}
    <section><h2>Two-step sign-in ${person.has_factor ? badge('on', 'good') : badge('off', 'calm')}</h2>
    <p>With two-step sign-in you need your password and a code from an app on your phone.</p>
    ${
      person.has_factor
        ? html`<p>${codesLeft === 1 ? '1 recovery code is' : `${codesLeft} recovery codes are`} left.</p>
        <div class="actions">${postForm(csrf, `${TWO_STEP_PATH}/codes`, button('Make new recovery codes', 'plain'))}
        ${linkButton(`${TWO_STEP_PATH}/off`, roleRequiresFactor(person, twoStepRoles) ? 'Use another phone' : 'Turn it off', 'plain')}</div>`
        : linkButton(TWO_STEP_PATH, 'Turn it on', 'plain')
    }</section>
    <section><h2>Change your password</h2>
    ${postForm(
      csrf,
      '/profile/password',
      html`${currentPasswordField(errors.current)}
      ${passwordFields(errors)}
      ${button('Change your password')}`,
    )}</section>
    <section><h2>Other sessions</h2>
    <p>Are you signed in on a device that you no longer have, or not sure?</p>
    ${postForm(csrf, '/profile/sessions', button('Sign out everywhere else', 'plain'))}</section>`;
}

async function changePassword(visit: SignedIn, services: Services): Promise<Answer> {
  const { person } = visit.visitor;
  const showErrors = async (errors: Errors): Promise<Answer> => ({
    title: 'Your profile: error',
    status: 400,
    body: await profilePage(visit, services, errors, problemNotice('Your password has not been changed')),
  });
  const refusal = await refuseWithoutPassword(visit, services, (current) => showErrors({ current }));
  if (refusal) return refusal;
  const errors = await passwordErrors(visit, [person.email, person.name]);
  if (Object.keys(errors).length > 0) return showErrors(errors);
  const passwordHash = await hashPassword(visit.formData.text('password'));
  const sessionToken = mintToken();
  const isChanged = await services.directory.changePassword(
    visit.sessionHash,
    passwordHash,
    hashToken(sessionToken),
    visit.now,
  );
  return isChanged ? { location: '/profile?done=password', sessionToken } : { location: '/sign-in' };
}

export const profileRoutes = routes('/profile', ROLES, {
  GET: async (visit, services) => ({ title: 'Your profile', body: await profilePage(visit, services) }),
  'POST /password': { withoutConfirmation: 'Its form asks for the password.', handler: changePassword },
  'POST /sessions': {
    withoutConfirmation:
      'It only ends sessions, and whoever fears for theirs must not lose time. A thief gains nothing by it.',
    handler: async ({ visitor, sessionHash }, { directory }) => {
      await directory.sessions.closeOthers(visitor.person.id, sessionHash);
      return { location: '/profile?done=elsewhere' };
    },
  },
});
