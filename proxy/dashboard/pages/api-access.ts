/** The page “API access” in the settings: the keys of an organisation or a researcher. */

import { ALL_OPERATIONS } from '../../../pipeline/contract/operations.ts';
import { SCOPES, type Scope } from '../../../pipeline/contract/scopes.ts';
import { DAY_MS } from '../../../pipeline/lib/clock.ts';
import { UsageError } from '../../../pipeline/lib/errors.ts';
import { type Html, type HtmlValue, html } from '../../../pipeline/lib/pages/html.ts';
import { checkName, keyStatus, parseScopes } from '../../store/account-rules.ts';
import { KEY_KINDS, type KeyKind } from '../../store/key-format.ts';
import { auditActor, whyNoKeys } from '../../store/people/person-rules.ts';
import { mintToken } from '../../store/people/tokens.ts';
import type { Key } from '../../store/row-types.ts';
import {
  button,
  choiceField,
  doneNotice,
  inputField,
  linkButton,
  notice,
  postForm,
  problemNotice,
} from '../kit/parts.ts';
import type { Services } from '../kit/services.ts';
import { type Answer, type PageHandler, resultOrUsageError, routes, type SignedIn } from '../kit/visit.ts';
import { issueKey } from './key-created.ts';
import {
  API_ACCESS_PATH,
  confirmRevoke,
  formatDays,
  keyCreators,
  keyTable,
  parseDays,
  replacePath,
  settingsHeading,
} from './key-parts.ts';

const revokePath = (id: string) => `${API_ACCESS_PATH}/${id}/revoke`;
/** Lifetimes in days offered for a new key, and the one that is chosen beforehand. */
const LIFETIME_DAYS = [30, 90, 365];
const DEFAULT_LIFETIME_DAYS = '90';
/** How many expired and revoked keys are shown. */
const MAX_INACTIVE_SHOWN = 100;

const SCOPE_NAMES = Object.keys(SCOPES) as Scope[];

const DONE_MESSAGES: Record<string, string> = {
  revoked: 'The key has been revoked and no longer works',
  made:
    'This form had already been sent, and its key is in the list. ' +
    'A key is shown only once; revoke it if you did not save it',
};

const KIND_TEXTS: Record<KeyKind, { label: string; hint: string }> = {
  live: { label: 'Live', hint: 'For production use. Requests count towards the monthly allowance.' },
  test: {
    label: 'Test',
    hint: 'For development and testing. Same data, but requests do not count towards the allowance.',
  },
};

/** Escaped, since an address may contain `?` or `%`. */
const mailtoUrl = (email: string) => `mailto:${email.split('@').map(encodeURIComponent).join('@')}`;

/** A handler for those who may create and revoke keys; others get a page that explains why not and what to do. */
export const withKeyRights =
  (handler: PageHandler): PageHandler =>
  async (visit, services) => {
    const refusal = await refusalNotice(visit, services);
    if (!refusal) return handler(visit, services);
    return { title: 'API access', status: 403, body: html`${settingsHeading('API access')}${refusal}` };
  };

/** Null if the visitor may create and revoke keys; else why not and what to do. */
async function refusalNotice({ visitor }: SignedIn, { directory }: Services): Promise<Html | null> {
  const { person, account } = visitor;
  const reason = whyNoKeys(person, account);
  if (reason === null) return null;
  if (reason === 'member') {
    const administrators = (await directory.listPeople(person.account_id)).filter(
      ({ role }) => role === 'administrator',
    );
    return html`${notice(
      'Keys are created by administrators',
      'You are a member of this organisation. Only its administrators can see, create and revoke keys: ' +
        'ask one of them for a key.',
      'calm',
    )}
    <section><h2>Administrators of ${account!.name}</h2>
    <ul>${administrators.map(({ name, email }) => html`<li>${name}, <a href="${mailtoUrl(email)}">${email}</a></li>`)}</ul></section>`;
  }
  if (reason === 'locked') {
    return notice(
      'API access is locked',
      'The service team will unlock it after reviewing your account. Until then you cannot create keys. ' +
        'If this takes too long, contact the team.',
      'calm',
    );
  }
  return problemNotice('This account cannot have keys', 'Please contact the service team.');
}

