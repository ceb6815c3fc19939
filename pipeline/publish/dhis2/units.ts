/** Matches organisation units of a DHIS2 with areas by equal codes or ids; equal names are proposed, never taken. */
import path from 'node:path';
import { readTextTable } from '../../ingest/readers/raw-table.ts';
import { InputLocation, readEach } from '../../lib/bad-input.ts';
import { plainName, sharedWords, withoutWords } from '../../lib/name-similarity.ts';
import { type AreaLevel, UID } from './metadata.ts';

/** An area as the table `places` has it. */
export interface Place {
  area: AreaLevel;
  code: string;
  name: string;
  state_code: string;
  pcode: string;
  aliases: string | null;
  iso_code: string | null;
  longitude: number;
  latitude: number;
}

/** An organisation unit as the map has it; what its columns do not say is empty. */
interface OrganisationUnit {
  id: string;
  code: string;
  name: string;
  parent: string;
  level: string;
  openingDate: string;
  closedDate: string;
}

/** A line of `units-proposed.csv`, which is a map that can be given again. */
export interface UnitMatch {
  unit: OrganisationUnit;
  place: Place;
  matched_by: 'code' | 'name';
}

export interface Units {
  places: readonly Place[];
  /** Id of an area's organisation unit, by the area's code. */
  ids: ReadonlyMap<string, string>;
  /** First and last day, as YYYY-MM-DD, on which a unit takes values, by its id; empty if there is none. */
  openDays: ReadonlyMap<string, { first: string; last: string }>;
  /** The level of DHIS2 that the units of a level of areas have, if the map says one. */
  levels: ReadonlyMap<AreaLevel, number>;
  unmatched: Place[];
  /** Units taken by their codes, and units of the same name below the unit of the same state. */
  matches: readonly UnitMatch[];
  /** Rows of the table that are no area of the version: other levels, or a code that is spelled differently. */
  unrelated: number;
}

/**
 * Reads the map: a CSV with the columns `id` and `code`, or DHIS2's own organisation units as JSON. A unit is an area
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
  if (idColumn === -1)
    throw location
      .at('header')
      .error(
        `columns ${header.join(', ')}`,
        'the columns id, of the organisation unit, and code, of its area here (`malaria-risk query "FROM places"`); or give organisationUnits.json of DHIS2 itself',
      );
  const column = (name: string) => header.indexOf(name);
  const columns = {
    name: column('name'),
    parent: column('parent.id'),
    level: column('level'),
    openingDate: column('openingDate'),
    closedDate: column('closedDate'),
  };
  const byCode = placesByKey(places, ({ code, pcode, iso_code }) => [code, pcode, iso_code]);
  const byId = placesByKey(places, ({ pcode, aliases }) => [pcode, ...(aliases?.split('; ') ?? [])]);
  const ids = new Map<string, string>();
  const areas = new Map<string, string>();
  const matches: UnitMatch[] = [];
  const others: OrganisationUnit[] = [];
  readEach(rows, ({ line, cells }) => {
    const rowLocation = location.at(`row ${line}`);
    const id = cells[idColumn] ?? '';
    const code = cells[codeColumn] ?? '';
    const { name, parent, level, openingDate, closedDate } = columns;
    const cell = (index: number) => cells[index] ?? '';
    const unit: OrganisationUnit = {
      id,
      code,
      name: cell(name),
      parent: cell(parent),
      level: cell(level),
      openingDate: cell(openingDate).slice(0, 10),
      closedDate: cell(closedDate).slice(0, 10),
    };
    const place = byCode.get(code) ?? byId.get(id);
    if (!place) {
      others.push(unit);
      return;
    }
    if (!UID.test(id))
      throw rowLocation.at('id').error(id || 'nothing', 'an id of DHIS2: eleven letters and digits, first a letter');
    const earlier = ids.get(place.code) ?? areas.get(id);
    if (earlier !== undefined)
      throw rowLocation.error(`${id} for ${place.code}, beside ${earlier}`, 'one unit for each area');
    ids.set(place.code, id);
    areas.set(id, place.code);
    matches.push({ unit, place, matched_by: 'code' });
  });
  const unmatched = places.filter(({ code }) => !ids.has(code));
  const proposed = proposeByName(unmatched, others, ids);
  if (matches.length + proposed.length === 0)
    throw location.error(
      'no code or name of an area',
      `codes such as ${places.at(-1)?.code}; \`malaria-risk query "FROM places"\` lists them`,
    );
  return {
    places,
    ids,
    openDays: new Map(matches.map(({ unit }) => [unit.id, { first: unit.openingDate, last: unit.closedDate }])),
    levels: new Map(matches.flatMap(({ unit, place }) => (unit.level ? [[place.area, Number(unit.level)]] : []))),
    unmatched,
    matches: [...matches, ...proposed],
    unrelated: others.length,
  };
}

/**
 * Units without the code of an area that have, but for words such as District that most names share, its name alone:
 * states and the country among all units, LGAs below the unit of their state, by its code or its name.
 */
function proposeByName(
  unmatched: readonly Place[],
  units: readonly OrganisationUnit[],
  ids: ReadonlyMap<string, string>,
): UnitMatch[] {
  const reduceUnit = withoutWords(sharedWords(units.map(({ name }) => name)));
  const unitsByName = Map.groupBy(
    units.filter(({ id, name }) => name && UID.test(id)),
    ({ name }) => reduceUnit(name),
  );
  const propose = (place: Place, isBelow: (unit: OrganisationUnit) => boolean): UnitMatch[] => {
    const [unit, ...namesakes] = (unitsByName.get(plainName(place.name)) ?? []).filter(isBelow);
    return unit && namesakes.length === 0 ? [{ unit, place, matched_by: 'name' }] : [];
  };
  // A state and an LGA of another one may have the same name.
  const isHighest = ({ name, level }: OrganisationUnit) =>
    unitsByName.get(reduceUnit(name))!.every((other) => Number(other.level) >= Number(level));
  const upper = unmatched.filter(({ area }) => area !== 'lga').flatMap((place) => propose(place, isHighest));
  const upperIds = new Map([...ids, ...upper.map(({ unit, place }) => [place.code, unit.id] as const)]);
  const lower = unmatched
    .filter(({ area }) => area === 'lga')
    .flatMap((place) => propose(place, ({ parent }) => parent === upperIds.get(place.state_code)));
  return [...upper, ...lower];
}

/** The places by their keys, without the keys that two places share. */
function placesByKey(places: readonly Place[], placeKeys: (place: Place) => (string | null)[]): Map<string, Place> {
  const pairs = places.flatMap((place) => [...new Set(placeKeys(place))].map((key) => ({ key, place })));
  const groups = Map.groupBy(pairs, ({ key }) => key);
  return new Map(
    [...groups].flatMap(([key, pairsOfKey]) => (key && pairsOfKey.length === 1 ? [[key, pairsOfKey[0]!.place]] : [])),
  );
}
