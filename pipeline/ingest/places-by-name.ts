/** The areas of a table's rows: each name, or code, is matched with an area, and none is guessed. */
import { type Alias, aliasCsvLine, levelJoinedByName } from '../catalog/aliases.ts';
import { AREA_TERMS } from '../catalog/area-terms.ts';
import type { Model } from '../catalog/model.ts';
import type { Remedy } from '../catalog/remedy.ts';
import { TEXT_COLUMNS } from '../catalog/roles.ts';
import type { Source } from '../catalog/sources.ts';
import { worded } from '../contract/words.ts';
import { readEach } from '../lib/bad-input.ts';
import {
  MIN_SIMILARITY,
  nameSimilarity,
  plainName,
  sharedWords,
  splitWords,
  withoutWords,
} from '../lib/name-similarity.ts';
import type { Areas } from './ingest-tables.ts';
import { codeAndName, type IngestInput } from './input.ts';
import {
  describeOtherForms,
  describeUnmatchedPlace,
  findDividedArea,
  hasRowsWithinAreas,
  largerArea,
  listPlaces,
  matchCodes,
  type Place,
  type PlaceMatch,
  refuseUnmatchedCodes,
} from './places-by-code.ts';
import { type RawRow, RawTable, readTable } from './readers/raw-table.ts';

/** A name of a table, with the upper-level area in its rows if they have one, and what it is matched with. */
export interface NameMatch extends PlaceMatch {
  parent: string;
  /** Areas that a name without one may mean, the likest first. */
  candidates: readonly { area: Place; similarity: number }[];
  /** The row that would accept the likest; null if that area has rows already, or others are as likely. */
  proposal: Alias | null;
  /** Whether its candidate is not like it at all, but is the only area that no other name of the table may mean. */
  isOnlyRemaining: boolean;
}

/** Names with fewer letters are part of too many others. */
const LEAST_LETTERS = 3;

/** Words that name a row of sums among the areas. */
const TOTAL_WORDS: readonly string[] = ['total', 'totals', 'totaux', 'subtotal', 'soustotal', 'ensemble', 'totais'];

/** Tables of counts, which can be added where an area is given in parts. */
const COUNT_ROLES: readonly Source['role'][] = ['cases_lgas', 'cases_states', 'population_census'];

/**
 * Reads a table, with the codes of the outlines for its areas if it goes by names or writes codes otherwise. Rows of
 * the parts of an area that was split are added up.
 * @throws BadInput for each name or code that neither the outlines nor `aliases.csv` have, with what it may mean, and
 *   for mistyped months
 */
export async function readTableWithCodes(
  input: Pick<IngestInput, 'rawData' | 'model' | 'report' | 'deliveries'>,
  areas: Areas,
  source: Source,
): Promise<RawTable> {
  const table = await readTable(input.rawData, source, input.report, input.deliveries);
  table.refuseStrayMonths(source.span ? 'months' : 'rounds');
  const level = levelJoinedByName(source);
  if (!level) return matchTableCodes(input, areas, source, table);
  const matches = matchNames(table, source, areas, input.model);
  const nameless = hasRowsWithinAreas(source) ? [] : table.rows.filter((row) => !row.hasValue(level));
  const checks = [
    ...matches.map((match) => () => refuseUnmatched(match, matches, source, areas, input.model)),
    () => refuseNameless(nameless, level),
  ];
  readEach(checks, (check) => check());
  const stripAreaWords = withoutWords(sharedWords(matches.map(({ name }) => name)));
  const spelledDifferently = matches.filter(
    ({ name, area, alias }) => !alias?.from && ![plainName(name), stripAreaWords(name)].includes(plainName(area!.name)),
  );
  const names = spelledDifferently.map(({ name, area }) => `${name} (${area!.name}, ${area!.code})`).join(', ');
  const areaNoun = level === 'lga' ? worded`{lga.many}` : worded`{state.many}`;
  input.report.push({
    source: source.id,
    rule: 'areas by name',
    what: worded`${matches.length} names of ${areaNoun} are matched with those of the outlines${names && `; spelled differently: ${names}`}`,
  });
  reportParts(input, source, matches);
  return addCodeColumn(table, source, level, matches, input.model.aliases ?? []);
}

