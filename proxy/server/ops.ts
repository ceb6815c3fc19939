import fastify, { type FastifyInstance } from 'fastify';
import type { SnapshotSource } from '../snapshot/watch.ts';
import type { Metrics } from './metrics.ts';

export interface OpsOptions {
  snapshots: SnapshotSource;
  metrics: Metrics;
  /** The reason why requests are not accepted; null while they are. */
  whyNotReady: () => Promise<string | null>;
}

/**
 * Health, readiness and metrics for operators and schedulers, on a port of their own. A refused snapshot is reported
 * but does not make the proxy unready while it serves an intact earlier one: otherwise all proxies would drop out at
 * once.
 */
export function buildOps({ snapshots, metrics, whyNotReady }: OpsOptions): FastifyInstance {
  const app = fastify();
  app.addHook('onSend', async (_request, reply) => {
    reply.header('cache-control', 'no-store');
  });
  app.get('/healthz', async () => ({ status: 'alive' }));
  app.get('/readyz', async (_request, reply) => {
    const reason = await whyNotReady();
    reply.code(reason === null ? 200 : 503);
    return {
      status: reason === null ? 'ready' : 'unready',
      reason,
      model_version: snapshots.current().model_version,
      refused_snapshot: snapshots.refusal(),
      confirmed_at: new Date(snapshots.confirmedAt()).toISOString(),
    };
  });
  app.get('/metrics', async (_request, reply) => reply.type(metrics.contentType).send(await metrics.render()));
  return app;
}
