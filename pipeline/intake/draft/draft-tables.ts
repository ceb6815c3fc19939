/** The roles of a table, from its columns, the areas in them and its rows. */

import type { Role } from '../../catalog/roles.ts';
import type { Source } from '../../catalog/sources.ts';
import { addMonths } from '../../contract/months.ts';
import type { TextTable } from '../../ingest/readers/csv.ts';
import { columnsToRead } from '../../ingest/readers/raw-table.ts';
import { filledCells, looksLike } from '../columns.ts';
import { draftByPlace } from './draft-by-place.ts';
import { type DraftEntry, placesColumn, type TableDraft } from './draft-entry.ts';
import { facilitiesIn } from './draft-facilities.ts';
import { type AreaCodes, findPlaceColumn, type PlaceKey } from './draft-keys.ts';
import { draftSurvey } from './draft-survey.ts';
import { surveysInParts } from './draft-survey-parts.ts';
import type { Answers, CaseSum, Hints, NumbersAre } from './questions.ts';
import type { LeftOut, TableFile } from './recognise.ts';

/** A drafted entry and its table. */
export interface DraftedTable {
  table: TableFile;
  /** Later deliveries of it. */
  later: TableFile[];
  entry: DraftEntry;
  /** Other files that are joined to it. */
  joins: Source['files'];
  /** The rows that the entry keeps, areas by their codes. */
  used: TextTable;
  note: string;
}

/** A table of people by area of the upper level: no role, but a raster is compared with it. */
export type PeopleAbove = Pick<DraftedTable, 'table' | 'entry' | 'used'>;

/** Roles that only one table may have for an area. */
const ONCE: readonly Role[] = ['population_census', 'climate', 'cases_states', 'cases_lgas'];

/**
 * Drafts every role that a table can have; of several tables, each role, or round of a survey, is drafted from the one
 * with the most known columns, then the most months.
 * @param ofCodes the table that gives the areas their codes, which may have no other role
 * @param answers of earlier questions about the numbers of tables
 * @param unlike why the people of a table are none
 * @returns also all tables that may be of people
 */
export function draftTables(
  tables: readonly TableFile[],
  areas: AreaCodes,
  ofCodes: TableFile | null,
  answers: Answers,
  unlike: ReadonlyMap<TableFile, string> = new Map(),
): { kept: DraftedTable[]; counted: DraftedTable[]; leftOut: LeftOut[]; doubts: string[]; above: PeopleAbove[] } & Pick<
  Hints,
  'unnamed' | 'summed'
