/** Links for invitations and new passwords, and requests for the latter. Only submitting its form uses a link up. */
import { HOUR_MS } from '../../../pipeline/lib/clock.ts';
import { UsageError } from '../../../pipeline/lib/errors.ts';
import { type Html, type HtmlValue, html } from '../../../pipeline/lib/pages/html.ts';
import type { Link } from '../../store/people/links.ts';
import { checkNewPassword, hashPassword, MIN_PASSWORD_LENGTH } from '../../store/people/passwords.ts';
import { checkPersonName, maySignIn, parseEmail, RESET_LINK_MS, ROLE_NAMES } from '../../store/people/person-rules.ts';
import { hashToken, isToken, mintToken } from '../../store/people/tokens.ts';
import { button, factList, inputField, notice, postForm, problemNotice } from '../kit/parts.ts';
import type { Services } from '../kit/services.ts';
import { type Answer, resultOrUsageError, routes, type Visit } from '../kit/visit.ts';
import { linkUrl, resetMail } from '../mail/mails.ts';
import { tooManyAttemptsPage } from './confirm.ts';
import { completeSignIn } from './sign-in.ts';

function invalidLinkPage(): Answer {
  const body = html`<h1>This link does not work</h1>
    ${problemNotice('Used, expired or incomplete', 'Links work once and for a limited time. Check that you copied the complete link.')}
    <p><a href="/forgotten">Reset your password</a>, or ask whoever invited you for another invitation.</p>`;
  return { title: 'This link does not work', status: 404, body };
}

async function findLink({ params, now }: Visit, { directory }: Services): Promise<Link | null> {
  const token = params.token!;
  return isToken(token) ? directory.links.findLink(hashToken(token), now) : null;
}

type Errors = Partial<Record<'name' | 'password' | 'again', string>>;

async function linkPage(visit: Visit, services: Services, link: Link, errors: Errors = {}, banner: HtmlValue = null) {
  const email = link.invitation?.email ?? link.person!.email;
  const { invitation } = link;
  const account = invitation?.account_id ? await services.accounts.accountById(invitation.account_id) : null;
  const title = invitation ? 'Accept your invitation' : 'Choose a new password';
  const fields = html`${
    invitation &&
    inputField({
      label: 'Your name',
      name: 'name',
      value: visit.formData.text('name'),
      error: errors.name,
      autocomplete: 'name',
    })
  }
    ${passwordFields(errors)}
    ${button(invitation ? 'Create your account' : 'Set the password')}`;
  return html`<h1>${title}</h1>
    ${banner}
    ${factList([
      ['Email', email],
      invitation && ['Account', account?.name ?? 'Service team'],
      invitation && ['Role', ROLE_NAMES[invitation.role]],
    ])}
    ${postForm(visit.csrf, `/link/${visit.params.token}`, fields)}`;
}

export function passwordFields(errors: Errors): Html {
  return html`${inputField({
    label: 'New password',
    name: 'password',
    type: 'password',
    hint: `At least ${MIN_PASSWORD_LENGTH} characters. Several unrelated words are good; a password manager is better.`,
    error: errors.password,
    autocomplete: 'new-password',
  })}
  ${inputField({ label: 'Repeat the new password', name: 'again', type: 'password', error: errors.again, autocomplete: 'new-password' })}`;
}

/** Errors in the new password that was sent; `personalTexts` are what others know about the person. */
export async function passwordErrors({ formData }: Visit, personalTexts: readonly string[]): Promise<Errors> {
  const password = formData.text('password');
  const error = await resultOrUsageError(() => checkNewPassword(password, personalTexts));
  if (error instanceof UsageError) return { password: error.message };
  return password === formData.text('again') ? {} : { again: 'The passwords do not match.' };
}

