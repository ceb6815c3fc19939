import { availableParallelism } from 'node:os';
import { defineConfig } from 'vitest/config';
import { PIPELINE_PROOFS, PROXY_PROOFS, SETUP } from './vitest.config.ts';

const common = {
  globalSetup: ['test/support/global-setup.ts', 'test/support/proxy/global-setup.ts'],
  testTimeout: 900_000,
  hookTimeout: 900_000,
};

/** Tests that take minutes: full-size countries from their raw files on, and proofs. */
export default defineConfig({
  test: {
    // More workers than cores, since some tests wait for servers, browsers, killed processes and their restarts.
    maxWorkers: Math.ceil(1.5 * availableParallelism()),
    projects: [
      {
        test: {
          ...common,
          name: 'long',
          include: ['test/{long,platforms}/**/*.test.ts', ...PIPELINE_PROOFS],
          setupFiles: 'test/support/setup.ts',
        },
      },
      { test: { ...common, name: 'proxy', include: PROXY_PROOFS, setupFiles: SETUP } },
    ],
  },
});
