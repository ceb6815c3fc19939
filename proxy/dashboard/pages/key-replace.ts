/** Replacing a key with a new one, while the old one keeps working for some days. */

import { type Awaitable, DAY_MS } from '../../../pipeline/lib/clock.ts';
import { UsageError } from '../../../pipeline/lib/errors.ts';
import { html } from '../../../pipeline/lib/pages/html.ts';
import { keyStatus } from '../../store/account-rules.ts';
import { mintToken } from '../../store/people/tokens.ts';
import type { Key } from '../../store/row-types.ts';
import { button, choiceField, postForm } from '../kit/parts.ts';
import type { Services } from '../kit/services.ts';
import { type Answer, routes, type SignedIn } from '../kit/visit.ts';
import { NO_SUCH_KEY, withKeyRights } from './api-access.ts';
import { issueKey } from './key-created.ts';
import { API_ACCESS_PATH, formatDays, parseDays, replacePath, settingsHeading } from './key-parts.ts';

/** How many more days a replaced key may work. */
const GRACE_DAYS = [1, 7, 30];

/** A handler for the key in the path, if it belongs to the visitor's account and is active. */
const withActiveKey = (handler: (key: Key, visit: SignedIn, services: Services) => Awaitable<Answer>) =>
  withKeyRights(async (visit, services) => {
    const keys = await services.accounts.listKeys(visit.visitor.account!.name);
    const match = keys.find(({ key }) => key.id === visit.params.id);
    if (!match) return NO_SUCH_KEY;
    const isActive = keyStatus(match.key, visit.now) === 'active';
    return isActive ? handler(match.key, visit, services) : { location: API_ACCESS_PATH };
  });

function replacePage(key: Key, visit: SignedIn): Answer {
  const graceOptions = GRACE_DAYS.map((count) => ({ value: String(count), label: formatDays(count) }));
  const body = html`${settingsHeading(`Replace “${key.name}”`)}
    <p>You get a new key with the same name, kind and scopes. The old one keeps working for as
    long as you choose, so that no program stops in the meantime.</p>
    ${postForm(
      visit.csrf,
      replacePath(key.id),
      html`<input type="hidden" name="form" value="${mintToken()}">${choiceField({ kind: 'radio', name: 'grace', legend: 'Keep the old key working for', options: graceOptions, chosen: ['7'] })}
      <div class="actions">${button('Replace the key')}<a href="${API_ACCESS_PATH}">Cancel</a></div>`,
    )}`;
  return { title: 'Replace a key', body };
}

async function replaceKey(key: Key, visit: SignedIn, services: Services): Promise<Answer> {
  const graceDays = parseDays(visit.formData.text('grace'), GRACE_DAYS);
  if (graceDays === undefined) throw new UsageError(`Choose one of ${GRACE_DAYS.join(', ')} days.`);
  const { name, kind, scopes, created_at, expires_at } = key;
  // The same lifetime as the old key.
  const expiresAt = expires_at === null ? null : visit.now + expires_at - created_at;
  const until = visit.now + graceDays * DAY_MS;
  return issueKey({ name, kind, scopes: [...scopes], expiresAt }, visit, services, { key, until });
}

export const replaceRoutes = routes(API_ACCESS_PATH, ['administrator', 'researcher'], {
  'GET /:id/replace': withActiveKey(replacePage),
  'POST /:id/replace': withActiveKey(replaceKey),
});
