import { randomStream } from '../numerics/random.ts';
import type { Streams } from './draws.ts';

/** The streams of the draws that are published. */
export const drawStreams =
  (seed: number): Streams =>
  (draw) =>
    randomStream(seed, `risk/draw ${draw}`);
