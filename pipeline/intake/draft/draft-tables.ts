/** The roles of a table, from its columns, the areas in them and its rows. */

import type { Role } from '../../catalog/roles.ts';
import type { Source } from '../../catalog/sources.ts';
import { addMonths } from '../../contract/months.ts';
import type { TextTable } from '../../ingest/readers/csv.ts';
import { monthText, readMonth } from '../../ingest/readers/months.ts';
import { columnsToRead } from '../../ingest/readers/raw-table.ts';
import { median } from '../../lib/numerics/averages.ts';
import { cellsByRow, filledCells, guessSubject } from '../columns.ts';
import { draftAreaSurvey } from './draft-area-survey.ts';
import { draftByPlace } from './draft-by-place.ts';
import { type DraftEntry, placeColumn, type TableDraft } from './draft-entry.ts';
import { draftFacilities } from './draft-facilities.ts';
import { type AreaCodes, findPlaceColumn, type PlaceKey } from './draft-keys.ts';
import { draftSurvey } from './draft-survey.ts';
import { surveysInParts } from './draft-survey-parts.ts';
import type { Answers, CaseSum, Hints, Question } from './questions.ts';
import type { LeftOut, TableFile } from './recognise.ts';
import type { UnnamedNumbers } from './unnamed-numbers.ts';

/** A drafted entry and its table. */
export interface DraftedTable {
  table: TableFile;
  /** Later deliveries of it. */
  laterDeliveries: TableFile[];
  entry: DraftEntry;
  /** Other files that are joined to it. */
  joinedFiles: Source['files'];
  /** The rows that the entry keeps, areas by their codes. */
  usedRows: TextTable;
  note: string;
}

/** A table whose numbers have no name. */
type UnnamedTable = UnnamedNumbers & { file: string; table: TableFile; place: PlaceKey };

/** A table of people by area, with which rasters are compared; one of the upper level has no other use. */
export type PeopleTable = Pick<DraftedTable, 'table' | 'entry' | 'usedRows'>;

/** Roles that only one table may have for the same areas. */
const SINGLE_TABLE_ROLES: readonly Role[] = ['population_census', 'climate', 'cases_states', 'cases_lgas'];

/**
 * Drafts every role that a table can have. If several tables give the same role, or round of a survey, the one with the
 * most known columns is kept, then the one with the most months.
 * @param codeTable the table that gives the areas their codes, which may have no other role
 * @param answers of earlier questions about the numbers of tables
 * @param notPeople tables whose numbers are not people, and why
 * @returns also all tables that may be of people
 */
