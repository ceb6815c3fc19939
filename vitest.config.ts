import { statfsSync } from 'node:fs';
import { availableParallelism, tmpdir } from 'node:os';
import { fileURLToPath } from 'node:url';
import { defineConfig } from 'vitest/config';

/** Tests that build a country, fit a complete model, serve a built country, or run a command as a separate process. */
const BUILD = [
  'test/end-to-end.test.ts',
  'test/pipeline/*.test.ts',
  'test/pipeline/cli/**/*.test.ts',
  'test/pipeline/engine/{rerun,run}.test.ts',
  'test/pipeline/intake/{check,update}/*.test.ts',
  'test/pipeline/ingest/bad-*.test.ts',
  'test/pipeline/release/{owner,publish,releases,review,release-index}.test.ts',
  'test/pipeline/publish/snapshot/{answers,case-series,diff,provenance,verify}.test.ts',
  'test/pipeline/model/transmission/season-and-transmission.test.ts',
];
/** Tests that open a page in a real browser. */
const BROWSER = [
  'test/pipeline/publish/{clients/api-page,report/questions}.test.ts',
  'test/proxy/clients.test.ts',
  'test/proxy/clients/*.test.ts',
];
/** Long tests outside test/long, beside the tests of the same code: only `npm run test:long` runs them. */
export const PIPELINE_PROOFS = [
  'test/pipeline/{cases-after-surveys,covariates,determinism,interrupted,roles}.test.ts',
  'test/pipeline/cli/commands/{catalog-start,evaluate/risk}.test.ts',
  'test/pipeline/engine/parallel-builds.test.ts',
  'test/pipeline/intake/check/real-files.test.ts',
  'test/pipeline/intake/draft/madagascar.test.ts',
  'test/pipeline/model/forecast/{case-model,real-leak}.test.ts',
  'test/pipeline/model/risk/{other-test,simulated-countries}.test.ts',
  'test/pipeline/model/transmission/held-back-design.test.ts',
  'test/pipeline/release/{destinations,interrupted-publish,reproduce}.test.ts',
  'test/pipeline/publish/report/odd-countries.test.ts',
  'test/pipeline/synthetic/{country,departures,geography,make-country,population,size}.test.ts',
  'test/pipeline/validate/validation-stage.test.ts',
];
export const PROXY_PROOFS = [
  'test/proxy/{failure,memory}.test.ts',
  'test/proxy/clients/{first-map,other-country,python,r}.test.ts',
  'test/proxy/store/outages.test.ts',
  'test/proxy/snapshot/object-storage.test.ts',
  'test/proxy/dashboard/{accessibility,browser,many-keys,several,sign-in-attacks,sign-in-flood}.test.ts',
  'test/proxy/store/people/{at-once,passwords}.test.ts',
];
const LONG = ['test/{long,platforms}/**', ...PIPELINE_PROOFS, ...PROXY_PROOFS];
/** Tests write to memory if there is room: a full-size snapshot is thousands of files, each of them synced to disk. */
process.env.TMPDIR ??= hasRoom('/dev/shm') ? '/dev/shm' : tmpdir();

function hasRoom(directory: string): boolean {
  try {
    const { bavail, bsize } = statfsSync(directory);
    return bavail * bsize > 8 * 2 ** 30;
  } catch {
    return false;
  }
}

/** Where the processes and threads that tests start share compiled code. */
const env = { NODE_COMPILE_CACHE: fileURLToPath(new URL('node_modules/.cache/tests', import.meta.url)) };

const project = (name: string, include: string[], exclude: string[], more: object = {}) => ({
  test: {
    name,
    include,
    exclude,
    setupFiles: 'test/support/setup.ts',
    testTimeout: 120_000,
    hookTimeout: 600_000,
    env,
    ...more,
  },
});
const BUILT_TINY = 'test/support/global-setup.ts';
const POSTGRES = 'test/support/proxy/global-setup.ts';
export const SETUP = ['test/support/setup.ts', 'test/support/proxy/quick-passwords.ts'];

export default defineConfig({
  test: {
    // More workers than cores, since many tests wait for servers, browsers and processes.
    maxWorkers: 2 * availableParallelism(),
    projects: [
      project('unit', ['test/**/*.test.ts'], [...BUILD, ...BROWSER, 'test/proxy/**', ...LONG], {
        isolate: false,
      }),
      project('build', BUILD, LONG, { globalSetup: BUILT_TINY, isolate: false }),
      project('service', ['test/proxy/**/*.test.ts'], [...BROWSER, ...LONG], {
        globalSetup: POSTGRES,
        setupFiles: SETUP,
        isolate: false,
      }),
      project('browser', BROWSER, LONG, { globalSetup: [BUILT_TINY, POSTGRES], setupFiles: SETUP }),
    ],
  },
});
