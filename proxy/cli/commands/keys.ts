import { text } from 'node:stream/consumers';
import { setTimeout as pause } from 'node:timers/promises';
import { type Command, Option } from 'commander';
import { systemClock } from '../../../pipeline/lib/clock.ts';
import { UsageError } from '../../../pipeline/lib/errors.ts';
import { type AccountStatus, accountStatus, keyStatus, parseExpiry, parseScopes } from '../../store/account-rules.ts';
import type { AccountStore, NewKey } from '../../store/account-store.ts';
import { checkBrand, curlCommand, hasValidTag, KEY_KINDS, type KeyKind, looksLikeKey } from '../../store/key-format.ts';
import type { Account, Key } from '../../store/row-types.ts';
import { PROPAGATION_MS } from '../../store/tag-secrets.ts';
import { type ApiAddress, addApiAddress, apiAddress } from './addresses.ts';
import { print, printJson, printTable, type StoreOptions, storeCommand, toIso } from './shared.ts';

interface NewKeyOptions extends StoreOptions, ApiAddress {
  expires?: string;
  brand: string;
}

interface CreateOptions extends NewKeyOptions {
  owner: string;
  name: string;
  kind: KeyKind;
  scopes: string;
}

export function addCommands(program: Command): void {
  const keys = program.command('keys').description('create, rotate, list and revoke API keys');
  addCreateCommand(keys);
  addRotateCommand(keys);
  storeCommand(
    keys,
    'list',
    'list the ids, names and status of keys; the keys themselves cannot be shown again',
    async (store, { owner, json }: StoreOptions & { owner?: string }) => showKeys(await store.listKeys(owner), json),
  ).option('--owner <name>', 'only the keys of this account');
  storeCommand(
    keys,
    'find',
    'show whose key is on standard input, for example after a leak',
    findKey,
  ).showHelpAfterError('Others can read a key on a command line: `malaria-proxy keys find < FILE` does not show it.');
  storeCommand(keys, 'revoke <id>', 'revoke a key for good; it is refused from the next request on', revokeKey);
  storeCommand(
    keys,
    'new-tag-secret',
    'change the secret with which forged keys are recognised',
    replaceTagSecret,
  ).requiredOption(
    '--until <iso>',
    'date or time until which the keys made so far work; their holders need new ones by then',
  );
}

function addCreateCommand(keys: Command): void {
  const description = 'create a key and show it once';
  const command = storeCommand(keys, 'create', description, async (store, options: CreateOptions) => {
    const now = systemClock.wallMs();
    const { brand, owner, name, kind } = options;
    const [scopes, expiresAt] = [parseScopes(options.scopes), expiryTime(options, now)];
    await createKey(store, { brand, ownerName: owner, name, kind, scopes, expiresAt }, options, now);
  })
    .requiredOption('--owner <name>', 'account that the key belongs to')
    .requiredOption('--name <name>', 'what the key is for')
    .addOption(
      new Option('--kind <kind>', 'only requests with live keys count towards the monthly allowance')
        .choices(KEY_KINDS)
        .makeOptionMandatory(),
    )
    .requiredOption('--scopes <a,b>', 'one or more of risk_scores, forecasts, lga_boundaries');
  addNewKeyOptions(command);
}

function addRotateCommand(keys: Command): void {
  const description = 'create a replacement for a key; the old one works until it is revoked';
  const command = storeCommand(keys, 'rotate <id>', description, async (store, options: NewKeyOptions, id) => {
    const now = systemClock.wallMs();
    const expiresAt = expiryTime(options, now);
    const oldKey = (await store.listKeys()).find(({ key }) => key.id === id);
    if (!oldKey) throw new UsageError(`no key with id ${JSON.stringify(id)}; \`keys list\` shows the ids`);
    const { name, kind, scopes } = oldKey.key;
    const newKey = { brand: options.brand, ownerName: oldKey.owner.name, name, kind, scopes, expiresAt };
    await createKey(store, newKey, options, now);
    if (!options.json) print(`\nOnce no client uses the old key:\n\n  malaria-proxy keys revoke ${id}`);
  });
  addNewKeyOptions(command);
}

