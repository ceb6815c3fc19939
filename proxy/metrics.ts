import type { KeyKind } from './accounts/key-format.ts';
import type { SnapshotSource } from './snapshot/watch.ts';

export interface Gauges {
  uptimeSeconds: number;
  /** Connections to the API at present. */
  connections: number;
  memoryBytes: number;
}

export interface Metrics {
  /** Counts one answered request. `operation` is an id of the contract's or 'none'. */
  count(operation: string, status: number, kind: KeyKind | 'none'): void;
  /** Prometheus text format, version 0.0.4. */
  render(snapshots: SnapshotSource, gauges: Gauges): string;
}

export function createMetrics(): Metrics {
  const counters: Record<KeyKind | 'none', Map<string, Map<number, number>>> = {
    live: new Map(),
    test: new Map(),
    none: new Map(),
  };
  return {
    count(operation, status, kind) {
      const byStatus = counters[kind].get(operation) ?? new Map<number, number>();
      if (byStatus.size === 0) counters[kind].set(operation, byStatus);
      byStatus.set(status, (byStatus.get(status) ?? 0) + 1);
    },
    render(snapshots, { uptimeSeconds, connections, memoryBytes }) {
      const version = snapshots.current().model_version;
      return [
        '# HELP malaria_requests_total Requests answered.',
        '# TYPE malaria_requests_total counter',
        ...requestLines(counters),
        '# HELP malaria_snapshot_info The snapshot being served.',
        '# TYPE malaria_snapshot_info gauge',
        `malaria_snapshot_info{model_version="${version}"} 1`,
        '# HELP malaria_snapshot_refused Whether a newer snapshot was found damaged and is refused.',
        '# TYPE malaria_snapshot_refused gauge',
        `malaria_snapshot_refused ${snapshots.refused() ? 1 : 0}`,
        '# HELP malaria_connections Connections to the API.',
        '# TYPE malaria_connections gauge',
        `malaria_connections ${connections}`,
        '# HELP malaria_memory_bytes Resident memory.',
        '# TYPE malaria_memory_bytes gauge',
        `malaria_memory_bytes ${memoryBytes}`,
        '# HELP malaria_uptime_seconds Seconds since the start.',
        '# TYPE malaria_uptime_seconds gauge',
        `malaria_uptime_seconds ${uptimeSeconds.toFixed(1)}`,
        '',
      ].join('\n');
    },
  };
}

function requestLines(counters: Record<string, Map<string, Map<number, number>>>): string[] {
  const lines = Object.entries(counters).flatMap(([kind, operations]) =>
    [...operations].flatMap(([operation, statuses]) =>
      [...statuses].map(
        ([status, count]) =>
          `malaria_requests_total{operation="${operation}",status="${status}",key_kind="${kind}"} ${count}`,
      ),
    ),
  );
  return lines.sort();
}
