import * as Plot from '@observablehq/plot';
import * as d3 from 'd3';
import { availableWidth, caption, chart } from '../charts.ts';
import { formatShare } from '../format.ts';
import { data, elementById, testSuffix } from './data.ts';

/** National results by round, and the scores of states against the rounds' results there. */
export function drawSurveys(): void {
  if (!document.getElementById('survey-national')) return;
  const rounds = data.national.flatMap((row) => [
    { year: row.survey_year, kind: 'all', value: row.positivity, low: row.low, high: row.high },
    ...(['urban', 'rural'] as const).flatMap((kind) =>
      row[kind] === null ? [] : [{ year: row.survey_year, kind, value: row[kind], low: null, high: null }],
    ),
  ]);
  elementById('survey-national').append(
    caption('Share of children positive, national'),
    chart({
      width: availableWidth(elementById('survey-national')),
      height: 290,
      marginLeft: 42,
      marginRight: 46,
      x: { label: null, tickFormat: 'd', ticks: data.national.map((row) => row.survey_year), inset: 12 },
      y: {
        domain: [0, Math.max(...rounds.map((round) => round.high ?? round.value))],
        nice: true,
        label: null,
        grid: true,
        ticks: 5,
        tickFormat: '.2f',
      },
      ariaLabel: 'National positivity by survey round',
      marks: [
        Plot.lineY(
          rounds.filter((row) => row.kind === 'all'),
          { x: 'year', y: 'value', stroke: 'var(--ink)', strokeWidth: 1.8 },
        ),
        Plot.lineY(
          rounds.filter((row) => row.kind !== 'all'),
          { x: 'year', y: 'value', z: 'kind', stroke: 'var(--accent)', strokeDasharray: '4 3' },
        ),
        Plot.ruleX(
          rounds.filter((row) => row.low !== null),
          { x: 'year', y1: 'low', y2: 'high', stroke: 'var(--ink)', strokeWidth: 2 },
        ),
        Plot.dot(rounds, {
          x: 'year',
          y: 'value',
          r: (row) => (row.kind === 'all' ? 4.5 : 2.5),
          fill: (row) => (row.kind === 'all' ? 'var(--ink)' : 'var(--accent)'),
          title: (row) => `${row.year}${testSuffix(row.year)}, ${row.kind}: ${formatShare(row.value)}`,
        }),
        Plot.text(lastRowByKind(rounds), { x: 'year', y: 'value', text: 'kind', textAnchor: 'start', dx: 9 }),
      ],
    }),
  );
  const surveyScores = data.surveyed;
  if (surveyScores.length === 0) return;
  const axisEnd = Math.max(...surveyScores.map((row) => Math.max(row.high ?? row.positivity, row.score_high)));
  elementById('survey-scores').append(
    caption(`Scores of ${data.states_many} against survey results`),
    chart({
      width: availableWidth(elementById('survey-scores'), 620),
      height: 360,
      marginLeft: 46,
      marginBottom: 50,
      grid: true,
      fx: { label: null, tickFormat: (year: number) => `${year}${testSuffix(year)}` },
      x: { domain: [0, axisEnd], label: 'survey (95% range)', labelOffset: 40, ticks: 4, tickFormat: '.1f' },
      y: { domain: [0, axisEnd], label: 'score (90% range)', ticks: 4, tickFormat: '.1f' },
      ariaLabel: `Scores of ${data.states_many} against survey results, by round`,
      marks: [
        Plot.frame({ strokeOpacity: 0.3 }),
        Plot.link([0], { x1: 0, y1: 0, x2: axisEnd, y2: axisEnd, strokeOpacity: 0.5, strokeDasharray: '3 4' }),
        Plot.ruleY(
          surveyScores.filter((row) => row.low !== null),
          { fx: 'survey_year', y: 'score', x1: 'low', x2: 'high', strokeOpacity: 0.3 },
        ),
        Plot.ruleX(surveyScores, {
          fx: 'survey_year',
          x: 'positivity',
          y1: 'score_low',
          y2: 'score_high',
          stroke: 'var(--accent)',
          strokeOpacity: 0.4,
        }),
        Plot.dot(surveyScores, {
          fx: 'survey_year',
          x: 'positivity',
          y: 'score',
          r: 3.5,
          fill: (row) => (row.small_sample ? 'var(--paper)' : 'var(--accent)'),
          stroke: 'var(--accent)',
          title: (row) =>
            `${row.state} ${row.survey_year}${testSuffix(row.survey_year)}: survey ${formatShare(row.positivity)}, score ${formatShare(row.score)}${row.small_sample ? ' (few children)' : ''}`,
        }),
      ],
    }),
  );
}

function lastRowByKind<T extends { kind: string; year: number }>(rows: T[]): T[] {
  return [
    ...d3
      .rollup(
        rows,
        (rows) => rows.at(-1)!,
        (row) => row.kind,
      )
      .values(),
  ];
}
