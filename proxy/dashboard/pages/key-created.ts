/** Creating a key, and the only page that ever shows it. */

import { codeSamples } from '../../../pipeline/contract/samples.ts';
import { HOUR_MS } from '../../../pipeline/lib/clock.ts';
import { UsageError } from '../../../pipeline/lib/errors.ts';
import { type Html, html } from '../../../pipeline/lib/pages/html.ts';
import { exampleAddress } from '../../snapshot/snapshot.ts';
import { keyStatus } from '../../store/account-rules.ts';
import type { NewKey } from '../../store/account-store.ts';
import { curlCommand } from '../../store/key-format.ts';
import { auditActor, SESSION_MS } from '../../store/people/person-rules.ts';
import type { Key } from '../../store/row-types.ts';
import { copyBlock, factList, linkButton, notice, sampleBlocks, timeElement } from '../kit/parts.ts';
import type { Services } from '../kit/services.ts';
import type { Answer, SignedIn } from '../kit/visit.ts';
import { API_ACCESS_PATH, settingsHeading } from './key-parts.ts';
import { FIRST_MAP_PATH } from './reference.ts';

/**
 * Each key has its own requests per minute, so unlimited keys would mean unlimited requests. The command line has no
 * such bounds.
 */
const MAX_ACTIVE_KEYS = 100;
const MAX_KEYS_PER_HOUR = 100;

/** Creates the key, once for each form, and shows it. The key in `replaced` works until `until` at the latest. */
export async function issueKey(
  newKey: Pick<NewKey, 'name' | 'kind' | 'scopes' | 'expiresAt'>,
  visit: SignedIn,
  services: Services,
  replaced?: { key: Key; until: number },
): Promise<Answer> {
  const { formData, now, visitor } = visit;
  // Reloading a page resends its form, which must not make a second key.
  const oncePerForm = { name: `form ${visit.csrf} ${formData.text('form')}`, limit: 1, windowMs: SESSION_MS };
  if ((await services.attempts.charge([oncePerForm], now)) !== null)
    return { location: `${API_ACCESS_PATH}?done=made` };
  try {
    const refusalReason = await reasonForNoMoreKeys(visit, services);
    if (refusalReason !== null) throw new UsageError(refusalReason);
    const [{ id, name: owner }, actor] = [visitor.account!, auditActor(visitor.person)];
    const { key, secret } = await services.accounts.createKey(
      { ...newKey, ownerName: owner, brand: services.keyPrefix },
      now,
      actor,
    );
    const replacedKey =
      replaced && (await services.accounts.expireKey(replaced.key.id, replaced.until, now, actor, id));
    return { title: 'Your new key', body: keyPage(key, secret, services, replacedKey) };
  } catch (error) {
    await services.attempts.giveBack([oncePerForm]);
    throw error;
  }
}

/** The reason why the account cannot have another key now; null if it can. */
async function reasonForNoMoreKeys(
  { visitor, now }: SignedIn,
  { accounts, attempts }: Services,
): Promise<string | null> {
  const { id, name } = visitor.account!;
  const activeKeys = (await accounts.listKeys(name)).filter(({ key }) => keyStatus(key, now) === 'active');
  if (activeKeys.length >= MAX_ACTIVE_KEYS)
    return `You have ${MAX_ACTIVE_KEYS} active keys. Revoke one that you no longer need.`;
  const hourlyAllowance = { name: `keys of ${id}`, limit: MAX_KEYS_PER_HOUR, windowMs: HOUR_MS };
  return (await attempts.charge([hourlyAllowance], now)) === null
    ? null
    : 'You have created too many keys. Try again in an hour.';
}

/** The only page that ever shows a key. */
function keyPage(key: Key, secret: string, { apiUrl, snapshot }: Services, replacedKey?: Key): Html {
  const path = {
    risk_scores: exampleAddress(snapshot(), 'risk_scores'),
    forecasts: exampleAddress(snapshot(), 'forecasts'),
    lga_boundaries: '/v1/boundaries/states',
  }[key.scopes[0]!];
  return html`${settingsHeading('Your new key')}
    ${notice('Copy the key now', 'It will not be shown again. Anyone who has it can read the data in your name: treat it like a password.')}
    ${replacedKey && html`<p>The key that it replaces works until ${timeElement(replacedKey.expires_at)}: switch every program to the new one by then.</p>`}
    <section>
    ${copyBlock('key', key.name, secret)}
    ${copyBlock('curl', 'Try it in a terminal', curlCommand(secret, apiUrl(), path))}
    ${copyBlock('export', 'For programs, keep it in the environment', `export MALARIA_API_KEY='${secret}'`)}
    ${copyBlock('export-powershell', 'The same in PowerShell', `$env:MALARIA_API_KEY = '${secret}'`)}
    ${sampleBlocks(codeSamples(`${apiUrl()}${path}`, null))}
    <p>Next: <a href="${FIRST_MAP_PATH}">Your first map</a>, or everything that you can request in the
    <a href="/reference">Reference</a>.</p>
    ${factList([
      ['Kind', key.kind],
      ['Scopes', key.scopes.join(', ')],
      ['Expires', timeElement(key.expires_at)],
    ])}
    </section>
    <p data-shown-once>${linkButton(API_ACCESS_PATH, 'I have saved the key')}</p>`;
}
