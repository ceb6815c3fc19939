/** Surveys in two files, as DHS publishes them: the places of clusters, and their results. */
import type { Source } from '../../catalog/sources.ts';
import { joinKey, joinTables } from '../../ingest/readers/join-tables.ts';
import { InputLocation } from '../../lib/bad-input.ts';
import { plainName } from '../../lib/name-similarity.ts';
import { type ColumnName, columnsNamed, filledCells, likeliestColumn, matchColumns, testsIn } from '../columns.ts';
import type { TableFile } from './recognise.ts';
import { findYearColumn, yearIn } from './survey-rounds.ts';

/** The results of a survey with the places of its clusters from another file. */
export interface SurveyParts {
  /** The results with the columns of the other file. */
  table: TableFile;
  places: TableFile;
  /** The results' columns by which it is joined, that of clusters and all. */
  by: string[];
  cluster_id: string;
  /** The other file as the catalog joins it. */
  files: Source['files'];
}

/**
 * What is known of the results of clusters without places: their parts, or why none of several files is the other one.
 */
export function surveysInParts(tables: readonly TableFile[]): Map<TableFile, SurveyParts | string> {
  const isLocated = ({ header }: TableFile) =>
    Object.keys(matchColumns(header, ['longitude', 'latitude'])).length === 2;
  const lists = tables.filter((table) => isLocated(table) && !hasResults(table));
  const parts = new Map<TableFile, SurveyParts | string>();
  for (const results of tables.filter((table) => !isLocated(table) && hasResults(table))) {
    const fitting = lists.flatMap((places) => {
      const on = findJoin(results, places);
      return on ? [{ places, on }] : [];
    });
    // Each round numbers its clusters anew, so those of other rounds fit as well.
    const named = fitting.filter(({ places }) => yearIn(places.file) !== null && surveyYears(results).size === 1);
    const [match, ...rivals] = named.length === 1 ? named : fitting;
    if (!match) continue;
    if (rivals.length > 0) {
      const files = fitting.map(({ places }) => places.file).join(' and ');
      parts.set(
        results,
        `the places of its clusters may be in ${files}: give both files of a survey the same year in their names`,
      );
      continue;
    }
    parts.set(results, joinParts(results, match.places, match.on));
  }
  return parts;
}

function joinParts(results: TableFile, places: TableFile, on: Record<string, string>): SurveyParts {
  const locations = { table: new InputLocation(results.file), lookup: new InputLocation(places.file) };
  const { table } = joinTables(results, places, on, locations);
  const dialect = Object.keys(places.dialect).length > 0 ? { dialect: places.dialect } : {};
  const join = { on, format: places.format as 'csv', ...dialect };
  const by = Object.keys(on);
  return {
    table,
    places,
    by,
    cluster_id: by.at(-1)!,
    files: [{ path: places.file, join }, ...places.siblings.map((file) => ({ path: file }))],
  };
}

/** Whether a table has children examined and positive, by one test or several. Facilities' records have them too. */
const hasResults = ({ header }: TableFile): boolean => {
  const { examined, positive, positivity } = matchColumns(header, ['examined', 'positive', 'positivity']);
  const isComplete = examined !== undefined && (positive ?? positivity) !== undefined;
  return likeliestColumn(header, 'facility') === null && (isComplete || testsIn(header).length > 0);
};

/** The years of a survey, by the name of its file or by its rows; none if neither gives them. */
function surveyYears(results: TableFile): ReadonlySet<number> {
  const named = yearIn(results.file);
  if (named !== null) return new Set([named]);
  const year = findYearColumn(results);
  return new Set(year ? filledCells(results, year.column).map((cell) => Number(year.recode?.[cell] ?? cell)) : []);
}

/**
 * The columns of cluster and, if both have it, survey year by which two tables are of the same clusters, each with one
 * place; null if they are not.
 */
function findJoin(results: TableFile, places: TableFile): Record<string, string> | null {
  const [resultYears, placesYear] = [surveyYears(results), yearIn(places.file)];
  if (resultYears.size > 0 && placesYear !== null && !resultYears.has(placesYear)) return null;
  const pairs = (name: ColumnName, fits: (table: TableFile, column: string) => boolean) => {
    const [resultColumns, placeColumns] = [results, places].map((table) =>
      columnsNamed(table.header, name).filter((column) => fits(table, column)),
    ) as [string[], string[]];
    return resultColumns
      .flatMap((column) => placeColumns.map((one): [string, string] => [column, one]))
      .sort(([a, b], [c, d]) => Number(c === d) - Number(a === b));
  };
  const isYear = (table: TableFile, column: string) =>
    filledCells(table, column).every((cell) => yearIn(cell) !== null);
  const [years] = (['survey_year', 'survey_name'] as const).flatMap((name) => pairs(name, isYear));
  const clusters = pairs('cluster_id', (_table, column) => plainName(column) !== 'id');
  return clusters.map((pair) => Object.fromEntries([...(years ? [years] : []), pair])).find(isOne) ?? null;

  function isOne(on: Record<string, string>): boolean {
    const keysIn = ({ header, rows }: TableFile, columns: readonly string[]) =>
      rows.map(({ cells }) =>
        joinKey(
          cells,
          columns.map((column) => header.indexOf(column)),
        ),
      );
    const resultKeys = keysIn(results, Object.keys(on));
    const placed = new Set(keysIn(places, Object.values(on)));
    const matched = resultKeys.filter((key) => placed.has(key)).length;
    return placed.size === places.rows.length && matched >= (2 / 3) * resultKeys.length;
  }
}
