import { expect, test } from 'vitest';
import { encodeScores } from '../../../../pipeline/publish/report/encode.ts';

test('scores are ten-thousandths, rounded as the answers are, states before LGAs', () => {
  const area = (score: number) => ({ score: [score, 0], score_low: [0.1, 0], score_high: [0.99996, 1] });
  const encoded = encodeScores({
    areas: {
      states: [{ state_code: 'AB', state_pcode: 'NG001', state: 'Abia', zone: 'SE' }],
      lgas: [{ lga_code: 'NG001001', lga: 'A', state_code: 'AB' }],
    },
    scores: {
      states: { periods: ['2023-12', '2024-01'], areas: { AB: area(0.12345) } },
      lgas: { periods: ['2023-12', '2024-01'], areas: { NG001001: area(0.5) } },
    },
  });
  const bytes = Buffer.from(encoded, 'base64');
  expect(Array.from({ length: bytes.length / 2 }, (_, i) => bytes.readUInt16LE(2 * i))).toEqual([
    Number((0.12345).toFixed(4)) * 10_000,
    1000,
    10_000,
    0,
    0,
    10_000,
    5000,
    1000,
    10_000,
    0,
    0,
    10_000,
  ]);
});
