/** Links of invitations and for new passwords, and asking for one. Opening a link uses nothing up; its form does. */
import { checkNewPassword, hashPassword, SHORTEST_PASSWORD } from '../../people/passwords.ts';
import { checkPersonName, HOUR_MS, ROLE_NAMES, toEmail } from '../../people/people.ts';
import type { Link } from '../../people/store.ts';
import { hashToken, isToken, mintToken } from '../../people/tokens.ts';
import { UsageError } from '../../usage-error.ts';
import { type Html, html, type Value } from '../html.ts';
import { linkUrl, resetMail } from '../mails.ts';
import { button, facts, field, form, notice, problem } from '../parts.ts';
import type { Services } from '../services.ts';
import { type Answer, attempt, routes, type Visit } from '../visit.ts';
import { tooManyAt } from './sign-in.ts';

function deadLink(): Answer {
  const body = html`<h1>This link does not work</h1>
    ${problem('Used, expired or incomplete', 'Links work once and for a limited time. Check that you have copied all of it.')}
    <p><a href="/forgotten">Ask for a new password</a>, or ask whoever invited you for another invitation.</p>`;
  return { title: 'This link does not work', status: 404, body };
}

async function findLink({ params, now }: Visit, { directory }: Services): Promise<Link | null> {
  const token = params.token!;
  return isToken(token) ? directory.findLink(hashToken(token), now) : null;
}

interface Errors {
  name?: string;
  password?: string;
  again?: string;
}

async function linkPage(visit: Visit, services: Services, link: Link, errors: Errors = {}, trouble: Value = null) {
  const email = link.invitation?.email ?? link.person!.email;
  const { invitation } = link;
  const account = invitation?.account_id ? await services.accounts.accountById(invitation.account_id) : null;
  const title = invitation ? 'Accept your invitation' : 'Choose a new password';
  const fields = html`${
    invitation &&
    field({
      label: 'Your name',
      name: 'name',
      value: visit.form.text('name'),
      error: errors.name,
      autocomplete: 'name',
    })
  }
    ${passwordFields(errors)}
    ${button(invitation ? 'Create your account' : 'Set the password')}`;
  return html`<h1>${title}</h1>
    ${trouble}
    ${facts([
      ['Email', email],
      ...(invitation
        ? ([
            ['Account', account?.name ?? 'Service team'],
            ['Role', ROLE_NAMES[invitation.role]],
          ] as const)
        : []),
    ])}
    ${form(visit.csrf, `/link/${visit.params.token}`, fields)}`;
}

/** Both inputs of a password that is new. */
export function passwordFields(errors: Errors): Html {
  return html`${field({
    label: 'New password',
    name: 'password',
    type: 'password',
    hint: `At least ${SHORTEST_PASSWORD} characters. Several words that do not belong together are good; a password manager is better.`,
    error: errors.password,
    autocomplete: 'new-password',
  })}
  ${field({ label: 'The same again', name: 'again', type: 'password', error: errors.again, autocomplete: 'new-password' })}`;
}

/** What is wrong with a new password as sent, by somebody of whom `about` is known; empty where nothing is. */
export async function passwordErrors({ form: sent }: Visit, about: readonly string[]): Promise<Errors> {
  const password = sent.text('password');
  const fault = await attempt(() => checkNewPassword(password, about));
  if (fault instanceof UsageError) return { password: fault.message };
  return password === sent.text('again') ? {} : { again: 'The two are not the same.' };
}

async function useLink(visit: Visit, services: Services): Promise<Answer> {
  const link = await findLink(visit, services);
  if (!link) return deadLink();
  const { directory } = services;
  const { form: sent, now } = visit;
  const again = async (errors: Errors, trouble: Html = problem('Please check what you entered')): Promise<Answer> => {
    return { title: 'Error', status: 400, body: await linkPage(visit, services, link, errors, trouble) };
  };
  const { email, name } = link.person ?? { email: link.invitation!.email, name: sent.text('name') };
  const errors = await passwordErrors(visit, [email, name]);
  if (link.invitation && (await attempt(() => checkPersonName(name))) instanceof UsageError) {
    errors.name = 'Enter your name, in at most 100 characters.';
  }
  if (Object.keys(errors).length > 0) return again(errors);
  const passwordHash = await hashPassword(sent.text('password'));
  const hash = hashToken(visit.params.token!);
  const person = await attempt(() =>
    link.invitation
      ? directory.acceptInvitation(hash, name, passwordHash, now)
      : directory.resetPassword(hash, passwordHash, now),
  );
  if (person instanceof UsageError) return again({}, problem('This cannot be done', person.message));
  if (!person) return deadLink();
  // Whoever was signed in here, as this person or another, no longer is.
  await directory.closeSession(visit.session);
  const browser = await knowBrowser(visit, services, link);
  return {
    location: `/sign-in?done=${link.invitation ? 'joined' : 'password-set'}`,
    session: mintToken(),
    ...(browser === null ? {} : { browser }),
  };
}

/** Who has opened a mail's link may try to sign in here, however often others have tried elsewhere. */
async function knowBrowser({ now }: Visit, { directory }: Services, { person }: Link): Promise<string | null> {
  if (!person) return null;
  const browser = mintToken();
  await directory.rememberBrowser(hashToken(browser), person.id, now);
  return browser;
}

const forgottenPage = (visit: Visit, trouble: Value = null) => html`<h1>A new password</h1>
  ${trouble}
  <p>We send a link to your address, by which you choose a new password.</p>
  ${form(
    visit.csrf,
    '/forgotten',
    html`${field({ label: 'Email', name: 'email', type: 'email', value: visit.form.text('email'), autocomplete: 'username' })}
    ${button('Send the link')}`,
  )}
  <p><a href="/sign-in">Back to sign-in</a></p>`;

/** Says the same in the same time whether or not there is such an account: what depends on it comes after, and as long. */
async function askForReset(visit: Visit, services: Services): Promise<Answer> {
  const { attempts, directory, mailer } = services;
  const { now } = visit;
  const email = toEmail(visit.form.text('email'));
  if (email === null) {
    const trouble = problem('Please check what you entered', 'Enter an address such as ada@example.org.');
    return { title: 'Error', status: 400, body: forgottenPage(visit, trouble) };
  }
  const waitMs = await attempts.take([{ what: `reset from ${visit.address}`, most: 20, windowMs: HOUR_MS }], now);
  if (waitMs !== null) return tooManyAt('A new password', waitMs);
  services.later(async () => {
    if ((await attempts.take([{ what: `reset of ${email}`, most: 3, windowMs: HOUR_MS }], now)) !== null) return;
    const found = await directory.credentials(email);
    const token = mintToken();
    await directory.openReset(found?.person.id ?? null, hashToken(token), now, null);
    if (found) await mailer.send(resetMail(email, linkUrl(services.url(), token)), now);
  });
  const body = html`<h1>Look into your mail</h1>
    ${notice('If this address has an account, a link is on its way', 'It works once, within an hour.', 'calm')}
    <p>Nothing there? Look among the junk, check the address, or write to the service team.</p>
    <p><a href="/sign-in">Back to sign-in</a></p>`;
  return { title: 'Look into your mail', body };
}

export const linkRoutes = routes('', 'anyone', {
  'GET /link/:token': async (visit, services) => {
    const link = await findLink(visit, services);
    if (!link) return deadLink();
    return { title: link.invitation ? 'Invitation' : 'New password', body: await linkPage(visit, services, link) };
  },
  'POST /link/:token': useLink,
  'GET /forgotten': (visit) => ({ title: 'A new password', body: forgottenPage(visit) }),
  'POST /forgotten': askForReset,
});
