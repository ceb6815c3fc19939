/** Two organisations, a researcher and the service team, with one of everything that a form can name. */

import type { Route } from '../../../proxy/dashboard/kit/visit.ts';
import { COMMAND_LINE } from '../../../proxy/store/audit.ts';
import { hashToken, mintToken } from '../../../proxy/store/people/tokens.ts';
import type { Role } from '../../../proxy/store/row-types.ts';
import { rowsIn } from './backends.ts';
import type { Dashboard } from './dashboard.ts';
import { giveKey } from './service.ts';

export interface Owned {
  account: string;
  key: string;
  secret: string;
  person: string;
  invitation: string;
  /** The token of the invitation's link. */
  token: string;
  emails: string[];
}

export const EMAIL_OF: Record<Role, string> = {
  service: 'team@example.org',
  administrator: 'ada@alpha.example',
  member: 'mia@alpha.example',
  researcher: 'rui@example.org',
};

/** `alpha` and `beta`: an administrator, a member, an invitation and a key each. */
export async function makeWorld(dashboard: Dashboard): Promise<{ alpha: Owned; beta: Owned }> {
  await dashboard.person('team@example.org', 'service', null);
  await dashboard.person('second@example.org', 'service', null);
  await dashboard.person('rui@example.org', 'researcher', 'Rui');
  await dashboard.store.changeAccount('Rui', 'unlock', Date.now());
  const make = async (name: string): Promise<Owned> => {
    const [admin, member] = [`ada@${name}.example`, `mia@${name}.example`];
    await dashboard.person(admin, 'administrator', name);
    const { id: person } = await dashboard.person(member, 'member', name);
    const { id: account } = await dashboard.account(name);
    const { id: key, key: secret } = await giveKey(dashboard.store, { owner: name });
    const token = mintToken();
    const email = `new@${name}.example`;
    const request = { email, role: 'member', accountId: account, hash: hashToken(token) } as const;
    const { id: invitation } = await dashboard.directory.links.invite(request, Date.now(), COMMAND_LINE);
    return { account, key, secret, person, invitation, token, emails: [admin, member, email] };
  };
  return { alpha: await make('alpha'), beta: await make('beta') };
}

/** The path of `route` with the ids of `owned`. */
export function pathOf(route: Route, owned: Owned): string {
  const isTeamAccount = route.path.startsWith('/team/accounts/');
  return route.path
    .replace(':key', owned.key)
    .replace(':invitation', owned.invitation)
    .replace('/invitations/:id', `/invitations/${owned.invitation}`)
    .replace(':id', isTeamAccount ? owned.account : route.path.includes('/people/') ? owned.person : owned.key)
    .replace(':token', owned.token)
    .replace(':operation', 'risk-lgas');
}

/** Fields that satisfy every form of the dashboard. */
export const FIELDS = {
  name: 'alpha',
  kind: 'live',
  scopes: 'risk_scores',
  email: 'another@alpha.example',
  role: 'administrator',
  grace: '7',
  per_minute: '1',
  per_month: '1',
  password: 'eleven kites above jos',
  again: 'eleven kites above jos',
  current: 'seven herons over lokoja',
  code: '000000',
};

/** Everything in the store except the times of sessions and the known browsers. */
export async function contents({ storeUrl }: Dashboard): Promise<string> {
  const all = [];
  for (const table of ['accounts', 'keys', 'people', 'recovery_codes', 'links', 'audit']) {
    all.push(await rowsIn(storeUrl, `SELECT * FROM ${table} ORDER BY 1, 2`));
  }
  all.push(await rowsIn(storeUrl, 'SELECT hash, person_id, factor_due FROM sessions ORDER BY 1'));
  return JSON.stringify(all, (_, value) => (value instanceof Uint8Array ? Buffer.from(value).toString('hex') : value));
}
