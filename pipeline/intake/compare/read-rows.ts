import type { Model } from '../../catalog/model.ts';
import type { Role } from '../../catalog/roles.ts';
import type { Source } from '../../catalog/sources.ts';
import type { Period } from '../../contract/months.ts';
import type { RawRow, RawTable } from '../../ingest/readers/raw-table.ts';
import type { ComparedRow } from './compare-rows.ts';

/** Columns that identify a row, by role. */
const KEYS: Partial<Record<Role, readonly string[]>> = {
  population_census: ['lga_pcode'],
  climate: ['lga_pcode', 'period'],
  survey_clusters: ['survey_year', 'cluster_id', 'method'],
  survey_states: ['survey_year', 'state_pcode', 'method'],
  cases_states: ['state_pcode', 'period'],
  cases_lgas: ['lga_pcode', 'period'],
  layer: ['lga_pcode', 'state_pcode'],
  covariate: ['lga_pcode', 'state_pcode', 'period', 'year'],
};

const NUMBERS = [
  'rain_mm',
  'temperature_c',
  'people',
  'children_0_4',
  'examined',
  'positive',
  'positivity',
  'confirmed',
  'value',
];

/**
 * The rows of a table in the form in which two releases are compared. Invalid numbers become null: a check reports
 * them.
 */
export function comparedRows({ rows, columns }: RawTable, source: Source, states: Model['states']): ComparedRow[] {
  const classes = (source.classes ?? []).map(({ column }) => column);
  const names = [...NUMBERS, ...(source.figure ? [source.figure] : []), ...classes].filter((name) => columns.has(name));
  const known = new Map<string, string>();
  const stateOf = (place: string) => {
    const state =
      known.get(place) ?? states.find(({ state_pcode }) => place.startsWith(state_pcode))?.state_pcode ?? '';
    known.set(place, state);
    return state;
  };
  return rows.map((row) => {
    const { values } = row;
    const period = periodOf(row);
    const place = values.lga_pcode ?? values.state_pcode ?? '';
    const numbers: Record<string, number | null> = {};
    for (const name of names) numbers[name] = numberIn(row, name);
    if (source.classes) numbers[`mean ${source.figure ?? 'value'}`] = meanOf(source.classes, numbers);
    return {
      key: (KEYS[source.role] ?? [])
        .map((name) => (name === 'period' ? period : values[name]) ?? '')
        .join(' ')
        .trim(),
      place,
      state: values.state_pcode ?? stateOf(place),
      period,
      numbers,
      group: values.survey_year ? `${values.survey_year} ${values.method ?? ''}`.trim() : (period?.slice(0, 4) ?? ''),
    };
  });
}

function periodOf({ values: { period, year, month } }: RawRow): Period | null {
  if (period) return period;
  return year && month ? `${year}-${month.padStart(2, '0')}` : null;
}

function numberIn({ values }: RawRow, name: string): number | null {
  const value = values[name] == null ? Number.NaN : Number(values[name]);
  return Number.isFinite(value) ? value : null;
}

function meanOf(classes: NonNullable<Source['classes']>, numbers: Record<string, number | null>): number | null {
  const people = classes.map(({ column }) => numbers[column] ?? 0);
  const total = people.reduce((a, b) => a + b, 0);
  return total > 0 ? classes.reduce((sum, { midpoint }, i) => sum + people[i]! * midpoint, 0) / total : null;
}
