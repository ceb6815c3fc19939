/** A request as pages see it, and their answers. */

import type { Awaitable } from '../../../pipeline/lib/clock.ts';
import { UsageError } from '../../../pipeline/lib/errors.ts';
import type { Html } from '../../../pipeline/lib/pages/html.ts';
import type { Visitor } from '../../store/people/sessions.ts';
import type { Role } from '../../store/row-types.ts';
import type { Services } from './services.ts';

/** Fields of a form or a query. */
export interface Fields {
  /** The field's value; '' if missing or repeated. */
  text(name: string): string;
  values(name: string): string[];
  names(): string[];
}

export interface Visit {
  /** The requested path, without the query. */
  path: string;
  query: Fields;
  formData: Fields;
  params: Readonly<Record<string, string>>;
  /** The visitor if fully signed in, including the code of two-step sign-in. */
  visitor: Visitor | null;
  /** The visitor if the password was right and the code is still to be entered. */
  pendingVisitor: Visitor | null;
  /** Hash of the session's token, signed in or not. */
  sessionHash: Buffer;
  /** Hash of the token by which this browser was remembered; null if it has none. */
  browserHash: Buffer | null;
  /** The token that every form carries. */
  csrf: string;
  /** The client's address in the form under which attempts are counted. */
  address: string;
  /** Its network, which is what logs have of it. */
  network: string;
  now: number;
}

/** A visit by someone who is signed in. */
export interface SignedIn extends Visit {
  visitor: Visitor;
}

/** New tokens for the browser. */
interface Cookies {
  sessionToken?: string;
  browserToken?: string;
}

export type Answer =
  | (Cookies & { title: string; body: Html; status?: number; retryAfterMs?: number; location?: undefined })
  | (Cookies & { location: string });

/** Who may open a page: anyone, or people of these roles. */
type Audience = 'anyone' | readonly Role[];
/** A page: a function that answers a visit. */
export type PageHandler<V extends Visit = SignedIn> = (visit: V, services: Services) => Awaitable<Answer>;

type Method = 'GET' | 'POST';

interface RouteDefinition<A extends Audience, V extends Visit> {
  method: Method;
  path: string;
  audience: A;
  handler: PageHandler<V>;
  /** Why a POST does not ask again for the password or a code; undefined if it does (pages/confirm.ts). */
  withoutConfirmation?: string | undefined;
}
/** A GET changes nothing. */
export type Route = RouteDefinition<'anyone', Visit> | RouteDefinition<readonly Role[], SignedIn>;

/** A page that changes something without asking for the password or a code again, and the reason why it need not. */
interface UnconfirmedChange<V extends Visit> {
  withoutConfirmation: string;
  handler: PageHandler<V>;
}

type RouteKey<M extends Method> = M | `${M} /${string}`;
type Pages<V extends Visit, Change> = Partial<
  Record<RouteKey<'GET'>, PageHandler<V>> & Record<RouteKey<'POST'>, Change>
>;

/**
 * Routes below `base` for one audience, keyed by method and the rest of the path. A POST by somebody who is signed in
 * asks again for the password or a code, unless `withoutConfirmation` gives a reason; without a sign-in there is
 * nothing to ask for, so there it is required.
 */
export function routes(base: string, audience: 'anyone', pages: Pages<Visit, UnconfirmedChange<Visit>>): Route[];
export function routes(
  base: string,
  audience: readonly Role[],
  pages: Pages<SignedIn, PageHandler | UnconfirmedChange<SignedIn>>,
): Route[];
export function routes(
  base: string,
  audience: Audience,
  pages: Pages<never, PageHandler<never> | UnconfirmedChange<never>>,
): Route[] {
  return Object.entries(pages).map(([key, definition]) => {
    const [method, path = ''] = key.split(' ');
    const { handler, withoutConfirmation } =
      typeof definition === 'object' ? definition : { handler: definition, withoutConfirmation: undefined };
    return { method, path: base + path, audience, handler, withoutConfirmation } as Route;
  });
}

/** The result of `action`, or the error that it found in what the visitor entered. */
export async function resultOrUsageError<T>(action: () => Awaitable<T>): Promise<T | UsageError> {
  try {
    return await action();
  } catch (error) {
    if (error instanceof UsageError) return error;
    throw error;
  }
}

export function readFields(values: unknown): Fields {
  const valuesOf = (name: string): string[] => {
    const value = Object.hasOwn(Object(values), name) ? (values as Record<string, unknown>)[name] : undefined;
    return (Array.isArray(value) ? value : [value]).filter((value) => typeof value === 'string');
  };
  return {
    values: valuesOf,
    names: () => Object.keys(Object(values)),
    text: (name) => (valuesOf(name).length === 1 ? valuesOf(name)[0]! : ''),
  };
}
