/**
 * Makes passwords hash in a thirtieth of the time, since tests of the dashboard wait for that some hundreds of times.
 * Tests of the hashes themselves, and of several processes on one store, use the real ones: `vi.unmock('node:crypto')`.
 */
import { vi } from 'vitest';

vi.mock('node:crypto', async (importOriginal) => {
  const crypto = await importOriginal<typeof import('node:crypto')>();
  const argon2: typeof crypto.argon2 = (algorithm, parameters, done) =>
    crypto.argon2(algorithm, { ...parameters, memory: parameters.memory / 16 }, done);
  return { ...crypto, argon2 };
});
