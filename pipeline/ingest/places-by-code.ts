/** Tables that go by the codes of their areas, which may be written as numbers, newer than the outlines, or larger. */
import type { Alias } from '../catalog/aliases.ts';
import type { Remedy } from '../catalog/remedy.ts';
import type { Source } from '../catalog/sources.ts';
import { isPeriod, monthFromIndex, monthIndex, type Period } from '../contract/months.ts';
import { worded } from '../contract/words.ts';
import { readEach } from '../lib/bad-input.ts';
import { firstFew } from '../lib/first-few.ts';
import { MIN_SIMILARITY, nameSimilarity, plainName } from '../lib/name-similarity.ts';
import type { Areas } from './ingest-tables.ts';
import { EXPECTED_LGA_CODE, EXPECTED_STATE_CODE, type IngestInput } from './input.ts';
import type { RawRow, RawTable } from './readers/raw-table.ts';

/** A year before and after the division, so that the season makes no difference. */
const COMPARED_MONTHS = 12;
/**
 * The level of an area and its new part together may change by this much, ln; that of the area alone must change more.
 */
const LARGEST_CHANGE = 0.3;
const LEAST_FALL = 0.1;

export interface Place {
  code: string;
  name: string;
  /** The code of its upper-level area. */
  parent?: string;
}

/** A place of a table, by name or code, and what it is matched with. */
export interface PlaceMatch {
  name: string;
  rows: readonly RawRow[];
  /** Null until a person has accepted one. */
  area: Place | null;
  /** The accepted row of `aliases.csv`, if it takes one. */
  alias: Alias | null;
}

/**
 * Makes a function that finds the code that a text means: as it is, in other capitals, or as a program writes codes
 * that it took for numbers, without leading zeros or with decimals. Null if there is none.
 */
export function codeReader(codes: Iterable<string>): (text: string) => string | null {
  const all = new Set(codes);
  const byForm = Map.groupBy(all, plainForm);
  return (text) => {
    if (all.has(text)) return text;
    const alike = byForm.get(plainForm(text)) ?? [];
    return alike.length === 1 ? alike[0]! : null;
  };
}

const plainForm = (text: string) =>
  /^\d+(\.0+)?$/.test(text) ? text.replace(/\.0+$/, '').replace(/^0+(?=\d)/, '') : text.toLowerCase();

/** Whether the rows of a table lie in an area, and are not figures of all of it or of a part. */
export const hasRowsWithinAreas = ({ role, columns }: Source) =>
  role === 'survey_clusters' || columns?.facility !== undefined;

export const listPlaces = (column: 'lga_pcode' | 'state_pcode', { lgas, states }: Areas): Place[] =>
  column === 'lga_pcode'
    ? lgas.map(({ lga_code: code, lga: name, state_code: parent }) => ({ code, name, parent }))
    : states.map(({ state_pcode: code, state: name }) => ({ code, name }));

/** The codes of a table by level, each once. */
export function matchCodes(
  { rows }: RawTable,
  column: 'lga_pcode' | 'state_pcode',
  areas: Areas,
  aliases: readonly Alias[] = [],
): PlaceMatch[] {
  const areaByCode = new Map(listPlaces(column, areas).map((area) => [area.code, area]));
  const readCode = codeReader(areaByCode.keys());
  const rowsByCode = Map.groupBy(
    rows.filter((row) => row.hasValue(column)),
    (row) => row.text(column),
  );
  return [...rowsByCode].map(([name, codeRows]) => {
    const alias = aliases.find((row) => plainName(row.name) === plainName(name) && areaByCode.has(row.code)) ?? null;
    const code = alias?.code ?? readCode(name) ?? areas.codeById?.get(name) ?? '';
    return { name, rows: codeRows, alias, area: areaByCode.get(code) ?? null };
  });
}