async function acceptLinkForm(visit: Visit, services: Services): Promise<Answer> {
  const link = await findLink(visit, services);
  if (!link) return invalidLinkPage();
  const { directory } = services;
  const { formData, now } = visit;
  const showErrors = async (
    errors: Errors,
    banner: Html = problemNotice('Please check what you entered'),
  ): Promise<Answer> => {
    return { title: 'Error', status: 400, body: await linkPage(visit, services, link, errors, banner) };
  };
  const { email, name } = link.person ?? { email: link.invitation!.email, name: formData.text('name') };
  const errors = await passwordErrors(visit, [email, name]);
  if (link.invitation && (await resultOrUsageError(() => checkPersonName(name))) instanceof UsageError) {
    errors.name = 'Enter your name, in at most 100 characters.';
  }
  if (Object.keys(errors).length > 0) return showErrors(errors);
  const passwordHash = await hashPassword(formData.text('password'));
  const tokenHash = hashToken(visit.params.token!);
  const person = await resultOrUsageError(() =>
    link.invitation
      ? directory.links.acceptInvitation(tokenHash, name, passwordHash, now)
      : directory.links.resetPassword(tokenHash, passwordHash, now),
  );
  if (person instanceof UsageError) return showErrors({}, problemNotice('This could not be done', person.message));
  if (!person) return invalidLinkPage();
  // Signs out whoever was signed in here, this person or another.
  await directory.sessions.close(visit.sessionHash);
  const sessionToken = mintToken();
  if (link.invitation) {
    const account = person.account_id === null ? null : await services.accounts.accountById(person.account_id);
    if (!maySignIn(account)) return { location: '/sign-in', sessionToken };
    const visitor = { person, account, factorDue: false, confirmedAt: now };
    await directory.sessions.open(hashToken(sessionToken), { id: person.id, passwordHash, factorDue: false }, now);
    return completeSignIn(visitor, sessionToken, visit, services, false);
  }
  // Anyone who opened a mailed link may sign in here, however often others have tried elsewhere.
  const browserToken = mintToken();
  await directory.sessions.rememberBrowser(hashToken(browserToken), link.person.id, now);
  return { location: '/sign-in?done=password-set', sessionToken, browserToken };
}

const forgottenPage = (
  visit: Visit,
  { mailer: { outbox } }: Services,
  banner: HtmlValue = null,
) => html`<h1>Reset your password</h1>
  ${banner}
  <p>${outbox === null ? 'We will send you a link to choose a new one.' : 'This service sends no mail: the service team passes a link to choose a new one on to you.'}</p>
  ${postForm(
    visit.csrf,
    '/forgotten',
    html`${inputField({ label: 'Email', name: 'email', type: 'email', value: visit.formData.text('email'), autocomplete: 'username' })}
    ${button(outbox === null ? 'Send the link' : 'Ask for a link')}`,
  )}
  <p><a href="/sign-in">Back to sign-in</a></p>`;

/** The answer and its timing are the same whether or not there is such an account: what differs is done later. */
async function askForReset(visit: Visit, services: Services): Promise<Answer> {
  const { attempts, directory, mailer } = services;
  const { now } = visit;
  const email = parseEmail(visit.formData.text('email'));
  if (email === null) {
    const banner = problemNotice('Please check what you entered', 'Enter an address such as ada@example.org.');
    return { title: 'Error', status: 400, body: forgottenPage(visit, services, banner) };
  }
  const waitMs = await attempts.charge([{ name: `reset from ${visit.address}`, limit: 20, windowMs: HOUR_MS }], now);
  if (waitMs !== null) return tooManyAttemptsPage('Reset your password', waitMs);
  services.runAfterAnswer(async () => {
    if ((await attempts.charge([{ name: `reset of ${email}`, limit: 3, windowMs: HOUR_MS }], now)) !== null) return;
    const credentials = await directory.credentialsByEmail(email);
    const token = mintToken();
    await directory.links.createReset(credentials?.person.id ?? null, hashToken(token), now, null);
    if (credentials) await mailer.send(resetMail(email, linkUrl(services.dashboardUrl(), token)), now);
  });
  const [title, outcome, hint] =
    mailer.outbox === null
      ? [
          'Check your email',
          'a link is on its way',
          html`<p>No mail? Look in your junk folder, check the address, or contact the service team.</p>`,
        ]
      : ['Ask the service team', 'the service team has a link for you', null];
  const body = html`<h1>${title}</h1>
    ${notice(`If this address has an account, ${outcome}`, `It works once, within ${RESET_LINK_MS / 60_000} minutes.`, 'calm')}
    ${hint}
    <p><a href="/sign-in">Back to sign-in</a></p>`;
  return { title, body };
}

export const linkRoutes = routes('', 'anyone', {
  'GET /link/:token': async (visit, services) => {
    const link = await findLink(visit, services);
    if (!link) return invalidLinkPage();
    return { title: link.invitation ? 'Invitation' : 'New password', body: await linkPage(visit, services, link) };
  },
  'POST /link/:token': {
    withoutConfirmation: 'The link itself is the proof, and works once.',
    handler: acceptLinkForm,
  },
  'GET /forgotten': (visit, services) => ({ title: 'Reset your password', body: forgottenPage(visit, services) }),
  'POST /forgotten': {
    withoutConfirmation: 'It changes nothing until the mailed link is opened.',
    handler: askForReset,
  },
});
