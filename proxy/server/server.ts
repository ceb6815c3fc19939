import type { AddressInfo } from 'node:net';
import { promisify } from 'node:util';
import type { FastifyInstance } from 'fastify';
import { countryWords, fillPlaceholders } from '../../pipeline/contract/words.ts';
import { type Clock, systemClock } from '../../pipeline/lib/clock.ts';
import { errorLine, UsageError } from '../../pipeline/lib/errors.ts';
import { buildApi } from '../api/build-api.ts';
import type { AccessRecord } from '../api/observe.ts';
import { BOUNDS, type Bounds } from '../api/protocol.ts';
import type { DashboardSettings } from '../dashboard/open-dashboard.ts';
import type { Snapshot } from '../snapshot/snapshot.ts';
import { openSource, type SourceOptions, type SourceSettings } from '../snapshot/sources.ts';
import type { AccountStore } from '../store/account-store.ts';
import { openGate } from '../store/gate.ts';
import { UsageCounter } from '../store/usage-counts.ts';
import { listenUrl } from './listen-url.ts';
import { Metrics } from './metrics.ts';
import { openStore } from './open-store.ts';
import { buildOps } from './ops.ts';
import type { Reports } from './reports.ts';

/** The operator's settings, by the names of the options of `serve`, which declares them. */
export interface Settings extends SourceSettings, DashboardSettings {
  host: string;
  port: number;
  opsPort: number;
  store: string;
  /** Whether an empty store is made if there is none. */
  mayCreate?: boolean;
  perMinute: number;
  perMonth: number;
  /** Origins whose pages may call the API from a browser. */
  corsOrigin: readonly string[];
  /** No dashboard if not given. */
  dashboardPort?: number;
  /** URL at which clients reach the API; the address it listens on if not given. */
  apiUrl?: string;
}

export interface ServerOptions extends Settings, Omit<SourceOptions, 'report'> {
  reports: Reports;
  /** Called for every request; null for no access log. */
  log?: ((record: AccessRecord) => void) | null;
  /** Called with one line when the server must be closed because it can no longer work correctly. */
  giveUp: (line: string) => void;
  clock?: Clock;
  bounds?: Partial<Bounds>;
}

export interface RunningServer {
  url: string;
  opsUrl: string;
  /** URL at which the dashboard listens; null if there is none. */
  dashboardUrl: string | null;
  store: AccountStore;
  current(): Snapshot;
  /** Stops accepting requests, finishes those in flight, writes the counts, and closes the store. */
  close(): Promise<void>;
}

/** How late last use and daily counts may be, and how much of them kill -9 may lose. */
const FLUSH_MS = 60_000;

/** How often to check whether the store has been removed or replaced. */
const STORE_CHECK_MS = 1000;

/** Requests still in flight this long after `close` are cut off. */
const DRAIN_MS = 10_000;

/**
 * Opens store and snapshot, and listens on all ports.
 * @throws UsageError, with everything closed again, if one of them cannot be opened.
 */
