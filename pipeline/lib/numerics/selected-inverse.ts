import type { Factor } from './sparse-cholesky.ts';

/** Number of columns of L processed together, if `symbolic.isBlockStart` marks them as sharing their rows below. */
const BLOCK_WIDTH = 4;

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
  const { pattern, start, row, isBlockStart } = symbolic;
  const z = new Float64Array(row.length);
  const offsetBelow = new Int32Array(pattern.n).fill(-1);
  const lBelow = new Float64Array(BLOCK_WIDTH * pattern.n);
  const zBelow = new Float64Array(BLOCK_WIDTH * pattern.n);
  const blockColumn = new Float64Array(BLOCK_WIDTH * BLOCK_WIDTH);
  for (let lastColumn = pattern.n - 1; lastColumn >= 0; ) {
    const columns = lastColumn >= BLOCK_WIDTH - 1 && isBlockStart[lastColumn - BLOCK_WIDTH + 1] ? BLOCK_WIDTH : 1;
    const firstColumn = lastColumn - columns + 1;
    const firstBelow = start[lastColumn]! + 1;
    const rowsBelow = start[lastColumn + 1]! - firstBelow;
    /** Position of the entry in the s-th row below the block, in the block's column c. */
    const entryBelow = (s: number, c: number) => start[firstColumn + c]! + columns - c + s;
    zBelow.fill(0, 0, BLOCK_WIDTH * rowsBelow);
    lBelow.fill(0, 0, BLOCK_WIDTH * rowsBelow);
    for (let s = 0; s < rowsBelow; s++) {
      offsetBelow[row[firstBelow + s]!] = BLOCK_WIDTH * s;
      for (let c = 0; c < columns; c++) lBelow[BLOCK_WIDTH * s + c] = values[entryBelow(s, c)]!;
    }
    for (let s = 0; s < BLOCK_WIDTH * rowsBelow; s += BLOCK_WIDTH) {
      const k = row[firstBelow + s / BLOCK_WIDTH]!;
      const [f0, f1, f2, f3] = [lBelow[s]!, lBelow[s + 1]!, lBelow[s + 2]!, lBelow[s + 3]!];
      const diagonal = z[start[k]!]!;
      let [s0, s1, s2, s3] = [diagonal * f0, diagonal * f1, diagonal * f2, diagonal * f3];
      for (let e = start[k]! + 1; e < start[k + 1]!; e++) {
        const t = offsetBelow[row[e]!]!;
        if (t < 0) continue;
        const v = z[e]!;
        s0 += v * lBelow[t]!;
        s1 += v * lBelow[t + 1]!;
        s2 += v * lBelow[t + 2]!;
        s3 += v * lBelow[t + 3]!;
        zBelow[t]! += v * f0;
        zBelow[t + 1]! += v * f1;
        zBelow[t + 2]! += v * f2;
        zBelow[t + 3]! += v * f3;
      }
      zBelow[s]! += s0;
      zBelow[s + 1]! += s1;
      zBelow[s + 2]! += s2;
      zBelow[s + 3]! += s3;
    }
    const blockEntry = (d: number, c: number) => values[start[firstColumn + c]! + d - c]!;
    for (let s = 0; s < rowsBelow; s++)
      for (let c = columns - 1; c >= 0; c--) {
        let value = -zBelow[BLOCK_WIDTH * s + c]!;
        for (let d = c + 1; d < columns; d++) value -= zBelow[BLOCK_WIDTH * s + d]! * blockEntry(d, c);
        value /= blockEntry(c, c);
        zBelow[BLOCK_WIDTH * s + c] = value;
        z[entryBelow(s, c)] = value;
      }
    // L_BB⁻¹ − L_SBᵀ Z_SB, column by column, then solved by L_BBᵀ
    for (let c = 0; c < columns; c++) {
      for (let d = 0; d < columns; d++) {
        let value = d === c ? 1 : 0;
        for (let k = c; k < d; k++) value -= blockEntry(d, k) * blockColumn[k]!;
        blockColumn[d] = d < c ? 0 : value / blockEntry(d, d);
      }
      for (let d = 0; d < columns; d++)
        for (let s = 0; s < rowsBelow; s++)
          blockColumn[d]! -= lBelow[BLOCK_WIDTH * s + d]! * zBelow[BLOCK_WIDTH * s + c]!;
      for (let d = columns - 1; d >= c; d--) {
        let value = blockColumn[d]!;
        for (let k = d + 1; k < columns; k++) value -= blockEntry(k, d) * blockColumn[k]!;
        blockColumn[d] = value / blockEntry(d, d);
        z[start[firstColumn + c]! + d - c] = blockColumn[d]!;
      }
    }
    for (let s = 0; s < rowsBelow; s++) offsetBelow[row[firstBelow + s]!] = -1;
    lastColumn = firstColumn - 1;
  }
  return z;
}
