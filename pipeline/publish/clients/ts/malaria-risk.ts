/**
 * A client for the Malaria Risk Data Service: every operation, typed by path, and whole tables. It needs only `fetch`,
 * so it runs in Node 22.18 or newer, Deno, Bun and browsers.
 */
import type { ErrorCode, ForecastsNation, Operations, Problem, RiskNation, SeriesLgas, TablePath } from './types.ts';

export const VERSION = '0.1.0';

/** A cached answer and its ETag. */
export interface CachedAnswer {
  etag: string;
  body: string;
}
/** A cache of answers by URL; `diskCache` keeps them between runs. */
export interface AnswerCache {
  get(url: string): CachedAnswer | undefined;
  set(url: string, kept: CachedAnswer): void;
}

export interface ClientOptions {
  /** Base URL of the service, such as `https://malaria.example.org`. */
  base: string;
  /** API key. Default: the environment variable `MALARIA_API_KEY`. */
  key?: string;
  /**
   * Total seconds that one call may wait at a rate limit (429) or while the service is busy (503). Default: 60. If the
   * service asks for a longer wait, the call fails at once. It never waits for the renewal of a monthly allowance.
   */
  maxWait?: number;
  /** Seconds after which a request without an answer fails. Default: 30. */
  timeout?: number;
  /** Cache of answers. Default: in memory. Cached answers are always revalidated with the service before use. */
  cache?: AnswerCache;
  /** Accept answers of this model version only, which `/v1/versions` must list as current or kept. */
  modelVersion?: string;
}

/** An answer other than data. */
export class ServiceError extends Error {
  override readonly name = 'ServiceError';
  /** `HTTP_502` and the like if another server answered instead of the service. */
  readonly code: ErrorCode | (string & {});
  readonly status: number;
  readonly title: string;
  /** What to do about it. */
  readonly detail: string;
  /** Quote this when asking for help. */
  readonly requestId: string;
  /** Seconds until another try makes sense, if the service gives a time. */
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

/**
 * The service has published another model version and no longer keeps that of this client: call `restart()` and read
 * everything again.
 */
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

/** Arguments of `get` after the path: the parameters, which are optional if none is required. */
type Parameters<P extends keyof Operations> =
  Record<never, never> extends Operations[P]['parameters']
    ? [parameters?: Operations[P]['parameters']]
    : [parameters: Operations[P]['parameters']];

/** The longest time for a timer, in seconds; with a longer one it would fire at once. */
const LONGEST = 2_147_483;
/** Number of answers kept in memory; the oldest is dropped first. */
const KEPT = 64;

export function memoryCache(): AnswerCache {
  const kept = new Map<string, CachedAnswer>();
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
 * A client whose answers all come from one model version. Its calls throw `ServiceError`, `VersionChanged`, and the
 * errors of `fetch` if the service cannot be reached in time.
 * @throws Error if there is no key; RangeError for times that are too long for a timer
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
  // Browsers set their own user agent, and setting it from a page could require a CORS preflight.
  const common = {
    authorization: `Bearer ${key}`,
    ...(process && { 'user-agent': `malaria-risk-typescript/${VERSION}` }),
  };

  /** Returns the result of `use` for the first successful answer; waits at rate limits, `maxWait` seconds in total. */
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
        // At least a second, so that the loop ends even if the service keeps sending zero.
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

  /** Requests the pinned version by its own path once the service has a newer one, as long as the service keeps it. */
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

  /** The answer of any operation; an answer that is unchanged since the last call is not transferred again. */
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
    /** Estimated risk of every area of the nation in a month (`YYYY-MM`). Default: the latest estimated month. */
    risk: (period?: string): Promise<RiskNation> => get('/v1/risk/nation', period === undefined ? {} : { period }),
    /** Forecast risk of every area of the nation, one report per month, nearest first. */
    forecasts: (months: 1 | 2 | 3 | 4 = 4): Promise<ForecastsNation> => get('/v1/forecasts/nation', { months }),
    /** All months of one area. The history of every area is in the table risk_lgas. */
    series: (lga: string): Promise<SeriesLgas> => get('/v1/series/lgas', { lga }),
    /** A whole table as a response. To save it in Node: `await writeFile(file, (await client.table('…')).body!)`. */
    table: (path: TablePath): Promise<Response> => ofOneVersion(path, (url) => send(url, {}, (response) => response)),
    /** The model version of all answers so far. */
    modelVersion: () => pinned,
    /** Number of requests sent. */
    requests: () => requests,
    /** Forgets the pinned model version; the next answer pins its own. */
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
    // The body does not come from the service.
  }
  return { title: response.statusText || 'no data', detail: 'The answer did not come from this service.' };
}
