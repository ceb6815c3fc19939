/** Rows of tables as values of DHIS2's data elements, in the formats that its import reads. */
import type { Manifest } from '../../contract/manifest.ts';
import type { Period } from '../../contract/months.ts';
import { countryWords } from '../../contract/words.ts';
import { toCsv } from '../../lib/tables/csv.ts';
import { type AreaLevel, dataElement, dataSetId, type Figure } from './metadata.ts';
import type { Units } from './units.ts';

/** An area in a month, with its figures by column. */
export interface AreaMonth {
  area: AreaLevel;
  code: string;
  period: Period;
  /** How many months after the last month of data it is; 0 or less if it is estimated. */
  monthsAhead: number;
  [column: string]: string | number | null;
}

/** One value as `/api/dataValueSets` takes it. */
export interface DataValue {
  dataElement: string;
  /** `YYYYMM`. */
  period: string;
  orgUnit: string;
  value: string;
  /** Says that the value is a forecast; estimates have none. */
  comment?: string;
}

/** Whether the unit of an area is open in all of a month, as far as the map says. */
export function isOpen({ ids, openDays }: Pick<Units, 'ids' | 'openDays'>, { code, period }: AreaMonth): boolean {
  const { first = '', last = '' } = openDays.get(ids.get(code) ?? '') ?? {};
  return first <= `${period}-01` && (last === '' || last.slice(0, 7) > period);
}

/** The values of rows in their order; a null is no value, and an area without an open unit has none. */
export function* dataValues(
  rows: readonly AreaMonth[],
  figures: readonly Figure[],
  units: Pick<Units, 'ids' | 'openDays'>,
  manifest: Pick<Manifest, 'synthetic' | 'territory'>,
): Generator<DataValue> {
  const words = countryWords(manifest.territory);
  const elementIds = (level: AreaLevel) =>
    figures.map((figure) => ({ column: figure.column, id: dataElement(figure, level, manifest, words).id }));
  const byLevel = { state: elementIds('state'), lga: elementIds('lga') };
  for (const row of rows) {
    const orgUnit = units.ids.get(row.code);
    if (orgUnit === undefined || !isOpen(units, row)) continue;
    const period = row.period.replace('-', '');
    const comment = row.monthsAhead <= 0 ? {} : { comment: `month ${row.monthsAhead} of the forecast` };
    for (const { column, id } of byLevel[row.area]) {
      const value = row[column] ?? null;
      if (value !== null) yield { dataElement: id, period, orgUnit, value: String(value), ...comment };
    }
  }
}

/** The content of a file of values, in each format. DHIS2 reads the CSV's columns by position. */
export const FORMATS = {
  json: (values: readonly DataValue[], manifest: Pick<Manifest, 'synthetic'>) =>
    `${JSON.stringify({ dataSet: dataSetId(manifest), dataValues: values })}\n`,
  csv: (values: readonly DataValue[]) =>
    `${toCsv(
      values.map(({ dataElement, period, orgUnit, value, comment }) => ({
        dataelement: dataElement,
        period,
        orgunit: orgUnit,
        categoryoptioncombo: null,
        attributeoptioncombo: null,
        value,
        storedby: null,
        lastupdated: null,
        comment,
      })),
    )}\n`,
};
export type Format = keyof typeof FORMATS;
