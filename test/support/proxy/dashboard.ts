/** A running service with a dashboard, people for it, and a simple HTTP browser without JavaScript. */
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { onTestFinished, test } from 'vitest';
import type { Clock } from '../../../pipeline/lib/clock.ts';
import type { ServerOptions } from '../../../proxy/server/server.ts';
import { COMMAND_LINE } from '../../../proxy/store/audit.ts';
import { Directory } from '../../../proxy/store/people/directory.ts';
import { hashPassword } from '../../../proxy/store/people/passwords.ts';
import { hashToken, mintToken } from '../../../proxy/store/people/tokens.ts';
import { mintSecret } from '../../../proxy/store/people/totp.ts';
import type { Account, AccountKind, Person, Role } from '../../../proxy/store/row-types.ts';
import { codeAt, STEP_MS } from './authenticator.ts';
import { BACKENDS } from './backends.ts';
import type { FixtureOptions } from './fixture.ts';
import { type AtEnd, type Service, serveBuild, startService } from './service.ts';

export const PASSWORD = 'seven herons over lokoja';
let passwordHash: Promise<string> | undefined;

export interface Dashboard extends Service {
  dashboardUrl: string;
  directory: Directory;
  /** Mails written so far, oldest first. */
  mails(): string[];
  /** The account with that name, created if missing. */
  account(name: string, kind?: AccountKind): Promise<Account>;
  /** Creates somebody with PASSWORD; if `account` is null, in the service team, with two-step sign-in. */
  person(email: string, role: Role, account: string | null): Promise<Person>;
  /** Creates ada@example.org, an administrator of the organisation `ministry`, and signs her in. */
  ada(): Promise<Visitor>;
  /** Turns on two-step sign-in for somebody. */
  useCodes(email: string): Promise<void>;
  visitor(headers?: Record<string, string>): Visitor;
  /** A code of theirs that is valid now, even if one was used just before. */
  code(email: string): Promise<string>;
  /** A visitor signed in as `email`. */
  signedIn(email: string): Promise<Visitor>;
}

export async function startDashboard(
  options: Partial<ServerOptions> & { fixture?: FixtureOptions } = {},
  atEnd: AtEnd = onTestFinished,
): Promise<Dashboard> {
  return dashboardOf(await startService({ ...options, dashboardPort: 0 }, atEnd), options.clock);
}

/** Starts a dashboard for the snapshot in `place`. */
export const serveDashboard = async (place: Parameters<typeof serveBuild>[0], atEnd: AtEnd): Promise<Dashboard> =>
  dashboardOf(await serveBuild(place, { dashboardPort: 0 }, atEnd));

function dashboardOf(service: Service, clock?: Clock): Dashboard {
  const outbox = join(service.build, 'outbox');
  const directory = new Directory(service.store.database);
  const dashboardUrl = service.dashboardUrl!;
  const account = async (name: string, kind: AccountKind = 'organisation') =>
    (await service.store.findAccount(name)) ?? (await service.store.createAccount(kind, name, Date.now()));
  const code = async (email: string) => {
    const { factorSecret } = (await directory.credentialsByEmail(email))!;
    await service.store.database.db.updateTable('people').set({ factor_step: 0 }).where('email', '=', email).execute();
    return codeAt(factorSecret!, Math.floor((clock?.wallMs() ?? Date.now()) / STEP_MS));
  };
  const useCodes = async (email: string) => {
    const { person } = (await directory.credentialsByEmail(email))!;
    await directory.factors.turnOn(person.id, { secret: mintSecret(), step: 0, codeHashes: [] }, Date.now());
  };
  const person: Dashboard['person'] = async (email, role, name) => {
    const kind = role === 'researcher' ? 'researcher' : 'organisation';
    const accountId = name === null ? null : (await account(name, kind)).id;
    const token = hashToken(mintToken());
    await directory.links.invite({ email, role, accountId, hash: token }, Date.now(), COMMAND_LINE);
    passwordHash ??= hashPassword(PASSWORD);
    const created = (await directory.links.acceptInvitation(
      token,
      email.split('@')[0]!,
      await passwordHash,
      Date.now(),
    ))!;
    if (role === 'service') await useCodes(email);
    return { ...created, has_factor: role === 'service' };
  };
  const visitor = (headers: Record<string, string> = {}) => new Visitor(dashboardUrl, headers);
  const signedIn = async (email: string) => {
    const someone = visitor();
    const first = await someone.signIn(email);
    const page =
      first.path === '/sign-in/code' ? await someone.send('/sign-in/code', { code: await code(email) }) : first;
    if (page.status !== 200) throw new Error(`not signed in: ${page.status} ${page.text}`);
    return someone;
  };
  return {
    ...service,
    dashboardUrl,
    directory,
    mails: () => {
      const names = existsSync(outbox)
        ? readdirSync(outbox)
            .filter((name) => name.endsWith('.eml'))
            .sort()
        : [];
      return names.map((name) => readFileSync(join(outbox, name), 'utf8'));
    },
    account,
    person,
    async ada() {
      await person('ada@example.org', 'administrator', 'ministry');
      return signedIn('ada@example.org');
    },
    useCodes,
    visitor,
    code,
    signedIn,
  };
}

