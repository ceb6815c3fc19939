import { expect, test } from 'vitest';
import { choleskyDense, invertDense, logDeterminant } from '../../../../pipeline/lib/numerics/dense.ts';
import {
  gramMatrix,
  invertInPlace,
  multiply,
  multiplyVector,
  sandwich,
  transpose,
} from '../../../../pipeline/lib/numerics/dense-products.ts';
import { randomStream } from '../../../../pipeline/lib/numerics/random.ts';

const N = 6;
const random = randomStream(1, 'dense products');
const matrix = () => Float64Array.from({ length: N * N }, () => random.normal());
const close = (a: Float64Array, b: ArrayLike<number>) => {
  expect(a.length).toBe(b.length);
  for (const [i, value] of a.entries()) expect(value).toBeCloseTo(b[i]!, 9);
};
const entry = (a: Float64Array, b: Float64Array, i: number, j: number) =>
  Array.from({ length: N }, (_, k) => a[i * N + k]! * b[k * N + j]!).reduce((sum, value) => sum + value, 0);

test('products are sums over rows and columns', () => {
  const [a, b] = [matrix(), matrix()];
  const product = Array.from({ length: N * N }, (_, i) => entry(a, b, Math.floor(i / N), i % N));
  close(multiply(a, b, N), product);
  close(multiply(transpose(b, N), transpose(a, N), N), transpose(Float64Array.from(product), N));
  const x = b.slice(0, N);
  close(
    multiplyVector(a, x, N),
    [...Array(N).keys()].map((i) => x.reduce((sum, v, k) => sum + a[i * N + k]! * v, 0)),
  );
  const d = multiply(b, transpose(b, N), N);
  close(sandwich(a, d, N), multiply(multiply(a, d, N), transpose(a, N), N));
});

test('squares are products with the transpose', () => {
  const a = matrix();
  close(gramMatrix(a, N), multiply(transpose(a, N), a, N));
});

test('a matrix is inverted in its place', () => {
  const a = matrix();
  const square = multiply(a, transpose(a, N), N).map((value, i) => value + (i % (N + 1) === 0 ? 1 : 0));
  const factor = choleskyDense(square, N)!;
  const inverse = square.slice();
  expect(invertInPlace(inverse, N)).toBeCloseTo(logDeterminant(factor, N), 12);
  close(inverse, invertDense(factor, N));
  close(
    multiply(inverse, square, N),
    Float64Array.from({ length: N * N }, (_, i) => (i % (N + 1) === 0 ? 1 : 0)),
  );
});
