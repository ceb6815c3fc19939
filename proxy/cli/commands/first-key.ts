import { SCOPES, type Scope } from '../../../pipeline/contract/scopes.ts';
import type { AccountStore } from '../../store/account-store.ts';

const OWNER = 'first';
const NAME = 'npm start';

/**
 * Creates a test key with every scope, owned by the organisation 'first', for trying the service out. Keys from earlier
 * starts are revoked, so that only the one printed last works.
 * @throws UsageError if that organisation was suspended or removed.
 */
export async function createFirstKey(store: AccountStore, brand: string, now: number): Promise<string> {
  if (!(await store.findAccount(OWNER))) await store.createAccount('organisation', OWNER, now);
  const earlier = (await store.listKeys(OWNER)).filter(({ key }) => key.name === NAME && key.revoked_at === null);
  const scopes = Object.keys(SCOPES) as Scope[];
  const newKey = { brand, ownerName: OWNER, name: NAME, kind: 'test', scopes, expiresAt: null } as const;
  const { secret } = await store.createKey(newKey, now);
  for (const { key } of earlier) await store.revokeKey(key.id, now);
  return secret;
}
