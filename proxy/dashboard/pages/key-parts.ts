/** Parts that several pages about keys share: the table of keys, and the confirmation before one is revoked. */

import { type Html, html } from '../../../pipeline/lib/pages/html.ts';
import { type Column, renderTable } from '../../../pipeline/lib/pages/table.ts';
import { keyStatus } from '../../store/account-rules.ts';
import type { Key } from '../../store/row-types.ts';
import { badge, button, factList, postForm, timeElement } from '../kit/parts.ts';
import type { Services } from '../kit/services.ts';
import type { SignedIn } from '../kit/visit.ts';

export const API_ACCESS_PATH = '/settings/api-access';
export const replacePath = (id: string) => `${API_ACCESS_PATH}/${id}/replace`;
export const settingsHeading = (text: string) => html`<p class="kicker">Settings</p><h1>${text}</h1>`;

export const formatDays = (count: number) => `${count} ${count === 1 ? 'day' : 'days'}`;
/** The number in `text`, if it is one of `options`. */
export const parseDays = (text: string, options: readonly number[]) => options.find((count) => String(count) === text);

/** Names of the people who created `keys`, by id. */
export function keyCreators(keys: readonly Key[], { directory }: Services) {
  return directory.personNames(keys.flatMap(({ created_by }) => (created_by === null ? [] : [created_by])));
}

const creatorName = (key: Key, creators: ReadonlyMap<string, string>) =>
  key.created_by === null ? html`<span class="soft">service team</span>` : (creators.get(key.created_by) ?? '');

const STATUS_VARIANTS = { active: 'good', expired: 'calm', revoked: 'bad' } as const;
const statusBadge = (key: Key, now: number) => badge(keyStatus(key, now), STATUS_VARIANTS[keyStatus(key, now)]);

/** A table of keys. @param replacePathOf path of the page for replacing a key, if the page offers that */
export function keyTable(
  caption: string,
  keys: readonly Key[],
  creators: ReadonlyMap<string, string>,
  now: number,
  revokePathOf: (id: string) => string,
  replacePathOf?: (id: string) => string,
): Html {
  const columns: Column<Key>[] = [
    {
      title: 'Name',
      cell: ({ name, id, start }) =>
        html`${name}<br><small><code>${id}</code>${start !== null && html`<br><code>${start}…</code>`}</small>`,
    },
    { title: 'Kind', cell: (key) => key.kind },
    {
      title: 'Scopes',
      cell: (key) => html`<span>${key.scopes.map((scope, i) => html`${i > 0 && ', '}<code>${scope}</code>`)}</span>`,
    },
    { title: 'Created by', cell: (key) => creatorName(key, creators) },
    { title: 'Created', cell: (key) => timeElement(key.created_at) },
    { title: 'Last used', cell: (key) => timeElement(key.last_used_at) },
    { title: 'Expires', cell: (key) => timeElement(key.expires_at) },
    { title: 'Status', cell: (key) => statusBadge(key, now) },
    {
      title: 'Change',
      variant: 'controls',
      cell: (key) =>
        keyStatus(key, now) === 'active' &&
        html`${
          replacePathOf && html`<a href="${replacePathOf(key.id)}">Replace<span class="unseen"> ${key.name}</span></a> `
        }<a href="${revokePathOf(key.id)}">Revoke<span class="unseen"> ${key.name}</span></a>`,
    },
  ];
  return renderTable(caption, columns, keys);
}

/** Asks whether to revoke `key`. @param keysPath the form posts below it @param returnPath page to go back to */
export function confirmRevoke(
  key: Key,
  creators: ReadonlyMap<string, string>,
  visit: SignedIn,
  returnPath: string,
  keysPath = returnPath,
): Html {
  return html`<h1>Revoke “${key.name}”?</h1>
    <p>The key stops working everywhere at once. A revoked key cannot be restored.</p>
    ${factList([
      ['Id', html`<code>${key.id}</code>`],
      ['Kind', key.kind],
      ['Scopes', key.scopes.join(', ')],
      ['Created by', creatorName(key, creators)],
      ['Created', timeElement(key.created_at)],
      ['Last used', timeElement(key.last_used_at)],
    ])}
    <div class="actions">${postForm(visit.csrf, `${keysPath}/${key.id}/revoke`, button('Revoke the key', 'danger'))}
    <a href="${returnPath}">Keep it</a></div>`;
}