export function draftTables(
  tables: readonly TableFile[],
  areas: AreaCodes,
  codeTable: TableFile | null,
  answers: Answers,
  notPeople: ReadonlyMap<TableFile, string> = new Map(),
): {
  kept: DraftedTable[];
  peopleTables: DraftedTable[];
  leftOut: LeftOut[];
  doubts: string[];
  statePeople: PeopleTable[];
  unnamedNumbers: UnnamedTable[];
} & Pick<Hints, 'caseSums' | 'tableQuestions'> {
  const leftOut: LeftOut[] = [];
  const doubts: string[] = [];
  const unnamedNumbers: UnnamedTable[] = [];
  const tableQuestions: Question[] = [];
  const caseSums: { file: string; cases: CaseSum }[] = [];
  const statePeople: PeopleTable[] = [];
  const leaveOut = ({ file }: TableFile, why: string, lost: string | null) =>
    leftOut.push({ kind: 'left out', file, why, lost });
  const facilities = draftFacilities(tables, areas);
  const surveyParts = surveysInParts(tables);
  const resultsByPlaces = new Map(
    [...surveyParts].flatMap(([results, part]) => (typeof part === 'string' ? [] : [[part.places, results] as const])),
  );
  const candidates = tables.flatMap((table) => {
    const surveyPart = surveyParts.get(table) ?? null;
    const joinedTable = surveyPart === null || typeof surveyPart === 'string' ? table : surveyPart.table;
    const place = facilities.places.get(table) ?? findPlaceColumn(joinedTable, areas);
    const draft = draftTable();
    const { entries, obstacles, rows = table, joinedFiles = [] } = draft;
    doubts.push(...(draft.doubts ?? []));
    tableQuestions.push(...(draft.questions ?? []));
    if (draft.unnamed) unnamedNumbers.push({ ...draft.unnamed, file: table.file, table, place: place! });
    if (draft.cases) caseSums.push({ file: table.file, cases: draft.cases });
    if (draft.statePeople)
      statePeople.push({ table, entry: draft.statePeople, usedRows: entryRows(table, draft.statePeople, place) });
    for (const { why, lost = lostSubject(table) } of obstacles)
      if (table !== codeTable || lost !== null) leaveOut(table, why, lost);
    return entries.flatMap(({ entry, note }) => {
      if (entry.role === 'population_census' && notPeople.has(table)) {
        leaveOut(table, notPeople.get(table)!, null);
        return [];
      }
      return { table, laterDeliveries: [], joinedFiles, entry, usedRows: entryRows(rows, entry, place), note };
    });

    function draftTable(): TableDraft {
      if (table === facilities.list?.table) return facilities.list.draft;
      if (resultsByPlaces.has(table)) return { entries: [], obstacles: [] };
      const obstacle = facilities.obstacles.get(table);
      if (obstacle) return { entries: [], obstacles: [{ why: obstacle, lost: 'cases' }] };
      if (typeof surveyPart === 'string')
        return { entries: [], obstacles: [{ why: surveyPart, lost: 'survey results' }] };
      const survey = draftSurvey(joinedTable, place, areas.states, surveyPart, answers);
      if (survey) return survey;
      const [areaSurvey, draft] = [draftAreaSurvey(table, place, answers), draftByPlace(table, place, areas, answers)];
      if (!areaSurvey) return draft;
      const { entries, doubts = [] } = draft;
      return {
        ...areaSurvey,
        entries: [...areaSurvey.entries, ...entries],
        doubts: [...(areaSurvey.doubts ?? []), ...doubts],
      };
    }
  });
  const mappedColumnScore = ({ entry }: DraftedTable) =>
    Object.keys(columnsToRead(entry)).length - (entry.where ? 100 : 0);
  const kept: DraftedTable[] = [];
  const monthlyRowCount = ({ entry, usedRows }: DraftedTable) => (entry.span ? usedRows.rows.length : 0);
  // Of two tests of the same sample, microscopy is preferred.
  const microscopyScore = ({ entry }: DraftedTable) => (entry.methods?.microscopy === undefined ? 0 : 1);
  const deliveries = joinDeliveries(candidates);
  const otherScore = (draft: DraftedTable) => (deliveries.some((rival) => hasOtherCases(draft, rival)) ? 1 : 0);
  for (const candidate of deliveries.toSorted(
    (a, b) =>
      otherScore(a) - otherScore(b) ||
      mappedColumnScore(b) - mappedColumnScore(a) ||
      microscopyScore(b) - microscopyScore(a) ||
      monthlyRowCount(b) - monthlyRowCount(a),
  )) {
    const better = kept.find((rival) => haveSameFigures(candidate, rival) && !haveNoCommonMonth(candidate, rival));
    if (!better) kept.push(candidate);
    else
      for (const table of [candidate.table, ...candidate.laterDeliveries])
        leaveOut(table, ...whyRivalIsBetter(candidate, better));
  }
  const isByFacility = ({ entry }: DraftedTable) =>
    /^cases_/.test(entry.role) && placeColumn(entry) === entry.columns?.facility;
  if (!kept.some(isByFacility))
    for (const list of kept.filter(({ entry }) => entry.role === 'facilities')) {
      kept.splice(kept.indexOf(list), 1);
      leaveOut(list.table, 'facilities of which no cases are read', null);
    }
  return {
    kept: kept.sort((a, b) => (a.table.file < b.table.file ? -1 : 1)),
    peopleTables: candidates.filter(({ entry }) => entry.role === 'population_census'),
    leftOut,
    doubts,
    statePeople,
    unnamedNumbers,
    caseSums,
    tableQuestions,
  };
}

/**
 * Monthly tables with one header and role, of which each begins and ends later than the one before and leaves no month
 * out between them, as deliveries of one table; the others as they are.
 */
function joinDeliveries(candidates: readonly DraftedTable[]): DraftedTable[] {
  const deliveryForm = ({ table, entry: { span, ...entry } }: DraftedTable) =>
    JSON.stringify([table.format, table.header, entry]);
  const last = ({ entry }: DraftedTable) => entry.span?.last ?? '';
  return [...Map.groupBy(candidates, deliveryForm).values()].flatMap((deliveries) => {
    const merged: DraftedTable[] = [];
    for (const next of deliveries.toSorted((a, b) => (last(a) < last(b) ? -1 : last(a) > last(b) ? 1 : 0))) {
      const index = merged.findIndex((joinedTable) => haveSameFigures(next, joinedTable) && follows(next, joinedTable));
      if (index === -1) merged.push(next);
      else merged[index] = addDelivery(merged[index]!, next);
    }
    return merged;
  });
}