async function listPage(visit: SignedIn, services: Services): Promise<Answer> {
  const refusal = await refusalNotice(visit, services);
  if (refusal) return { title: 'API access', body: html`${settingsHeading('API access')}${refusal}` };
  const { account } = visit.visitor;
  // So that the last use agrees with the page about usage.
  await services.flushUsage();
  const keys = (await services.accounts.listKeys(account!.name)).map(({ key }) => key).reverse();
  const creators = await keyCreators(keys, services);
  const isActive = (key: Key) => keyStatus(key, visit.now) === 'active';
  const [active, inactive] = [keys.filter(isActive), keys.filter((key) => !isActive(key))];
  const intro =
    account!.kind === 'organisation'
      ? `Keys belong to ${account!.name}: any of its administrators can see and revoke them.`
      : 'Keys let your programs read the data.';
  const body = html`${settingsHeading('API access')}
    ${doneNotice(visit.query, DONE_MESSAGES)}
    <p>${intro} A key is shown only once, when it is created.</p>
    <p>${linkButton(`${API_ACCESS_PATH}/new`, 'Create a key')}</p>
    ${
      active.length > 0
        ? keyTable('Active keys', active, creators, visit.now, revokePath, replacePath)
        : html`<section class="empty"><p>${inactive.length > 0 ? 'No active keys' : 'No keys yet'}.</p></section>`
    }
    ${inactive.length > 0 && html`<h2>Expired and revoked</h2>${keyTable('Expired and revoked keys', inactive.slice(0, MAX_INACTIVE_SHOWN), creators, visit.now, revokePath)}`}
    ${inactive.length > MAX_INACTIVE_SHOWN && html`<p class="soft">The newest ${MAX_INACTIVE_SHOWN} of ${inactive.length}.</p>`}`;
  return { title: 'API access', body };
}

type Errors = Partial<Record<'name' | 'kind' | 'scopes' | 'lasts', string | false>>;

function newKeyPage(
  { csrf, formData }: SignedIn,
  { inCountryWords }: Services,
  errors: Errors = {},
  banner: HtmlValue = null,
): Html {
  const scopes = SCOPE_NAMES.map((scope) => {
    const readable = ALL_OPERATIONS.filter(({ scopes, response }) => response && scopes.includes(scope));
    return {
      value: scope,
      label: html`${inCountryWords(SCOPES[scope])} <code>${scope}</code>`,
      hint: html`<ul>${readable.map(({ path, summary }) => html`<li><code>${path}</code> ${inCountryWords(summary)}</li>`)}<li><code>/v1/tables/…</code> The same data as complete tables</li></ul>`,
    };
  });
  const kinds = KEY_KINDS.map((kind) => ({ value: kind, ...KIND_TEXTS[kind] }));
  // A form that was sent has its answers; a new one asks for the name alone.
  const isNew = formData.names().length === 0;
  return html`${settingsHeading('Create a key')}
    ${banner}
    ${postForm(
      csrf,
      API_ACCESS_PATH,
      html`<input type="hidden" name="form" value="${mintToken()}">${inputField({
        label: 'Name',
        name: 'name',
        value: formData.text('name'),
        hint: 'What the key is for, for example the program that uses it.',
        error: errors.name,
        autocomplete: 'off',
      })}
      ${choiceField({ kind: 'radio', name: 'kind', legend: 'Kind', options: kinds, chosen: [isNew ? 'live' : formData.text('kind')], error: errors.kind })}
      ${choiceField({
        kind: 'radio',
        name: 'lasts',
        legend: 'How long it works',
        options: [
          ...LIFETIME_DAYS.map((count) => ({ value: String(count), label: formatDays(count) })),
          { value: 'unlimited', label: 'Until it is revoked' },
        ],
        chosen: [isNew ? DEFAULT_LIFETIME_DAYS : formData.text('lasts')],
        error: errors.lasts,
      })}
      <details${!isNew && html` open`}><summary>Data that the key may read: all, unless you choose</summary>
      ${choiceField({
        kind: 'checkbox',
        name: 'scopes',
        legend: 'Scopes',
        options: scopes,
        chosen: isNew ? SCOPE_NAMES : formData.values('scopes'),
        error: errors.scopes,
      })}</details>
      <div class="actions">${button('Create the key')}<a href="${API_ACCESS_PATH}">Cancel</a></div>`,
    )}`;
}

