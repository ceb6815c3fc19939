import { Counter, collectDefaultMetrics, Gauge, Histogram, Registry } from '@prometheus-io/client';
import { codeCommit, codeVersion } from '../../pipeline/lib/code-state.ts';
import type { AccessRecord } from '../api/observe.ts';
import { SIGN_IN_OUTCOMES, type SignInOutcome } from '../dashboard/kit/services.ts';
import type { SnapshotSource } from '../snapshot/watch.ts';
import type { Reports } from './reports.ts';

export interface MetricsSources {
  snapshots: SnapshotSource;
  failures: Reports['failures'];
  /** The reason why a request would not be answered now; null if it would. */
  whyUnavailable: () => Promise<string | null>;
  /** Open connections to the API. */
  connections: () => Promise<number>;
}

/** In seconds. Most answers leave within a millisecond; one that waited for a store may take seconds. */
const LATENCY_BUCKETS = [0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 1, 5];

/** The metrics of one proxy, including the standard ones of its process. */
export class Metrics {
  readonly #registry = new Registry();
  readonly #requests: Counter<'operation' | 'status' | 'key_kind'>;
  readonly #latency: Histogram;
  readonly #signIns: Counter<'outcome'>;

  constructor(sources: MetricsSources) {
    const registers = [this.#registry];
    collectDefaultMetrics({ register: this.#registry });
    this.#requests = new Counter({
      name: 'malaria_requests_total',
      help: 'Requests by operation, status and key kind; 401, 403 and 429 are refusals, 499 is a client that disconnected.',
      labelNames: ['operation', 'status', 'key_kind'],
      registers,
    });
    this.#latency = new Histogram({
      name: 'malaria_request_duration_seconds',
      help: 'From the headers of a request to the last byte of its answer.',
      buckets: LATENCY_BUCKETS,
      registers,
    });
    this.#signIns = new Counter({
      name: 'malaria_sign_ins_total',
      help: 'Attempts to sign in to the dashboard, or to confirm one’s identity there, by outcome.',
      labelNames: ['outcome'],
      registers,
    });
    for (const outcome of SIGN_IN_OUTCOMES) this.#signIns.inc({ outcome }, 0);
    addStateMetrics(registers, sources);
  }

  /** Counts one answered request. */
  count({ operation, status, key_kind, ms }: AccessRecord): void {
    this.#requests.inc({ operation, status, key_kind });
    // A malformed request that never reached a handler has no duration.
    if (ms > 0) this.#latency.observe(ms / 1000);
  }

  countSignIn(outcome: SignInOutcome): void {
    this.#signIns.inc({ outcome });
  }

  /** The metrics in Prometheus' text format. */
  render(): Promise<string> {
    return this.#registry.metrics();
  }

  get contentType(): string {
    return this.#registry.contentType;
  }
}

/** Metrics that are read whenever they are asked for. */
function addStateMetrics(
  registers: Registry[],
  { snapshots, failures, whyUnavailable, connections }: MetricsSources,
): void {
  const gauge = (name: string, help: string, read: () => number | Promise<number>) =>
    new Gauge({
      name,
      help,
      registers,
      async collect() {
        this.set(await read());
      },
    });
  new Gauge({
    name: 'malaria_build_info',
    help: 'The running program; `commit` is empty if it is neither a Git checkout nor packed from one.',
    labelNames: ['version', 'commit'],
    registers,
  }).set({ version: codeVersion(), commit: codeCommit() ?? '' }, 1);
  new Gauge({
    name: 'malaria_snapshot_info',
    help: 'The snapshot being served.',
    labelNames: ['model_version'],
    registers,
    collect() {
      this.reset();
      this.set({ model_version: snapshots.current().model_version }, 1);
    },
  });
  gauge(
    'malaria_snapshot_refused',
    'Whether the published snapshot is damaged, so that an earlier one is served.',
    () => (snapshots.refusal() ? 1 : 0),
  );
  gauge(
    'malaria_snapshot_confirmed_timestamp_seconds',
    'When the snapshot being served was last known to be the published one.',
    () => snapshots.confirmedAt() / 1000,
  );
  gauge('malaria_snapshot_damaged', 'Whether a file of the snapshot being served is damaged.', () =>
    snapshots.damageLine() === null ? 0 : 1,
  );
  new Counter({
    name: 'malaria_failures_total',
    help: 'Failures by cause, as in the log.',
    labelNames: ['cause'],
    registers,
    collect() {
      this.reset();
      for (const [cause, count] of Object.entries(failures)) this.inc({ cause }, count);
    },
  });
  gauge(
    'malaria_data_updated_timestamp_seconds',
    'When the data being served was last updated.',
    () => snapshots.current().updatedAt / 1000,
  );
  gauge(
    'malaria_available',
    'Whether a request would be answered now: by the store, and from an intact snapshot.',
    async () => ((await whyUnavailable()) === null ? 1 : 0),
  );
  gauge('malaria_connections', 'Connections to the API.', connections);
}
