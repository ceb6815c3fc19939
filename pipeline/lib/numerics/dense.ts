/**
 * Small symmetric systems. A matrix of order n is stored by rows in a Float64Array of length n²; only its lower
 * triangle is read.
 */

/**
 * Lower Cholesky factor L of A = L Lᵀ, as a new matrix with zeros above the diagonal.
 * @returns null if A is not positive definite
 */
export function choleskyDense(a: Float64Array, n: number): Float64Array | null {
  const l = new Float64Array(n * n);
  for (let i = 0; i < n; i++) {
    for (let j = 0; j <= i; j++) {
      let sum = a[i * n + j]!;
      for (let k = 0; k < j; k++) sum -= l[i * n + k]! * l[j * n + k]!;
      if (i > j) l[i * n + j] = sum / l[j * n + j]!;
      else if (sum > 0) l[i * n + i] = Math.sqrt(sum);
      else return null;
    }
  }
  return l;
}

/** Solves L x = b in place. */
export function solveLower(l: Float64Array, n: number, b: Float64Array): Float64Array {
  for (let i = 0; i < n; i++) {
    let sum = b[i]!;
    for (let k = 0; k < i; k++) sum -= l[i * n + k]! * b[k]!;
    b[i] = sum / l[i * n + i]!;
  }
  return b;
}

/** L⁻¹ B, as a new matrix. */
export function solveLowerMatrix(l: Float64Array, b: Float64Array, n: number): Float64Array {
  const x = b.slice();
  for (let i = 0; i < n; i++) {
    const rowOfX = x.subarray(i * n, (i + 1) * n);
    for (let k = 0; k < i; k++) {
      const factor = l[i * n + k]!;
      if (factor === 0) continue;
      for (let j = 0; j < n; j++) rowOfX[j]! -= factor * x[k * n + j]!;
    }
    const diagonal = l[i * n + i]!;
    for (let j = 0; j < n; j++) rowOfX[j]! /= diagonal;
  }
  return x;
}

/** Solves Lᵀ x = b in place. */
export function solveUpper(l: Float64Array, n: number, b: Float64Array): Float64Array {
  for (let i = n - 1; i >= 0; i--) {
    let sum = b[i]!;
    for (let k = i + 1; k < n; k++) sum -= l[k * n + i]! * b[k]!;
    b[i] = sum / l[i * n + i]!;
  }
  return b;
}

/** Solves A x = b in place, with the lower Cholesky factor L of A. */
export const solveCholesky = (l: Float64Array, n: number, b: Float64Array): Float64Array =>
  solveUpper(l, n, solveLower(l, n, b));

/** ln |A| from its factor. */
export function logDeterminant(l: Float64Array, n: number): number {
  let sum = 0;
  for (let i = 0; i < n; i++) sum += Math.log(l[i * n + i]!);
  return 2 * sum;
}

/** A⁻¹ from its factor, both triangles. For small n only; to multiply by the inverse, solve instead. */
export function invertDense(l: Float64Array, n: number): Float64Array {
  const inverse = new Float64Array(n * n);
  for (let j = 0; j < n; j++) {
    const column = new Float64Array(n);
    column[j] = 1;
    solveCholesky(l, n, column);
    for (let i = 0; i < n; i++) inverse[i * n + j] = column[i]!;
  }
  return inverse;
}
