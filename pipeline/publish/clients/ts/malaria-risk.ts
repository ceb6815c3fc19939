/**
 * A client of the Malaria Risk Data Service: one function over every operation, typed by path. It needs nothing but
 * `fetch`, so it runs in Node 20 or newer, Deno, Bun and browsers. Copy it together with `types.ts`.
 */
import type { Operations, Problem } from './types.ts';

export interface ClientOptions {
  /** Where the service listens, such as `https://malaria.example.org`. */
  base: string;
  key: string;
  /** How often a request that met a limit is tried again, after as long as the service says; 0 if not given. */
  retries?: number;
}

/** An answer other than 200: the service's own words, and its code to tell cases apart. */
export class ServiceError extends Error {
  readonly problem: Problem;
  constructor(problem: Problem) {
    super(`${problem.code}: ${problem.detail} (request ${problem.request_id})`);
    this.problem = problem;
  }
}

/**
 * `get(path, parameters)` for the service at `base`. Asked again, an answer that has not changed is not sent again.
 * @throws ServiceError for every answer other than 200
 */
export function createClient({ base, key, retries = 0 }: ClientOptions) {
  const known = new Map<string, { etag: string; answer: unknown }>();
  return async function get<P extends keyof Operations>(
    path: P,
    parameters: Operations[P]['parameters'] = {} as Operations[P]['parameters'],
  ): Promise<Operations[P]['answer']> {
    const url = new URL(path, base);
    for (const [name, value] of Object.entries(parameters)) url.searchParams.set(name, String(value));
    for (let attempt = 0; ; attempt++) {
      const before = known.get(url.href);
      const headers = { authorization: `Bearer ${key}`, ...(before ? { 'if-none-match': before.etag } : {}) };
      const response = await fetch(url, { headers });
      if (response.status === 304 && before) return before.answer as Operations[P]['answer'];
      const body: unknown = await response.json();
      if (response.ok) {
        const etag = response.headers.get('etag');
        if (etag) known.set(url.href, { etag, answer: body });
        return body as Operations[P]['answer'];
      }
      const wait = Number(response.headers.get('retry-after'));
      if (response.status !== 429 || attempt >= retries) throw new ServiceError(body as Problem);
      await new Promise((resolve) => setTimeout(resolve, 1000 * wait));
    }
  };
}
