/**
 * A client of the Malaria Risk Data Service: every operation, typed by path, and whole tables. It needs nothing but
 * `fetch`, so it runs in Node 22.18 or newer, Deno, Bun and browsers.
 */
import type { ErrorCode, ForecastsNation, Operations, Problem, RiskNation, SeriesLgas, TablePath } from './types.ts';

export const VERSION = '0.1.0';

/** An answer and the ETag it had. */
export interface Kept {
  etag: string;
  body: string;
}
/** Where answers are kept by their address; `diskCache` keeps them over runs. */
export interface AnswerCache {
  get(url: string): Kept | undefined;
  set(url: string, kept: Kept): void;
}

export interface ClientOptions {
  /** Where the service listens, such as `https://malaria.example.org`. */
  base: string;
  /** API key; the environment's `MALARIA_API_KEY` unless given. */
  key?: string;
  /**
   * Seconds that one call may wait in all at a limit (429) or while the service is busy (503), 60 unless told. Where the
   * service asks for more, the call fails at once. A spent monthly allowance is never waited for.
   */
  maxWait?: number;
  /** Seconds until a request without an answer is given up, 30 unless told. */
  timeout?: number;
  /** Where answers are kept; in memory unless told. They are always checked with the service before use. */
  cache?: AnswerCache;
  /** Take answers of this model version only, one that `/v1/versions` lists as current or kept. */
  modelVersion?: string;
}

/** An answer other than data. */
export class ServiceError extends Error {
  override readonly name = 'ServiceError';
  /** `HTTP_502` and the like where another server answered in the service's place. */
  readonly code: ErrorCode | (string & {});
  readonly status: number;
  readonly title: string;
  /** What to do about it. */
  readonly detail: string;
  /** Quote this when asking for help. */
  readonly requestId: string;
  /** Seconds until another try makes sense, if the service says. */
  readonly retryAfter: number | undefined;
  constructor(status: number, problem: Partial<Problem>, retryAfter?: number) {
    const { code = `HTTP_${status}`, title = 'no data', detail = '', request_id = '' } = problem;
    super(`${code} (${status}): ${title}. ${detail}${request_id && ` (request ${request_id})`}`);
    this.code = code;
    this.status = status;
    this.title = title;
    this.detail = detail;
    this.requestId = request_id;
    this.retryAfter = retryAfter;
  }
}

/** The service has published another model version, and the one of this client's first answer is not kept: `restart()` and read all again. */
export class VersionChanged extends Error {
  override readonly name = 'VersionChanged';
  readonly pinned: string;
  readonly found: string;
  constructor(pinned: string, found: string) {
    super(`model version was ${pinned}, is now ${found}: call restart() and read everything again`);
    this.pinned = pinned;
    this.found = found;
  }
}

/** What `get` takes after the path: nothing, or the parameters, which may be left out where none is required. */
type Parameters<P extends keyof Operations> =
  Record<never, never> extends Operations[P]['parameters']
    ? [parameters?: Operations[P]['parameters']]
    : [parameters: Operations[P]['parameters']];

/** The longest that a timer can be set for, in seconds; past it, it would fire at once. */
const LONGEST = 2_147_483;
/** Answers kept in memory; the one kept longest goes first. */
const KEPT = 64;

export function memoryCache(): AnswerCache {
  const kept = new Map<string, Kept>();
  return {
    get: (url) => kept.get(url),
    set(url, answer) {
      kept.delete(url);
      kept.set(url, answer);
      for (const oldest of kept.keys()) if (kept.size > KEPT) kept.delete(oldest);
    },
  };
}

export type Client = ReturnType<typeof createClient>;

/**
 * A client whose answers all come from one model version. Its calls throw `ServiceError`, `VersionChanged`, and what
 * `fetch` throws where the service cannot be reached in time.
 * @throws Error without a key; RangeError for times that no timer can hold
 */
