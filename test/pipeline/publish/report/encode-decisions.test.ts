import { expect, test } from 'vitest';
import { logit } from '../../../../pipeline/lib/numerics/special.ts';
import {
  encodeChanges,
  encodeContrasts,
  encodeDraws,
  encodeLayers,
  encodeObserved,
  encodeScores,
  encodeWindows,
} from '../../../../pipeline/publish/report/encode-decisions.ts';
import { type Grid, MISSING_CHANGE, WINDOW_COLUMNS } from '../../../../pipeline/publish/report/shared/page-data.ts';
import { fromDeviations, logitNormal } from '../../../../pipeline/publish/report/shared/spread.ts';
import type { Contents } from '../../../../pipeline/publish/snapshot/contents.ts';
import type { SnapshotTables } from '../../../../pipeline/publish/snapshot/snapshot-tables.ts';

/** The numbers of a grid, in its order: by column, area and month. */
function gridNumbers({ bits, values }: Grid): number[] {
  const bytes = new Uint8Array(Buffer.from(values, 'base64'));
  return [...(bits === 8 ? bytes : new Int16Array(bytes.buffer))];
}

const areas = { context_states: [{ state_code: 'AB' }], context_lgas: [{ lga_code: 'NG001001' }] };
const scored = (period: string, score: number) => ({ period, score, score_low: 0, score_high: 1 });
const scores = {
  risk_states: [{ state_code: 'AB', ...scored('2023-12', 0.05) }],
  risk_lgas: [{ lga_code: 'NG001001', ...scored('2023-12', 0.2) }],
  forecasts_states: [{ state_code: 'AB', ...scored('2024-01', 0.05) }],
  forecasts_lgas: [{ lga_code: 'NG001001', ...scored('2024-01', 0.6) }],
};

test("chances are in whole per cent; that of the score's level is rounded down, so that 80 means 80% or more", () => {
  const row = (code: string, period: string, own: object, state: number | null) => ({
    code,
    period,
    probability_very_low: 0,
    probability_low: 0,
    probability_moderate: 0,
    probability_high: 0,
    probability_very_high: 0,
    probability_above_very_low: 0.996,
    probability_above_low: 0.504,
    probability_above_moderate: 0.1,
    probability_above_high: 0,
    probability_highest_nation: 0.25,
    probability_highest_state: state,
    ...own,
  });
  const tables = {
    ...areas,
    ...scores,
    probabilities: [
      row('AB', '2023-12', { probability_low: 0.7999 }, null),
      row('AB', '2024-01', { probability_low: 0.8 }, null),
      row('NG001001', '2023-12', { probability_moderate: 0.29 }, 0.9),
      row('NG001001', '2024-01', { probability_very_high: 1 }, 1),
    ],
  } as unknown as SnapshotTables;
  // By column; in each the state before the LGA, and its months.
  expect(gridNumbers(encodeScores(tables).chances!)).toEqual(
    [
      [100, 100, 100, 100],
      [50, 50, 50, 50],
      [10, 10, 10, 10],
      [0, 0, 0, 0],
      [79, 80, 29, 100],
      [25, 25, 25, 25],
      [255, 255, 90, 100],
    ].flat(),
  );
  expect(encodeScores({ ...tables, probabilities: [] }).chances).toBeNull();
  expect(gridNumbers(encodeScores(tables, [1]).chances!).slice(-6), 'one month').toEqual([80, 100, 25, 25, 255, 100]);
});

test('scores are ten-thousandths by column, states before LGAs, of all months or those asked for', () => {
  const tables = { ...areas, ...scores, probabilities: [] } as unknown as SnapshotTables;
  const { months, ...grid } = encodeScores(tables).scores;
  expect(months).toEqual([0, 1]);
  expect(gridNumbers({ months, ...grid })).toEqual([500, 500, 2000, 6000, 0, 0, 0, 0, 10_000, 10_000, 10_000, 10_000]);
  expect(gridNumbers(encodeScores(tables, [1]).scores)).toEqual([500, 6000, 0, 0, 10_000, 10_000]);
});

test('a draw is told to a sixteenth of a standard deviation of its range, from which it is found again', () => {
  const draws = [0.05, 0.2, 0.21, 0.4];
  const tables = {
    ...areas,
    risk_lgas: [{ lga_code: 'NG001001', period: '2023-12', score: 0.2, score_low: 0.1, score_high: 0.35 }],
  } as unknown as SnapshotTables;
  const bytes = new Int8Array(Buffer.from(encodeDraws(tables, '2023-12', { NG001001: draws }), 'base64'));
  const range = { low: 0.1, high: 0.35 };
  const { sd } = logitNormal(range);
  for (const [i, share] of fromDeviations(bytes, range).entries())
    expect(Math.abs(logit(share) - logit(draws[i]!)) / sd).toBeLessThanOrEqual(1 / 16 + 1e-9);
  expect(encodeDraws(tables, '2023-12', {}), 'none without the spatial model').toBe('');
});

