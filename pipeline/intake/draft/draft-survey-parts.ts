/** Surveys in two files, as DHS publishes them: the places of clusters, and their results. */
import type { Source } from '../../catalog/sources.ts';
import { joinKey, joinTables } from '../../ingest/readers/join-tables.ts';
import { InputLocation } from '../../lib/bad-input.ts';
import { plainName } from '../../lib/name-similarity.ts';
import {
  type ColumnName,
  candidateColumns,
  filledCells,
  likeliestColumn,
  likeliestColumns,
  testColumnsIn,
} from '../columns.ts';
import type { TableFile } from './recognise.ts';
import { findYearColumn, onlyYearIn } from './survey-rounds.ts';

/** The results of a survey with the places of its clusters from another file. */
export interface SurveyParts {
  /** The results with the columns of the other file. */
  table: TableFile;
  places: TableFile;
  /** The results' columns by which it is joined, that of clusters and all. */
  joinColumns: string[];
  cluster_id: string;
  /** The other file as the catalog joins it. */
  files: Source['files'];
}

/**
 * What is known of the results of clusters without places: their parts, or why none of several files is the other one.
 */
export function surveysInParts(tables: readonly TableFile[]): Map<TableFile, SurveyParts | string> {
  const isLocated = ({ header }: TableFile) =>
    Object.keys(likeliestColumns(header, ['longitude', 'latitude'])).length === 2;
  const placeTables = tables.filter((table) => isLocated(table) && !hasResults(table));
  const partsByTable = new Map<TableFile, SurveyParts | string>();
  for (const results of tables.filter((table) => !isLocated(table) && hasResults(table))) {
    const candidates = placeTables.flatMap((places) => {
      const joinOn = findJoin(results, places);
      return joinOn ? [{ places, on: joinOn }] : [];
    });
    // Each round numbers its clusters anew, so those of other rounds fit as well.
    const sameYear = candidates.filter(
      ({ places }) => onlyYearIn(places.file) !== null && surveyYears(results).size === 1,
    );
    const [match, ...rivals] = sameYear.length === 1 ? sameYear : candidates;
    if (!match) continue;
    if (rivals.length > 0) {
      const files = candidates.map(({ places }) => places.file).join(' and ');
      partsByTable.set(
        results,
        `the places of its clusters may be in ${files}: give both files of a survey the same year in their names`,
      );
      continue;
    }
    partsByTable.set(results, joinParts(results, match.places, match.on));
  }
  return partsByTable;
}

function joinParts(results: TableFile, places: TableFile, joinOn: Record<string, string>): SurveyParts {
  const locations = { table: new InputLocation(results.file), lookup: new InputLocation(places.file) };
  const { table } = joinTables(results, places, joinOn, locations);
  const dialect = Object.keys(places.dialect).length > 0 ? { dialect: places.dialect } : {};
  const join = { on: joinOn, format: places.format as 'csv', ...dialect };
  const joinColumns = Object.keys(joinOn);
  return {
    table,
    places,
    joinColumns,
    cluster_id: joinColumns.at(-1)!,
    files: [{ path: places.path, join }, ...places.companions.map((file) => ({ path: file }))],
  };
}

/** Whether a table has children examined and positive, by one test or several. Facilities' records have them too. */
const hasResults = ({ header }: TableFile): boolean => {
  const { examined, positive, positivity } = likeliestColumns(header, ['examined', 'positive', 'positivity']);
  const isComplete = examined !== undefined && (positive ?? positivity) !== undefined;
  return likeliestColumn(header, 'facility') === null && (isComplete || testColumnsIn(header).length > 0);
};

/** The years of a survey, by the name of its file or by its rows; none if neither gives them. */
function surveyYears(results: TableFile): ReadonlySet<number> {
  const named = onlyYearIn(results.file);
  if (named !== null) return new Set([named]);
  const year = findYearColumn(results);
  return new Set(year ? filledCells(results, year.column).map((cell) => Number(year.recode?.[cell] ?? cell)) : []);
}

/**
 * The columns of cluster and, if both have it, survey year by which two tables are of the same clusters, each with one
 * place; null if they are not.
 */
function findJoin(results: TableFile, places: TableFile): Record<string, string> | null {
  const [resultYears, placesYear] = [surveyYears(results), onlyYearIn(places.file)];
  if (resultYears.size > 0 && placesYear !== null && !resultYears.has(placesYear)) return null;
  const columnPairs = (name: ColumnName, fits: (table: TableFile, column: string) => boolean) => {
    const [resultColumns, placeColumns] = [results, places].map((table) =>
      candidateColumns(table.header, name).filter((column) => fits(table, column)),
    ) as [string[], string[]];
    return resultColumns
      .flatMap((column) => placeColumns.map((placeColumn): [string, string] => [column, placeColumn]))
      .sort(([a, b], [c, d]) => Number(c === d) - Number(a === b));
  };
  const isYear = (table: TableFile, column: string) =>
    filledCells(table, column).every((cell) => onlyYearIn(cell) !== null);
  const [years] = (['survey_year', 'survey_name'] as const).flatMap((name) => columnPairs(name, isYear));
  const clusters = columnPairs('cluster_id', (_table, column) => plainName(column) !== 'id');
  return clusters.map((pair) => Object.fromEntries([...(years ? [years] : []), pair])).find(joinsMostRows) ?? null;

  function joinsMostRows(joinOn: Record<string, string>): boolean {
    const rowKeys = ({ header, rows }: TableFile, columns: readonly string[]) =>
      rows.map(({ cells }) =>
        joinKey(
          cells,
          columns.map((column) => header.indexOf(column)),
        ),
      );
    const resultKeys = rowKeys(results, Object.keys(joinOn));
    const placeKeys = new Set(rowKeys(places, Object.values(joinOn)));
    const matched = resultKeys.filter((key) => placeKeys.has(key)).length;
    return placeKeys.size === places.rows.length && matched >= (2 / 3) * resultKeys.length;
  }
}
