/** A request as the pages see it, and what they answer. */
import type { Awaitable } from '../clock.ts';
import type { Role } from '../people/people.ts';
import type { Visitor } from '../people/store.ts';
import type { Html } from './html.ts';
import type { Services } from './services.ts';

/** Fields of a form or a query, one value each but where `all` is asked. */
export interface Fields {
  /** The field's value; '' where it is missing or repeated. */
  text(name: string): string;
  all(name: string): string[];
}

export interface Visit {
  query: Fields;
  form: Fields;
  params: Readonly<Record<string, string>>;
  /** Who is signed in, second factor included. */
  visitor: Visitor | null;
  /** Whose password was right and whose second factor's code is still to come. */
  pending: Visitor | null;
  /** Hash of the session's token, signed in or not. */
  session: Buffer;
  /** Hash of the token by which this browser is known from earlier; null where it has none. */
  browser: Buffer | null;
  /** What every form carries. */
  csrf: string;
  /** Where the request comes from, as attempts are counted by. */
  address: string;
  now: number;
}

/** A visit by someone who is signed in. */
export interface SignedIn extends Visit {
  visitor: Visitor;
}

/** Tokens for the browser to keep from now on. */
interface Cookies {
  session?: string;
  browser?: string;
}

export type Answer =
  | (Cookies & { title: string; body: Html; status?: number; retryAfterMs?: number; location?: undefined })
  | (Cookies & { location: string });

interface At {
  method: 'GET' | 'POST';
  path: string;
}

/** A page and who may come: anyone, or people of these roles. A GET changes nothing. */
export type Route = OpenRoute | RoleRoute;

export interface OpenRoute extends At {
  for: 'anyone';
  answer: (visit: Visit, services: Services) => Awaitable<Answer>;
}

export interface RoleRoute extends At {
  for: readonly Role[];
  answer: (visit: SignedIn, services: Services) => Awaitable<Answer>;
}

export function fieldsOf(values: unknown): Fields {
  const all = (name: string): string[] => {
    const found = Object.hasOwn(Object(values), name) ? (values as Record<string, unknown>)[name] : undefined;
    return (Array.isArray(found) ? found : [found]).filter((value) => typeof value === 'string');
  };
  return { all, text: (name) => (all(name).length === 1 ? all(name)[0]! : '') };
}
