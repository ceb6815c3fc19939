/** Matches organisation units of a DHIS2 with areas by equal codes or ids, never by similar names. */
import path from 'node:path';
import { readTextTable } from '../../ingest/readers/raw-table.ts';
import { InputLocation, readEach } from '../../lib/bad-input.ts';
import { UID } from './metadata.ts';

/** An area as the table `places` has it. */
export interface Place {
  area: 'state' | 'lga';
  code: string;
  name: string;
  state_code: string;
  pcode: string;
  aliases: string | null;
  iso_code: string | null;
}

export interface Units {
  /** Id of an area's organisation unit, by the area's code. */
  ids: Map<string, string>;
  unmatched: Place[];
  /** Rows of the table that are no area of the version: other levels, or a code that is spelled differently. */
  unrelated: number;
}

/**
 * Reads the table: a CSV with the columns `id` and `code`, or DHIS2's own organisation units as JSON. A unit is an area
 * if its code is the area's own, that of the raw files, or its ISO code; or if raw files call the area by the unit's
 * id.
 * @throws BadInput for an id that DHIS2 cannot have, two units of one area, two areas of one unit, and no match at all
 */
export async function readUnits(file: string, places: readonly Place[]): Promise<Units> {
  const { header, rows } = await readTextTable(path.dirname(file), {
    files: [{ path: path.basename(file) }],
    format: /\.json$/i.test(file) ? 'json' : 'csv',
  });
  const location = new InputLocation(file);
  const [idColumn, codeColumn] = [header.indexOf('id'), header.indexOf('code')];
  const duplicates = [
    header.indexOf('id', idColumn + 1),
    codeColumn === -1 ? -1 : header.indexOf('code', codeColumn + 1),
  ];
  if (idColumn !== -1 && duplicates.some((index) => index !== -1))
    throw location.at('header').error(`columns ${header.join(', ')}`, 'the columns id and code once each');
  if (idColumn === -1) throw location.at('header').error(`columns ${header.join(', ')}`, 'the columns id and code');
  const byCode = placesByKey(places, ({ code, pcode, iso_code }) => [code, pcode, iso_code]);
  const byId = placesByKey(places, ({ pcode, aliases }) => [pcode, ...(aliases?.split('; ') ?? [])]);
  const ids = new Map<string, string>();
  const areas = new Map<string, string>();
  let unrelated = 0;
  readEach(rows, ({ line, cells }) => {
    const rowLocation = location.at(`row ${line}`);
    const id = cells[idColumn] ?? '';
    const place = byCode.get(cells[codeColumn] ?? '') ?? byId.get(id);
    if (!place) {
      unrelated++;
      return;
    }
    if (!UID.test(id))
      throw rowLocation.at('id').error(id || 'nothing', 'an id of DHIS2: eleven letters and digits, first a letter');
    const earlier = ids.get(place.code) ?? areas.get(id);
    if (earlier !== undefined)
      throw rowLocation.error(`${id} for ${place.code}, beside ${earlier}`, 'one unit for each area');
    ids.set(place.code, id);
    areas.set(id, place.code);
  });
  if (ids.size === 0)
    throw location.error(
      'no code of an area',
      `codes such as ${places.at(-1)?.code}; \`malaria-risk query "FROM places"\` lists them`,
    );
  return { ids, unmatched: places.filter(({ code }) => !ids.has(code)), unrelated };
}

/** The places by their keys, without the keys that two places share. */
function placesByKey(places: readonly Place[], placeKeys: (place: Place) => (string | null)[]): Map<string, Place> {
  const pairs = places.flatMap((place) => [...new Set(placeKeys(place))].map((key) => ({ key, place })));
  const groups = Map.groupBy(pairs, ({ key }) => key);
  return new Map(
    [...groups].flatMap(([key, pairsOfKey]) => (key && pairsOfKey.length === 1 ? [[key, pairsOfKey[0]!.place]] : [])),
  );
}
