import { lab, rgb } from 'd3';
import { expect, test } from 'vitest';
import { LEVELS } from '../../../../pipeline/contract/levels.ts';
import { LEVEL_FILLS, SCORE_CLASSES } from '../../../../pipeline/publish/report/shared/names.ts';

/** Matrices for linear RGB as seen without one kind of cone: Machado, Oliveira & Fernandes 2009, severity 1. */
const SIGHT = {
  usual: [
    [1, 0, 0],
    [0, 1, 0],
    [0, 0, 1],
  ],
  deuteranopia: [
    [0.367322, 0.860646, -0.227968],
    [0.280085, 0.672501, 0.047413],
    [-0.01182, 0.04294, 0.968881],
  ],
  protanopia: [
    [0.152286, 1.052583, -0.204868],
    [0.114503, 0.786281, 0.099216],
    [-0.003882, -0.048116, 1.051998],
  ],
  tritanopia: [
    [1.255528, -0.076749, -0.178779],
    [-0.078411, 0.930809, 0.147602],
    [0.004733, 0.691367, 0.3039],
  ],
};

const linear = (value: number) => (value <= 0.04045 ? value / 12.92 : ((value + 0.055) / 1.055) ** 2.4);
const display = (value: number) => (value <= 0.0031308 ? 12.92 * value : 1.055 * value ** (1 / 2.4) - 0.055);

function lightnessSeen(fill: string, matrix: number[][]): number {
  const { r, g, b } = rgb(fill);
  const light = [r, g, b].map((value) => linear(value / 255));
  const [red, green, blue] = matrix.map((row) => {
    const sum = row.reduce((total, weight, i) => total + weight * light[i]!, 0);
    return 255 * display(Math.min(1, Math.max(0, sum)));
  });
  return lab(rgb(red!, green!, blue!)).l;
}

const FILLS = { levels: Object.values(LEVEL_FILLS), 'classes of the score': SCORE_CLASSES.map(({ fill }) => fill) };

test.each(
  Object.entries(SIGHT).flatMap(([sight, matrix]) =>
    Object.entries(FILLS).map(([what, fills]) => ({ sight, what, matrix, fills })),
  ),
)('$what grow darker in visible steps: $sight', ({ matrix, fills }) => {
  const seen = fills.map((fill) => lightnessSeen(fill, matrix));
  for (const [i, lightness] of seen.slice(1).entries()) expect(seen[i]! - lightness).toBeGreaterThan(6);
});

test('the end of each level is the end of a class of the score', () => {
  const ends = SCORE_CLASSES.map(({ below }) => below);
  for (const { below } of LEVELS) expect(ends).toContain(below);
});
