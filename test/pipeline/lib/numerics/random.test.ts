import { expect, test } from 'vitest';
import { mirrorStream, randomStream } from '../../../../pipeline/lib/numerics/random.ts';

const draws = (seed: number, name: string, n: number) => {
  const stream = randomStream(seed, name);
  return Array.from({ length: n }, () => stream.uniform());
};

test('a stream is reproducible, and differs by seed and by name', () => {
  expect(draws(1, 'a', 5)).toEqual(draws(1, 'a', 5));
  expect(draws(1, 'a', 5)).not.toEqual(draws(2, 'a', 5));
  expect(draws(1, 'a', 5)).not.toEqual(draws(1, 'b', 5));
});

test('uniforms fill (0, 1) evenly: chi-square over 20 bins, 1 in 10,000', () => {
  const counts = new Array<number>(20).fill(0);
  for (const u of draws(7, 'uniform', 100_000)) counts[Math.floor(u * 20)]! += 1;
  const chi2 = counts.reduce((sum, n) => sum + (n - 5000) ** 2 / 5000, 0);
  expect(chi2).toBeLessThan(51.7);
});

test('normals have mean 0, variance 1, kurtosis 3 and do not repeat their neighbour', () => {
  const stream = randomStream(3, 'normal');
  const x = Array.from({ length: 100_000 }, () => stream.normal());
  const mean = (f: (v: number, i: number) => number) => x.reduce((s, v, i) => s + f(v, i), 0) / x.length;
  expect(Math.abs(mean((v) => v))).toBeLessThan(4 / Math.sqrt(x.length));
  expect(Math.abs(mean((v) => v * v) - 1)).toBeLessThan(4 * Math.sqrt(2 / x.length));
  expect(Math.abs(mean((v) => v ** 4) - 3)).toBeLessThan(4 * Math.sqrt(96 / x.length));
  expect(Math.abs(mean((v, i) => v * (x[i - 1] ?? 0)))).toBeLessThan(4 / Math.sqrt(x.length));
});

test('a mirrored stream reflects every number', () => {
  const [plain, other] = [randomStream(4, 'pair'), mirrorStream(randomStream(4, 'pair'))];
  for (let k = 0; k < 5; k++) {
    expect(other.normal()).toBe(-plain.normal());
    expect(other.uniform()).toBe(1 - plain.uniform());
  }
});
