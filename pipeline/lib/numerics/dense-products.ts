/** Products of square matrices of order n, each stored by rows in a Float64Array of length n². */

/** A B, for a B that may be lower triangular. Each pass adds four rows of B, so that C is read a quarter as often. */
export function multiply(a: Float64Array, b: Float64Array, n: number, isLower = false): Float64Array {
  const c = new Float64Array(n * n);
  const blockedEnd = n - (n % 4);
  for (let i = 0; i < n; i++) {
    const rowOfC = c.subarray(i * n, (i + 1) * n);
    const offset = i * n;
    for (let k = 0; k < blockedEnd; k += 4) {
      const [a0, a1, a2, a3] = [a[offset + k]!, a[offset + k + 1]!, a[offset + k + 2]!, a[offset + k + 3]!];
      if (a0 === 0 && a1 === 0 && a2 === 0 && a3 === 0) continue;
      const [b0, b1, b2, b3] = [k * n, (k + 1) * n, (k + 2) * n, (k + 3) * n];
      const columns = isLower ? k + 4 : n;
      for (let j = 0; j < columns; j++)
        rowOfC[j]! += a0 * b[b0 + j]! + a1 * b[b1 + j]! + a2 * b[b2 + j]! + a3 * b[b3 + j]!;
    }
    for (let k = blockedEnd; k < n; k++) {
      const factor = a[offset + k]!;
      for (let j = 0; j < n; j++) rowOfC[j]! += factor * b[k * n + j]!;
    }
  }
  return c;
}

/** The lower triangle of A L for a lower triangular L, and zeros above it. */
export function multiplyLower(a: Float64Array, l: Float64Array, n: number): Float64Array {
  const c = new Float64Array(n * n);
  for (let i = 0; i < n; i++)
    for (let k = 0; k < n; k++) {
      const factor = a[i * n + k]!;
      const lastColumn = Math.min(i, k);
      for (let j = 0; j <= lastColumn; j++) c[i * n + j]! += factor * l[k * n + j]!;
    }
  return c;
}

/** A x. */
export function multiplyVector(a: Float64Array, x: Float64Array, n: number): Float64Array {
  const y = new Float64Array(n);
  for (let i = 0; i < n; i++) {
    let sum = 0;
    for (let j = 0; j < n; j++) sum += a[i * n + j]! * x[j]!;
    y[i] = sum;
  }
  return y;
}

/** A D Aᵀ for a symmetric D. */
export function sandwich(a: Float64Array, d: Float64Array, n: number): Float64Array {
  return multiply(multiply(a, d, n), transpose(a, n), n);
}

export function transpose(a: Float64Array, n: number): Float64Array {
  const t = new Float64Array(n * n);
  for (let i = 0; i < n; i++) for (let j = 0; j < n; j++) t[j * n + i] = a[i * n + j]!;
  return t;
}

/** Aᵀ A. */
export function gramMatrix(a: Float64Array, n: number): Float64Array {
  const c = new Float64Array(n * n);
  for (let k = 0; k < n; k++)
    for (let i = 0; i < n; i++) {
      const factor = a[k * n + i]!;
      for (let j = 0; j <= i; j++) c[i * n + j]! += factor * a[k * n + j]!;
    }
  return mirrorLower(c, n);
}

/** aᵀ b. */
export function dot(a: ArrayLike<number>, b: ArrayLike<number>): number {
  let sum = 0;
  for (let i = 0; i < a.length; i++) sum += a[i]! * b[i]!;
  return sum;
}

/**
 * Replaces the positive definite matrix A by its inverse, without any other memory: A = Uᵀ U is factorised in the upper
 * triangle, (U⁻¹)ᵀ formed in the lower, and their product in its place.
 * @param a its upper triangle is read; the inverse has both. All NaN if it is not positive definite
 * @returns ln |A|
 */
export function invertInPlace(a: Float64Array, n: number): number {
  let logSum = 0;
  for (let k = 0; k < n; k++) {
    const diagonal = Math.sqrt(a[k * n + k]!);
    logSum += Math.log(diagonal);
    for (let j = k + 1; j < n; j++) a[k * n + j]! /= diagonal;
    for (let i = k + 1; i < n; i++) {
      const factor = a[k * n + i]!;
      for (let j = i; j < n; j++) a[i * n + j]! -= factor * a[k * n + j]!;
    }
    a[k * n + k] = 1 / diagonal;
  }
  for (let i = 0; i < n; i++) {
    const diagonal = a[i * n + i]!;
    a.fill(0, i * n, i * n + i);
    for (let k = 0; k < i; k++) {
      const factor = -a[k * n + i]! * diagonal;
      for (let j = 0; j <= k; j++) a[i * n + j]! += factor * a[k * n + j]!;
    }
  }
  for (let i = 0; i < n; i++) {
    const diagonal = a[i * n + i]!;
    for (let j = 0; j <= i; j++) a[i * n + j]! *= diagonal;
    for (let k = i + 1; k < n; k++) {
      const factor = a[k * n + i]!;
      for (let j = 0; j <= i; j++) a[i * n + j]! += factor * a[k * n + j]!;
    }
  }
  mirrorLower(a, n);
  return 2 * logSum;
}

/** Copies the lower triangle of a symmetric matrix to the upper. */
function mirrorLower(c: Float64Array, n: number): Float64Array {
  for (let i = 0; i < n; i++) for (let j = 0; j < i; j++) c[j * n + i] = c[i * n + j]!;
  return c;
}
