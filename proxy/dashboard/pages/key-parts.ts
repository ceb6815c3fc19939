/** Parts that several pages about keys share: the table of keys, and the confirmation before one is revoked. */

import { type Html, html } from '../../../pipeline/lib/pages/html.ts';
import { type Column, renderTable } from '../../../pipeline/lib/pages/table.ts';
import { keyStatus } from '../../store/account-rules.ts';
import type { Key } from '../../store/row-types.ts';
import { button, facts, form, mark, moment } from '../kit/parts.ts';
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

const creator = (key: Key, creators: ReadonlyMap<string, string>) =>
  key.created_by === null ? html`<span class="soft">service team</span>` : (creators.get(key.created_by) ?? '');

const VARIANTS = { active: 'good', expired: 'calm', revoked: 'bad' } as const;
const stateMark = (key: Key, now: number) => mark(keyStatus(key, now), VARIANTS[keyStatus(key, now)]);

/** A table of keys; `revokeAt` and `replaceAt` return the paths of the pages for revoking and replacing a key. */
export function keyTable(
  caption: string,
  keys: readonly Key[],
  creators: ReadonlyMap<string, string>,
  now: number,
  revokeAt: (id: string) => string,
  replacePath?: (id: string) => string,
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
    { title: 'Created by', cell: (key) => creator(key, creators) },
    { title: 'Created', cell: (key) => moment(key.created_at) },
    { title: 'Last used', cell: (key) => moment(key.last_used_at) },
    { title: 'Expires', cell: (key) => moment(key.expires_at) },
    { title: 'Status', cell: (key) => stateMark(key, now) },
    {
      title: 'Change',
      variant: 'controls',
      cell: (key) =>
        keyStatus(key, now) === 'active' &&
        html`${
          replacePath && html`<a href="${replacePath(key.id)}">Replace<span class="unseen"> ${key.name}</span></a> `
        }<a href="${revokeAt(key.id)}">Revoke<span class="unseen"> ${key.name}</span></a>`,
    },
  ];
  return renderTable(caption, columns, keys);
}

/** Asks whether to revoke `key`, with a form that posts below `at`; the link to `back` keeps the key. */
export function confirmRevoke(
  key: Key,
  creators: ReadonlyMap<string, string>,
  visit: SignedIn,
  back: string,
  base = back,
): Html {
  return html`<h1>Revoke “${key.name}”?</h1>
    <p>The key stops working everywhere at once. A revoked key cannot be restored.</p>
    ${facts([
      ['Id', html`<code>${key.id}</code>`],
      ['Kind', key.kind],
      ['Scopes', key.scopes.join(', ')],
      ['Created by', creator(key, creators)],
      ['Created', moment(key.created_at)],
      ['Last used', moment(key.last_used_at)],
    ])}
    <div class="actions">${form(visit.csrf, `${base}/${key.id}/revoke`, button('Revoke the key', 'danger'))}
    <a href="${back}">Keep it</a></div>`;
}
