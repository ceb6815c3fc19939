/** One source of rain, where a country has a table and rasters of it. */
import { type Period, periodRange } from '../../contract/months.ts';
import type { DraftRasters } from './draft-rasters.ts';
import type { DraftedTable } from './draft-tables.ts';
import type { LeftOut } from './recognise.ts';

type DraftedRasters = DraftRasters['drafted'][number];

/** Leaves out the table or the rasters, whichever has fewer months, or the rasters if both have the same number. */
export function chooseRain(
  tables: readonly DraftedTable[],
  rasters: readonly DraftedRasters[],
): { unused: DraftedTable | DraftedRasters | null; leftOut: LeftOut[] } {
  const table = tables.find(({ entry }) => entry.role === 'climate');
  const series = rasters.find(({ entry }) => entry.role === 'climate');
  if (!table || !series) return { unused: null, leftOut: [] };
  const tableMonths = periodRange(table.entry.span!.first, table.entry.span!.last);
  const rasterMonths = series.rasters.map(({ period }) => period!).sort();
  const rasterFiles = `${series.rasters[0]!.file} and ${series.rasters.length - 1} more`;
  const { temperature_c } = table.entry.columns!;
  const tableRain = {
    file: table.table.file,
    months: tableMonths,
    otherColumns: temperature_c ? [`"${temperature_c}"`] : [],
  };
  const rasterRain = { file: rasterFiles, months: rasterMonths, otherColumns: [] };
  const areRastersUsed = rasterMonths.length > tableMonths.length;
  const [used, unused] = areRastersUsed ? [rasterRain, tableRain] : [tableRain, rasterRain];
  const lostMonths = unused.months.filter((month) => !used.months.includes(month));
  const lost = [...(lostMonths.length > 0 ? [`rain of ${describeMonths(lostMonths)}`] : []), ...unused.otherColumns];
  const why = `rain of ${describeMonths(unused.months)}; used instead: ${used.file}, ${describeMonths(used.months)}; lost with it: ${lost.join(', ') || 'no month'}`;
  const leftOut: LeftOut = { kind: 'left out', file: unused.file, why, lost: null };
  return { unused: areRastersUsed ? table : series, leftOut: [leftOut] };
}

const describeMonths = (months: readonly Period[]) =>
  months.length === 1 ? months[0] : `${months.length} months, ${months[0]} to ${months.at(-1)}`;
