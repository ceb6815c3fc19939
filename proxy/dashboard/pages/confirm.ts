/**
 * Asking for the password or a code again: a stolen session alone must not be enough to take over an account, nor must
 * the session and the password if the person uses two-step sign-in.
 */

import { type Awaitable, DAY_MS, HOUR_MS } from '../../../pipeline/lib/clock.ts';
import { type Html, html } from '../../../pipeline/lib/pages/html.ts';
import { checkPassword } from '../../store/people/passwords.ts';
import { CONFIRMATION_MS } from '../../store/people/person-rules.ts';
import { hashRecoveryCode } from '../../store/people/recovery.ts';
import { matchingStep } from '../../store/people/totp.ts';
import type { Person } from '../../store/row-types.ts';
import { button, inputField, postForm, problemNotice } from '../kit/parts.ts';
import type { Services } from '../kit/services.ts';
import type { Answer, SignedIn, Visit } from '../kit/visit.ts';
import { recordFailure } from './sign-in-failures.ts';

export const QUARTER_HOUR_MS = 15 * 60_000;
const PASSWORDS_PER_PERSON = 10;
const CODES_PER_BROWSER = 5;
/**
 * Of a million codes three are valid at a time. Against slow guessing, 30 days allow 50 wrong codes for each browser
 * (or all unknown ones together) and 500 for each person, since whoever reads their mail can make any number of
 * browsers known. The chance of guessing a valid code is then 0.015% and 0.15%.
 */
const LONG_WINDOW_MS = 30 * DAY_MS;
const CODES_PER_BROWSER_AND_LONG_WINDOW = 50;
const CODES_PER_PERSON_AND_LONG_WINDOW = 500;

/**
 * The rule for every form that grants, removes or unlocks (kit/visit.ts): null if the visitor signed in, or gave the
 * password or a code again, in the last ten minutes, or does so with this form; else the answer that asks for it.
 */
export async function refuseUnconfirmed(visit: SignedIn, services: Services): Promise<Answer | null> {
  const { visitor, formData, now } = visit;
  // A time further ahead than that is from before the clock was set back.
  if (Math.abs(now - visitor.confirmedAt) < CONFIRMATION_MS) return null;
  const { has_factor } = visitor.person;
  const askAgain = (error?: string): Answer => ({
    title: 'Confirm that it is you',
    status: 403,
    body: confirmPage(visit, error),
  });
  if (formData.text(has_factor ? 'code' : 'current') === '') return askAgain();
  const refusal = has_factor
    ? await refuseWithoutCode(visit, visitor.person, services, () => askAgain('This code is wrong or has been used.'))
    : await refuseWithoutPassword(visit, services, askAgain);
  if (refusal) return refusal;
  const isSessionOpen = await services.directory.sessions.confirm(visit.sessionHash, now);
  return isSessionOpen ? null : { location: '/sign-in' };
}

/** The form that was sent, with its values in hidden fields, and a field for the password or code. */
function confirmPage({ visitor: { person }, formData, csrf, path }: SignedIn, error?: string): Html {
  const fieldNames = formData.names().filter((name) => !['csrf', 'code', 'current'].includes(name));
  const hiddenFields = fieldNames.flatMap((name) =>
    formData.values(name).map((value) => html`<input type="hidden" name="${name}" value="${value}">`),
  );
  return html`<h1>Confirm that it is you</h1>
    ${error !== undefined && problemNotice('Not confirmed', error)}
    <p>To continue, please enter ${person.has_factor ? 'a code' : 'your password'} again. You will not be
    asked again for the next ${CONFIRMATION_MS / 60_000} minutes.</p>
    ${postForm(csrf, path, html`${hiddenFields}${person.has_factor ? codeField(error) : currentPasswordField(error)}${button('Confirm')}`)}`;
}

export const currentPasswordField = (error?: string) =>
  inputField({
    label: 'Current password',
    name: 'current',
    type: 'password',
    error,
    autocomplete: 'current-password',
  });

export const codeField = (error?: string) =>
  inputField({
    label: 'Code',
    name: 'code',
    hint: 'The six digits from your authenticator app, or one of your recovery codes.',
    error,
    autocomplete: 'one-time-code',
    inputmode: 'text',
  });

