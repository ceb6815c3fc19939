/** Made-up records in CHAP's form. */
import { addMonths, monthOf } from '../../../../pipeline/contract/months.ts';
import { drawPoisson } from '../../../../pipeline/lib/numerics/distributions.ts';
import { randomStream } from '../../../../pipeline/lib/numerics/random.ts';
import { toCsv } from '../../../../pipeline/lib/tables/csv.ts';

export interface ChapRow {
  time_period: string;
  rainfall: number;
  mean_temperature: number;
  disease_cases: number | string;
  population: number;
  location: string;
}

/**
 * Records with a season and a level that wanders, from 2015-01, place by place.
 * @param usual mean number of cases a month, of the first place; each further one has twice as many
 */
export function chapRows(set: { places: readonly string[]; months: number; usual?: number }): ChapRow[] {
  const random = randomStream(49, 'chap');
  return set.places.flatMap((location, a) => {
    let level = Math.log((set.usual ?? 20) * 2 ** a);
    return Array.from({ length: set.months }, (_, t): ChapRow => {
      const time_period = addMonths('2015-01', t);
      const season = Math.cos((2 * Math.PI * (monthOf(time_period) - 8)) / 12);
      level += 0.1 * random.normal();
      return {
        time_period,
        rainfall: 100 + 90 * season,
        mean_temperature: 25 + random.normal(),
        disease_cases: drawPoisson(random, Math.exp(level + 0.6 * season)),
        population: 10_000,
        location,
      };
    });
  });
}

/** The rows as CHAP writes them: numbers of rows in a first column without a name. */
export function csvOf(rows: readonly object[], without: readonly string[] = []): string {
  const columns = Object.keys(rows[0]!).filter((name) => !without.includes(name));
  const numbered = rows.map((row, i) => ({ ...Object.fromEntries([['', i]]), ...row }));
  return `${toCsv<Record<string, unknown>>(numbered, ['', ...columns])}\n`;
}