function follows({ entry: { span: nextSpan } }: DraftedTable, { entry: { span: lastSpan } }: DraftedTable): boolean {
  if (!nextSpan || !lastSpan) return false;
  return (
    nextSpan.first > lastSpan.first && nextSpan.last > lastSpan.last && nextSpan.first <= addMonths(lastSpan.last, 1)
  );
}

function addDelivery(
  { table, laterDeliveries, joinedFiles, entry, usedRows, note }: DraftedTable,
  next: DraftedTable,
): DraftedTable {
  const deliveryNote = 'files by their last months: a later one replaces the months of earlier ones';
  return {
    table,
    laterDeliveries: [...laterDeliveries, next.table],
    joinedFiles,
    entry: { ...entry, span: { first: entry.span!.first, last: next.entry.span!.last } },
    usedRows: { header: usedRows.header, rows: [...usedRows.rows, ...next.usedRows.rows] },
    note: laterDeliveries.length > 0 ? note : `${note}, ${deliveryNote}`,
  };
}

/** The subject that the country lacks without the table; null if it has only numbers, without areas and months. */
function lostSubject(table: TableFile): string | null {
  const isNumeric = (column: string) => filledCells(table, column).every((cell) => Number.isFinite(Number(cell)));
  return table.header.every(isNumeric) ? null : guessSubject([table.file, ...table.header]);
}

/** Whether two tables give the same figures: only one can be used. */
function haveSameFigures({ entry, usedRows }: DraftedTable, rival: DraftedTable): boolean {
  if (entry.role !== rival.entry.role) return false;
  if (entry.figure !== undefined) return entry.figure === rival.entry.figure;
  if (entry.rounds)
    return entry.rounds.some(({ survey_year }) =>
      rival.entry.rounds?.some((round) => round.survey_year === survey_year),
    );
  if (!SINGLE_TABLE_ROLES.includes(entry.role)) return false;
  if (!/^cases_/.test(entry.role)) return true;
  const places = new Set(placeCells(rival.entry, rival.usedRows));
  return placeCells(entry, usedRows).some((place) => places.has(place));
}

/** Whether two tables of case records have no month in common, so that both can be used. */
const haveNoCommonMonth = (
  { entry: { role, span: ownSpan } }: DraftedTable,
  { entry: { span: rivalSpan } }: DraftedTable,
): boolean =>
  /^cases_/.test(role) &&
  ownSpan !== undefined &&
  rivalSpan !== undefined &&
  (ownSpan.first > rivalSpan.last || ownSpan.last < rivalSpan.first);

const placeCells = (entry: DraftEntry, table: TextTable) => filledCells(table, placeColumn(entry));

/** Why a table is left out in favour of another one with the same figures, and the subject that is lost. */
function whyRivalIsBetter(
  { table, entry, usedRows }: DraftedTable,
  better: DraftedTable,
): [why: string, lost: string | null] {
  const { file } = better.table;
  const [ownSpan, betterSpan] = [entry.span, better.entry.span];
  if (ownSpan && betterSpan && (ownSpan.first < betterSpan.first || ownSpan.last > betterSpan.last))
    return [
      `months ${ownSpan.first} to ${ownSpan.last} of the areas of ${file}, which has ${betterSpan.first} to ${betterSpan.last}; they are read as deliveries of one table if they have the same header and one begins and ends after the other, or as two if they have no month in common`,
      lostSubject(table),
    ];
  const difference = describeDifference({ entry, usedRows }, better);
  if (difference) return [difference, 'cases'];
  const more = usedRows.rows.length - better.usedRows.rows.length;
  const what = entry.role === 'survey_clusters' ? 'rounds' : 'figures';
  return [
    `has the ${what} of ${file} (${entry.figure ?? entry.role})${more > 0 ? `, and ${more} more rows` : ''}`,
    null,
  ];
}

/** A copy agrees in this share of the areas and months: a few are corrected later. */
const LEAST_COPY_SHARE = 0.9;