type Start = typeof startDashboard;

/** A test of the dashboard with each kind of store; `start` starts one on an empty store. */
export function testBackends(name: string, body: (start: Start) => Promise<void>): void {
  for (const { name: backend, skip, newStore } of BACKENDS) {
    test.skipIf(skip)(`${name} (${backend})`, async () => {
      const at = await newStore();
      await body((options, ...rest) => startDashboard({ ...at, ...options }, ...rest));
    });
  }
}

export interface Page {
  status: number;
  /** The path that redirects led to. */
  path: string;
  html: string;
  /** The text of the page without markup. */
  text: string;
  headers: Headers;
}

/** A browser with forms and cookies, but without JavaScript. */
export class Visitor {
  readonly cookies = new Map<string, string>();
  readonly url: string;
  readonly headers: Record<string, string>;

  constructor(url: string, headers: Record<string, string>) {
    this.url = url;
    this.headers = headers;
  }

  async fetch(path: string, init: RequestInit = {}): Promise<Response> {
    const cookie = [...this.cookies].map(([name, value]) => `${name}=${value}`).join('; ');
    const headers = { ...(cookie === '' ? {} : { cookie }), ...this.headers, ...(init.headers as object) };
    const response = await fetch(this.url + path, { ...init, headers, redirect: 'manual' });
    for (const set of response.headers.getSetCookie()) {
      const [, name, value] = /^([^=]+)=([^;]*)/.exec(set)!;
      this.cookies.set(name!, value!);
    }
    return response;
  }

  /** The page at `path`, following redirects. */
  async open(path: string, init: RequestInit = {}): Promise<Page> {
    const response = await this.fetch(path, init);
    const to = response.headers.get('location');
    if (to !== null) return this.open(to);
    const html = await response.text();
    const text = html
      .replace(/<(head|nav)[\s>].*?<\/\1>/gs, '')
      .replace(/<[^>]+>/g, ' ')
      .replace(/\s+/g, ' ');
    return { status: response.status, path, html, text, headers: response.headers };
  }

  /** Sends the form for `action` on the page at `from` as a browser would: with its hidden fields and an origin. */
  async send(from: string, fields: Record<string, string | string[]>, action = from): Promise<Page> {
    return (await this.fillIn(from, fields, action))();
  }

  /** Fills in the form in the same way, and returns a function that sends it. */
  async fillIn(from: string, fields: Record<string, string | string[]>, action = from): Promise<() => Promise<Page>> {
    const page = await this.open(from);
    const form = new RegExp(`<form method="post" action="${action.replace(/[?.]/g, '\\$&')}".*?</form>`, 's').exec(
      page.html,
    );
    if (!form) throw new Error(`no form for ${action} at ${from}: ${page.status} ${page.text}`);
    const hidden = [...form[0].matchAll(/<input type="hidden" name="(\w+)" value="([^"]*)"/g)];
    const all = { ...Object.fromEntries(hidden.map(([, name, value]) => [name, value!])), ...fields };
    return () => this.post(action, all);
  }

  /** A POST of just these fields. */
  post(path: string, fields: Record<string, string | string[]>, headers: Record<string, string> = {}): Promise<Page> {
    const body = new URLSearchParams(
      Object.entries(fields).flatMap(([name, value]) => [value].flat().map((one) => [name, one])),
    );
    return this.open(path, {
      method: 'POST',
      body,
      headers: { origin: this.url, 'sec-fetch-site': 'same-origin', ...headers },
    });
  }

  /** The token that forms of this visitor carry, read from a page with a form. */
  async csrf(page = '/profile'): Promise<string> {
    return /name="csrf" value="([^"]+)"/.exec((await this.open(page)).html)![1]!;
  }

  signIn(email: string, password = PASSWORD): Promise<Page> {
    return this.send('/sign-in', { email, password });
  }
}

/** A clock that tests can set forward. */
export function movableClock(): Clock & { forward(ms: number): void } {
  let ahead = 0;
  return {
    wallMs: () => Date.now() + ahead,
    forward: (ms) => {
      ahead += ms;
    },
  };
}

/** The link in a mail, as a path. */
export function linkIn(mail: string | undefined): string {
  const link = /^https?:\/\/[^/]+(\/link\/\S+)$/m.exec(mail ?? '');
  if (!link) throw new Error(`no link in ${mail}`);
  return link[1]!;
}
