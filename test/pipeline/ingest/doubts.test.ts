/** Figures that are possible but implausible. */
import { expect, test } from 'vitest';
import type { Areas } from '../../../pipeline/ingest/ingest-tables.ts';
import { netDoubts } from '../../../pipeline/ingest/layer-doubts.ts';
import { type SurveyResult, surveyDoubts } from '../../../pipeline/ingest/survey-doubts.ts';

const round = (survey_year: number, microscopy: number, rdt: number, examined = 600): SurveyResult[] => [
  { survey_year, method: 'microscopy', examined, positivity: microscopy },
  { survey_year, method: 'rdt', examined, positivity: rdt },
];

test('positivity by microscopy above that by rapid test raises a doubt', () => {
  expect(surveyDoubts([...round(2015, 0.27, 0.45), ...round(2018, 0.23, 0.36)])).toEqual([]);
  expect(surveyDoubts([...round(2015, 0.27, 0.45), ...round(2018, 0.36, 0.23)])).toEqual([
    'round 2018: 36.0% positive by microscopy, 23.0% by rapid test; are they swapped?',
  ]);
  expect(surveyDoubts(round(2018, 0.36, 0.23, 20))).toEqual([]);
});

test('a survey round that differs greatly from all others raises a doubt', () => {
  expect(
    surveyDoubts([...round(2010, 0.42, 0.51), ...round(2015, 0.27, 0.45), ...round(2018, 0.0023, 0.0036)]),
  ).toEqual([
    'round 2018: 0.2% positive by microscopy, compared with 42.0%, 27.0% in other rounds',
    'round 2018: 0.4% positive by rdt, compared with 51.0%, 45.0% in other rounds',
  ]);
});

test('net use far above access, or not correlated with access, raises a doubt', () => {
  const states = Array.from({ length: 12 }, (_, i) => ({ state_code: `S${i}`, state: `State ${i}` }));
  const areas = {
    states,
    lgas: states.map(({ state_code }, i) => ({ state_code, lga_code: `L${i}`, lga: `L${i}` })),
  } as unknown as Areas;
  const access = (i: number) => 0.3 + 0.04 * i;
  const nets = (use: (i: number) => number | null) =>
    states.map((_, i) => ({ lga_code: `L${i}`, itn_use: use(i), itn_access: access(i) }));
  expect(
    netDoubts(
      areas,
      nets((i) => 0.9 * access(i)),
    ),
  ).toEqual([]);
  expect(
    netDoubts(
      areas,
      nets(() => null),
    ),
  ).toEqual([]);
  const reversed = netDoubts(
    areas,
    nets((i) => access(11 - i)),
  );
  expect(reversed).toContain('State 0: net use 0.74 with access 0.30');
  expect(reversed.at(-1)).toBe('net use and access by state are hardly correlated (correlation -1.00)');
});