/** A table that has codes, with those of the outlines. */
function matchTableCodes(
  { model, report }: Pick<IngestInput, 'model' | 'report'>,
  areas: Areas,
  source: Source,
  table: RawTable,
): RawTable {
  let matched = table;
  for (const level of ['lga', 'state'] as const) {
    if (!table.columns.has(`${level}_pcode`)) continue;
    const matches = matchCodes(matched, `${level}_pcode`, areas, model.aliases);
    refuseUnmatchedCodes(matches, `${level}_pcode`, areas, source, model);
    const otherForms = describeOtherForms(matches);
    if (otherForms) report.push({ source: source.id, rule: 'codes in another form', what: otherForms });
    reportParts({ report }, source, matches);
    if (matches.some(({ name, area }) => name !== area!.code))
      matched = addCodeColumn(matched, source, level, matches, model.aliases ?? []);
  }
  return matched;
}

function reportParts({ report }: Pick<IngestInput, 'report'>, source: Source, matches: readonly PlaceMatch[]): void {
  const partsByArea = Map.groupBy(
    matches.filter(({ alias }) => alias?.from),
    ({ area }) => area!.code,
  );
  for (const [code, parts] of partsByArea)
    report.push({
      source: source.id,
      rule: 'parts of an area',
      what: `${code} ${parts[0]!.area!.name} from ${parts[0]!.alias!.from}: ${parts.map((part) => part.name).join(' + ')}`,
    });
}

function refuseUnmatched(
  { name, parent, rows, area, candidates, proposal, isOnlyRemaining }: NameMatch,
  matches: readonly NameMatch[],
  source: Source,
  areas: Areas,
  model: Pick<Model, 'territory'>,
): void {
  if (area && !proposal) return;
  const level = levelJoinedByName(source)!;
  const larger = isTotal(name) ? 'a total' : level === 'lga' && !area ? largerArea(name, areas, model) : null;
  if (larger)
    throw rows[0]!
      .at('name')
      .error(
        `${name}, which is ${larger}`,
        'the name of an area in the outlines: rows of larger areas are left out (sources.json, leave_out)',
        { declare: 'leave_out', where: { [level]: name } },
      );
  const likest = candidates
    .map((candidate) => `${candidate.area.name} (${candidate.area.code}, ${candidate.similarity.toFixed(2)})`)
    .join(' or ');
  const explanation = isOnlyRemaining
    ? ', which is not like it and is the only area that no other name of the table may mean'
    : '';
  const aliasHint = proposal ? `, as in a row "${aliasCsvLine(proposal)}" of aliases.csv` : '';
  const isLikeNone = !proposal && candidates.length === 0;
  const advice =
    isLikeNone && describeUnmatchedPlace({ name, rows }, level, matches, listPlaces(`${level}_pcode`, areas), source);
  const namesake = parent && !proposal ? areas.lgas.find(({ lga }) => plainName(lga) === plainName(name)) : undefined;
  const elsewhere = namesake
    ? `: ${codeAndName(areas, namesake.lga_code)} lies in ${areas.states.find(({ state_code }) => state_code === namesake.state_code)!.state}; if many rows are so, one of the two columns may have been sorted alone`
    : '';
  const remedy: Remedy | null = proposal && { declare: 'alias', alias: proposal };
  throw rows[0]!
    .at('name')
    .error(
      `${name}${parent && ` in ${parent}`} (${rows.length === 1 ? 'a row' : `${rows.length} rows`})`,
      `the name of an area in the outlines${elsewhere || advice || (likest && `: ${likest}${explanation}${aliasHint}`)}`,
      remedy,
    );
}

/** Only rows that are not of an area have no name: the country's total, or notes. */
function refuseNameless(rows: readonly RawRow[], level: 'lga' | 'state'): void {
  const [row] = rows;
  if (!row) return;
  const text = Object.values(row.values).find((value) => /\p{L}/u.test(value ?? ''));
  throw row
    .at('name')
    .error(
      `nothing (${rows.length === 1 ? 'a row' : `${rows.length} rows`}${text === undefined ? '' : `: "${text}"`})`,
      'the name of an area in the outlines; a note may say what other rows count',
      { declare: 'leave_out', where: { [level]: null } },
    );
}

