import { defineConfig } from 'vitest/config';

/** Proofs that take minutes: countries of full size, from their raw files on. */
export default defineConfig({
  test: {
    include: ['test/long/**/*.test.ts'],
    setupFiles: 'test/support/setup.ts',
    testTimeout: 900_000,
    hookTimeout: 900_000,
    maxWorkers: 1,
  },
});
