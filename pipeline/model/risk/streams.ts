import { randomStream } from '../../lib/numerics/random.ts';
import type { Streams } from './draws.ts';

/** The random streams of the published draws. */
export const drawStreams =
  (seed: number): Streams =>
  (draw) =>
    randomStream(seed, `risk/draw ${draw}`);