test('changes of the last year and of forecast months since the last survey are ten-thousandths, marked if missing', () => {
  const row = (code: string, period: string, survey: number | null) => ({
    code,
    period,
    survey_month: survey === null ? null : '2021-12',
    change_survey: survey,
    change_survey_low: survey,
    change_survey_high: survey,
    probability_rise_survey: survey,
  });
  const { grid, survey_months } = encodeChanges(
    {
      ...areas,
      ...scores,
      changes: [row('AB', '2024-01', 0.5), row('NG001001', '2024-01', null)],
    } as unknown as SnapshotTables,
    '2023-12',
  );
  expect(grid.months).toEqual([1]);
  expect(survey_months).toEqual(['2021-12']);
  expect(gridNumbers(grid)).toEqual([1, 2, 3, 4].flatMap(() => [5000, MISSING_CHANGE]));
});

test('every area has the best four months by both measures', () => {
  const run = (code: string, measure: string, months: number) => ({
    code,
    measure,
    months,
    first_month: 7,
    share: months / 10 + (measure === 'rain_transmission' ? 0.05 : 0),
    share_low: null,
    share_high: 0.55,
    start_probability: 0.9,
    criterion: months === 4 ? 'unlikely' : null,
    record_first_month: null,
    record_share: null,
    record_best_share: null,
  });
  const rows = ['AB', 'NG001001'].flatMap((code) =>
    ['rain_transmission', 'reported_cases'].flatMap((measure) => [5, 4, 3].map((months) => run(code, measure, months))),
  );
  const windows = encodeWindows({ ...areas, season_windows: rows } as unknown as SnapshotTables);
  expect(windows).toHaveLength(2);
  const [cases, rain] = [0, 1].map((i) =>
    windows[1]!.slice(i * WINDOW_COLUMNS.length, (i + 1) * WINDOW_COLUMNS.length),
  );
  expect(cases).toEqual([7, 40, null, 55, 90, 1, null, null, null]);
  expect(rain).toEqual([7, 45, null, 55, 90, 1, null, null, null]);
  expect(encodeWindows({ ...areas, season_windows: [] } as unknown as SnapshotTables)).toEqual([]);
});

test('a figure that is the same everywhere is not a layer', () => {
  const contents = {
    sources: [
      { figure: 'itn_use', title: 'Nets, 2018', notes: ['Thin.'] },
      { figure: 'irs_coverage', title: 'Spraying' },
      { title: 'Surveys' },
    ],
    tables: {
      context_lgas: [
        { itn_use: 0.1, irs_coverage: 0 },
        { itn_use: 0.2, irs_coverage: 0 },
      ],
    },
  } as unknown as Contents;
  expect(encodeLayers(contents)).toEqual([{ figure: 'itn_use', title: 'Nets, 2018', notes: ['Thin.'] }]);
});

test('observations are the survey rounds, then the months from the first file to the last', () => {
  const span = (role: string, first: string, last: string) => ({ role, span: { first, last } });
  const sources = [
    span('cases_states', '2015-01', '2023-12'),
    span('cases_lgas', '2020-01', '2024-01'),
    { role: 'layer' },
  ];
  expect(encodeObserved({ sources } as unknown as Contents, [{ survey_year: 2021, middle: '2021-11' }])).toEqual([
    { what: 'Surveys', months: ['2021-11'], span: false },
    { what: 'Cases', months: ['2015-01', '2024-01'], span: true },
  ]);
});

test('spreads of changes are steps by area, month and years before; unknown ones are marked', () => {
  const rows = [
    { code: 'NG001001', period: '2023-01', change_sd: [0.1, 0.7] },
    { code: 'AB', period: '2022-01', change_sd: [0.002] },
  ];
  const periods = ['2021-01', '2022-01', '2023-01'].map((period) => ({ period }));
  const grid = encodeContrasts(
    { ...areas, risk_states: periods, forecasts_states: [] } as unknown as SnapshotTables,
    rows,
  )!;
  expect(gridNumbers(grid)).toEqual([255, 1, 255, 255, 255, 50, 255, 255, 255, 255, 255, 254]);
  const none = { ...areas, risk_states: [], forecasts_states: [] } as unknown as SnapshotTables;
  expect(encodeContrasts(none, [])).toBeNull();
  // A country of 1,250 areas and 120 months has 154,440 rows.
  const many = Array.from({ length: 200_000 }, () => rows[0]!);
  const one = { ...areas, risk_states: periods, forecasts_states: [] } as unknown as SnapshotTables;
  expect(gridNumbers(encodeContrasts(one, many)!)).toHaveLength(2 * 2 * 3);
});
