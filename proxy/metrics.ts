import type { KeyKind } from './keys/key-format.ts';
import type { SnapshotSource } from './snapshot/watch.ts';

export interface Metrics {
  /** Counts one answered request. `operation` is an id of the contract's or 'none'. */
  count(operation: string, status: number, kind: KeyKind | 'none'): void;
  /** Prometheus text format, version 0.0.4. */
  render(snapshots: SnapshotSource, uptimeSeconds: number): string;
}

export function createMetrics(): Metrics {
  const requests = new Map<string, number>();
  return {
    count(operation, status, kind) {
      const labels = `operation="${operation}",status="${status}",key_kind="${kind}"`;
      requests.set(labels, (requests.get(labels) ?? 0) + 1);
    },
    render(snapshots, uptimeSeconds) {
      const version = snapshots.current().manifest.model_version;
      return [
        '# HELP malaria_requests_total Requests answered.',
        '# TYPE malaria_requests_total counter',
        ...[...requests].sort().map(([labels, count]) => `malaria_requests_total{${labels}} ${count}`),
        '# HELP malaria_snapshot_info The snapshot being served.',
        '# TYPE malaria_snapshot_info gauge',
        `malaria_snapshot_info{model_version="${version}"} 1`,
        '# HELP malaria_snapshot_refused Whether a newer snapshot was found damaged and is refused.',
        '# TYPE malaria_snapshot_refused gauge',
        `malaria_snapshot_refused ${snapshots.refused() ? 1 : 0}`,
        '# HELP malaria_uptime_seconds Seconds since the start.',
        '# TYPE malaria_uptime_seconds gauge',
        `malaria_uptime_seconds ${uptimeSeconds.toFixed(1)}`,
        '',
      ].join('\n');
    },
  };
}
