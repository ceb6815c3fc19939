import { defineConfig } from 'vitest/config';

/** Proofs that take minutes: countries of full size, from their raw files on, and what `npm test` does less of. */
export default defineConfig({
  test: {
    include: [
      'test/long/**/*.test.ts',
      'test/pipeline/forecast/leak.test.ts',
      'test/pipeline/interrupted.test.ts',
      'test/pipeline/publish/release/{places,publish}.test.ts',
      'test/proxy/dashboard/{accessibility,browser}.test.ts',
      'test/proxy/dashboard/people/at-once.test.ts',
    ],
    env: { MALARIA_LONG: 'yes' },
    globalSetup: ['test/support/global-setup.ts', 'test/proxy/global-setup.ts'],
    setupFiles: 'test/support/setup.ts',
    testTimeout: 900_000,
    hookTimeout: 900_000,
    maxWorkers: 1,
  },
});
