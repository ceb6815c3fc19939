import type * as Plots from '@observablehq/plot';
import { data, element, scoreOf } from './store.ts';
import { dateOf, initial, MONTHS, PLOT_STYLE, periodName, share } from './words.ts';

const monthScale = { domain: d3.range(1, 13), tickFormat: initial, label: null, tickSize: 0 };

/** Every state's season, north to south. */
export function seasonStates(): void {
  const order = data.north_to_south.map((i) => data.states[i]!.state);
  const cells = data.states.flatMap(({ state }, i) =>
    data.seasons.states[i]!.seasonal_index.map((index, m) => ({ state, month: m + 1, index })),
  );
  const lowest = Math.floor(Math.min(...cells.map((cell) => cell.index)) * 10) / 10;
  const peaks = data.states.map(({ state }, i) => ({ state, month: data.seasons.states[i]!.peak_month }));
  element('season-states').append(
    caption('States from north to south; white dots are peak months'),
    Plot.plot({
      width: widthOf(element('season-states'), 620),
      height: 60 + 19 * order.length,
      marginLeft: 165,
      style: PLOT_STYLE,
      x: { ...monthScale, axis: 'both', tickFormat: (m: number) => MONTHS[m - 1]!.slice(0, 3) },
      y: { domain: order, label: null, tickSize: 0 },
      color: {
        type: 'linear',
        range: ['#f4fbf4', '#08402f'],
        interpolate: 'lab',
        domain: [lowest, 1],
        label: 'Expected cases, share of the state’s own peak',
        legend: true,
      },
      ariaLabel: 'Seasons of the states from north to south',
      marks: [
        Plot.cell(cells, {
          x: 'month',
          y: 'state',
          fill: 'index',
          inset: 0.5,
          title: (row) => `${row.state}, ${MONTHS[row.month - 1]}: ${share(row.index)} of the peak`,
        }),
        Plot.dot(peaks, { x: 'month', y: 'state', r: 3.5, fill: '#fff', stroke: '#08402f' }),
      ],
    }),
  );
}

/** Case records against the season expected of a state that had been left out. */
export function seasonCheck(): void {
  const target = document.getElementById('season-check');
  for (const { state, expected, recorded, correlation } of target ? data.season_check : []) {
    const rows = expected.map((value, i) => ({ month: i + 1, expected: value, recorded: recorded[i]! }));
    const figure = document.createElement('figure');
    figure.append(
      caption(`${state} · ${correlation.toFixed(2)}`),
      Plot.plot({
        width: 240,
        height: 130,
        marginLeft: 32,
        marginBottom: 22,
        marginTop: 8,
        style: { fontSize: '12px' },
        x: { ...monthScale, type: 'point' },
        y: { domain: [0, 1], ticks: [0, 0.5, 1], label: null },
        ariaLabel: `${state}: expected season and case records`,
        marks: [
          Plot.ruleY([0.5], { stroke: 'currentColor', strokeOpacity: 0.4, strokeDasharray: '2 4' }),
          Plot.lineY(rows, { x: 'month', y: 'expected', stroke: 'var(--accent)', strokeWidth: 2 }),
          Plot.dot(rows, {
            x: 'month',
            y: 'recorded',
            r: 2.6,
            fill: 'var(--ink)',
            title: (row) =>
              `${MONTHS[row.month - 1]}: recorded ${row.recorded.toFixed(2)}, expected ${row.expected.toFixed(2)}`,
          }),
        ],
      }),
    );
    target!.append(figure);
  }
}

