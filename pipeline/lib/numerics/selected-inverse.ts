import type { Factor } from './sparse-cholesky.ts';

/** Number of columns of L processed together, if `symbolic.alike` marks them as sharing their rows below. */
const WIDTH = 4;

/**
 * The entries of A⁻¹ in the pattern of L, for A = L Lᵀ, by Takahashi's recurrence from the last column to the first
 * (Erisman & Tinney 1975, Commun. ACM 18:177; Rue & Martino 2007, J. Stat. Plan. Inference 137:3177). For a block B of
 * columns with the same rows S below it,
 *
 *   Z_SB = −Z_SS L_SB L_BB⁻¹,   Z_BB = L_BB⁻ᵀ (L_BB⁻¹ − L_SBᵀ Z_SB).
 *
 * @returns values in the order of `symbolic.row`, the diagonal first in each column
 */
export function selectedInverse({ symbolic, values }: Factor): Float64Array {
  const { pattern, start, row, alike } = symbolic;
  const z = new Float64Array(row.length);
  const position = new Int32Array(pattern.n).fill(-1);
  const factors = new Float64Array(WIDTH * pattern.n);
  const sums = new Float64Array(WIDTH * pattern.n);
  const dense = new Float64Array(WIDTH * WIDTH);
  for (let last = pattern.n - 1; last >= 0; ) {
    const columns = last >= WIDTH - 1 && alike[last - WIDTH + 1] ? WIDTH : 1;
    const first = last - columns + 1;
    const from = start[last]! + 1;
    const below = start[last + 1]! - from;
    /** Position of the entry in the s-th row below the block, in the block's column c. */
    const entryBelow = (s: number, c: number) => start[first + c]! + columns - c + s;
    sums.fill(0, 0, WIDTH * below);
    factors.fill(0, 0, WIDTH * below);
    for (let s = 0; s < below; s++) {
      position[row[from + s]!] = WIDTH * s;
      for (let c = 0; c < columns; c++) factors[WIDTH * s + c] = values[entryBelow(s, c)]!;
    }
    for (let s = 0; s < WIDTH * below; s += WIDTH) {
      const k = row[from + s / WIDTH]!;
      const [f0, f1, f2, f3] = [factors[s]!, factors[s + 1]!, factors[s + 2]!, factors[s + 3]!];
      const diagonal = z[start[k]!]!;
      let [s0, s1, s2, s3] = [diagonal * f0, diagonal * f1, diagonal * f2, diagonal * f3];
      for (let e = start[k]! + 1; e < start[k + 1]!; e++) {
        const t = position[row[e]!]!;
        if (t < 0) continue;
        const v = z[e]!;
        s0 += v * factors[t]!;
        s1 += v * factors[t + 1]!;
        s2 += v * factors[t + 2]!;
        s3 += v * factors[t + 3]!;
        sums[t]! += v * f0;
        sums[t + 1]! += v * f1;
        sums[t + 2]! += v * f2;
        sums[t + 3]! += v * f3;
      }
      sums[s]! += s0;
      sums[s + 1]! += s1;
      sums[s + 2]! += s2;
      sums[s + 3]! += s3;
    }
    const blockEntry = (d: number, c: number) => values[start[first + c]! + d - c]!;
    for (let s = 0; s < below; s++)
      for (let c = columns - 1; c >= 0; c--) {
        let value = -sums[WIDTH * s + c]!;
        for (let d = c + 1; d < columns; d++) value -= sums[WIDTH * s + d]! * blockEntry(d, c);
        value /= blockEntry(c, c);
        sums[WIDTH * s + c] = value;
        z[entryBelow(s, c)] = value;
      }
    // L_BB⁻¹ − L_SBᵀ Z_SB, column by column, then solved by L_BBᵀ
    for (let c = 0; c < columns; c++) {
      for (let d = 0; d < columns; d++) {
        let value = d === c ? 1 : 0;
        for (let k = c; k < d; k++) value -= blockEntry(d, k) * dense[k]!;
        dense[d] = d < c ? 0 : value / blockEntry(d, d);
      }
      for (let d = 0; d < columns; d++)
        for (let s = 0; s < below; s++) dense[d]! -= factors[WIDTH * s + d]! * sums[WIDTH * s + c]!;
      for (let d = columns - 1; d >= c; d--) {
        let value = dense[d]!;
        for (let k = d + 1; k < columns; k++) value -= blockEntry(k, d) * dense[k]!;
        dense[d] = value / blockEntry(d, d);
        z[start[first + c]! + d - c] = dense[d]!;
      }
    }
    for (let s = 0; s < below; s++) position[row[from + s]!] = -1;
    last = first - 1;
  }
  return z;
}