/** @throws BadInput for each code that no area has, with what it seems to be */
export function refuseUnmatchedCodes(
  matches: readonly PlaceMatch[],
  column: 'lga_pcode' | 'state_pcode',
  areas: Areas,
  source: Source,
  model: IngestInput['model'],
): void {
  readEach(matches, ({ name, rows, area }) => {
    if (area) return;
    const [row] = rows as [RawRow];
    const place = row.at(column);
    const found = rows.length === 1 ? name : `${name} (${rows.length} rows)`;
    const larger = column === 'lga_pcode' ? largerArea(name, areas, model) : null;
    if (larger)
      throw place.error(
        `${found}, which is ${larger}`,
        'an area in the outlines: rows of larger areas are left out (sources.json, leave_out)',
        { declare: 'leave_out', where: { [column]: name } },
      );
    const expected = column === 'lga_pcode' ? EXPECTED_LGA_CODE : EXPECTED_STATE_CODE;
    const namesake = findNamesake(row, column, areas, matches);
    if (namesake)
      throw place.error(
        found,
        `${expected}: ${namesake.code} ${namesake.name} ${namesake.similarity > 0 ? `by its name (likeness ${namesake.similarity.toFixed(2)})` : 'is the only one without rows'} (sources.json, recode)`,
        { declare: 'recode', column, from: name, to: namesake.code },
      );
    const predecessor = findPredecessor(rows, matches);
    if (predecessor)
      throw place.error(
        found,
        `${expected}: its rows begin in the month after the last one of ${predecessor.code} ${predecessor.name}, which seems to have got another code (sources.json, recode)`,
        { declare: 'recode', column, from: name, to: predecessor.code },
      );
    const divided = findDividedArea(rows, matches, source);
    if (!divided) {
      const advice = describeUnmatchedPlace({ name, rows }, column, matches, listPlaces(column, areas), source);
      throw place.error(found, `${expected}${advice}`);
    }
    const makeAlias = (part: string): Remedy => ({
      declare: 'alias',
      alias: { name: part, parent: '', code: divided.code, from: divided.from },
    });
    const change = divided.hasEnded ? 'end when its rows and others begin' : 'fall by as much when its rows begin';
    const reason = `${expected}; as the cases of ${divided.code} ${change}, it seems to be a part of that area since ${divided.from} (aliases.csv)`;
    readEach(divided.hasEnded ? [name] : [name, divided.code], (part) => {
      throw place.error(part === name ? found : `${name} and ${part}`, reason, makeAlias(part));
    });
  });
}

/**
 * What to do about a place of which nothing tells what it is. Its rows are never proposed to be left out: they may be
 * those of an area under another name, or of one whose outline is missing.
 */
export function describeUnmatchedPlace(
  { name, rows }: Pick<PlaceMatch, 'name' | 'rows'>,
  column: string,
  matches: readonly PlaceMatch[],
  places: readonly Place[],
  source: Source,
): string {
  if (2 * matches.filter(({ area }) => !area).length > matches.length)
    return `, such as ${places[0]!.code} ${places[0]!.name}: most places of this table are of no area; is it the right file, of this country and with names or codes of the same kind?`;
  const listTimes = (timedRows: readonly RawRow[]) => new Set(timedRows.map(({ monthText }) => monthText));
  const matchesByCode = Map.groupBy(matches, ({ area }) => area?.code);
  const hasTimes = ({ code }: Place) =>
    listTimes(rows).isSubsetOf(listTimes((matchesByCode.get(code) ?? []).flatMap((match) => match.rows)));
  const lacking = hasRowsWithinAreas(source) ? [] : places.filter((place) => !hasTimes(place));
  const names = lacking.map((place) => `${place.code} ${place.name}`);
  const another = `; if it is another name or code of ${firstFew(names, 3)}, without such rows, a row "${name},,CODE," of aliases.csv`;
  return `${lacking.length > 0 ? another : ''}; if it is a part of an area, a row "${name},,CODE,YYYY-MM" of aliases.csv, with the area's code and the first month; if its outline is missing, outlines that have it; if it is no place of the country, {"where": {"${column}": "${name}"}, "reason": "…"} in \`leave_out\` of ${source.id} (sources.json)`;
}

/** What a code or name of something larger than an area is; null if it is not. */
export function largerArea(
  text: string,
  { states }: Areas,
  { territory }: Pick<IngestInput['model'], 'territory'>,
): string | null {
  const { iso_code, language } = territory;
  const names = ['en', language].map((inLanguage) =>
    new Intl.DisplayNames(inLanguage, { type: 'region' }).of(iso_code),
  );
  const isCountry = [iso_code, ...names].some((label) => plainName(label ?? '') === plainName(text));
  if (isCountry) return 'the country';
  const state = states.find(({ state_pcode, state_code, state: stateName }) =>
    [state_pcode, state_code, stateName].some((label) => plainName(label) === plainName(text)),
  );
  return state ? `the ${territory.state.one} ${state.state}` : null;
}

/**
 * The area whose name is that in a row or, of those without rows, alone is like it, or is the only one for the only
 * code of none; null if there is none.
 */
function findNamesake(
  { values }: RawRow,
  column: 'lga_pcode' | 'state_pcode',
  areas: Areas,
  matches: readonly PlaceMatch[],
): (Place & { similarity: number }) | null {
  const isNamed = (name: string, text: string | null | undefined) => plainName(name) === plainName(text ?? '');
  const nameInRow = plainName((column === 'lga_pcode' ? values.lga : values.state) ?? '');
  const state = areas.states.find((area) => isNamed(area.state, values.state));
  const isWithin = ({ parent }: Place) =>
    column === 'state_pcode' || values.state == null || parent === state?.state_code;
  const places = listPlaces(column, areas)
    .filter(isWithin)
    .map((place) => ({ ...place, similarity: nameSimilarity(plainName(place.name), nameInRow) }));
  const named = places.filter(({ similarity }) => similarity === 1);
  const free = places.filter(({ code }) => !matches.some(({ area }) => area?.code === code));
  const isOnlyUnmatched = matches.filter(({ area }) => !area).length === 1;
  const alike = free.filter(({ similarity }) => similarity >= MIN_SIMILARITY);
  const [namesake, ...others] = [named, alike, isOnlyUnmatched ? free : []].find((list) => list.length > 0) ?? [];
  return namesake && others.length === 0 ? namesake : null;
}

