import { h, note } from './dom.ts';
import { formatInteger, formatPeople } from './format.ts';
import { data } from './store.ts';

type AreaFigures = (typeof data.states)[number] | (typeof data.lgas)[number];

const percent = (value: number) => `${Math.round(100 * value)}%`;

/** The figures beside the score: name in an answer, name in words and format. */
export const CONTEXT_FIGURES: [keyof AreaFigures, string, (value: number) => string][] = [
  ['itn_use', 'Slept under a treated net', percent],
  ['itn_access', 'Access to a treated net', percent],
  ['irs_coverage', 'Protected by spraying', percent],
  ['effective_treatment', 'Cases treated effectively', percent],
  ['travel_minutes_to_care', 'Travel to care', (value) => `${Math.round(value)} min`],
];

/** Context figures that differ from place to place, each with its source, date and caveats. */
export function contextList(row: AreaFigures): HTMLElement {
  const layers = new Map(data.layers.map((layer) => [layer.figure, layer]));
  const entryElements = (name: string, value: string, source = '', notes: string[] = []) => [
    h('dt', {}, name, ...(source ? [h('small', { title: notes.join(' ') }, source)] : [])),
    h('dd', {}, value),
  ];
  const useExceedsAccess = row.itn_use !== null && row.itn_access !== null && row.itn_use > row.itn_access;
  return h(
    'div',
    {},
    h(
      'dl',
      { class: 'context' },
      ...entryElements('People', formatPeople(row.population)),
      ...entryElements('Area', `${formatInteger(row.area_km2)} km²`),
      ...CONTEXT_FIGURES.flatMap(([figure, name, format]) => {
        const layer = layers.get(figure);
        const value = row[figure] as number | null;
        return layer
          ? entryElements(name, value === null ? 'no estimate' : format(value), layer.title, layer.notes)
          : [];
      }),
    ),
    ...(useExceedsAccess
      ? [note('Net use exceeds access, because the two come from different questions and small samples.')]
      : []),
  );
}