async function createKey(visit: SignedIn, services: Services): Promise<Answer> {
  const { formData, now } = visit;
  const name = await resultOrUsageError(() => checkName('name', formData.text('name')));
  const kind = KEY_KINDS.find((value) => value === formData.text('kind'));
  const scopes = await resultOrUsageError(() => parseScopes(formData.values('scopes').join(',')));
  const lifetimeText = formData.text('lasts');
  const lifetimeDays = parseDays(lifetimeText, LIFETIME_DAYS);
  const hasLifetime = lifetimeDays !== undefined || lifetimeText === 'unlimited';
  if (name instanceof UsageError || !kind || scopes instanceof UsageError || !hasLifetime) {
    const errors: Errors = {
      name: name instanceof UsageError && 'Enter a name of at most 100 characters.',
      kind: !kind && 'Choose a kind.',
      scopes: scopes instanceof UsageError && 'Choose at least one.',
      lasts: !hasLifetime && 'Choose one.',
    };
    const body = newKeyPage(
      visit,
      services,
      errors,
      problemNotice('The key has not been created', 'Please check the fields marked below.'),
    );
    return { title: 'Create a key: error', status: 400, body };
  }
  const expiresAt = lifetimeDays === undefined ? null : now + lifetimeDays * DAY_MS;
  return issueKey({ name, kind, scopes, expiresAt }, visit, services);
}

export const NO_SUCH_KEY: Answer = {
  title: 'No such key',
  status: 404,
  body: html`${settingsHeading('No such key')}<p>There is no such key. <a href="${API_ACCESS_PATH}">Back to your keys</a></p>`,
};

async function revokePage(visit: SignedIn, services: Services): Promise<Answer> {
  const keys = await services.accounts.listKeys(visit.visitor.account!.name);
  const match = keys.find(({ key }) => key.id === visit.params.id);
  if (!match) return NO_SUCH_KEY;
  const { key } = match;
  if (key.revoked_at !== null) return { location: API_ACCESS_PATH };
  return {
    title: 'Revoke a key',
    body: confirmRevoke(key, await keyCreators([key], services), visit, API_ACCESS_PATH),
  };
}

async function revokeKey({ visitor, params, now }: SignedIn, { accounts }: Services): Promise<Answer> {
  const revoked = await resultOrUsageError(() =>
    accounts.revokeKey(params.id!, now, auditActor(visitor.person), visitor.account!.id),
  );
  return revoked instanceof UsageError ? NO_SUCH_KEY : { location: `${API_ACCESS_PATH}?done=revoked` };
}

export const keyRoutes = [
  ...routes(API_ACCESS_PATH, ['administrator', 'member', 'researcher'], {
    GET: listPage,
    POST: withKeyRights(createKey),
  }),
  ...routes(API_ACCESS_PATH, ['administrator', 'researcher'], {
    'GET /new': async (visit, services) => {
      const refusal = await refusalNotice(visit, services);
      const body = refusal ? html`${settingsHeading('Create a key')}${refusal}` : newKeyPage(visit, services);
      return { title: 'Create a key', body, status: refusal ? 403 : 200 };
    },
    'GET /:id/revoke': revokePage,
    'POST /:id/revoke': revokeKey,
  }),
];