/**
 * The only area whose counts end in the month before those of a place, as of no other, begin: of several areas, as of
 * no other at its level. Null if there is none.
 */
function findPredecessor(placeRows: readonly RawRow[], matches: readonly PlaceMatch[]): Place | null {
  const { start, beginning, ending } = findChanges(placeRows, matches);
  if (ending.length === 1) return beginning.length === 1 ? ending[0]!.area : null;
  const isLevel = (before: readonly RawRow[], after: readonly RawRow[]) => {
    const [level, levelAfter] = [
      meanCount(countsByMonth(before), start - COMPARED_MONTHS),
      meanCount(countsByMonth(after), start),
    ];
    return Math.abs(Math.log(levelAfter / level)) < LARGEST_CHANGE;
  };
  const [area, ...otherAreas] = ending.filter(({ rows }) => isLevel(rows, placeRows));
  if (!area || otherAreas.length > 0) return null;
  return beginning.filter(({ rows }) => isLevel(area.rows, rows)).length === 1 ? area.area : null;
}

/**
 * The month in which a place's counts begin, the places of no area that begin then, and the areas that end before, all
 * in the upper-level area of its rows.
 */
function findChanges(placeRows: readonly RawRow[], matches: readonly PlaceMatch[]) {
  const firstMonth = (rows: readonly RawRow[]) => Math.min(...countsByMonth(rows).keys());
  const lastMonth = (rows: readonly RawRow[]) => Math.max(...countsByMonth(rows).keys());
  const start = firstMonth(placeRows);
  const near = matches.filter(({ rows }) => areInSameState(rows, placeRows));
  const beginning = near.filter(({ area, rows }) => !area && firstMonth(rows) === start);
  const ending = near.filter(({ area, alias, rows }) => area && !alias && lastMonth(rows) === start - 1);
  return { start, beginning, ending };
}

const areInSameState = ([one]: readonly RawRow[], [other]: readonly RawRow[]) =>
  (['state', 'state_pcode'] as const).every((column) => one!.values[column] === other!.values[column]);

/** What to tell of codes that are written in another form; null if there are none. */
export function describeOtherForms(matches: readonly PlaceMatch[]) {
  const otherForms = matches.filter(({ name, area, alias }) => area && !alias && area.code !== name);
  const [first] = otherForms;
  return first
    ? worded`${otherForms.length} codes are written in another form, such as ${first.name} for ${first.area!.code}, and are read as the codes of the {lga.many}`
    : null;
}

/**
 * The area of which a place without outlines seems to be a part, and since when: the area's counts fall when those of
 * the place begin, and together they go on as before; or it is the only one to end, and several places begin. Null if
 * no area does so.
 * @returns `hasEnded`: whether no part keeps the area's code or name
 */
export function findDividedArea(
  placeRows: readonly RawRow[],
  matches: readonly PlaceMatch[],
  { role, columns = {} }: Pick<Source, 'role' | 'columns'>,
): { code: string; from: Period; hasEnded: boolean } | null {
  if (!/^cases_/.test(role) || columns.facility !== undefined) return null;
  const place = countsByMonth(placeRows);
  const { start, beginning, ending } = findChanges(placeRows, matches);
  if (!Number.isFinite(start)) return null;
  const from = monthFromIndex(start);
  if (ending.length === 1 && beginning.length > 1) return { code: ending[0]!.area!.code, from, hasEnded: true };
  const falls = matches.flatMap(({ area: matchedArea, alias, rows }) => {
    if (!matchedArea || alias || !areInSameState(rows, placeRows)) return [];
    const area = countsByMonth(rows);
    const [before, after] = [meanCount(area, start - COMPARED_MONTHS), meanCount(area, start)];
    const [alone, together] = [after, after + meanCount(place, start)].map((level) => Math.log(level / before)) as [
      number,
      number,
    ];
    const fall = Math.abs(alone) - Math.abs(together);
    return alone < -LEAST_FALL && Math.abs(together) < LARGEST_CHANGE && fall > LEAST_FALL
      ? [{ code: matchedArea.code, fall }]
      : [];
  });
  const [best] = falls.sort((a, b) => b.fall - a.fall);
  return best ? { code: best.code, from, hasEnded: false } : null;
}

/** The mean count of the months with one among those from `first` on. */
function meanCount(counts: ReadonlyMap<number, number>, first: number): number {
  const values = Array.from({ length: COMPARED_MONTHS }, (_, i) => counts.get(first + i)).filter(
    (n) => n !== undefined,
  );
  return values.length === 0 ? Number.NaN : values.reduce((a, b) => a + b) / values.length;
}

function countsByMonth(rows: readonly RawRow[]): Map<number, number> {
  return new Map(
    rows.flatMap((row): [number, number][] => {
      const month = row.monthText;
      const count = row.values.confirmed;
      return month && isPeriod(month) && count != null ? [[monthIndex(month), Number(count)]] : [];
    }),
  );
}
