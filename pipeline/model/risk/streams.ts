import { mirrorStream, randomStream } from '../../lib/numerics/random.ts';
import type { StreamForDraw } from './draws.ts';

/**
 * The random streams of the published draws, in antithetic pairs: every second draw mirrors the one before it, so that
 * the errors of a pair cancel as far as what is computed is linear in them.
 */
export const antitheticStreams =
  (seed: number): StreamForDraw =>
  (draw) => {
    const random = randomStream(seed, `risk/pair ${draw >> 1}`);
    return draw % 2 === 0 ? random : mirrorStream(random);
  };
