/** Finds context figures that are possible but implausible. */
import { correlation } from '../lib/numerics/averages.ts';
import type { Areas } from './ingest-tables.ts';

interface Nets {
  lga_code: string;
  itn_use: number | null;
  itn_access: number | null;
}

/** Use cannot exceed access, but the two figures come from different models, so some excess is allowed. */
const MOST_USE = 1.5;
/** With fewer states the correlation is not informative. */
const LEAST_STATES = 10;
const LEAST_CORRELATION = 0.3;

/**
 * Compares net use with access by state: a line for each state with use far above access, and one for a low
 * correlation.
 */
export function netDoubts({ states, lgas }: Areas, figures: readonly Nets[]): string[] {
  const of = new Map(figures.map((figure) => [figure.lga_code, figure]));
  const pairs = states.flatMap(({ state_code, state }) => {
    const own = lgas.filter((lga) => lga.state_code === state_code).map(({ lga_code }) => of.get(lga_code));
    const mean = (name: 'itn_use' | 'itn_access') => {
      const known = own.map((nets) => nets?.[name] ?? null).filter((value) => value !== null);
      return known.length === 0 ? null : known.reduce((a, b) => a + b) / known.length;
    };
    const [used, owned] = [mean('itn_use'), mean('itn_access')];
    return used === null || owned === null ? [] : [{ state, used, owned }];
  });
  const above = pairs.filter(({ used, owned }) => used > MOST_USE * owned);
  const common = correlation(
    pairs.map(({ used }) => used),
    pairs.map(({ owned }) => owned),
  );
  return [
    ...above.map(({ state, used, owned }) => `${state}: net use ${used.toFixed(2)} with access ${owned.toFixed(2)}`),
    ...(pairs.length >= LEAST_STATES && common < LEAST_CORRELATION
      ? [`net use and access by state are hardly correlated (correlation ${common.toFixed(2)})`]
      : []),
  ];
}
