import * as Plot from '@observablehq/plot';
import { periodName } from '../shared/names.ts';
import { timeScale } from './area-plots.ts';
import { availableWidth, chart } from './charts.ts';
import { h } from './dom.ts';
import { saveCsv } from './downloads.ts';
import { formatDifference, formatShare, formatWithRange } from './format.ts';
import { chanceAbove, differenceRange, hasDraws, likelyInWords } from './joint-draws.ts';
import { areaName, areaScore, data, elementById, fullName, hasArrived, monthDates, setView, view } from './store.ts';
import { scoreFields } from './where-tab.ts';

const MAX_PINS = 4;
const PIN_STROKES = ['var(--accent)', 'var(--second)', 'var(--third)', 'var(--violet)'];
/** So that lines can be told apart without colour. */
const PIN_DASHES = ['none', '7 3', '2 3', '9 3 2 3'];

/** A button that pins or unpins a place. */
export function pinButton(code: string): HTMLElement {
  const isPinned = view.pins.includes(code);
  const button = h(
    'button',
    {
      type: 'button',
      'aria-pressed': String(isPinned),
      click: () => setView({ pins: isPinned ? view.pins.filter((pin) => pin !== code) : [...view.pins, code] }),
    },
    isPinned ? 'Pinned' : 'Pin to compare',
  ) as HTMLButtonElement;
  button.disabled = !isPinned && view.pins.length >= MAX_PINS;
  return button;
}

/** How a pinned place differs from the first one, as far as joint draws tell. */
function compareWithFirst(code: string) {
  const first = view.pins[0]!;
  const [difference_low, difference_high] = hasDraws() ? differenceRange(code, first) : [null, null];
  return {
    compared_with: first,
    difference: areaScore(code, view.month).score - areaScore(first, view.month).score,
    difference_low,
    difference_high,
    probability_higher: hasDraws() && code !== first ? chanceAbove(code, first) / 100 : null,
  };
}

/** `+0.24 (+0.05 to +0.41) against Gusau, 98% likely higher`. */
function differenceInWords(code: string): string {
  const { compared_with, difference, difference_low, difference_high, probability_higher } = compareWithFirst(code);
  const range =
    difference_low === null || difference_high === null
      ? ''
      : ` (${formatDifference(difference_low)} to ${formatDifference(difference_high)})`;
  const chance = probability_higher === null ? '' : `, ${likelyInWords(Math.round(100 * probability_higher))}`;
  return `${formatDifference(difference)}${range} against ${areaName(compared_with)}${chance}`;
}

/** Saves the scores of the pinned places and their differences from the first. */
const saveComparison = () =>
  saveCsv({ downloadFields: (code) => ({ ...scoreFields(code), ...compareWithFirst(code) }) }, view.pins);

/** The series of the pinned places on one chart; empty if there are none. */
export function pinsPart(): Node[] {
  if (view.pins.length === 0 || !hasArrived('history')) return [];
  const rows = view.pins.flatMap((code) =>
    data.periods.map((period, month) => ({ code, period, date: monthDates[month]!, ...areaScore(code, month) })),
  );
  const pinIndex = (code: string) => view.pins.indexOf(code);
  const keys = view.pins.map((code) =>
    h(
      'li',
      {},
      h('i', {
        class: 'line',
        style: `border-top:3px ${PIN_DASHES[pinIndex(code)] === 'none' ? 'solid' : 'dashed'} ${PIN_STROKES[pinIndex(code)]}`,
      }),
      h('span', {}, fullName(code)),
      h(
        'b',
        {},
        formatWithRange(areaScore(code, view.month)),
        ...(code === view.pins[0] ? [] : [h('small', {}, differenceInWords(code))]),
      ),
      h(
        'button',
        {
          type: 'button',
          'aria-label': `Unpin ${areaName(code)}`,
          click: () => setView({ pins: view.pins.filter((pin) => pin !== code) }),
        },
        '×',
      ),
    ),
  );
  const width = Math.min(560, availableWidth(elementById('beside'), 320) - 40);
  return [
    h('h3', {}, 'Pinned'),
    chart({
      width,
      height: 220,
      marginLeft: 42,
      marginRight: 12,
      x: timeScale(width),
      y: {
        domain: [0, Math.max(...rows.map((row) => row.high))],
        nice: true,
        label: null,
        ticks: 5,
        tickFormat: '.2f',
      },
      ariaLabel: `Scores of ${view.pins.map(areaName).join(', ')} month by month`,
      marks: [
        Plot.areaY(rows, {
          x: 'date',
          y1: 'low',
          y2: 'high',
          z: 'code',
          fill: (row) => PIN_STROKES[pinIndex(row.code)],
          fillOpacity: 0.1,
        }),
        ...view.pins.map((code) =>
          Plot.lineY(
            rows.filter((row) => row.code === code),
            {
              x: 'date',
              y: 'score',
              stroke: PIN_STROKES[pinIndex(code)]!,
              strokeWidth: 2,
              strokeDasharray: PIN_DASHES[pinIndex(code)]!,
            },
          ),
        ),
        Plot.ruleX([monthDates[view.month]!], { stroke: 'var(--ink)' }),
        Plot.tip(
          rows,
          Plot.pointer({
            x: 'date',
            y: 'score',
            title: (row) =>
              `${fullName(row.code)}\n${periodName(row.period)}: ${formatShare(row.score)} (${formatShare(row.low)}–${formatShare(row.high)})`,
          }),
        ),
      ],
    }),
    h('ul', { class: 'pins' }, ...keys),
    h('button', { type: 'button', id: 'download-pins', click: saveComparison }, 'CSV'),
  ];
}
