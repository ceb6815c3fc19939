/** The list of checks of content: files that are valid row by row and hard to believe as a whole. */
import { FIGURES, type Figure } from '../../catalog/figures.ts';
import type { ReportLine } from '../../engine/stage.ts';
import { firstFew } from '../../lib/first-few.ts';
import * as area from './area-checks.ts';
import * as cases from './case-checks.ts';
import type { Content } from './content.ts';
import * as monthly from './monthly-checks.ts';
import * as survey from './survey-checks.ts';

type Find = (content: Content) => string[];

export interface Check {
  /** What is found, as the beginning of its line. */
  sees: string;
  /** What may leave such a pattern, as a clause after `Perhaps`. */
  why: string;
  /** What to do about it. */
  todo: string;
  /** By what the data are: the places and sets of rows that are hard to believe, and what was found there. */
  find: Readonly<Record<string, Find>>;
}

const forEachFigure = (find: (figure: Figure) => Find) =>
  Object.fromEntries(FIGURES.map((figure) => [figure, find(figure)]));

export const CHECKS: readonly Check[] = [
  {
    sees: 'clusters share one location',
    why: 'a join with one row of the table of locations gives it to all',
    todo: 'join the locations by cluster again',
    find: { surveys: survey.sharedLocations },
  },
  {
    sees: 'one result fills a round',
    why: 'a column was filled down, or holds the result of a larger area',
    todo: 'compare the column with the survey',
    find: { surveys: survey.repeatedResults },
  },
  {
    sees: 'a round repeats another',
    why: 'the rows of a round were copied and given another year',
    todo: 'get the file of the round',
    find: { surveys: survey.repeatedRounds },
  },
  {
    sees: 'a round differs by a factor of more than 4 from all others',
    why: 'shares were read as percentages, or positives as negatives',
    todo: 'compare it with the printed report of the survey',
    find: { surveys: survey.distantRounds },
  },
  {
    sees: 'the numbers examined have a common divisor',
    why: 'numbers were multiplied, by a weight or by the rows of a join',
    todo: 'take the numbers from the survey',
    find: { surveys: survey.multipliedExamined },
  },
  {
    sees: 'both methods have the same results',
    why: 'results of rapid tests were entered as microscopy',
    todo: 'take the results of microscopy from the survey',
    find: { surveys: survey.equalMethods },
  },
  {
    sees: 'microscopy exceeds the rapid test',
    why: 'the methods were swapped, or results stand one row off',
    todo: 'compare the rows with the survey; are they swapped?',
    find: { surveys: survey.swappedMethods },
  },
  {
    sees: 'a column stands one row off',
    why: 'it was moved against the others, so that it fits nothing beside it',
    todo: 'export it, or join it by code, again',
    find: { surveys: survey.resultsRowOff, cases: monthly.casesRowOff, population_census: area.peopleRowOff },
  },
  {
    sees: 'no slide was lost',
    why: 'a lost slide was counted as negative',
    todo: 'count only the slides that were read',
    find: { surveys: survey.noSlideLost },
  },
  {
    sees: 'rapid tests are missing where slides were read',
    why: 'results of rapid tests were entered as microscopy',
    todo: 'compare the methods with the survey',
    find: { surveys: survey.missingRapidTests },
  },
  {
    sees: 'months are those of another time or area',
    why: 'a block of a table was copied and not replaced',
    todo: 'export the months again',
    find: { climate: monthly.copiedRain, cases: monthly.copiedCases },
  },
  {
    sees: 'months are missing or do not vary',
    why: 'missing values were filled with 0, a mean or the month before',
    todo: 'declare the gap, or get the months',
    find: { climate: monthly.lifelessRain, cases: monthly.repeatedCases },
  },
  {
    sees: 'months come at another time than around them',
    why: 'rows are off by months, or months are of another calendar',
    todo: 'compare the months with the source',
    find: { climate: monthly.shiftedRain, cases: monthly.shiftedCases },
  },
  {
    sees: 'years of rain are exchanged',
    why: 'files of several years were joined in another order',
    todo: 'compare the years with the source',
    find: { climate: monthly.exchangedYears },
  },
  {
    sees: 'areas never report',
    why: 'their cases are counted elsewhere, such as those of a town in the district around it',
    todo: 'find out who counts them; if nobody does, approve',
    find: { cases: cases.neverReported },
  },
  {
    sees: 'cases are counted elsewhere for a time',
    why: "an area's reports were entered under another one",
    todo: 'divide them, or mask the months of both areas',
    find: { cases: cases.countedElsewhere },
  },
  {
    sees: 'the record of the whole differs from the sum of its parts',
    why: 'one of the two has another indicator, another area or missing reports',
    todo: 'export both again, from one date',
    find: { cases: cases.sumsApart },
  },
  {
    sees: 'an area has as much as all others together',
    why: 'the total of a table was entered as one of its areas',
    todo: 'remove the total',
    find: { cases: cases.totalsAmongAreas, population_census: area.totalsOfPeople },
  },
  {
    sees: 'cases do not fit the people',
    why: 'another indicator or another area stands in the column, or people come to care from elsewhere',
    todo: 'compare the cases and the population of the area with their sources',
    find: { cases: cases.incidenceApart },
  },
  {
    sees: 'a month has many times the usual cases',
    why: 'a digit was typed twice, or a month was entered in the cell of another',
    todo: 'compare the number with the register; if it is right, approve',
    find: { cases: cases.monthsApart },
  },
  {
    sees: 'a year has more than 2.2 times the usual cases',
    why: 'suspected cases were exported in place of confirmed ones, or those of another area stand in the row',
    todo: 'compare the indicator of that year with the others',
    find: { cases: cases.yearsApart },
  },
  {
    sees: 'cases do not follow the rain',
    why: 'months are of another calendar, or start with another month of the year',
    todo: 'compare the months with the export',
    find: { cases: cases.seasonsApart },
  },
  {
    sees: 'areas have the same number of people',
    why: 'a number was filled down, or is the mean of a larger area',
    todo: 'get the numbers by area',
    find: { population_census: area.sharedPeople },
  },
  {
    sees: 'people are far off beside the neighbours',
    why: 'a total, another area or another unit stands in the row',
    todo: 'compare the numbers with the source',
    find: { population_census: area.peopleApart },
  },
  {
    sees: 'two areas look exchanged',
    why: 'codes or names of two outlines, or of two areas of a table, were exchanged',
    todo: 'compare their codes in the outlines and in the table',
    find: { climate: area.exchangedAreas },
  },
  {
    sees: 'one figure fills all areas',
    why: 'the figure of the country, or of a larger area, was joined to each area',
    todo: 'get the figures by area',
    find: forEachFigure(area.sharedFigure),
  },
  {
    sees: 'a figure is 0 in few areas and far from 0 in all others',
    why: 'a missing value was entered as 0',
    todo: 'leave the cell blank and declare the gap, or get the figure',
    find: forEachFigure(area.lonelyZeros),
  },
  {
    sees: 'net use does not fit net access',
    why: 'access was read as use, or the columns were exchanged',
    todo: 'compare the columns with the source',
    find: { itn_use: area.netsApart },
  },
];

/** A check's line names this many places. */
const EXAMPLES = 3;

/** A line for each check and source with doubts: the first places, how many more, the likely cause, and what to do. */
export function listDoubts(content: Content): ReportLine[] {
  return CHECKS.flatMap(({ sees, why, todo, find }) =>
    Object.entries(find).flatMap(([source, of]): ReportLine[] => {
      const found = of(content);
      const what = `${sees}: ${firstFew(found, EXAMPLES, '; ')}. Perhaps ${why}: ${todo}`;
      return found.length === 0 ? [] : [{ source, rule: 'hard to believe', what, needs_approval: true }];
    }),
  );
}