/** The country's rounds; and the scores of states beside what the rounds found there. */
export function surveys(): void {
  const rounds = data.trend.national.flatMap((row) => [
    { year: row.survey_year, kind: 'all', value: row.positivity, low: row.low, high: row.high },
    ...(['urban', 'rural'] as const).flatMap((kind) =>
      row[kind] === null ? [] : [{ year: row.survey_year, kind, value: row[kind], low: null, high: null }],
    ),
  ]);
  element('survey-national').append(
    caption('Children positive, the whole country'),
    Plot.plot({
      width: widthOf(element('survey-national')),
      height: 290,
      marginLeft: 42,
      marginRight: 46,
      style: PLOT_STYLE,
      x: { label: null, tickFormat: 'd', ticks: data.trend.national.map((row) => row.survey_year), inset: 12 },
      y: {
        domain: [0, Math.max(...rounds.map((r) => r.high ?? r.value))],
        nice: true,
        label: null,
        grid: true,
        ticks: 5,
        tickFormat: '.2f',
      },
      ariaLabel: 'Positivity of the country by survey round',
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
          title: (row) => `${row.year}, ${row.kind}: ${share(row.value)}`,
        }),
        Plot.text(lastOfEach(rounds), { x: 'year', y: 'value', text: 'kind', textAnchor: 'start', dx: 9 }),
      ],
    }),
  );
  const pairs = data.states.flatMap(({ state, state_code }, i) =>
    data.trend.states[i]!.flatMap((row) => {
      const middle = data.rounds.find(({ survey_year }) => survey_year === row.survey_year)?.middle;
      const month = middle === undefined ? -1 : data.periods.indexOf(middle);
      return month < 0
        ? []
        : [{ ...row, state, ...scoreOf(state_code, month), survey_low: row.low, survey_high: row.high }];
    }),
  );
  if (pairs.length === 0) return;
  const top = Math.max(...pairs.map((row) => Math.max(row.survey_high ?? row.positivity, row.high)));
  element('survey-scores').append(
    caption('State scores beside survey figures'),
    Plot.plot({
      width: widthOf(element('survey-scores'), 620),
      height: 360,
      marginLeft: 46,
      marginBottom: 50,
      style: PLOT_STYLE,
      grid: true,
      fx: { label: null, tickFormat: 'd' },
      x: { domain: [0, top], label: 'survey (95% range)', labelOffset: 40, ticks: 4, tickFormat: '.1f' },
      y: { domain: [0, top], label: 'score (90% range)', ticks: 4, tickFormat: '.1f' },
      ariaLabel: 'State scores against survey figures, by round',
      marks: [
        Plot.frame({ strokeOpacity: 0.3 }),
        Plot.link([0], { x1: 0, y1: 0, x2: top, y2: top, strokeOpacity: 0.5, strokeDasharray: '3 4' }),
        Plot.ruleY(
          pairs.filter((row) => row.survey_low !== null),
          { fx: 'survey_year', y: 'score', x1: 'survey_low', x2: 'survey_high', strokeOpacity: 0.3 },
        ),
        Plot.ruleX(pairs, {
          fx: 'survey_year',
          x: 'positivity',
          y1: 'low',
          y2: 'high',
          stroke: 'var(--accent)',
          strokeOpacity: 0.4,
        }),
        Plot.dot(pairs, {
          fx: 'survey_year',
          x: 'positivity',
          y: 'score',
          r: 3.5,
          fill: (row) => (row.small_sample ? 'var(--paper)' : 'var(--accent)'),
          stroke: 'var(--accent)',
          title: (row) =>
            `${row.state} ${row.survey_year}: survey ${share(row.positivity)}, score ${share(row.score)}${row.small_sample ? ' (few children)' : ''}`,
        }),
      ],
    }),
  );
}

function lastOfEach<T extends { kind: string; year: number }>(rows: T[]): T[] {
  return [
    ...d3
      .rollup(
        rows,
        (own) => own.at(-1)!,
        (row) => row.kind,
      )
      .values(),
  ];
}

