import { createHash } from 'node:crypto';

/** A reproducible stream of random numbers. */
export interface Random {
  /** Uniform on (0, 1), from 32 random bits; never 0 or 1. */
  uniform(): number;
  /** Standard normal. */
  normal(): number;
}

/** The stream with every number reflected in the middle of its distribution. */
export const mirrorStream = ({ uniform, normal }: Random): Random => ({
  uniform: () => 1 - uniform(),
  normal: () => -normal(),
});

/**
 * A separate stream for each `name` under one `seed`, so that adding a draw to one part of a model does not shift those
 * of another. Generator: Doty-Humphrey's sfc32 (PractRand), seeded with the SHA-256 of seed and name. Normals by
 * Marsaglia's polar method (1964), so the results depend on `Math.log` and `Math.sqrt` alone.
 */
export function randomStream(seed: number, name: string): Random {
  const digest = createHash('sha256').update(`${seed}/${name}`).digest();
  let a = digest.readInt32LE(0);
  let b = digest.readInt32LE(4);
  let c = digest.readInt32LE(8);
  let counter = 1;
  let spareNormal: number | null = null;

  const uniform = () => {
    const t = (((a + b) | 0) + counter) | 0;
    counter = (counter + 1) | 0;
    a = b ^ (b >>> 9);
    b = (c + (c << 3)) | 0;
    c = (((c << 21) | (c >>> 11)) + t) | 0;
    return ((t >>> 0) + 0.5) / 4294967296;
  };
  const normal = () => {
    if (spareNormal !== null) {
      const value = spareNormal;
      spareNormal = null;
      return value;
    }
    for (;;) {
      const u = 2 * uniform() - 1;
      const v = 2 * uniform() - 1;
      const s = u * u + v * v;
      if (s >= 1 || s === 0) continue;
      const scale = Math.sqrt((-2 * Math.log(s)) / s);
      spareNormal = v * scale;
      return u * scale;
    }
  };
  for (let i = 0; i < 12; i++) uniform();
  return { uniform, normal };
}
