import { expect, test } from 'vitest';
import { encodeScores } from '../../../../pipeline/publish/report/encode.ts';
import type { SnapshotTables } from '../../../../pipeline/publish/snapshot/snapshot-tables.ts';

test('scores are ten-thousandths, states before LGAs', () => {
  const scores = (score: number, score_low: number, score_high: number) => ({ score, score_low, score_high });
  const [first, second] = [scores(0.1235, 0.1, 1), scores(0, 0, 1)];
  const encoded = encodeScores({
    context_states: [{ state_code: 'AB' }],
    context_lgas: [{ lga_code: 'NG001001' }],
    risk_states: [{ period: '2023-12', state_code: 'AB', ...first }],
    risk_lgas: [{ period: '2023-12', lga_code: 'NG001001', ...first, score: 0.5 }],
    forecasts_states: [{ period: '2024-01', state_code: 'AB', ...second }],
    forecasts_lgas: [{ period: '2024-01', lga_code: 'NG001001', ...second }],
  } as SnapshotTables);
  const bytes = Buffer.from(encoded, 'base64');
  expect(Array.from({ length: bytes.length / 2 }, (_, i) => bytes.readUInt16LE(2 * i))).toEqual([
    1235, 1000, 10_000, 0, 0, 10_000, 5000, 1000, 10_000, 0, 0, 10_000,
  ]);
});
