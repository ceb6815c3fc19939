/** Starts PostgreSQL once for all tests of a run; those that do not disturb it use a database of their own each. */
import { rmSync } from 'node:fs';
import type { TestProject } from 'vitest/node';
import { initPostgres, missingServers, startPostgres } from './real-servers.ts';

declare module 'vitest' {
  interface ProvidedContext {
    /** A running server, and the data directory from which servers are copied; null if it is not installed. */
    postgres: { url: string; data: string } | null;
  }
}

/** Shared, because several projects need it. */
const run = globalThis as { postgres?: ReturnType<typeof start> };

export default async function setup(project: TestProject): Promise<(() => Promise<void>) | undefined> {
  if (missingServers.length > 0) {
    project.provide('postgres', null);
    return undefined;
  }
  run.postgres ??= start();
  const { server, folder, data } = await run.postgres;
  project.provide('postgres', { url: server.url, data });
  return async () => {
    await server.remove();
    rmSync(folder, { recursive: true, force: true });
  };
}

async function start() {
  const { folder, data } = initPostgres();
  return { server: await startPostgres(data), folder, data };
}
