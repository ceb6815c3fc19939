/** One source of rain, where a country has a table and rasters of it. */
import { type Period, periodRange } from '../../contract/months.ts';
import type { DraftRasters } from './draft-rasters.ts';
import type { DraftedTable } from './draft-tables.ts';
import type { LeftOut } from './recognise.ts';

type DraftedRasters = DraftRasters['drafted'][number];
interface RainSource {
  drafted: DraftedTable | DraftedRasters;
  file: string;
  months: readonly Period[];
  /** Columns of other figures. */
  otherColumns: readonly string[];
}

/** Leaves out the table or the rasters, whichever has fewer months, or the rasters if both have the same number. */
export function chooseRain(
  tables: readonly DraftedTable[],
  rasters: readonly DraftedRasters[],
): { unused: RainSource['drafted'] | null; leftOut: LeftOut[] } {
  const table = tables.find(({ entry }) => entry.role === 'climate');
  const rasterSeries = rasters.find(({ entry }) => entry.role === 'climate');
  if (!table || !rasterSeries) return { unused: null, leftOut: [] };
  const { first, last } = table.entry.span!;
  const { temperature_c } = table.entry.columns!;
  const [tableRain, rasterRain]: [RainSource, RainSource] = [
    {
      drafted: table,
      file: table.table.file,
      months: periodRange(first, last),
      otherColumns: temperature_c === undefined ? [] : [`"${temperature_c}"`],
    },
    {
      drafted: rasterSeries,
      file: `${rasterSeries.rasters[0]!.file} and ${rasterSeries.rasters.length - 1} more`,
      months: rasterSeries.rasters.map(({ period }) => period!).sort(),
      otherColumns: [],
    },
  ];
  const [used, unused] =
    rasterRain.months.length > tableRain.months.length ? [rasterRain, tableRain] : [tableRain, rasterRain];
  const lostMonths = unused.months.filter((month) => !used.months.includes(month));
  const lost = [...(lostMonths.length > 0 ? [`rain of ${describeMonths(lostMonths)}`] : []), ...unused.otherColumns];
  const why = `rain of ${describeMonths(unused.months)}; used instead: ${used.file}, ${describeMonths(used.months)}; lost with it: ${lost.join(', ') || 'no month'}`;
  return { unused: unused.drafted, leftOut: [{ kind: 'left out', file: unused.file, why, lost: null }] };
}

const describeMonths = (months: readonly Period[]) =>
  months.length === 1 ? months[0] : `${months.length} months, ${months[0]} to ${months.at(-1)}`;
