/**
 * A client for the Malaria Risk Data Service: every answer typed by its path, whole tables, and a map, all from one
 * model version. It needs only `fetch`, so it runs in Node, Deno, Bun and browsers.
 */
import type { BoundariesNation, FilePath, Operations, Problem, RiskNation } from './types.js';

/** Longest wait that the service may ask for, as its minute may end a second late, and how often the client waits. */
const MAX_WAIT_SECONDS = 61;
const MAX_WAITS = 3;

export interface ClientOptions {
  /** Base URL of the service, such as `https://malaria.example.org`. */
  base: string;
  /** API key. Default: the environment variable `MALARIA_API_KEY`. */
  key?: string;
  /** The version to read, which `/v1/versions` must list as current or kept. Default: the current one. */
  modelVersion?: string;
}

/** An answer other than data. */
export class ServiceError extends Error {
  override readonly name = 'ServiceError';
  readonly status: number;
  /** What the service says, with a `code`; undefined if another server answered. */
  readonly problem: Problem | undefined;
  constructor(status: number, problem: Problem | undefined) {
    super(
      problem
        ? `${problem.code} (${status}): ${problem.title}. ${problem.detail} (request ${problem.request_id})`
        : `${status}: the answer did not come from the service`,
    );
    this.status = status;
    this.problem = problem;
  }
}

/** An outline of an area, with the month and its scores, unless it has none. */
export type ScoredArea = BoundariesNation['features'][number] & {
  properties: Partial<RiskNation['lgas'][number]> & Pick<RiskNation, 'period'>;
};

export interface Client {
  /** The model version of all answers. */
  modelVersion: string;
  /** The answer of any operation, such as `get('/v1/risk/lgas', { state: 'CODE' })`. */
  get<Path extends keyof Operations>(path: Path, ...query: GetArguments<Path>): Promise<Operations[Path]['answer']>;
  /** A whole table as a response. To save it in Node: `await writeFile(name, (await client.file('…')).body!)`. */
  file(path: FilePath): Promise<Response>;
  /**
   * The outline of every area with its scores in a month (`YYYY-MM`), as GeoJSON. Default: the latest estimated one.
   */
  map(period?: string): Promise<{ type: 'FeatureCollection'; features: ScoredArea[] }>;
}

/** @throws ServiceError, here and in the client's calls; and the errors of `fetch` if the service cannot be reached */
export async function createClient(options: ClientOptions): Promise<Client> {
  const { process } = globalThis as { process?: { env: Record<string, string | undefined> } };
  const root = options.base.replace(/\/+$/, '');
  const key = (options.key ?? process?.env.MALARIA_API_KEY ?? '').trim();
  const headers = { authorization: `Bearer ${key}` };

  /** The answer, after the waits that the service asks for, except for a used-up monthly allowance. */
  async function request(path: string): Promise<Response> {
    for (let waits = 0; ; waits += 1) {
      const response = await fetch(root + path, { headers, redirect: 'manual' });
      if (response.ok) return response;
      const wait = Number(response.headers.get('retry-after') ?? Number.NaN);
      const isShort = (response.status === 429 || response.status === 503) && wait >= 0 && wait <= MAX_WAIT_SECONDS;
      if (!isShort || waits === MAX_WAITS) {
        const isProblem = response.headers.get('content-type')?.startsWith('application/problem+json');
        throw new ServiceError(response.status, isProblem ? await response.json() : undefined);
      }
      await response.body?.cancel();
      await new Promise((resolve) => setTimeout(resolve, 1000 * wait));
    }
  }

  const modelVersion: string =
    options.modelVersion ?? (await request('/v1/periods').then((response) => response.json())).model_version;
  const requestVersion = (path: string) =>
    request(path.startsWith('/v1/versions') ? path : path.replace('/v1/', `/v1/versions/${modelVersion}/`));

  async function get<Path extends keyof Operations>(
    path: Path,
    ...[parameters]: GetArguments<Path>
  ): Promise<Operations[Path]['answer']> {
    const present = Object.entries(parameters ?? {}).filter(([, value]) => value !== undefined);
    const query = new URLSearchParams(present.map(([name, value]) => [name, String(value)]));
    return (await requestVersion(`${path}?${query}`)).json();
  }

  return {
    modelVersion,
    get,
    file: requestVersion,
    async map(period) {
      const { features } = await get('/v1/boundaries/nation');
      const report = await get('/v1/risk/nation', { period });
      const scores = new Map(report.lgas.map((area) => [area.lga_code, area]));
      return {
        type: 'FeatureCollection',
        features: features.map((area) => {
          const properties = { ...area.properties, ...scores.get(area.properties.lgaCode), period: report.period };
          return { ...area, properties };
        }),
      };
    },
  };
}

/** Arguments of `get` after the path: the parameters, which are optional if none is required. */
type GetArguments<Path extends keyof Operations> =
  Record<never, never> extends Operations[Path]['parameters']
    ? [parameters?: Operations[Path]['parameters']]
    : [parameters: Operations[Path]['parameters']];