/** The names of a table in the order of its rows, each once, whatever its case and punctuation. */
export function matchNames(
  { rows }: RawTable,
  source: Source,
  areas: Areas,
  model: Pick<Model, 'territory' | 'aliases' | 'states'>,
): NameMatch[] {
  const level = levelJoinedByName(source)!;
  const namedRows = rows.filter((row) => row.hasValue(level));
  const { stripAreaWords, nameLikeness, placesWithin, placesNamed } = indexPlacesByName(
    level,
    areas,
    model,
    namedRows.map((row) => row.text(level)),
  );
  const placeByCode = new Map(placesWithin('').map((place) => [place.code, place]));
  const aliases = (model.aliases ?? []).filter(({ code }) => placeByCode.has(code));
  const parentInRow = ({ values }: RawRow) => (level === 'lga' && (values.state ?? values.state_pcode)) || '';
  const groups = Map.groupBy(namedRows, (row) => `${plainName(row.text(level))} ${plainName(parentInRow(row))}`);
  const findCandidates = (name: string, parent: string) =>
    placesWithin(parent)
      .map((area) => ({ area, similarity: nameLikeness(name, area.name) }))
      .filter(({ area, similarity }) => {
        const [plain, plainArea] = [stripAreaWords(name), stripAreaWords(area.name)];
        return similarity >= MIN_SIMILARITY || contains(plain, plainArea) || contains(plainArea, plain);
      })
      .sort((a, b) => b.similarity - a.similarity)
      .slice(0, 3);
  const matches = [...groups.values()].map((nameRows): NameMatch => {
    const [name, parent] = [nameRows[0]!.text(level), parentInRow(nameRows[0]!)];
    const isAlias = (row: Alias) =>
      plainName(row.name) === plainName(name) && (row.parent === '' || plainName(row.parent) === plainName(parent));
    const alias = aliases.find(isAlias) ?? null;
    const places = placesNamed(name, parent);
    // The upper-level area of a row says more than an alias without one.
    const isSettled = places.length === 1 && alias?.parent === '' && parent !== '' && placesNamed(name).length > 1;
    const area = alias && !isSettled ? placeByCode.get(alias.code)! : places.length === 1 ? places[0]! : null;
    return {
      name,
      parent,
      rows: nameRows,
      area,
      alias,
      candidates: area ? [] : findCandidates(name, parent),
      proposal: null,
      isOnlyRemaining: false,
    };
  });
  const completed = matches.map((match) => matchRemainingArea(match, matches, placesWithin, nameLikeness) ?? match);
  const proposed = completed.map((match) =>
    match.area ? match : { ...match, proposal: proposeAlias(match, completed, source, stripAreaWords) },
  );
  return proposeDivisions(proposed, source);
}

/** With proposals for names like none that seem to be parts of an area whose counts fall when they begin. */
function proposeDivisions(matches: readonly NameMatch[], source: Source): NameMatch[] {
  const divisions = new Map(
    matches.flatMap((match): [NameMatch, Alias][] => {
      if (match.area || match.proposal || match.candidates.length > 0 || isTotal(match.name)) return [];
      const divided = findDividedArea(match.rows, matches, source);
      const area = divided && matches.find((rival) => rival.area?.code === divided.code);
      if (!area) return [];
      const { code, from, hasEnded } = divided;
      const parts = hasEnded ? [match] : [match, area];
      return parts.map((part) => [part, { name: part.name, parent: part.parent, code, from }]);
    }),
  );
  return matches.map((match) => (divisions.has(match) ? { ...match, proposal: divisions.get(match)! } : match));
}

const isTotal = (name: string) => splitWords(name).some((word) => TOTAL_WORDS.includes(word));

/**
 * A name that is like no area's with the only area within its upper-level area, or the country, that no name of the
 * table means or may mean, if it is the only such name there; null otherwise.
 */
function matchRemainingArea(
  match: NameMatch,
  matches: readonly NameMatch[],
  placesWithin: (parent: string) => readonly Place[],
  nameLikeness: (name: string, areaName: string) => number,
): NameMatch | null {
  const matchedCodes = new Set(matches.flatMap(({ area }) => area?.code ?? []));
  // `City of Cade` has a name in it that another row already has, and is not like it otherwise.
  const isUnmatched = ({ name, area, candidates }: NameMatch) =>
    !area &&
    !isTotal(name) &&
    candidates.every((candidate) => candidate.similarity < MIN_SIMILARITY && matchedCodes.has(candidate.area.code));
  if (!isUnmatched(match)) return null;
  const takenCodes = new Set(
    matches.flatMap(({ area, candidates }) =>
      (area ? [area] : candidates.map((candidate) => candidate.area)).map(({ code }) => code),
    ),
  );
  const freePlaces = placesWithin(match.parent).filter(({ code }) => !takenCodes.has(code));
  // A name without an upper-level area may lie in any.
  const rivals = matches.filter(
    (rival) => isUnmatched(rival) && placesWithin(rival.parent).some(({ code }) => code === freePlaces[0]?.code),
  );
  if (freePlaces.length !== 1 || rivals.length !== 1) return null;
  return {
    ...match,
    candidates: [{ area: freePlaces[0]!, similarity: nameLikeness(match.name, freePlaces[0]!.name) }],
    isOnlyRemaining: true,
  };
}

