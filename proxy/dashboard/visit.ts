/** A request as the pages see it, and what they answer. */
import type { Awaitable } from '../clock.ts';
import type { Role } from '../people/people.ts';
import type { Visitor } from '../people/store.ts';
import { UsageError } from '../usage-error.ts';
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

/** Whoever a page is for: anyone, or people of these roles. */
type Audience = 'anyone' | readonly Role[];
/** A page: its answer to a visit by somebody of its audience. */
export type Page<V extends Visit = SignedIn> = (visit: V, services: Services) => Awaitable<Answer>;

interface At<A extends Audience, V extends Visit> {
  method: 'GET' | 'POST';
  path: string;
  for: A;
  answer: Page<V>;
}
/** A GET changes nothing. */
export type Route = At<'anyone', Visit> | At<readonly Role[], SignedIn>;

type Method = 'GET' | 'POST';
type Table<V extends Visit> = Partial<Record<Method | `${Method} /${string}`, Page<V>>>;

/** Routes below `base` for one audience, by method and the rest of the path. */
export function routes(base: string, audience: 'anyone', pages: Table<Visit>): Route[];
export function routes(base: string, audience: readonly Role[], pages: Table<SignedIn>): Route[];
export function routes(base: string, audience: Audience, pages: Table<never>): Route[] {
  return Object.entries(pages).map(([key, answer]) => {
    const [method, path = ''] = key.split(' ');
    return { method, path: base + path, for: audience, answer } as Route;
  });
}

/** What `work` gives, or the fault it found with what was entered. */
export async function attempt<T>(work: () => Awaitable<T>): Promise<T | UsageError> {
  try {
    return await work();
  } catch (error) {
    if (error instanceof UsageError) return error;
    throw error;
  }
}

export function fieldsOf(values: unknown): Fields {
  const all = (name: string): string[] => {
    const found = Object.hasOwn(Object(values), name) ? (values as Record<string, unknown>)[name] : undefined;
    return (Array.isArray(found) ? found : [found]).filter((value) => typeof value === 'string');
  };
  return { all, text: (name) => (all(name).length === 1 ? all(name)[0]! : '') };
}
