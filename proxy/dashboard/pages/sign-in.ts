/**
 * Signing in. Failed attempts are counted separately for browsers that the person has signed in with before: guessing
 * passwords elsewhere locks out new browsers for a while, but neither the person's own nor a link sent by mail.
 */

import { type Html, type HtmlValue, html } from '../../../pipeline/lib/pages/html.ts';
import type { Allowance } from '../../store/attempt-counts.ts';
import { checkPassword } from '../../store/people/passwords.ts';
import { auditActor, maySignIn, parseEmail } from '../../store/people/person-rules.ts';
import type { Visitor } from '../../store/people/sessions.ts';
import { hashToken, mintToken } from '../../store/people/tokens.ts';
import { visitorMenu } from '../kit/layout.ts';
import { button, doneNotice, inputField, postForm, problemNotice } from '../kit/parts.ts';
import type { Services } from '../kit/services.ts';
import { type Answer, routes, type Visit } from '../kit/visit.ts';
import { codeField, isKnownBrowser, QUARTER_HOUR_MS, refuseWithoutCode, tooManyAttemptsNotice } from './confirm.ts';
import { recordFailure } from './sign-in-failures.ts';

const ATTEMPTS_PER_EMAIL = 10;
const ATTEMPTS_PER_ADDRESS = 50;
const ATTEMPTS_PER_BROWSER = 10;

const DONE_MESSAGES: Record<string, string> = {
  'signed-out': 'You have been signed out',
  'password-set': 'Your password has been set. You can sign in with it now',
};

const WRONG_CREDENTIALS = problemNotice('Wrong email or password', 'Check both and try again.');

function signInPage(visit: Visit, email: string, banner: HtmlValue = null): Html {
  return html`<h1>Sign in</h1>
    ${banner || doneNotice(visit.query, DONE_MESSAGES)}
    ${postForm(
      visit.csrf,
      '/sign-in',
      html`${inputField({ label: 'Email', name: 'email', type: 'email', value: email, autocomplete: 'username' })}
      ${inputField({ label: 'Password', name: 'password', type: 'password', autocomplete: 'current-password' })}
      ${button('Sign in')}`,
    )}
    <p><a href="/forgotten">Forgotten your password?</a></p>
    <p class="soft">An account requires an invitation, which your organisation’s administrator or the service team can
    send you.</p>`;
}

async function signIn(visit: Visit, services: Services): Promise<Answer> {
  const { attempts, directory } = services;
  const { formData, now } = visit;
  const email = parseEmail(formData.text('email'));
  const refuse = (banner: Html, status: number, retryAfterMs?: number): Answer => ({
    title: 'Sign in: error',
    status,
    body: signInPage(visit, formData.text('email'), banner),
    ...(retryAfterMs === undefined ? {} : { retryAfterMs }),
  });
  const credentials = await directory.credentialsByEmail(email ?? '');
  // Queried even if there is no such person, so that the timing reveals nothing.
  const isKnown =
    visit.browserHash !== null &&
    (await directory.sessions.knowsBrowser(visit.browserHash, credentials?.person.id ?? '', now));
  const allowances = isKnown ? [browserAllowance(visit.browserHash!)] : strangerAllowances(visit.address, email ?? '');
  const waitMs = await attempts.charge(allowances, now);
  if (waitMs !== null) {
    services.countSignIn('too_many');
    services.logLine(`dashboard: too many failed sign-ins, most recently from ${visit.network}`, 'sign_in');
    return refuse(tooManyAttemptsNotice(waitMs), 429, waitMs);
  }

  // An attempt counts even if the service is too busy to check it: else a few names would keep it busy for ever.
  const isRight = await checkPassword(formData.text('password'), credentials?.passwordHash ?? null, isKnown);
  if (!credentials || !isRight) {
    recordFailure('password', email ?? '', credentials?.person ?? null, isKnown, visit, services);
    return refuse(WRONG_CREDENTIALS, 403);
  }
  const { account_id } = credentials.person;
  const account = account_id === null ? null : await services.accounts.accountById(account_id);
  await attempts.giveBack(allowances);
  if (!maySignIn(account)) {
    return refuse(
      problemNotice('The account is suspended', 'Its keys do not work either. Please contact the service team.'),
      403,
    );
  }
  const { person, passwordHash } = credentials;
  const factorDue = credentials.factorSecret !== null;
  const token = mintToken();
  if (!(await directory.sessions.open(hashToken(token), { id: person.id, passwordHash, factorDue }, now))) {
    return refuse(WRONG_CREDENTIALS, 403);
  }
  await directory.sessions.close(visit.sessionHash);
  return factorDue
    ? { location: '/sign-in/code', sessionToken: token }
    : completeSignIn({ person, account, factorDue, confirmedAt: now }, token, visit, services, isKnown);
}

