/** Turning two-step sign-in on and off. */
import { renderSVG } from 'uqr';
import { Html, html, type Value } from '../html.ts';
import { button, copyable, field, form, linkButton, notice, problem } from '../parts.ts';
import { hashRecoveryCode, mintRecoveryCodes } from '../people/recovery.ts';
import { actorOf, ROLES } from '../people/rules.ts';
import { isSecret, mintSecret, otpauthUrl, stepOf } from '../people/totp.ts';
import { SERVICE_NAME, type Services } from '../services.ts';
import { type Answer, routes, type SignedIn } from '../visit.ts';
import { currentPassword, refuseWithoutPassword } from './profile.ts';

type Errors = Partial<Record<'current' | 'code', string>>;

/** The form carries the secret until a code shows that the app has it; only then is it stored. */
function onPage({ visitor, csrf }: SignedIn, secret: string, errors: Errors = {}, trouble: Value = null) {
  const url = otpauthUrl(secret, visitor.person.email, SERVICE_NAME);
  return html`<h1>Turn on two-step sign-in</h1>
    ${trouble}
    <ol class="steps">
    <li><p>Open an authenticator app on your phone and scan this code.</p>
      <div class="qr" role="img" aria-label="QR code of the secret that is shown below as text">${Html.of(renderSVG(url, { border: 2 }))}</div>
      ${copyable('secret', 'Or type this secret into the app', secret)}</li>
    <li><p>Enter the code that the app shows, and your password.</p>
    ${form(
      csrf,
      '/profile/two-step',
      html`<input type="hidden" name="secret" value="${secret}">
      ${field({ label: 'Code', name: 'code', error: errors.code, autocomplete: 'one-time-code', inputmode: 'numeric' })}
      ${currentPassword(errors.current)}
      ${button('Turn it on')}`,
    )}</li></ol>
    <p><a href="/profile">Back to your profile</a></p>`;
}

async function turnOn(visit: SignedIn, services: Services): Promise<Answer> {
  const { person } = visit.visitor;
  const sent = visit.form.text('secret');
  const secret = isSecret(sent) ? sent : mintSecret();
  const again = (errors: Errors): Answer => ({
    title: 'Two-step sign-in: error',
    status: 400,
    body: onPage(visit, secret, errors, problem('Two-step sign-in is not on yet')),
  });
  if (person.has_factor) return { location: '/profile' };
  const refused = await refuseWithoutPassword(visit, services, (current) => again({ current }));
  if (refused) return refused;
  const step = stepOf(secret, visit.form.text('code').replaceAll(' ', ''), visit.now);
  if (step === null) return again({ code: 'This is not the code that the app shows. Is your phone’s clock right?' });
  const codes = mintRecoveryCodes();
  const recovery = codes.map((code) => hashRecoveryCode(person.id, code));
  await services.directory.turnFactorOn(person.id, { secret, step, recovery }, visit.now);
  await services.directory.closeOtherSessions(person.id, visit.session);
  const body = html`<h1>Your recovery codes</h1>
    ${notice('Two-step sign-in is on', 'You are signed out everywhere else.')}
    <p>If you lose your phone, each of these codes signs you in once in its place. They are shown only now: print them, or keep them in a password manager.</p>
    ${copyable('codes', 'Recovery codes', codes.join('\n'))}
    ${linkButton('/profile?done=factor-on', 'I have saved them')}`;
  return { title: 'Your recovery codes', body };
}

const offPage = ({ csrf }: SignedIn, error?: string, trouble: Value = null) => html`<h1>Turn off two-step sign-in</h1>
  ${trouble}
  <p>You will sign in with your password alone, and your recovery codes will stop working.</p>
  ${form(csrf, '/profile/two-step/off', html`${currentPassword(error)}${button('Turn it off', 'danger')}`)}
  <p><a href="/profile">Leave it on</a></p>`;

async function turnOff(visit: SignedIn, services: Services): Promise<Answer> {
  const refused = await refuseWithoutPassword(visit, services, (error) => ({
    title: 'Two-step sign-in: error',
    status: 400,
    body: offPage(visit, error, problem('Two-step sign-in is still on')),
  }));
  if (refused) return refused;
  await services.directory.turnFactorOff(visit.visitor.person.id, visit.now, actorOf(visit.visitor.person));
  return { location: '/profile?done=factor-off' };
}

export const factorRoutes = routes('/profile/two-step', ROLES, {
  GET: (visit) =>
    visit.visitor.person.has_factor
      ? { location: '/profile' }
      : { title: 'Two-step sign-in', body: onPage(visit, mintSecret()) },
  POST: turnOn,
  'GET /off': (visit) => ({ title: 'Two-step sign-in', body: offPage(visit) }),
  'POST /off': turnOff,
});
