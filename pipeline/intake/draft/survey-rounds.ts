/** The rounds of a survey, by columns of years or names, by the name of its file, or by the months of its clusters. */
import path from 'node:path';
import type { Source } from '../../catalog/sources.ts';
import { calendarYear, isPeriod } from '../../contract/months.ts';
import { yearsIn } from '../../ingest/readers/months.ts';
import { groupMonthsIntoRounds } from '../../ingest/survey-doubts.ts';
import { candidateColumns, cellsByRow, countDistinct, filledCells } from '../columns.ts';
import { monthSpan } from './draft-keys.ts';
import type { TableFile } from './recognise.ts';

type Rounds = NonNullable<Source['rounds']>;

/** The column that gives the survey year of each row. */
export interface YearColumn {
  column: string;
  /** The year in each name of a survey; null if the cells are years. */
  recode: Record<string, string> | null;
  doubts: string[];
}

/** A survey's rounds, and doubts about them. */
export interface SurveyRounds {
  rounds: Rounds;
  /** What they were derived from; null if from a column. */
  basis: string | null;
  /** The survey year of each row; null if it has no month. */
  years: (number | null)[];
  doubts: string[];
}

/** The only year in the name of a file or of a survey; null without one, or with several. */
export const onlyYearIn = (name: string): number | null => {
  const years = yearsIn(path.basename(name));
  return years.length === 1 ? Number(years[0]) : null;
};

/**
 * The column of survey years, or of survey names that each contain a year; null if there is neither. If rows of one
 * name have several years, these are the years of interviews, and the names are used.
 */
export function findYearColumn(table: TableFile): YearColumn | null {
  const named = candidateColumns(table.header, 'survey_year');
  const allCells = (column: string, isYear: (cell: string) => boolean) => {
    const cells = filledCells(table, column);
    return cells.length > 0 && cells.every(isYear);
  };
  const column = named.find((candidate) => allCells(candidate, (cell) => /^(19|20)\d\d(\.0*)?$/.test(cell)));
  const name = [...candidateColumns(table.header, 'survey_name'), ...named].find((candidate) =>
    allCells(candidate, (cell) => yearsIn(cell).length > 0 && !/^\d+[-/]\d+[-/]\d+/.test(cell)),
  );
  if (column && !(name && hasSeveralYears(table, name, column))) return { column, recode: null, doubts: [] };
  if (!name) return null;
  const recode = Object.fromEntries(
    [...new Set(filledCells(table, name))].map((cell) => [cell, yearsIn(cell).toSorted()[0]!]),
  );
  const spans = Object.keys(recode).filter((cell) => yearsIn(cell).length > 1 || /\d{4}[-/]\d\d(?!\d)/.test(cell));
  const namesByYear = [...Map.groupBy(Object.entries(recode), ([, year]) => year)].filter(
    ([, names]) => names.length > 1,
  );
  return {
    column: name,
    recode,
    doubts: [
      ...spans.map((cell) => `${table.file}: the survey "${cell}" is called ${recode[cell]}, its first year`),
      ...namesByYear.map(
        ([year, names]) =>
          `${table.file}: ${names.map(([cell]) => `"${cell}"`).join(' and ')} are taken for one survey, of ${year}`,
      ),
    ],
  };
}

const hasSeveralYears = (table: TableFile, name: string, year: string): boolean =>
  countDistinct(table, [name, year]) > countDistinct(table, [name]);

/** @param times the month of each row; anything else is ignored */
export function findRounds(table: TableFile, year: YearColumn | null, times: readonly string[]): SurveyRounds {
  return year ? roundsByYear(table, year, times) : roundsByMonth(table, times);
}

function roundsByYear(table: TableFile, { column, recode }: YearColumn, times: readonly string[]): SurveyRounds {
  const years = cellsByRow(table, column).map((cell) => {
    const year = Number(recode?.[cell ?? ''] ?? (cell || Number.NaN));
    return Number.isInteger(year) ? year : null;
  });
  const months = times.flatMap((period, row) => {
    const survey_year = years[row]!;
    return isPeriod(period) && survey_year !== null ? [{ survey_year, period }] : [];
  });
  const rounds = [...Map.groupBy(months, ({ survey_year }) => survey_year)]
    .sort(([a], [b]) => a - b)
    .map(([survey_year, clusters]) => ({ survey_year, ...monthSpan(clusters.map(({ period }) => period)) }));
  // A survey may be named by a year and go on in the next one.
  const farRounds = recode ? rounds.filter(({ survey_year, first }) => !mayHaveBegun(survey_year, first)) : [];
  const doubts = farRounds.map(
    ({ survey_year, first, last }) =>
      `${table.file}: the survey called ${survey_year} has clusters of ${first} to ${last}`,
  );
  return { rounds, basis: null, years, doubts };
}

/** Whether a survey of a year may have begun in a month. */
const mayHaveBegun = (survey_year: number, first: string) =>
  [survey_year, survey_year + 1].includes(calendarYear(first));

/** The only round is called by the year in the name of its file, if it has one. */
function roundsByMonth(table: TableFile, times: readonly string[]): SurveyRounds {
  const byMonth = groupMonthsIntoRounds(times.filter(isPeriod));
  const yearInName = onlyYearIn(table.file);
  const isNamedByFile = yearInName !== null && byMonth.length === 1 && mayHaveBegun(yearInName, byMonth[0]!.first);
  const rounds = isNamedByFile ? byMonth.map(({ first, last }) => ({ survey_year: yearInName, first, last })) : byMonth;
  const spans = rounds.map(({ first, last }) => `${first} to ${last}`).join(' and ');
  const doubts = [
    ...(yearInName !== null && !isNamedByFile && rounds.length > 0
      ? [`${table.file}: its name says ${yearInName}, and its clusters are of ${spans}; rounds go by the months`]
      : []),
    ...rounds.flatMap(({ survey_year, first, last }) =>
      calendarYear(first) === calendarYear(last) && survey_year === calendarYear(first)
        ? []
        : [
            `${table.file}: the survey of ${first} to ${last} is called ${survey_year}, ${isNamedByFile ? 'as in the name of the file' : 'the year in which it began'}`,
          ],
    ),
  ];
  const years = times.map(
    (month) => rounds.find(({ first, last }) => month >= first && month <= last)?.survey_year ?? null,
  );
  const basis = isNamedByFile ? 'the name of the file' : 'the months of the clusters';
  return { rounds, basis, years, doubts };
}