/** Null if the form contains the current password, else the answer that asks for it. */
export async function refuseWithoutPassword(
  visit: SignedIn,
  services: Services,
  askAgain: (error: string) => Awaitable<Answer>,
): Promise<Answer | null> {
  const { attempts, directory, countSignIn } = services;
  const { person } = visit.visitor;
  const allowance = { name: `current password ${person.id}`, limit: PASSWORDS_PER_PERSON, windowMs: QUARTER_HOUR_MS };
  const waitMs = await attempts.charge([allowance], visit.now);
  if (waitMs !== null) {
    countSignIn('too_many');
    return tooManyAttemptsPage('Nothing was changed', waitMs);
  }
  const credentials = await directory.credentialsById(person.id);
  if (!(await checkPassword(visit.formData.text('current'), credentials?.passwordHash ?? null, true))) {
    recordFailure('password', person.email, person, await isKnownBrowser(person, visit, services), visit, services);
    return askAgain('This is not your current password.');
  }
  await attempts.giveBack([allowance]);
  // The session may have ended while the password was checked.
  return (await directory.sessions.findVisitor(visit.sessionHash, visit.now)) === null
    ? { location: '/sign-in' }
    : null;
}

/** Null if the form contains a valid code of `person`, which is then used up; else the answer that asks for one. */
export async function refuseWithoutCode(
  visit: Visit,
  person: Person,
  services: Services,
  askAgain: () => Answer,
): Promise<Answer | null> {
  const { attempts, directory } = services;
  const isKnown = await isKnownBrowser(person, visit, services);
  const counter = `factor ${person.id} ${isKnown ? visit.browserHash!.toString('hex') : 'stranger'}`;
  const allowances = [
    { name: counter, limit: CODES_PER_BROWSER, windowMs: QUARTER_HOUR_MS },
    { name: `slow ${counter}`, limit: CODES_PER_BROWSER_AND_LONG_WINDOW, windowMs: LONG_WINDOW_MS },
    { name: `slow factor ${person.id}`, limit: CODES_PER_PERSON_AND_LONG_WINDOW, windowMs: LONG_WINDOW_MS },
  ];
  const waitMs = await attempts.charge(allowances, visit.now);
  if (waitMs !== null) {
    services.countSignIn('too_many');
    await directory.sessions.close(visit.sessionHash);
    return tooManyAttemptsPage('Two-step sign-in', waitMs);
  }
  const secret = (await directory.credentialsById(person.id))?.factorSecret ?? null;
  const code = visit.formData.text('code').trim();
  const step = secret === null ? null : matchingStep(secret, code.replaceAll(' ', ''), visit.now);
  const isRight =
    (await directory.factors.spendStep(person.id, step, visit.now)) ||
    (step === null &&
      (await directory.factors.spendRecoveryCode(person.id, hashRecoveryCode(person.id, code), visit.now)));
  if (!isRight) {
    recordFailure('code', person.email, person, isKnown, visit, services);
    return askAgain();
  }
  await attempts.giveBack(allowances);
  return null;
}

/** Whether the person has signed in with this browser before. */
export const isKnownBrowser = async (person: Person, { browserHash, now }: Visit, { directory }: Services) =>
  browserHash !== null && (await directory.sessions.knowsBrowser(browserHash, person.id, now));

export function tooManyAttemptsNotice(waitMs: number): Html {
  const [unitMs, unit] =
    waitMs > 2 * DAY_MS ? [DAY_MS, 'day'] : waitMs > 2 * HOUR_MS ? [HOUR_MS, 'hour'] : [60_000, 'minute'];
  const count = Math.ceil(waitMs / unitMs);
  return problemNotice(
    'Too many attempts',
    html`Try again in ${count} ${unit}${count !== 1 && 's'}, or <a href="/forgotten">reset your password by mail</a>.`,
  );
}

/** Refuses an attempt for now, on a page with `heading`. */
export function tooManyAttemptsPage(heading: string, waitMs: number): Answer {
  const body = html`<h1>${heading}</h1>${tooManyAttemptsNotice(waitMs)}`;
  return { title: 'Too many attempts', status: 429, body, retryAfterMs: waitMs };
}
