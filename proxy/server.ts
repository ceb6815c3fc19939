import type { AddressInfo } from 'node:net';
import { setTimeout as pause } from 'node:timers/promises';
import { promisify } from 'node:util';
import type { FastifyInstance } from 'fastify';
import type { AccountStore } from './accounts/open-store.ts';
import { openStore, sqliteFile } from './accounts/open-store.ts';
import { countUsage } from './accounts/usage.ts';
import { buildApp } from './app.ts';
import { type Clock, systemClock } from './clock.ts';
import type { GateTimes } from './cluster/times.ts';
import type { DashboardSettings } from './dashboard/open.ts';
import { type AccessRecord, openDoor } from './door.ts';
import { openGate } from './limits/gate.ts';
import { createMetrics } from './metrics.ts';
import { buildOps } from './ops.ts';
import { exampleStateOf } from './snapshot/example-state.ts';
import { openSource, type SourceOptions } from './snapshot/open-source.ts';
import type { Snapshot } from './snapshot/snapshot.ts';
import { watchPlace } from './sqlite-file.ts';
import { BOUNDS, type Bounds } from './transport.ts';
import { lineOf, UsageError } from './usage-error.ts';

export interface ServerOptions extends SourceOptions {
  host: string;
  port: number;
  opsPort: number;
  store: string;
  limits: string;
  perMinute: number;
  perMonth: number;
  corsOrigins?: readonly string[];
  log?: ((record: AccessRecord) => void) | null;
  /** Called with one line when the server should be closed, since it cannot keep what it promises any more. */
  giveUp: (line: string) => void;
  clock?: Clock;
  bounds?: Partial<Bounds>;
  /** How patient it is with PostgreSQL and Redis. */
  gateTimes?: Partial<GateTimes>;
  /** None is opened where it is not given. */
  dashboard?: DashboardSettings | null;
}

export interface RunningServer {
  url: string;
  opsUrl: string;
  /** Where the dashboard listens; null where there is none. */
  dashboardUrl: string | null;
  store: AccountStore;
  current(): Snapshot;
  /** Stops taking requests, finishes those under way, writes off what was used, lets go of the store. */
  close(): Promise<void>;
}

/** How far behind a key's time of last use and the counts by day may be, and what kill -9 may cost of them. */
const NOTE_USES_MS = 60_000;

/** When stopping, what another process holds up is tried again for so long. */
const LAST_NOTE_MS = 5000;

/** How often it is seen to that the store's file is still in its place. */
const PLACE_MS = 1000;

/** Requests still under way this long after `close` are cut off. */
const DRAIN_MS = 10_000;

/**
 * Opens store, limits and snapshot, and listens on both ports.
 * @throws UsageError with everything closed again when one of them is not to be had.
 */