> {
  const leftOut: LeftOut[] = [];
  const doubts: string[] = [];
  const unnamed: { file: string; guess: NumbersAre }[] = [];
  const summed: { file: string; cases: CaseSum }[] = [];
  const above: PeopleAbove[] = [];
  const told = new Map<TableFile, string[]>(tables.map((table) => [table, []]));
  const leave = ({ file }: TableFile, why: string, lost: string | null) =>
    leftOut.push({ kind: 'left out', file, why, lost });
  const facilities = facilitiesIn(tables, areas);
  const parts = surveysInParts(tables);
  const withResults = new Map(
    [...parts].flatMap(([results, part]) => (typeof part === 'string' ? [] : [[part.places, results] as const])),
  );
  const candidates = tables.flatMap((table) => {
    const part = parts.get(table) ?? null;
    const whole = part === null || typeof part === 'string' ? table : part.table;
    const place = facilities.places.get(table) ?? findPlaceColumn(whole, areas);
    const draft = draftTable();
    const { entries, obstacles, numbers, cases, keys = [], doubts: ownDoubts = [], rows = table, joins = [] } = draft;
    doubts.push(...ownDoubts);
    if (numbers) unnamed.push({ file: table.file, guess: numbers });
    if (cases) summed.push({ file: table.file, cases });
    if (draft.above) {
      above.push({ table, entry: draft.above, used: entryRows(table, draft.above, place) });
      told.get(table)!.push(...table.header);
    }
    for (const { why, lost = guessSubject(table) } of obstacles)
      if (table !== ofCodes || lost !== null) leave(table, why, lost);
    const named = table.header.filter((column) => obstacles.some(({ why }) => why.includes(`"${column}"`)));
    told.get(table)!.push(...keys, ...named);
    return entries.flatMap(({ entry, note }) => {
      if (entry.role === 'population_census' && unlike.has(table)) {
        leave(table, unlike.get(table)!, null);
        told.get(table)!.push(...table.header);
        return [];
      }
      return { table, later: [], joins, entry, used: entryRows(rows, entry, place), note };
    });

    function draftTable(): TableDraft {
      if (table === facilities.list?.table) return facilities.list.draft;
      if (withResults.has(table)) return { entries: [], obstacles: [] };
      if (typeof part === 'string') return { entries: [], obstacles: [{ why: part, lost: 'survey results' }] };
      return draftSurvey(whole, place, areas.states, part) ?? draftByPlace(table, place, areas, answers);
    }
  });
  const mappedColumns = ({ entry }: DraftedTable) => Object.keys(columnsToRead(entry)).length - (entry.where ? 100 : 0);
  const kept: DraftedTable[] = [];
  const months = ({ entry, used }: DraftedTable) => (entry.span ? used.rows.length : 0);
  // A sample that was tested twice counts by microscopy.
  const preferred = ({ entry }: DraftedTable) => (entry.methods?.microscopy === undefined ? 0 : 1);
  for (const candidate of withDeliveries(candidates).toSorted(
    (a, b) => mappedColumns(b) - mappedColumns(a) || preferred(b) - preferred(a) || months(b) - months(a),
  )) {
    const better = kept.find((rival) => isSame(candidate, rival) && !isApart(candidate, rival));
    if (better) {
      for (const table of [candidate.table, ...candidate.later]) {
        leave(table, ...whyNotBeside(candidate, better));
        told.get(table)!.push(...namesIn(candidate.entry));
      }
    } else kept.push(candidate);
  }
  for (const table of tables) {
    const drafts = kept.filter((one) => isFrom(one, table));
    const used = drafts.flatMap((one) => [...namesIn(one.entry), ...keysOfJoin(one, table)]);
    // Of a table that is used, columns that are no figures (such as labels) are not missed, unless of a survey: these
    // often have more of a cluster than is read.
    const isSurvey = drafts.some(({ entry }) => entry.role === 'survey_clusters');
    const matters = (column: string) =>
      (isSurvey && filledCells(table, column).length > 0) ||
      (used.length === 0 && table !== ofCodes) ||
      looksLike([column]) !== null;
    const unused = table.header.filter(
      (column) => !used.includes(column) && !told.get(table)!.includes(column) && matters(column),
    );
    if (unused.length > 0) leave(table, `columns that are not used: ${unused.join(', ')}`, null);
  }
  return {
    kept: kept.sort((a, b) => (a.table.file < b.table.file ? -1 : 1)),
    counted: candidates.filter(({ entry }) => entry.role === 'population_census'),
    leftOut,
    doubts,
    above,
    unnamed,
    summed,
  };
}

const namesIn = (entry: DraftEntry) => [
  ...Object.values(columnsToRead(entry)).flat(),
  ...Object.values(entry.dialect?.tests ?? {}).flatMap((columns) => Object.values(columns)),
];

const isFrom = ({ table, later, joins }: DraftedTable, one: TableFile): boolean =>
  table === one || later.includes(one) || joins.some(({ path }) => path === one.file);

/** The columns by which a table is joined to others. */
const keysOfJoin = ({ table, joins }: DraftedTable, one: TableFile): string[] =>
  joins.flatMap(({ path, join }) => {
    if (!join) return [];
    return table === one ? Object.keys(join.on) : path === one.file ? Object.values(join.on) : [];
  });

/**
 * Monthly tables with one header and role, of which each begins and ends later than the one before and leaves no month
 * out between them, as deliveries of one table; the others as they are.
 */
function withDeliveries(candidates: readonly DraftedTable[]): DraftedTable[] {
  const deliveryForm = ({ table, entry: { span, ...entry } }: DraftedTable) =>
    JSON.stringify([table.format, table.header, entry]);
  const last = ({ entry }: DraftedTable) => entry.span?.last ?? '';
  return [...Map.groupBy(candidates, deliveryForm).values()].flatMap((deliveries) => {
    const joined: DraftedTable[] = [];
    for (const next of deliveries.toSorted((a, b) => (last(a) < last(b) ? -1 : last(a) > last(b) ? 1 : 0))) {
      const index = joined.findIndex((one) => isSame(next, one) && follows(next, one));
      if (index === -1) joined.push(next);
      else joined[index] = withDelivery(joined[index]!, next);
    }
    return joined;
  });
}