/** Reported and modelled cases, transmission by month, and projections against what then happened. */
export function transmission(): void {
  if (data.transmission === null) return;
  const { states, projections, errors } = data.transmission;
  for (const { state, state_code, series } of states) {
    const rows = series.map((row) => ({ ...row, date: dateOf(row.period) }));
    const tooltip = {
      x: 'date',
      y: 'reported',
      title: (row: (typeof rows)[number]) =>
        `${state}, ${periodName(row.period)}\nreported ${row.reported.toFixed(2)}, modelled ${row.modelled.toFixed(2)}`,
    };
    element('fits').append(
      titled(
        state,
        wide(`${state}: reported and modelled cases per 1,000 people`, [
          Plot.lineY(rows, { x: 'date', y: 'modelled', stroke: 'var(--accent)', strokeWidth: 2 }),
          Plot.dot(rows, { x: 'date', y: 'reported', r: 2.4, fill: 'var(--ink)' }),
          Plot.tip(rows, Plot.pointerX(tooltip)),
        ]),
      ),
    );
    const own = projections.filter((row) => row.state_code === state_code);
    if (own.length === 0) continue;
    const months = own.flatMap(({ year, held_back, reported, model, same_month_last_year }) =>
      reported.map((value, m) => ({
        year,
        held_back,
        date: new Date(Date.UTC(year, m, 1)),
        reported: value,
        model: model[m]!,
        rival: same_month_last_year[m]!,
      })),
    );
    const heldBack = own.filter((row) => row.held_back).map((row) => new Date(Date.UTC(row.year, 0, 1)));
    element('projections').append(
      titled(
        state,
        wide(`${state}: projections a year ahead against reported cases`, [
          Plot.rectX(heldBack, {
            x1: (date) => date,
            x2: (date) => d3.utcMonth.offset(date, 11),
            fill: 'currentColor',
            fillOpacity: 0.07,
          }),
          Plot.text(heldBack, {
            x: (date) => d3.utcMonth.offset(date, 5),
            frameAnchor: 'top',
            text: () => 'held back',
            dy: -2,
            fontSize: 12,
          }),
          Plot.lineY(months, {
            x: 'date',
            y: 'rival',
            z: 'year',
            stroke: 'var(--ahead)',
            strokeWidth: 1.3,
            strokeDasharray: '3 3',
          }),
          Plot.lineY(months, { x: 'date', y: 'model', z: 'year', stroke: 'var(--accent)', strokeWidth: 2.2 }),
          Plot.dot(months, { x: 'date', y: 'reported', r: 2.4, fill: 'var(--ink)' }),
        ]),
      ),
    );
  }
  const reproduction = states.flatMap(({ state, reproduction_number }) =>
    reproduction_number.map((value, i) => ({ state, month: i + 1, value })),
  );
  element('reproduction').append(
    caption('New infections per infection: above 1, infection grows'),
    Plot.plot({
      width: widthOf(element('reproduction'), 620),
      height: 190,
      marginLeft: 46,
      style: PLOT_STYLE,
      x: { ...monthScale, type: 'point' },
      fx: { label: null },
      y: { label: null, ticks: 4, nice: true },
      ariaLabel: 'Reproduction number by month',
      marks: [
        Plot.ruleY([1], { stroke: 'var(--ink)' }),
        Plot.areaY(reproduction, {
          fx: 'state',
          x: 'month',
          y1: 1,
          y2: 'value',
          fill: 'var(--accent)',
          fillOpacity: 0.25,
        }),
        Plot.lineY(reproduction, { fx: 'state', x: 'month', y: 'value', stroke: 'var(--accent)', marker: 'dot' }),
      ],
    }),
  );
  if (errors.length > 0) errorPlot(errors);
}

const METHODS: Record<string, string> = {
  model: 'Transmission model',
  same_month_last_year: 'Same month last year',
  same_month_last_three_years: 'Same month, three years',
  abeku_raw: 'Abeku et al. 2002',
  abeku_log: 'The same, logarithms',
  flat: 'Last year’s mean',
};

function errorPlot(errors: { method: string; development: number; held_back: number }[]): void {
  const rows = errors.flatMap(({ method, development, held_back }) => [
    { method: METHODS[method] ?? method, years: 'development years', error: development },
    { method: METHODS[method] ?? method, years: 'held-back year', error: held_back },
  ]);
  element('errors').append(
    caption('Mean absolute error a year ahead, cases per 1,000 people: shorter is better'),
    Plot.plot({
      width: widthOf(element('errors'), 620),
      height: 50 + 30 * errors.length,
      marginLeft: 190,
      marginRight: 60,
      style: PLOT_STYLE,
      fx: { label: null },
      x: { label: null, ticks: 4 },
      y: { domain: errors.map(({ method }) => METHODS[method] ?? method), label: null, tickSize: 0 },
      ariaLabel: 'Mean absolute error by method',
      marks: [
        Plot.barX(rows, {
          fx: 'years',
          y: 'method',
          x: 'error',
          fill: (row) => (row.method === METHODS.model ? 'var(--accent)' : 'var(--quiet)'),
          inset: 2,
        }),
        Plot.text(rows, {
          fx: 'years',
          y: 'method',
          x: 'error',
          text: (row) => row.error.toFixed(3),
          textAnchor: 'start',
          dx: 5,
        }),
      ],
    }),
  );
}

