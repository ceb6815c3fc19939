import { availableParallelism } from 'node:os';
import { fileURLToPath } from 'node:url';
import { defineConfig } from 'vitest/config';

/** Tests that build a country, fit a whole model, serve a built country, or run a command in a process of its own. */
const BUILD = [
  'test/whole-service.test.ts',
  'test/pipeline/*.test.ts',
  'test/pipeline/catalog/{check,update}/*.test.ts',
  'test/pipeline/catalog/start.test.ts',
  'test/pipeline/commands/*.test.ts',
  'test/pipeline/engine/{rerun,run,split}.test.ts',
  'test/pipeline/forecast/{leak,case-model/forecaster}.test.ts',
  'test/pipeline/ingest/bad-*.test.ts',
  'test/pipeline/publish/release/{places,publish,releases,review,told}.test.ts',
  'test/pipeline/publish/snapshot/{bulk,case-series,diff,provenance,verify}.test.ts',
  'test/pipeline/risk/fit.test.ts',
  'test/pipeline/synthetic/country.test.ts',
  'test/pipeline/transmission/{held-back,season-and-transmission}.test.ts',
  'test/pipeline/validation/stage.test.ts',
];
/** Tests that open a page in a real browser. */
const BROWSER = [
  'test/pipeline/publish/report/{odd-countries,questions}.test.ts',
  'test/proxy/clients.test.ts',
  'test/proxy/clients/*.test.ts',
  'test/proxy/dashboard/{accessibility,browser}.test.ts',
];
const LONG = 'test/long/**';
/** Compiled code, kept for the processes and threads that tests start. */
const env = { NODE_COMPILE_CACHE: fileURLToPath(new URL('node_modules/.cache/tests', import.meta.url)) };

const project = (name: string, include: string[], exclude: string[], more: object = {}) => ({
  test: {
    ...{ name, include, exclude, setupFiles: 'test/support/setup.ts', testTimeout: 120_000, hookTimeout: 600_000, env },
    ...more,
  },
});
const BUILT_TINY = 'test/support/global-setup.ts';
const POSTGRES = 'test/proxy/global-setup.ts';
const SETUP = ['test/support/setup.ts', 'test/proxy/quick-passwords.ts'];

export default defineConfig({
  test: {
    // More workers than cores: some tests wait for servers, browsers and processes. Percentages are held to 100.
    maxWorkers: Math.ceil(1.5 * availableParallelism()),
    projects: [
      project('unit', ['test/**/*.test.ts'], [...BUILD, ...BROWSER, 'test/proxy/**', LONG], {
        isolate: false,
      }),
      project('build', BUILD, [], { globalSetup: BUILT_TINY, isolate: false }),
      project('service', ['test/proxy/**/*.test.ts'], BROWSER, { globalSetup: POSTGRES, setupFiles: SETUP }),
      project('browser', BROWSER, [], { globalSetup: [BUILT_TINY, POSTGRES], setupFiles: SETUP }),
    ],
  },
});
