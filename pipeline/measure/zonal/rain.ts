import { datedFiles } from '../../catalog/dated-files.ts';
import type { Source } from '../../catalog/sources.ts';
import type { Period } from '../../contract/months.ts';
import type { ClimateRow } from '../../ingest/ingest-tables.ts';
import { BadInput } from '../../lib/bad-input.ts';

/** Rain by LGA and month, with gaps filled. @param lgaRain the months' rain of `codes[lga]` */
export function rainRows(
  source: Source,
  codes: readonly string[],
  lgaRain: (lga: number) => readonly (number | null)[],
  fill: (source: Source, figure: string, values: (number | null)[]) => (number | null)[],
): ClimateRow[] {
  const months = datedFiles(source);
  const filled = months.map(({ time }, month) =>
    fill(
      source,
      `rain in ${time}`,
      codes.map((_, lga) => lgaRain(lga)[month]!),
    ),
  );
  return codes.flatMap((lga_code, lga) =>
    months.map(({ time }, month) => {
      const rain_mm = filled[month]![lga]!;
      if (rain_mm === null)
        throw new BadInput({
          file: 'sources.json',
          where: `source ${source.id}`,
          found: `no rain for ${lga_code}`,
          expected: 'the rule `neighbours`, because rain cannot be null',
        });
      return { lga_code, period: time as Period, rain_mm, temperature_c: null };
    }),
  );
}
