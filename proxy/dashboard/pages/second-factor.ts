/** Turning two-step sign-in on and off. */
import { renderSVG } from 'uqr';
import { Html, type HtmlValue, html } from '../../../pipeline/lib/pages/html.ts';
import { auditActor, mustSetUpFactor, ROLES } from '../../store/people/person-rules.ts';
import { hashRecoveryCode, mintRecoveryCodes } from '../../store/people/recovery.ts';
import { isSecret, matchingStep, mintSecret, otpauthUrl } from '../../store/people/totp.ts';
import type { Person } from '../../store/row-types.ts';
import { button, copyable, field, form, linkButton, notice, problem } from '../kit/parts.ts';
import type { Services } from '../kit/services.ts';
import { type Answer, routes, type SignedIn } from '../kit/visit.ts';
import { SERVICE_NAME } from '../mail/mails.ts';
import { currentPassword, refuseWithoutPassword } from './confirm.ts';

export const TWO_STEP = '/profile/two-step';

type Errors = Partial<Record<'current' | 'code', string>>;

/** The form carries the secret until a code proves that the app has it; only then is the secret stored. */
function onPage(
  { visitor: { person }, csrf }: SignedIn,
  { twoStep }: Services,
  secret: string,
  errors: Errors = {},
  banner: HtmlValue = null,
) {
  const url = otpauthUrl(secret, person.email, SERVICE_NAME);
  const isRequired = mustSetUpFactor(person, twoStep);
  return html`<h1>Turn on two-step sign-in</h1>
    ${banner || (isRequired && notice('Your role requires two-step sign-in', 'Set it up to continue.', 'calm'))}
    <ol class="steps">
    <li><p>Open an authenticator app on your phone and scan this code.</p>
      <div class="qr" role="img" aria-label="QR code of the secret that is shown below as text">${Html.fromTrustedMarkup(renderSVG(url, { border: 2 }))}</div>
      ${copyable('secret', 'Or type this secret into the app', secret)}</li>
    <li><p>Enter the code that the app shows, and your password.</p>
    ${form(
      csrf,
      TWO_STEP,
      html`<input type="hidden" name="secret" value="${secret}">
      ${field({ label: 'Code', name: 'code', error: errors.code, autocomplete: 'one-time-code', inputmode: 'numeric' })}
      ${currentPassword(errors.current)}
      ${button('Turn it on')}`,
    )}</li></ol>
    ${!isRequired && html`<p><a href="/profile">Back to your profile</a></p>`}`;
}

async function turnOn(visit: SignedIn, services: Services): Promise<Answer> {
  const { person } = visit.visitor;
  const sent = visit.form.text('secret');
  const secret = isSecret(sent) ? sent : mintSecret();
  const again = (errors: Errors): Answer => ({
    title: 'Two-step sign-in: error',
    status: 400,
    body: onPage(visit, services, secret, errors, problem('Two-step sign-in is not on yet')),
  });
  if (person.has_factor) return { location: '/profile' };
  const refused = await refuseWithoutPassword(visit, services, (current) => again({ current }));
  if (refused) return refused;
  const step = matchingStep(secret, visit.form.text('code').replaceAll(' ', ''), visit.now);
  if (step === null)
    return again({ code: 'This is not the code that the app shows. Check that your phone’s clock is right.' });
  const { codes, hashes: codeHashes } = newCodes(person.id);
  const isDone = await services.directory.factors.turnOn(person.id, { secret, step, codeHashes }, visit.now);
  if (!isDone) return { location: '/profile' };
  await services.directory.sessions.closeOthers(person.id, visit.session);
  return codesPage(codes, notice('Two-step sign-in is on', 'You have been signed out everywhere else.'), 'factor-on');
}

function newCodes(personId: string): { codes: string[]; hashes: Buffer[] } {
  const codes = mintRecoveryCodes();
  return { codes, hashes: codes.map((code) => hashRecoveryCode(personId, code)) };
}

/** The only page that ever shows recovery codes. */
function codesPage(codes: readonly string[], banner: Html, done: string): Answer {
  const body = html`<h1>Your recovery codes</h1>
    ${banner}
    <p>If you lose your phone, you can sign in once with each of these codes instead. They will not be shown again:
    print them, or keep them in a password manager.</p>
    ${copyable('codes', 'Recovery codes', codes.join('\n'))}
    <p data-shown-once>${linkButton(`/profile?done=${done}`, 'I have saved them')}</p>`;
  return { title: 'Your recovery codes', body };
}

async function replaceCodes({ visitor: { person }, now }: SignedIn, { directory }: Services): Promise<Answer> {
  const { codes, hashes } = newCodes(person.id);
  if (!(await directory.factors.replaceRecoveryCodes(person.id, hashes, now))) return { location: '/profile' };
  return codesPage(codes, notice('You have new recovery codes', 'The earlier ones no longer work.'), 'codes');
}

/** Whether the person's role asks for two-step sign-in, on or off. */
export const needsFactor = (person: Person, twoStep: Services['twoStep']) =>
  mustSetUpFactor({ ...person, has_factor: false }, twoStep);

function offPage({ visitor, csrf }: SignedIn, { twoStep }: Services): Html {
  const isRequired = needsFactor(visitor.person, twoStep);
  const [heading, next, act, leave] = isRequired
    ? ['Use another phone', 'You will set up two-step sign-in again at once', 'Set it up again', 'Keep this phone']
    : ['Turn off two-step sign-in', 'You will sign in with your password alone', 'Turn it off', 'Leave it on'];
  return html`<h1>${heading}</h1>
    <p>${next}, and your recovery codes will stop working.</p>
    ${form(csrf, `${TWO_STEP}/off`, button(act, 'danger'))}
    <p><a href="/profile">${leave}</a></p>`;
}

async function turnOff({ visitor: { person }, now }: SignedIn, { directory }: Services): Promise<Answer> {
  await directory.factors.turnOff(person.id, now, auditActor(person));
  return { location: '/profile?done=factor-off' };
}

export const factorRoutes = routes(TWO_STEP, ROLES, {
  GET: (visit, services) =>
    visit.visitor.person.has_factor
      ? { location: '/profile' }
      : { title: 'Two-step sign-in', body: onPage(visit, services, mintSecret()) },
  POST: { withoutConfirmation: 'Its form asks for the password.', answer: turnOn },
  'GET /off': (visit, services) => ({ title: 'Two-step sign-in', body: offPage(visit, services) }),
  'POST /off': turnOff,
  'POST /codes': replaceCodes,
});