export async function startServer(options: ServerOptions): Promise<RunningServer> {
  const { host, perMinute, perMonth, clock = systemClock } = options;
  const { report, failures } = options.reports;
  // Closes everything that was opened, last first; a failure (on a full disk, for example) does not keep the rest open.
  await using cleanups = new AsyncDisposableStack();
  // The snapshot first: without one, no store is created.
  const snapshots = await openSource({ ...options, report });
  cleanups.defer(async () => snapshots.close());
  const store = await openStore(options.store, options.mayCreate);
  cleanups.defer(() => store.close());
  const usageCounter = new UsageCounter(store.usage);
  const writeUsage = () =>
    usageCounter.flush().catch((error) => {
      throw new Error(`usage not written: ${errorLine(error)}`, { cause: error });
    });
  const flushUsage = () => writeUsage().catch((error) => report(error.message, 'usage'));
  const flushTimer = setInterval(flushUsage, FLUSH_MS).unref();
  cleanups.defer(writeUsage);
  cleanups.defer(async () => clearInterval(flushTimer));
  const gate = await openGate(store.database, { perMinute, perMonth, clock, report });
  cleanups.defer(async () => gate.close());

  const whyUnavailable = async () => snapshots.damageLine() ?? gate.whyUnavailable();
  const metrics = new Metrics({
    snapshots,
    failures,
    whyUnavailable,
    connections: () => promisify(app.server.getConnections.bind(app.server))(),
  });
  const countUse = ({ key_id, operation, error }: AccessRecord) => {
    if (key_id === null) return;
    const now = clock.wallMs();
    const isRefused = error === 'RATE_LIMITED' || error === 'ALLOWANCE_EXHAUSTED';
    usageCounter.count(key_id, operation, isRefused ? 'refused' : 'granted', now);
    if (error !== null) usageCounter.count(key_id, operation, error, now);
  };
  const app = await buildApi({
    gate,
    snapshots,
    bounds: { ...BOUNDS, ...options.bounds },
    corsOrigins: options.corsOrigin,
    report,
    recordAccess(record) {
      metrics.count(record);
      countUse(record);
      options.log?.(record);
    },
  });
  const url = await listen(app, host, options.port, 'port');
  cleanups.defer(() => drain(app));

  let dashboardUrl: string | null = null;
  if (options.dashboardPort !== undefined) {
    // Loaded only if needed.
    const { openDashboard } = await import('../dashboard/open-dashboard.ts');
    const { cachedReference } = await import('../dashboard/kit/reference-content.ts');
    const dashboard = await openDashboard(options, {
      accounts: store,
      flushUsage,
      perMinute,
      perMonth,
      apiUrl: () => options.apiUrl ?? url,
      clock,
      logLine: report,
      countSignIn: (outcome) => metrics.countSignIn(outcome),
      snapshot: () => snapshots.current(),
      inCountryWords: (text) => fillPlaceholders(text, countryWords(snapshots.current().territory)),
      reference: () => cachedReference(snapshots.current()),
    });
    cleanups.defer(() => dashboard.close());
    dashboardUrl = await listen(dashboard.app, host, options.dashboardPort, 'dashboard port');
    dashboard.listensAt(dashboardUrl);
    cleanups.defer(() => drain(dashboard.app));
  }

  let isStopping = false;
  const ops = buildOps({ snapshots, metrics, whyNotReady: async () => (isStopping ? 'stopping' : whyUnavailable()) });
  const opsUrl = await listen(ops, host, options.opsPort, 'ops port');
  const storeTimer = watchStore(store, options.giveUp);
  cleanups.defer(async () => clearInterval(storeTimer));

  const remainingCleanups = cleanups.move();
  return {
    url,
    opsUrl,
    dashboardUrl,
    store,
    current: () => snapshots.current(),
    async close() {
      isStopping = true;
      // /readyz keeps answering until the end.
      await remainingCleanups.disposeAsync().finally(() => ops.close());
    },
  };
}

/** Calls `giveUp` once the store is lost. */
function watchStore({ database }: AccountStore, giveUp: ServerOptions['giveUp']): NodeJS.Timeout {
  const timer = setInterval(() => {
    const whyLost = database.whyLost();
    if (whyLost === null) return;
    clearInterval(timer);
    giveUp(`${whyLost}; stopping, so that a restart opens what is there now`);
  }, STORE_CHECK_MS).unref();
  return timer;
}

async function listen(app: FastifyInstance, host: string, port: number, portName: string): Promise<string> {
  try {
    await app.listen({ host, port });
  } catch (error) {
    const code = (error as NodeJS.ErrnoException).code;
    const reasons: Record<string, string> = {
      EADDRINUSE: 'is already in use, perhaps by an earlier server: stop it, or choose another port',
      EADDRNOTAVAIL: 'cannot be used: no address of this machine; 0.0.0.0 stands for all',
    };
    const reason = reasons[code ?? ''] ?? `cannot be used (${code ?? errorLine(error)})`;
    throw new UsageError(`${portName} ${port} on ${host} ${reason}`, { cause: error });
  }
  const { port: actualPort } = app.server.address() as AddressInfo;
  return listenUrl(host, actualPort);
}

async function drain(app: FastifyInstance): Promise<void> {
  const deadline = setTimeout(() => app.server.closeAllConnections(), DRAIN_MS);
  await app.close();
  clearTimeout(deadline);
}