/** How the cases of two tables differ where both have an area and month; null if one may be a copy of the other. */
function describeDifference(draft: Pick<DraftedTable, 'entry' | 'usedRows'>, better: DraftedTable): string | null {
  if (!/^cases_/.test(draft.entry.role)) return null;
  const pairs = pairCases(draft, better);
  const differing = pairs.filter(([count, betterCount]) => count !== betterCount).length;
  if (differing <= (1 - LEAST_COPY_SHARE) * pairs.length) return null;
  const { file } = better.table;
  const [cases, betterCases] = [0, 1].map((i) => sum(pairs.map((pair) => pair[i]!)).toLocaleString('en-US'));
  const ratio = median(pairs.flatMap(([count, betterCount]) => (betterCount! > 0 ? [count! / betterCount!] : [])));
  return `gives other cases than ${file} in ${differing} of ${pairs.length} areas and months of both: ${cases} here, ${betterCases} there, ${ratio.toFixed(2)} times as many in the middle. If they are other patients, add both up in one file; if one replaces the other, list only that one after --from`;
}

/**
 * Whether a table by facility, such as one of community workers, has fewer cases than one by area in the months of
 * both, or more, as those who were tested.
 */
function hasOtherCases(draft: DraftedTable, rival: DraftedTable): boolean {
  const isFacilityAlone = draft.entry.columns?.facility !== undefined && rival.entry.columns?.facility === undefined;
  if (!isFacilityAlone || draft.entry.role !== rival.entry.role) return false;
  const pairs = pairCases(draft, rival);
  const sums = [0, 1].map((i) => sum(pairs.map((pair) => pair[i]!)));
  return Math.min(...sums) < LEAST_COPY_SHARE * Math.max(...sums);
}

/** The cases of two tables in each area and month of both; facilities are told apart if both have them. */
function pairCases(...drafts: [CasesDraft, CasesDraft]): [number, number][] {
  const byFacility = drafts.every(({ entry }) => entry.columns?.facility !== undefined);
  const [counts, otherCounts] = drafts.map((draft) => countsByKey(draft, byFacility)) as [Counts, Counts];
  return [...counts].flatMap(([key, count]) => (otherCounts.has(key) ? [[count, otherCounts.get(key)!]] : []));
}
type CasesDraft = Pick<DraftedTable, 'entry' | 'usedRows'>;
type Counts = ReturnType<typeof countsByKey>;
type Cells = (string | null)[];

const sum = (numbers: readonly number[]): number => numbers.reduce((a, b) => a + b, 0);

/** The cases of each area and month, or of each facility. */
function countsByKey({ entry, usedRows }: CasesDraft, byFacility: boolean): Map<string, number> {
  const { columns = {}, sums = {}, dialect } = entry;
  const { facility = '', period = '', year = '', month = '' } = columns;
  const [places, facilities, periods, years, months] = [placeColumn(entry), facility, period, year, month].map(
    (column) => cellsByRow(usedRows, column),
  ) as [Cells, Cells, Cells, Cells, Cells];
  const counts = (sums.confirmed ?? [columns.confirmed!]).map((column) => cellsByRow(usedRows, column));
  const totals = new Set(entry.leave_out?.map(({ where }) => where.facility));
  const countByKey = new Map<string, number>();
  for (const [row, place] of places.entries()) {
    if (totals.has(facilities[row] ?? '')) continue;
    const time = monthText({ period: periods[row]!, year: years[row]!, month: months[row]! });
    const member = byFacility ? facilities[row] : null;
    const key = [place, member, time && readMonth(time, dialect?.months)].join(' ');
    const numbers = counts.flatMap((cells) => cells[row] ?? []).map(Number);
    if (numbers.length > 0) countByKey.set(key, (countByKey.get(key) ?? 0) + sum(numbers));
  }
  return countByKey;
}

/** The table as its entry reads it: the rows that `where` keeps, areas by their codes. */
export function entryRows(table: TextTable, { where = {} }: DraftEntry, place: PlaceKey | null): TextTable {
  const conditions = Object.entries(where).map(([name, value]) => [table.header.indexOf(name), value] as const);
  const placeIndex = place?.codeByName ? table.header.indexOf(place.column) : -1;
  return {
    header: table.header,
    rows: table.rows
      .filter(({ cells }) => conditions.every(([index, value]) => cells[index] === value))
      .map(({ line, cells }) => ({
        line,
        cells: cells.map((cell, index) =>
          index === placeIndex && cell !== null ? (place!.codeByName![cell] ?? cell) : cell,
        ),
      })),
  };
}