/** Remembers the browser, now that its visitor is fully signed in, and redirects to the first page. */
export async function completeSignIn(
  visitor: Visitor,
  sessionToken: string,
  { browserHash, now }: Visit,
  { directory, countSignIn }: Services,
  isKnown: boolean,
): Promise<Answer> {
  countSignIn('signed_in');
  const { person } = visitor;
  const newBrowserToken = isKnown ? null : mintToken();
  await directory.sessions.rememberBrowser(
    newBrowserToken === null ? browserHash! : hashToken(newBrowserToken),
    person.id,
    now,
  );
  await directory.record({ action: 'sign-in', accountId: person.account_id }, auditActor(person), now);
  return {
    location: homePage(visitor),
    sessionToken,
    ...(newBrowserToken === null ? {} : { browserToken: newBrowserToken }),
  };
}

function codePage(visit: Visit, banner: HtmlValue = null): Html {
  return html`<h1>Two-step sign-in</h1>
    ${banner}
    ${postForm(visit.csrf, '/sign-in/code', html`${codeField()}${button('Continue')}`)}
    <p><a href="/sign-in">Start again</a></p>`;
}

async function enterCode(visit: Visit, services: Services): Promise<Answer> {
  const { pendingVisitor, now } = visit;
  const { directory } = services;
  if (!pendingVisitor) return { location: '/sign-in' };
  const refusal = await refuseWithoutCode(visit, pendingVisitor.person, services, () => {
    const banner = problemNotice('Wrong code', 'Each code works once. Wait for the next one and try again.');
    return { title: 'Two-step sign-in: error', status: 403, body: codePage(visit, banner) };
  });
  if (refusal) return refusal;
  const token = mintToken();
  if (!(await directory.sessions.complete(visit.sessionHash, hashToken(token), now))) return { location: '/sign-in' };
  return completeSignIn(
    pendingVisitor,
    token,
    visit,
    services,
    await isKnownBrowser(pendingVisitor.person, visit, services),
  );
}

const browserAllowance = (browser: Buffer): Allowance => ({
  name: `browser ${browser.toString('hex')}`,
  limit: ATTEMPTS_PER_BROWSER,
  windowMs: QUARTER_HOUR_MS,
});

const strangerAllowances = (address: string, email: string): Allowance[] => [
  { name: `address ${address}`, limit: ATTEMPTS_PER_ADDRESS, windowMs: QUARTER_HOUR_MS },
  { name: `email ${email}`, limit: ATTEMPTS_PER_EMAIL, windowMs: QUARTER_HOUR_MS },
];

const homePage = (visitor: Visitor) => visitorMenu(visitor)[0]!.path;

export const signInRoutes = routes('', 'anyone', {
  'GET /': ({ visitor }) => ({ location: visitor ? homePage(visitor) : '/sign-in' }),
  'GET /sign-in': (visit) =>
    visit.visitor ? { location: homePage(visit.visitor) } : { title: 'Sign in', body: signInPage(visit, '') },
  'POST /sign-in': { withoutConfirmation: 'It is where the password is given.', handler: signIn },
  'GET /sign-in/code': (visit) =>
    visit.pendingVisitor ? { title: 'Two-step sign-in', body: codePage(visit) } : { location: '/sign-in' },
  'POST /sign-in/code': { withoutConfirmation: 'It is where the code is given.', handler: enterCode },
  'POST /sign-out': {
    withoutConfirmation: 'It only ends the session itself.',
    handler: async (visit, { directory }) => {
      await directory.sessions.close(visit.sessionHash);
      return { location: '/sign-in?done=signed-out', sessionToken: mintToken() };
    },
  },
});