/**
 * The areas of a level by their names.
 * @param names those to be matched: words that most of them have, such as District, are no part of which place is meant
 */
export function indexPlacesByName(
  level: 'lga' | 'state',
  areas: Areas,
  { territory, states }: Pick<Model, 'territory' | 'states'>,
  names: Iterable<string>,
) {
  const upper = states.map(({ state_pcode: code, state: name, state_code, aliases = [] }) => ({
    code,
    name,
    state_code,
    names: [name, ...aliases],
  }));
  const lower = areas.lgas.map(({ lga_code: code, lga: name, state_code }) => ({
    code,
    name,
    parent: state_code,
    state_code,
    names: [name],
  }));
  const places = level === 'lga' ? lower : upper;
  const parents = new Map(
    upper.flatMap(({ code, state_code, names }) => [code, ...names].map((name) => [plainName(name), state_code])),
  );
  const { one, many, full = '' } = territory[level];
  const inOtherLanguages = AREA_TERMS.find((term) => term.one === one)?.words ?? [];
  const levelWords = [...[one, many, full].flatMap(splitWords), ...inOtherLanguages];
  const withoutSharedWords = (shared: Iterable<string>) =>
    withoutWords(new Set([...levelWords, ...sharedWords(shared)]));
  const stripAreaWords = withoutWords(new Set(levelWords));
  const normalizers = [
    { normalizeArea: plainName, normalize: plainName },
    { normalizeArea: stripAreaWords, normalize: stripAreaWords },
    { normalizeArea: withoutSharedWords(places.map(({ name }) => name)), normalize: withoutSharedWords(names) },
  ];
  const indexes = normalizers.map(({ normalizeArea, normalize }) => {
    const entries = places.flatMap((place) =>
      [...new Set(place.names.map(normalizeArea))].map((name) => ({ name, place })),
    );
    return { normalize, entriesByName: Map.groupBy(entries, ({ name }) => name) };
  });
  const isWithin = (parent: string) => {
    const stateCode = parents.get(plainName(parent));
    return ({ state_code }: { state_code: string }) => stateCode === undefined || state_code === stateCode;
  };
  /** Those within an upper-level area, given by name or code; all if it is not known. */
  const placesWithin = (parent: string) => places.filter(isWithin(parent));
  /** Those with a name or, if none has it, with that name without the country's words for its areas, or shared ones. */
  const placesNamed = (name: string, parent = '') =>
    indexes
      .map(({ normalize, entriesByName }) => entriesByName.get(normalize(name)) ?? [])
      .map((entries) => entries.map(({ place }) => place).filter(isWithin(parent)))
      .find((matching) => matching.length > 0) ?? [];
  const nameLikeness = (name: string, areaName: string) =>
    Math.max(...normalizers.slice(1).map((one) => nameSimilarity(one.normalize(name), one.normalizeArea(areaName))));
  return { stripAreaWords, nameLikeness, placesWithin, placesNamed };
}

const contains = (name: string, part: string) => part.length >= LEAST_LETTERS && name.includes(part);

/**
 * The row of `aliases.csv` that gives a name its likest area, if no other name has rows of that area at the same times.
 * Names that all contain the name of an area that has no rows itself are its parts, in tables that can be added up.
 */
function proposeAlias(
  match: NameMatch,
  matches: readonly NameMatch[],
  source: Source,
  stripAreaWords: (name: string) => string,
): Alias | null {
  const { name, parent, rows, candidates } = match;
  const area = likestArea(candidates, matches);
  if (!area) return null;
  const alias = { name, parent, code: area.code, from: '' };
  if (hasRowsWithinAreas(source)) return alias;
  const times = new Set(rowTimes(rows));
  const sharedMatches = matches.filter(
    (rival) =>
      rival !== match &&
      (rival.area ?? rival.candidates[0]?.area)?.code === area.code &&
      rowTimes(rival.rows).some((time) => times.has(time)),
  );
  if (sharedMatches.length === 0) return alias;
  const parts = [match, ...sharedMatches];
  const isPart = (candidate: NameMatch) =>
    (!candidate.area || candidate.alias?.from) && contains(plainName(candidate.name), stripAreaWords(area.name));
  const from = parts.flatMap((candidate) => rowTimes(candidate.rows)).sort()[0]!;
  return COUNT_ROLES.includes(source.role) && from && parts.every(isPart) ? { ...alias, from } : null;
}