function addNewKeyOptions(command: Command): void {
  command.option('--expires <iso>', 'date or time at which the new key stops working; by default it never expires');
  command.addOption(brandOption());
  addApiAddress(command);
}

const expiryTime = ({ expires }: { expires?: string }, now: number) =>
  expires === undefined ? null : parseExpiry(expires, now);

async function findKey(store: AccountStore, { json }: StoreOptions): Promise<void> {
  if (process.stdin.isTTY) console.error('Paste the key, then press Enter and Ctrl-D:');
  const keyText = (await text(process.stdin)).trim();
  if (!looksLikeKey(keyText)) throw new UsageError('this has not the form of a key');
  const match = await store.findKey(keyText);
  if (match) return showKeys([match], json);
  const isTaggedHere = hasValidTag(keyText, await store.tagSecrets(systemClock.wallMs()));
  throw new UsageError(
    `this service has no such key: ${isTaggedHere ? 'its tag is right, so it may be older than a restored backup' : 'it is mistyped, forged, or of another service'}`,
  );
}

async function revokeKey(store: AccountStore, { json }: StoreOptions, id: string): Promise<void> {
  const now = systemClock.wallMs();
  const key = await store.revokeKey(id, now);
  const revoked_at = toIso(key.revoked_at);
  if (json) return printJson({ id: key.id, status: keyStatus(key, now), revoked_at });
  print(`key ${key.id} (${key.name}) was revoked at ${revoked_at}`);
}

async function replaceTagSecret(store: AccountStore, { until, json }: StoreOptions & { until: string }): Promise<void> {
  const now = systemClock.wallMs();
  const end = parseExpiry(until, now);
  await store.changeTagSecret(end, now);
  await pause(PROPAGATION_MS);
  const keys_end = toIso(end);
  if (json) return printJson({ keys_end });
  print(`new keys get tags of the new secret from now on; all keys made before are refused from ${keys_end} on`);
}

async function createKey(store: AccountStore, newKey: NewKey, options: NewKeyOptions, now: number): Promise<void> {
  const { key, secret } = await store.createKey(newKey, now);
  const { ownerName } = newKey;
  if (options.json) return printJson({ id: key.id, key: secret, ...toOutput(key, ownerName, now) });
  print(`${key.kind} key ${key.id} for '${ownerName}', scopes ${key.scopes.join(', ')}. It is shown only once:\n`);
  print(`  ${secret}\n`);
  print(`Try it while \`malaria-proxy serve\` runs:\n`);
  print(`  ${curlCommand(secret, apiAddress(options), '/v1/periods')}`);
}

export function brandOption(): Option {
  const option = new Option('--brand <word>', 'prefix of new keys').env('MALARIA_BRAND').default('malaria');
  return option.argParser(checkBrand);
}

function showKeys(keys: readonly { key: Key; owner: Account }[], json = false) {
  const now = systemClock.wallMs();
  const outputs = keys.map(({ key, owner }) => ({
    id: key.id,
    ...toOutput(key, owner.name, now),
    owner_status: accountStatus(owner),
  }));
  if (json) return printJson(outputs);
  printTable(
    ['ID', 'KEY', 'OWNER', 'NAME', 'STATUS', 'EXPIRES', 'LAST USED', 'SCOPES'],
    outputs.map((key) => [
      key.id,
      `${key.start}…`,
      key.owner,
      key.name,
      statusText(key.status, key.owner_status),
      key.expires_at ?? 'never',
      key.last_used_at ?? 'never',
      key.scopes.join(','),
    ]),
  );
}

function toOutput(key: Key, owner: string, now: number) {
  const { start, name, kind, scopes } = key;
  return {
    start,
    owner,
    name,
    kind,
    scopes,
    status: keyStatus(key, now),
    created_at: toIso(key.created_at),
    expires_at: toIso(key.expires_at),
    revoked_at: toIso(key.revoked_at),
    last_used_at: toIso(key.last_used_at),
  };
}

const statusText = (status: string, ownerStatus: AccountStatus) =>
  status === 'active' && ownerStatus !== 'active' ? `owner ${ownerStatus}` : status;