export function createClient(options: ClientOptions) {
  const { process } = globalThis as { process?: { env: Record<string, string | undefined> } };
  const { base, maxWait = 60, timeout = 30, cache = memoryCache() } = options;
  const key = (options.key ?? process?.env.MALARIA_API_KEY ?? '').trim();
  if (key === '') throw new Error('no API key: give key, or set MALARIA_API_KEY');
  for (const [name, seconds] of Object.entries({ maxWait, timeout }))
    if (!(seconds >= 0 && seconds <= LONGEST))
      throw new RangeError(`${name} is ${seconds}, expected 0 to ${LONGEST} seconds`);
  let pinned = options.modelVersion;
  let changed: VersionChanged | undefined;
  let requests = 0;
  const root = base.replace(/\/+$/, '');
  // Browsers name themselves, and some ask the service's leave first where a page does it in their place.
  const common = {
    authorization: `Bearer ${key}`,
    ...(process && { 'user-agent': `malaria-risk-typescript/${VERSION}` }),
  };

  /** What `use` makes of the first answer that is one; waits at limits, `maxWait` seconds in all. */
  async function send<T>(url: string, headers: Record<string, string>, use: (response: Response) => Promise<T> | T) {
    for (let waited = 0; ; ) {
      requests += 1;
      const given = new AbortController();
      const timer = setTimeout(
        () => given.abort(new DOMException(`no answer within ${timeout} s`, 'TimeoutError')),
        1000 * timeout,
      );
      let pause: number;
      try {
        const response = await fetch(url, {
          headers: { ...common, ...headers },
          redirect: 'manual',
          signal: given.signal,
        });
        if (response.status === 200 || response.status === 304) {
          pin(response.headers.get('model-version'));
          return await use(response);
        }
        const retryAfter = secondsOf(response.headers.get('retry-after'));
        const error = new ServiceError(response.status, await problemOf(response), retryAfter);
        const mayPass = [429, 503].includes(error.status) && error.code !== 'ALLOWANCE_EXHAUSTED';
        // A second at the least, so that many zeros in a row end too.
        pause = Math.max(1, retryAfter ?? Number.POSITIVE_INFINITY);
        if (!mayPass || waited + pause > maxWait) throw error;
      } finally {
        clearTimeout(timer);
      }
      await new Promise((resolve) => setTimeout(resolve, 1000 * pause));
      waited += pause;
    }
  }

  function pin(found: string | null) {
    if (found === null) return;
    if (pinned !== undefined && pinned !== found) throw new VersionChanged(pinned, found);
    pinned = found;
  }

  /** Asks for the pinned version by its own path once the service has another, for as long as it keeps it. */
  async function ofOneVersion<T>(path: string, use: (url: string) => Promise<T>): Promise<T> {
    if (!changed || path.startsWith('/v1/versions')) {
      try {
        return await use(root + path);
      } catch (error) {
        if (!(error instanceof VersionChanged)) throw error;
        changed = error;
      }
    }
    try {
      return await use(`${root}/v1/versions/${pinned}${path.slice('/v1'.length)}`);
    } catch (error) {
      const isGone = error instanceof ServiceError && ['UNKNOWN_VERSION', 'NOT_FOUND'].includes(error.code);
      throw isGone ? changed : error;
    }
  }

  /** The answer of any operation; one that has not changed since it was last read is not sent again. */
  function get<P extends keyof Operations>(path: P, ...[parameters]: Parameters<P>): Promise<Operations[P]['answer']> {
    const query = new URLSearchParams();
    for (const [name, value] of Object.entries(parameters ?? {}))
      if (value !== undefined) query.set(name, String(value));
    return ofOneVersion(`${path}${query.size > 0 ? `?${query}` : ''}`, getFrom);
  }

  function getFrom(url: string) {
    const before = cache.get(url);
    return send(url, before ? { 'if-none-match': before.etag } : {}, async (response) => {
      if (response.status === 304 && before) return JSON.parse(before.body);
      const body = await response.text();
      const answer = JSON.parse(body);
      const etag = response.headers.get('etag');
      if (etag !== null) cache.set(url, { etag, body });
      return answer;
    });
  }

  return {
    get,
    /** Estimated risk of every LGA of the nation for a month (`YYYY-MM`), the latest estimated one unless told. */
    risk: (period?: string): Promise<RiskNation> => get('/v1/risk/nation', period === undefined ? {} : { period }),
    /** Forecast risk of every LGA of the nation, a report for each month, nearest first. */
    forecasts: (months: 1 | 2 | 3 | 4 = 4): Promise<ForecastsNation> => get('/v1/forecasts/nation', { months }),
    /** Every month of one LGA. Every LGA's history is the table risk_lgas. */
    series: (lga: string): Promise<SeriesLgas> => get('/v1/series/lgas', { lga }),
    /** A whole table, as it comes: in Node, `await writeFile(file, (await client.table('…')).body!)` keeps it. */
    table: (path: TablePath): Promise<Response> => ofOneVersion(path, (url) => send(url, {}, (response) => response)),
    /** The version that every answer so far came from. */
    modelVersion: () => pinned,
    /** How many requests were sent. */
    requests: () => requests,
    /** Forgets the pinned model version: the next answer's is taken. */
    restart() {
      pinned = undefined;
      changed = undefined;
    },
  };
}

const secondsOf = (retryAfter: string | null) =>
  retryAfter !== null && /^\d{1,9}$/.test(retryAfter) ? Number(retryAfter) : undefined;

async function problemOf(response: Response): Promise<Partial<Problem>> {
  try {
    const body = await response.json();
    if (typeof body === 'object' && body !== null) return body;
  } catch {
    // Not the service's own words.
  }
  return { title: response.statusText || 'no data', detail: 'Something answered that is not this service.' };
}