/** Coverage and calibration on cells that were left out. */
export function validation(): void {
  if (!data.validation) return;
  const all = data.validation.scores.filter((row) => row.survey_year === null);
  const points = all.flatMap(({ model, coverage }) =>
    coverage.map(({ level, share: held }) => ({ model, level, held })),
  );
  element('coverage').append(
    caption('How often ranges hold what was observed'),
    Plot.plot({
      width: widthOf(element('coverage')),
      height: 340,
      marginLeft: 46,
      marginBottom: 50,
      style: PLOT_STYLE,
      grid: true,
      x: { domain: [0.4, 1], label: 'range', labelOffset: 40, tickFormat: '.0%', ticks: 6 },
      y: { domain: [0.4, 1], label: 'cells inside', tickFormat: '.0%', ticks: 6 },
      color: { range: ['#0b6b4f', '#c0572b', '#4a5a9b'], legend: true },
      ariaLabel: 'Coverage of ranges',
      marks: [
        Plot.link([0], { x1: 0.4, y1: 0.4, x2: 1, y2: 1, strokeOpacity: 0.5, strokeDasharray: '3 4' }),
        Plot.lineY(points, { x: 'level', y: 'held', stroke: 'model' }),
        Plot.dot(points, {
          x: 'level',
          y: 'held',
          fill: 'model',
          symbol: 'model',
          r: 5,
          title: (row) => `${row.model}: ${(100 * row.held).toFixed(1)}% in the ${Math.round(100 * row.level)}% range`,
        }),
      ],
    }),
  );
  const bars = data.validation.pit.flatMap(({ model, cells }) => {
    const total = d3.sum(cells);
    return cells.map((count, i) => ({
      model,
      from: i / cells.length,
      to: (i + 1) / cells.length,
      density: (count / total) * cells.length,
    }));
  });
  if (bars.length === 0) return;
  element('pit').append(
    caption('Observed shares in their predicted distributions'),
    Plot.plot({
      width: widthOf(element('pit')),
      height: 340,
      marginLeft: 46,
      marginBottom: 50,
      style: PLOT_STYLE,
      marginRight: 70,
      fy: { label: null },
      x: { domain: [0, 1], label: 'predicted probability below the observed share', labelOffset: 40 },
      y: { label: null, ticks: 3 },
      ariaLabel: 'Probability integral transform',
      marks: [
        Plot.rectY(bars, {
          fy: 'model',
          x1: 'from',
          x2: 'to',
          y: 'density',
          fill: 'var(--accent)',
          fillOpacity: 0.7,
          inset: 0.5,
        }),
        Plot.ruleY([1], { strokeDasharray: '3 4' }),
      ],
    }),
  );
}

function wide(ariaLabel: string, marks: Plots.Markish[]): Element {
  return Plot.plot({
    width: widthOf(element('fits'), 620),
    height: 190,
    marginLeft: 46,
    style: PLOT_STYLE,
    x: { type: 'utc', label: null },
    y: { label: null, ticks: 4, grid: true, zero: true, nice: true },
    ariaLabel,
    marks,
  });
}

/** Room in a place on the page, at least so much: beyond it the place scrolls. */
const widthOf = (place: Element, least = 300) => Math.max(least, Math.floor(place.clientWidth));

function titled(name: string, plot: Element): HTMLElement {
  const figure = document.createElement('figure');
  figure.className = 'plot card';
  figure.append(caption(name), plot);
  return figure;
}

function caption(text: string): HTMLElement {
  const made = document.createElement('figcaption');
  made.textContent = text;
  return made;
}