/** So many areas in one upper-level area are no chance. */
const LEAST_NEIGHBOURS = 3;

/** Of several areas that are as like, the one that lies in the upper-level area of all others of the table. */
function likestArea(candidates: NameMatch['candidates'], matches: readonly NameMatch[]): Place | null {
  const likest = candidates.filter(({ similarity }) => similarity === candidates[0]!.similarity);
  if (likest.length < 2) return likest[0]?.area ?? null;
  const parents = matches.flatMap(({ area }) => area?.parent ?? []);
  if (parents.length < LEAST_NEIGHBOURS || new Set(parents).size > 1) return null;
  const [nearest, ...others] = likest.filter(({ area }) => area.parent === parents[0]);
  return others.length === 0 ? (nearest?.area ?? null) : null;
}

const rowTimes = (rows: readonly RawRow[]) => rows.map(({ monthText, values }) => monthText ?? values.year ?? '');

/** The table with a column of codes, and one row for the parts of an area in a month. */
function addCodeColumn(
  table: RawTable,
  source: Source,
  level: 'lga' | 'state',
  matches: readonly PlaceMatch[],
  aliases: readonly Alias[],
): RawTable {
  const { counts, ranges, months } = table;
  const placeColumn = table.columns.has(`${level}_pcode`) ? `${level}_pcode` : level;
  const columns = new Set([...table.columns, `${level}_pcode`]);
  const matchByRow = new Map(matches.flatMap((match) => match.rows.map((row) => [row, match] as const)));
  const isWhole = ({ alias, area }: PlaceMatch) =>
    [area!.name, area!.code].some((name) => plainName(name) === plainName(alias!.name));
  const dividedCodes = new Set(
    matches.flatMap((match) => (match.alias?.from && !isWhole(match) ? match.area!.code : [])),
  );
  const isPart = (row: RawRow) => {
    const match = matchByRow.get(row);
    if (!match?.alias?.from || hasRowsWithinAreas(source)) return false;
    if (!isWhole(match)) return true;
    // Until it was divided, and for other figures than counts, an area that keeps its name or code is the whole.
    const isDivided = dividedCodes.has(match.area!.code) && (!row.monthText || row.monthText >= match.alias.from);
    return isDivided && COUNT_ROLES.includes(source.role);
  };
  const groups = Map.groupBy(table.rows, (row) =>
    isPart(row) ? `${matchByRow.get(row)!.area!.code} ${row.monthText ?? ''}` : row,
  );
  const rows = readEach(groups.values(), (group) => {
    const [first] = group as [RawRow];
    const code = matchByRow.get(first)?.area?.code ?? null;
    const values = { ...first.values, [`${level}_pcode`]: code };
    const { line, origin } = first;
    const delivered = group.flatMap((row) => row.delivered);
    if (!isPart(first)) return { line, values, origin, delivered };
    if (!COUNT_ROLES.includes(source.role))
      throw first
        .at(placeColumn)
        .error(`a part of ${code} (aliases.csv)`, 'the whole area: only cases and people are added up', {
          declare: 'leave_out',
          where: { [placeColumn]: first.text(placeColumn) },
        });
    const month = first.monthText;
    const parts = aliases.filter((alias) => alias.code === code && alias.from && (!month || alias.from <= month));
    const [names, expected] = [group.map((row) => row.text(placeColumn)), parts.map(({ name }) => name)];
    if (String(names.map(plainName).sort()) !== String(expected.map(plainName).sort()))
      throw first
        .at(month ?? placeColumn)
        .error(names.join(' + '), `${expected.join(' + ') || 'none'}, the parts of ${code} then (aliases.csv)`);
    if (table.columns.has(level)) values[level] = null;
    for (const column of [...table.columns].filter((name) => !TEXT_COLUMNS.includes(name))) {
      const numbers = group.map((row) => row.numberOrNull(column));
      values[column] = numbers.includes(null) ? null : String(numbers.reduce((sum, value) => sum! + value!));
      if (values[column] === null) for (const row of group) row.recordLeftOut('a part is blank');
    }
    return { line, values, origin, delivered };
  });
  return new RawTable(table, { columns, counts, ranges, months }, rows);
}
