/** One source of rain, where a country has a table and rasters of it. */
import { type Period, periodRange } from '../../contract/months.ts';
import type { DraftRasters } from './draft-rasters.ts';
import type { DraftedTable } from './draft-tables.ts';
import type { LeftOut } from './recognise.ts';

type DraftedRasters = DraftRasters['drafted'][number];
interface Rain {
  drafted: DraftedTable | DraftedRasters;
  file: string;
  months: readonly Period[];
  /** Columns of other figures. */
  beside: readonly string[];
}

/** The one with fewer months is left out, or the rasters if both have as many; nothing if there are not both. */
export function chooseRain(
  tables: readonly DraftedTable[],
  rasters: readonly DraftedRasters[],
): { unused: Rain['drafted'] | null; leftOut: LeftOut[] } {
  const table = tables.find(({ entry }) => entry.role === 'climate');
  const monthly = rasters.find(({ entry }) => entry.role === 'climate');
  if (!table || !monthly) return { unused: null, leftOut: [] };
  const { first, last } = table.entry.span!;
  const { temperature_c } = table.entry.columns!;
  const [ofTable, ofRasters]: [Rain, Rain] = [
    {
      drafted: table,
      file: table.table.file,
      months: periodRange(first, last),
      beside: temperature_c === undefined ? [] : [`"${temperature_c}"`],
    },
    {
      drafted: monthly,
      file: `${monthly.rasters[0]!.file} and ${monthly.rasters.length - 1} more`,
      months: monthly.rasters.map(({ period }) => period!).sort(),
      beside: [],
    },
  ];
  const [used, unused] = ofRasters.months.length > ofTable.months.length ? [ofRasters, ofTable] : [ofTable, ofRasters];
  const only = unused.months.filter((month) => !used.months.includes(month));
  const lost = [...(only.length > 0 ? [`rain of ${spanned(only)}`] : []), ...unused.beside];
  const why = `rain of ${spanned(unused.months)}; used instead: ${used.file}, ${spanned(used.months)}; lost with it: ${lost.join(', ') || 'no month'}`;
  return { unused: unused.drafted, leftOut: [{ kind: 'left out', file: unused.file, why, lost: null }] };
}

const spanned = (months: readonly Period[]) =>
  months.length === 1 ? months[0] : `${months.length} months, ${months[0]} to ${months.at(-1)}`;
