/** The files that a DHIS2 administrator imports. */
import type { Manifest } from '../../contract/manifest.ts';
import { toCsv } from '../../lib/tables/csv.ts';
import { type AreaMonth, type DataValue, dataValues, FORMATS, type Format } from './data-values.ts';
import { dhis2Metadata, type Figure } from './metadata.ts';
import type { Units } from './units.ts';

export interface Dhis2File {
  name: string;
  content: string;
  /** Values in it, 0 for the other files. */
  values: number;
}

/** Values of one file: DHIS2 imports a request in one transaction, and servers end requests that take minutes. */
export const MAX_VALUES_PER_FILE = 50_000;

/**
 * Metadata, the areas without an organisation unit, and files of at most `maxValues` values, each made when it is asked for.
 * @param tables rows, and the figures that they have
 */
export function* dhis2Files(
  manifest: Manifest,
  units: Units,
  tables: readonly { figures: readonly Figure[]; rows: readonly AreaMonth[] }[],
  format: Format,
  maxValues = MAX_VALUES_PER_FILE,
): Generator<Dhis2File> {
  const metadata = dhis2Metadata(
    manifest,
    tables.flatMap(({ figures }) => figures),
    [...units.ids.values()].sort(),
  );
  yield { name: 'metadata.json', content: `${JSON.stringify(metadata, null, 2)}\n`, values: 0 };
  const unmatched = toCsv(units.unmatched, ['area', 'code', 'name', 'state_code']);
  yield { name: 'units-unmatched.csv', content: `${unmatched}\n`, values: 0 };
  const allValues = tables.values().flatMap(({ rows, figures }) => dataValues(rows, figures, units.ids, manifest));
  for (let [fileNumber, next] = [1, allValues.next()]; !next.done; fileNumber++) {
    const values: DataValue[] = [];
    for (; !next.done && values.length < maxValues; next = allValues.next()) values.push(next.value);
    const name = `data-values-${String(fileNumber).padStart(3, '0')}.${format}`;
    yield { name, content: FORMATS[format](values, manifest), values: values.length };
  }
}