export async function startServer(options: ServerOptions): Promise<RunningServer> {
  const { host, report, clock = systemClock } = options;
  const opened: (() => unknown)[] = [];
  /** One that cannot be closed properly, on a full disk say, keeps none of the others open. */
  const closeAll = async () => {
    const failures: string[] = [];
    for (const close of opened.splice(0).reverse()) {
      try {
        await close();
      } catch (error) {
        failures.push(lineOf(error));
      }
    }
    if (failures.length > 0) throw new Error(failures.join('; '));
  };
  try {
    // The snapshot first: where there is none, nothing is made.
    const snapshots = await openSource(options);
    opened.push(() => snapshots.close());
    const store = await openStore(options.store, options.limits);
    opened.push(() => store.close());
    opened.push(() => noteDown('times of last use', () => store.noteUses(), report, LAST_NOTE_MS));
    const usage = countUsage(store.usage);
    opened.push(() => noteDown('usage', () => usage.flush(), report, LAST_NOTE_MS));
    const noting = setInterval(() => {
      noteDown('times of last use', () => store.noteUses(), report);
      noteDown('usage', () => usage.flush(), report);
    }, NOTE_USES_MS).unref();
    opened.push(() => clearInterval(noting));
    const { perMinute, perMonth, limits, gateTimes: times } = options;
    const gate = await openGate({
      limits,
      store: options.store,
      opened: store,
      clock,
      perMinute,
      perMonth,
      report,
      times,
    });
    opened.push(() => gate.close());

    const bounds = { ...BOUNDS, ...options.bounds };
    const metrics = createMetrics();
    let stopping = false;
    const door = openDoor({
      gate,
      snapshots,
      metrics,
      usage,
      clock,
      corsOrigins: new Set(options.corsOrigins),
      idleMs: bounds.idleMs,
      log: options.log ?? null,
      report,
    });
    const app = buildApp(door, bounds, (status, request_id) => {
      metrics.count('none', status, 'none');
      options.log?.({ request_id, operation: 'none', status, key_id: null, key_kind: 'none', ms: 0 });
    });
    const url = await listen(app, host, options.port, 'port');
    opened.push(() => drain(app));

    let dashboardUrl: string | null = null;
    if (options.dashboard) {
      // Loaded only where it is wanted.
      const { openDashboard } = await import('./dashboard/open.ts');
      const { apiUrl } = options.dashboard;
      const exampleState = () => exampleStateOf(snapshots.current());
      const flushUsage = () => noteDown('usage', () => usage.flush(), report);
      const counts = { limiter: gate, flushUsage, perMinute, perMonth };
      const services = { accounts: store, clock, exampleState, report, ...counts };
      const at = { store: options.store, limits, apiUrl: apiUrl ?? url };
      const dashboard = await openDashboard({ ...options.dashboard, ...at, services });
      opened.push(dashboard.close);
      dashboardUrl = await listen(dashboard.app, host, options.dashboard.port, 'dashboard port');
      dashboard.listensAt(dashboardUrl);
      opened.push(() => drain(dashboard.app));
    }

    const started = clock.steadyMs();
    const ops = buildOps({
      snapshots,
      metrics,
      gauges: async () => ({
        uptimeSeconds: (clock.steadyMs() - started) / 1000,
        connections: await promisify(app.server.getConnections.bind(app.server))(),
        memoryBytes: process.memoryUsage.rss(),
      }),
      unready: () => (stopping ? 'stopping' : gate.unavailable()),
    });
    const opsUrl = await listen(ops, host, options.opsPort, 'ops port');
    opened.unshift(() => ops.close());

    opened.push(minding(options));

    return {
      url,
      opsUrl,
      dashboardUrl,
      store,
      current: snapshots.current,
      close: () => {
        stopping = true;
        return closeAll();
      },
    };
  } catch (error) {
    await closeAll();
    throw error;
  }
}

/**
 * Looks whether another file takes the store's place: keys revoked in that one would go on working here. @returns what
 * ends the looking.
 */
function minding({ store, giveUp }: ServerOptions): () => void {
  const file = sqliteFile(store);
  if (file === null) return () => {};
  const isReplaced = watchPlace(file);
  const looking = setInterval(() => {
    if (!isReplaced()) return;
    clearInterval(looking);
    giveUp(`another file has taken the place of ${file}; stopping, to be started on that one`);
  }, PLACE_MS).unref();
  return () => clearInterval(looking);
}

async function listen(app: FastifyInstance, host: string, port: number, what: string): Promise<string> {
  try {
    await app.listen({ host, port });
  } catch (error) {
    const code = (error as NodeJS.ErrnoException).code;
    const why = code === 'EADDRINUSE' ? 'is taken' : `cannot be used (${code ?? lineOf(error)})`;
    throw new UsageError(`${what} ${port} on ${host} ${why}`, { cause: error });
  }
  const { port: bound } = app.server.address() as AddressInfo;
  return `http://${host.includes(':') ? `[${host}]` : host}:${bound}`;
}

async function drain(app: FastifyInstance): Promise<void> {
  const deadline = setTimeout(() => app.server.closeAllConnections(), DRAIN_MS);
  await app.close();
  clearTimeout(deadline);
}

/** Writes down what can be lost; where that fails, tries again until `forMs` have passed, then reports it. */
async function noteDown(what: string, write: () => unknown, report: (line: string) => void, forMs = 0): Promise<void> {
  const started = performance.now();
  for (;;) {
    try {
      await write();
      return;
    } catch (error) {
      if (performance.now() - started >= forMs) {
        report(`${what} not noted: ${lineOf(error)}`);
        return;
      }
      await pause(100);
    }
  }
}
