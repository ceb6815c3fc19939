import { readFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, test } from 'vitest';
import { ratioEstimate } from '../../../../pipeline/lib/numerics/ratio-estimate.ts';
import { HAS_REAL_DATA, needsReal, REAL_DATA, REFERENCE } from '../../../support/real-data.ts';

describe('ratio estimate', () => {
  test('worked by hand: clusters of 10, 20 and 30 with 1, 6 and 3 positive', () => {
    // p = 10/60 = 1/6; z = 10(1/10 − 1/6)/60, 20(3/10 − 1/6)/60, 30(1/10 − 1/6)/60 = −1/90, 4/90, −3/90
    const p = 1 / 6;
    const se = Math.sqrt((3 / 2) * ((1 + 16 + 9) / 8100));
    const t = 4.302652729749464;
    const logit = Math.log(p / (1 - p));
    const margin = (t * se) / (p * (1 - p));
    const found = ratioEstimate(
      [
        { size: 10, positivity: 0.1 },
        { size: 20, positivity: 0.3 },
        { size: 30, positivity: 0.1 },
      ],
      0.95,
    );
    expect(found.positivity).toBeCloseTo(p, 14);
    expect(found.se).toBeCloseTo(se, 14);
    expect(found.low).toBeCloseTo(1 / (1 + Math.exp(-(logit - margin))), 12);
    expect(found.high).toBeCloseTo(1 / (1 + Math.exp(-(logit + margin))), 12);
  });
  test('there is no range for a single cluster, or if nobody or everybody is positive', () => {
    expect(ratioEstimate([{ size: 9, positivity: 0.2 }], 0.95)).toEqual({
      positivity: 0.2,
      se: null,
      low: null,
      high: null,
    });
    const none = ratioEstimate(
      [
        { size: 9, positivity: 0 },
        { size: 5, positivity: 0 },
      ],
      0.95,
    );
    expect([none.positivity, none.se, none.low, none.high]).toEqual([0, 0, null, null]);
    expect(
      ratioEstimate(
        [
          { size: 9, positivity: 1 },
          { size: 5, positivity: 1 },
        ],
        0.95,
      ).high,
    ).toBeNull();
  });
  test('a common factor of the sizes has no effect', () => {
    const clusters = [
      { size: 3, positivity: 0.1 },
      { size: 8, positivity: 0.6 },
      { size: 5, positivity: 0.4 },
    ];
    const scaled = clusters.map((cluster) => ({ ...cluster, size: cluster.size * 7 }));
    const [a, b] = [ratioEstimate(clusters, 0.95), ratioEstimate(scaled, 0.95)];
    expect(b.low).toBeCloseTo(a.low!, 12);
    expect(b.se).toBeCloseTo(a.se!, 12);
  });

  test.skipIf(!HAS_REAL_DATA)(needsReal("R's survey estimates for 2010 and 2015 to 1e-9"), () => {
    const parse = (file: string) => {
      const [header, ...lines] = readFileSync(file, 'utf8')
        .trim()
        .split(/\r?\n/)
        .map((line) => line.split(','));
      return lines.map((cells) => Object.fromEntries(header!.map((name, i) => [name, cells[i] ?? ''])));
    };
    const cells = parse(path.join(REAL_DATA, 'surveys/survey_cells_2010_2015_2018.csv')).filter(
      (row) => row.method === 'microscopy',
    );
    const reference = parse(path.join(REFERENCE, 'survey_positivity_2010_2015.csv'));
    expect(reference.length).toBeGreaterThan(70);
    for (const row of reference) {
      const own = cells.filter(
        (cluster) => cluster.survey_year === row.survey_year && (row.area === 'NG' || cluster.state_pcode === row.area),
      );
      const found = ratioEstimate(
        own.map((cluster) => ({ size: Number(cluster.examined), positivity: Number(cluster.positivity) })),
        0.95,
      );
      const where = `${row.survey_year} ${row.area}`;
      expect(own.length, where).toBe(Number(row.clusters));
      for (const field of ['positivity', 'se', 'low', 'high'] as const) {
        const expected = row[field];
        if (expected === '' || expected === 'NA') expect(found[field], `${where} ${field}`).toBeNull();
        else expect(Math.abs(found[field]! - Number(expected)), `${where} ${field}`).toBeLessThan(1e-9);
      }
    }
  });
});