function follows({ entry: { span: nextSpan } }: DraftedTable, { entry: { span: lastSpan } }: DraftedTable): boolean {
  if (!nextSpan || !lastSpan) return false;
  return (
    nextSpan.first > lastSpan.first && nextSpan.last > lastSpan.last && nextSpan.first <= addMonths(lastSpan.last, 1)
  );
}

function withDelivery({ table, later, joins, entry, used, note }: DraftedTable, next: DraftedTable): DraftedTable {
  const told = 'files by their last months: a later one replaces the months of earlier ones';
  return {
    table,
    later: [...later, next.table],
    joins,
    entry: { ...entry, span: { first: entry.span!.first, last: next.entry.span!.last } },
    used: { header: used.header, rows: [...used.rows, ...next.used.rows] },
    note: later.length > 0 ? note : `${note}, ${told}`,
  };
}

/** What a table seems to be about; null if it has numbers alone, which belong to no area and no month. */
function guessSubject(table: TableFile): string | null {
  const isNumeric = (column: string) => filledCells(table, column).every((cell) => Number.isFinite(Number(cell)));
  return table.header.every(isNumeric) ? null : looksLike([table.file, ...table.header]);
}

/** Whether two tables give the same figures: only one can be used. */
function isSame({ entry, used }: DraftedTable, rival: DraftedTable): boolean {
  if (entry.role !== rival.entry.role) return false;
  if (entry.figure !== undefined) return entry.figure === rival.entry.figure;
  if (entry.rounds)
    return entry.rounds.some(({ survey_year }) => rival.entry.rounds?.some((one) => one.survey_year === survey_year));
  if (!ONCE.includes(entry.role)) return false;
  if (!/^cases_/.test(entry.role)) return true;
  const places = new Set(placeCells(rival.entry, rival.used));
  return placeCells(entry, used).some((place) => places.has(place));
}

/** Whether case records have no month in common: each continues the other, in a form of its own. */
const isApart = (
  { entry: { role, span: ownSpan } }: DraftedTable,
  { entry: { span: rivalSpan } }: DraftedTable,
): boolean =>
  /^cases_/.test(role) &&
  ownSpan !== undefined &&
  rivalSpan !== undefined &&
  (ownSpan.first > rivalSpan.last || ownSpan.last < rivalSpan.first);

const placeCells = (entry: DraftEntry, table: TextTable) => filledCells(table, placesColumn(entry));

/** Why a table is not used beside another one with the same figures, and what is lost for it. */
function whyNotBeside({ table, entry, used }: DraftedTable, better: DraftedTable): [why: string, lost: string | null] {
  const { file } = better.table;
  const [ownSpan, betterSpan] = [entry.span, better.entry.span];
  if (ownSpan && betterSpan && (ownSpan.first < betterSpan.first || ownSpan.last > betterSpan.last))
    return [
      `months ${ownSpan.first} to ${ownSpan.last} of the areas of ${file}, which has ${betterSpan.first} to ${betterSpan.last}; they are read as deliveries of one table if they have the same header and one begins and ends after the betterSpan, or as two if they have no month in common`,
      guessSubject(table),
    ];
  const more = used.rows.length - better.used.rows.length;
  const what = entry.role === 'survey_clusters' ? 'rounds' : 'figures';
  return [
    `has the ${what} of ${file} (${entry.figure ?? entry.role})${more > 0 ? `, and ${more} more rows` : ''}`,
    null,
  ];
}

/** The table as its entry reads it: the rows that `where` keeps, areas by their codes. */
function entryRows(table: TextTable, { where = {} }: DraftEntry, place: PlaceKey | null): TextTable {
  const keep = Object.entries(where).map(([name, value]) => [table.header.indexOf(name), value] as const);
  const placeIndex = place?.codes ? table.header.indexOf(place.column) : -1;
  return {
    header: table.header,
    rows: table.rows
      .filter(({ cells }) => keep.every(([index, value]) => cells[index] === value))
      .map(({ line, cells }) => ({
        line,
        cells: cells.map((cell, index) =>
          index === placeIndex && cell !== null ? (place!.codes![cell] ?? cell) : cell,
        ),
      })),
  };
}
