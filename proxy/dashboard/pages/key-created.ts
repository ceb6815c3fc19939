/** Creating a key, and the only page that ever shows it. */

import { HOUR_MS } from '../../../pipeline/lib/clock.ts';
import { UsageError } from '../../../pipeline/lib/errors.ts';
import { type Html, html } from '../../../pipeline/lib/pages/html.ts';
import { exampleState } from '../../snapshot/snapshot.ts';
import { keyStatus } from '../../store/account-rules.ts';
import type { NewKey } from '../../store/account-store.ts';
import { curlCommand } from '../../store/key-format.ts';
import { auditActor, SESSION_MS } from '../../store/people/person-rules.ts';
import type { Key } from '../../store/row-types.ts';
import { copyable, facts, linkButton, moment, notice } from '../kit/parts.ts';
import type { Services } from '../kit/services.ts';
import type { Answer, SignedIn } from '../kit/visit.ts';
import { API_ACCESS_PATH, settingsHeading } from './key-parts.ts';
import { FIRST_MAP } from './reference.ts';
import { codeSamples, sampleBlocks } from './samples.ts';

/**
 * Each key has its own requests per minute, so unlimited keys would mean unlimited requests. The command line has no
 * such bounds.
 */
const MOST_WORKING = 100;
const MOST_AN_HOUR = 100;

/** Creates the key, once for each form, and shows it. The key in `replaced` works until `until` at the latest. */
export async function issueKey(
  newKey: Pick<NewKey, 'name' | 'kind' | 'scopes' | 'expiresAt'>,
  visit: SignedIn,
  services: Services,
  replaced?: { key: Key; until: number },
): Promise<Answer> {
  const { form: sent, now, visitor } = visit;
  // Reloading a page resends its form, which must not make a second key.
  const once = { name: `form ${visit.csrf} ${sent.text('form')}`, limit: 1, windowMs: SESSION_MS };
  if ((await services.attempts.charge([once], now)) !== null) return { location: `${API_ACCESS_PATH}?done=made` };
  try {
    const tooMany = await whyNoMoreKeys(visit, services);
    if (tooMany !== null) throw new UsageError(tooMany);
    const [{ id, name: owner }, by] = [visitor.account!, auditActor(visitor.person)];
    const { key, secret } = await services.accounts.createKey(
      { ...newKey, ownerName: owner, brand: services.brand },
      now,
      by,
    );
    const old = replaced && (await services.accounts.expireKey(replaced.key.id, replaced.until, now, by, id));
    return { title: 'Your new key', body: keyPage(key, secret, services, old) };
  } catch (error) {
    await services.attempts.giveBack([once]);
    throw error;
  }
}

/** The reason why the account cannot have another key now; null if it can. */
async function whyNoMoreKeys({ visitor, now }: SignedIn, { accounts, attempts }: Services): Promise<string | null> {
  const { id, name } = visitor.account!;
  const working = (await accounts.listKeys(name)).filter(({ key }) => keyStatus(key, now) === 'active');
  if (working.length >= MOST_WORKING)
    return `You have ${MOST_WORKING} active keys. Revoke one that you no longer need.`;
  const hourly = { name: `keys of ${id}`, limit: MOST_AN_HOUR, windowMs: HOUR_MS };
  return (await attempts.charge([hourly], now)) === null
    ? null
    : 'You have created too many keys. Try again in an hour.';
}

/** The only page that ever shows a key. */
function keyPage(key: Key, secret: string, { apiUrl, snapshot }: Services, old?: Key): Html {
  const state = exampleState(snapshot());
  const path = {
    risk_scores: `/v1/risk/lgas?state=${state}`,
    forecasts: `/v1/forecasts/lgas?state=${state}`,
    lga_boundaries: '/v1/boundaries/states',
  }[key.scopes[0]!];
  return html`${settingsHeading('Your new key')}
    ${notice('Copy the key now', 'It will not be shown again. Anyone who has it can read the data in your name: treat it like a password.')}
    ${old && html`<p>The key that it replaces works until ${moment(old.expires_at)}: switch every program to the new one by then.</p>`}
    <section>
    ${copyable('key', key.name, secret)}
    ${copyable('curl', 'Try it in a terminal', curlCommand(secret, apiUrl(), path))}
    ${copyable('export', 'For programs, keep it in the environment', `export MALARIA_API_KEY='${secret}'`)}
    ${copyable('export-powershell', 'The same in PowerShell', `$env:MALARIA_API_KEY = '${secret}'`)}
    ${sampleBlocks(codeSamples(`${apiUrl()}${path}`, null))}
    <p>Next: <a href="${FIRST_MAP}">Your first map</a>, or everything that you can request in the
    <a href="/reference">Reference</a>.</p>
    ${facts([
      ['Kind', key.kind],
      ['Scopes', key.scopes.join(', ')],
      ['Expires', moment(key.expires_at)],
    ])}
    </section>
    <p data-shown-once>${linkButton(API_ACCESS_PATH, 'I have saved the key')}</p>`;
}
