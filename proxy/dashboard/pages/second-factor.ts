/** Turning two-step sign-in on and off. */
import { renderSVG } from 'uqr';
import { Html, type HtmlValue, html } from '../../../pipeline/lib/pages/html.ts';
import { auditActor, mustSetUpFactor, ROLES } from '../../store/people/person-rules.ts';
import { hashRecoveryCode, mintRecoveryCodes } from '../../store/people/recovery.ts';
import { isSecret, matchingStep, mintSecret, otpauthUrl } from '../../store/people/totp.ts';
import type { Person } from '../../store/row-types.ts';
import { button, copyBlock, inputField, linkButton, notice, postForm, problemNotice } from '../kit/parts.ts';
import type { Services } from '../kit/services.ts';
import { type Answer, routes, type SignedIn } from '../kit/visit.ts';
import { SERVICE_NAME } from '../mail/mails.ts';
import { currentPasswordField, refuseWithoutPassword } from './confirm.ts';

export const TWO_STEP_PATH = '/profile/two-step';

type Errors = Partial<Record<'current' | 'code', string>>;

/** The form carries the secret until a code proves that the app has it; only then is the secret stored. */
function turnOnPage(
  { visitor: { person }, csrf }: SignedIn,
  { twoStepRoles }: Services,
  secret: string,
  errors: Errors = {},
  banner: HtmlValue = null,
) {
  const url = otpauthUrl(secret, person.email, SERVICE_NAME);
  const isRequired = mustSetUpFactor(person, twoStepRoles);
  return html`<h1>Turn on two-step sign-in</h1>
    ${banner || (isRequired && notice('Your role requires two-step sign-in', 'Set it up to continue.', 'calm'))}
    <ol class="steps">
    <li><p>Open an authenticator app on your phone and scan this code.</p>
      <div class="qr" role="img" aria-label="QR code of the secret that is shown below as text">${Html.fromTrustedMarkup(renderSVG(url, { border: 2 }))}</div>
      ${copyBlock('secret', 'Or type this secret into the app', secret)}</li>
    <li><p>Enter the code that the app shows, and your password.</p>
    ${postForm(
      csrf,
      TWO_STEP_PATH,
      html`<input type="hidden" name="secret" value="${secret}">
      ${inputField({ label: 'Code', name: 'code', error: errors.code, autocomplete: 'one-time-code', inputmode: 'numeric' })}
      ${currentPasswordField(errors.current)}
      ${button('Turn it on')}`,
    )}</li></ol>
    ${!isRequired && html`<p><a href="/profile">Back to your profile</a></p>`}`;
}

async function turnOn(visit: SignedIn, services: Services): Promise<Answer> {
  const { person } = visit.visitor;
  const sentSecret = visit.formData.text('secret');
  const secret = isSecret(sentSecret) ? sentSecret : mintSecret();
  const showErrors = (errors: Errors): Answer => ({
    title: 'Two-step sign-in: error',
    status: 400,
    body: turnOnPage(visit, services, secret, errors, problemNotice('Two-step sign-in is not on yet')),
  });
  if (person.has_factor) return { location: '/profile' };
  const refusal = await refuseWithoutPassword(visit, services, (current) => showErrors({ current }));
  if (refusal) return refusal;
  const step = matchingStep(secret, visit.formData.text('code').replaceAll(' ', ''), visit.now);
  if (step === null)
    return showErrors({ code: 'This is not the code that the app shows. Check that your phone’s clock is right.' });
  const { codes, hashes: codeHashes } = mintHashedCodes(person.id);
  const isTurnedOn = await services.directory.factors.turnOn(person.id, { secret, step, codeHashes }, visit.now);
  if (!isTurnedOn) return { location: '/profile' };
  await services.directory.sessions.closeOthers(person.id, visit.sessionHash);
  return codesPage(codes, notice('Two-step sign-in is on', 'You have been signed out everywhere else.'), 'factor-on');
}

function mintHashedCodes(personId: string): { codes: string[]; hashes: Buffer[] } {
  const codes = mintRecoveryCodes();
  return { codes, hashes: codes.map((code) => hashRecoveryCode(personId, code)) };
}

/** The only page that ever shows recovery codes. */
function codesPage(codes: readonly string[], banner: Html, done: string): Answer {
  const body = html`<h1>Your recovery codes</h1>
    ${banner}
    <p>If you lose your phone, you can sign in once with each of these codes instead. They will not be shown again:
    print them, or keep them in a password manager.</p>
    ${copyBlock('codes', 'Recovery codes', codes.join('\n'))}
    <p data-shown-once>${linkButton(`/profile?done=${done}`, 'I have saved them')}</p>`;
  return { title: 'Your recovery codes', body };
}

async function replaceCodes({ visitor: { person }, now }: SignedIn, { directory }: Services): Promise<Answer> {
  const { codes, hashes } = mintHashedCodes(person.id);
  if (!(await directory.factors.replaceRecoveryCodes(person.id, hashes, now))) return { location: '/profile' };
  return codesPage(codes, notice('You have new recovery codes', 'The earlier ones no longer work.'), 'codes');
}

/** Whether the person's role asks for two-step sign-in, on or off. */
export const roleRequiresFactor = (person: Person, twoStepRoles: Services['twoStepRoles']) =>
  mustSetUpFactor({ ...person, has_factor: false }, twoStepRoles);

function turnOffPage({ visitor, csrf }: SignedIn, { twoStepRoles }: Services): Html {
  const isRequired = roleRequiresFactor(visitor.person, twoStepRoles);
  const [heading, consequence, action, cancel] = isRequired
    ? ['Use another phone', 'You will set up two-step sign-in again at once', 'Set it up again', 'Keep this phone']
    : ['Turn off two-step sign-in', 'You will sign in with your password alone', 'Turn it off', 'Leave it on'];
  return html`<h1>${heading}</h1>
    <p>${consequence}, and your recovery codes will stop working.</p>
    ${postForm(csrf, `${TWO_STEP_PATH}/off`, button(action, 'danger'))}
    <p><a href="/profile">${cancel}</a></p>`;
}

async function turnOff({ visitor: { person }, now }: SignedIn, { directory }: Services): Promise<Answer> {
  await directory.factors.turnOff(person.id, now, auditActor(person));
  return { location: '/profile?done=factor-off' };
}

export const factorRoutes = routes(TWO_STEP_PATH, ROLES, {
  GET: (visit, services) =>
    visit.visitor.person.has_factor
      ? { location: '/profile' }
      : { title: 'Two-step sign-in', body: turnOnPage(visit, services, mintSecret()) },
  POST: { withoutConfirmation: 'Its form asks for the password.', handler: turnOn },
  'GET /off': (visit, services) => ({ title: 'Two-step sign-in', body: turnOffPage(visit, services) }),
  'POST /off': turnOff,
  'POST /codes': replaceCodes,
});
