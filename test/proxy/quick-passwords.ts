/**
 * Passwords hash in a thirtieth of the time, which tests of the dashboard wait for some hundreds of times. Those of the
 * hashes themselves, and of several processes on one store, take them as they are: `vi.unmock('node:crypto')`.
 */
import { vi } from 'vitest';

vi.mock('node:crypto', async (importOriginal) => {
  const crypto = await importOriginal<typeof import('node:crypto')>();
  const argon2: typeof crypto.argon2 = (algorithm, parameters, done) =>
    crypto.argon2(algorithm, { ...parameters, memory: parameters.memory / 16 }, done);
  return { ...crypto, argon2 };
});
