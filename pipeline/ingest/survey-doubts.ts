/** Finds survey figures that are possible but implausible. */
import type { Method } from '../catalog/values.ts';

export interface SurveyResult {
  survey_year: number;
  method: Method;
  examined: number;
  positivity: number;
}

/** Minimum number of children tested by a method in a round: with fewer, its positivity is not informative. */
const LEAST_EXAMINED = 500;
/** A rapid test also detects recently cleared infections, so microscopy exceeds it only by chance. */
const MOST_MICROSCOPY = 1.1;
/** The positivity of two rounds may differ by up to this factor. */
const ROUND_FACTOR = 4;

/** A line for each round whose two methods look swapped, and for each that differs greatly from all other rounds. */
export function surveyDoubts(results: readonly SurveyResult[]): string[] {
  const rounds = [...Map.groupBy(results, ({ survey_year }) => survey_year)].map(([survey_year, rows]) => ({
    survey_year,
    microscopy: positivityOf(rows, 'microscopy'),
    rdt: positivityOf(rows, 'rdt'),
  }));
  const swapped = rounds.flatMap(({ survey_year, microscopy, rdt }) =>
    microscopy !== null && rdt !== null && microscopy > MOST_MICROSCOPY * rdt
      ? [
          `round ${survey_year}: ${percent(microscopy)} positive by microscopy, ${percent(rdt)} by rapid test; are they swapped?`,
        ]
      : [],
  );
  const apart = (['microscopy', 'rdt'] as const).flatMap((method) =>
    rounds.flatMap((round) => {
      const own = round[method];
      const others = rounds.flatMap((other) => (other === round ? [] : (other[method] ?? [])));
      if (own === null || others.length === 0) return [];
      const far = (other: number) => own > ROUND_FACTOR * other || own < other / ROUND_FACTOR;
      return others.every(far)
        ? [
            `round ${round.survey_year}: ${percent(own)} positive by ${method}, compared with ${others.map(percent).join(', ')} in other rounds`,
          ]
        : [];
    }),
  );
  return [...swapped, ...apart];
}

function positivityOf(rows: readonly SurveyResult[], method: Method): number | null {
  const own = rows.filter((row) => row.method === method);
  const examined = own.reduce((sum, row) => sum + row.examined, 0);
  if (examined < LEAST_EXAMINED) return null;
  return own.reduce((sum, row) => sum + row.examined * row.positivity, 0) / examined;
}

const percent = (share: number) => `${(100 * share).toFixed(1)}%`;
