/** The list of checks of content: files that are valid row by row and hard to believe as a whole. */
import type { ReportLine } from '../../engine/stage.ts';
import * as area from './area-checks.ts';
import * as cases from './case-checks.ts';
import type { Content, Doubt } from './content.ts';
import * as monthly from './monthly-checks.ts';
import * as survey from './survey-checks.ts';

export interface Check {
  /** What is found, as the beginning of its line. */
  sees: string;
  /** What may leave such a pattern, as a clause after `Perhaps`. */
  why: string;
  /** What to do about it. */
  todo: string;
  find: (content: Content) => Doubt[];
}

export const CHECKS: readonly Check[] = [
  {
    sees: 'clusters share one location',
    why: 'a join with one row of the table of locations gives it to all',
    todo: 'join the locations by cluster again',
    find: survey.sharedLocations,
  },
  {
    sees: 'one result fills a round',
    why: 'a column was filled down, or holds the result of a larger area',
    todo: 'compare the column with the survey',
    find: survey.repeatedResults,
  },
  {
    sees: 'a round repeats another',
    why: 'the rows of a round were copied and given another year',
    todo: 'get the file of the round',
    find: survey.repeatedRounds,
  },
  {
    sees: 'a round differs by a factor of more than 4 from all others',
    why: 'shares were read as percentages, or positives as negatives',
    todo: 'compare it with the printed report of the survey',
    find: survey.distantRounds,
  },
  {
    sees: 'the numbers examined have a common divisor',
    why: 'numbers were multiplied, by a weight or by the rows of a join',
    todo: 'take the numbers from the survey',
    find: survey.multipliedExamined,
  },
  {
    sees: 'both methods have the same results',
    why: 'results of rapid tests were entered as microscopy',
    todo: 'take the results of microscopy from the survey',
    find: survey.equalMethods,
  },
  {
    sees: 'microscopy exceeds the rapid test',
    why: 'the methods were swapped, or results stand one row off',
    todo: 'compare the rows with the survey; are they swapped?',
    find: survey.swappedMethods,
  },
  {
    sees: 'results stand one row off',
    why: 'a column was moved against the others, so that the two methods no longer agree',
    todo: 'join the results by cluster again',
    find: survey.resultsRowOff,
  },
  {
    sees: 'no slide was lost',
    why: 'a lost slide was counted as negative',
    todo: 'count only the slides that were read',
    find: survey.noSlideLost,
  },
  {
    sees: 'rapid tests are missing where slides were read',
    why: 'results of rapid tests were entered as microscopy',
    todo: 'compare the methods with the survey',
    find: survey.missingRapidTests,
  },
  {
    sees: 'months are those of another time or area',
    why: 'a block of a table was copied and not replaced',
    todo: 'export the months again',
    find: monthly.copiedMonths,
  },
  {
    sees: 'rain is missing or does not vary',
    why: 'missing values were filled with 0 or with a mean',
    todo: 'declare the gap, or get the rain',
    find: monthly.lifelessRain,
  },
  {
    sees: 'rain comes at another time than around it',
    why: 'rows are off by a month, or months are of another calendar',
    todo: 'compare the months with the source',
    find: monthly.shiftedRain,
  },
  {
    sees: 'years of rain are exchanged',
    why: 'files of several years were joined in another order',
    todo: 'compare the years with the source',
    find: monthly.exchangedYears,
  },
  {
    sees: 'cases come at another time than around them',
    why: 'rows are off by months, or months are of another calendar',
    todo: 'compare the months with the export',
    find: monthly.shiftedCases,
  },
  {
    sees: 'cases stand one row off',
    why: 'a column was moved against the others',
    todo: 'export the table again',
    find: monthly.casesRowOff,
  },
  {
    sees: 'areas never report',
    why: 'their cases are counted elsewhere, such as those of a town in the district around it',
    todo: 'find out who counts them; if nobody does, approve',
    find: cases.neverReported,
  },
  {
    sees: 'cases are counted elsewhere for a time',
    why: "an area's reports were entered under another one",
    todo: 'divide them, or mask the months of both areas',
    find: cases.countedElsewhere,
  },
  {
    sees: 'the record of the whole differs from the sum of its parts',
    why: 'one of the two has another indicator, another area or missing reports',
    todo: 'export both again, from one date',
    find: cases.sumsApart,
  },
  {
    sees: 'an area has as many cases as all others together',
    why: 'the total of a table was entered as one of its areas',
    todo: 'remove the total',
    find: cases.totalsAmongAreas,
  },
  {
    sees: 'cases do not fit the people',
    why: 'another indicator or another area stands in the column, or people come to care from elsewhere',
    todo: 'compare the cases and the population of the area with their sources',
    find: cases.incidenceApart,
  },
  {
    sees: 'a year has more than 2.2 times the usual cases',
    why: 'suspected cases were exported in place of confirmed ones, or those of another area stand in the row',
    todo: 'compare the indicator of that year with the others',
    find: cases.yearsApart,
  },
  {
    sees: 'cases do not follow the rain',
    why: 'months are of another calendar, or start with another month of the year',
    todo: 'compare the months with the export',
    find: cases.seasonsApart,
  },
  {
    sees: 'areas have the same number of people',
    why: 'a number was filled down, or is the mean of a larger area',
    todo: 'get the numbers by area',
    find: area.sharedPeople,
  },
  {
    sees: 'an area has as many people as all others together',
    why: 'the total of a table was entered as one of its areas',
    todo: 'remove the total',
    find: area.totalsOfPeople,
  },
  {
    sees: 'people are far off beside the neighbours',
    why: 'a total, another area or another unit stands in the row',
    todo: 'compare the numbers with the source',
    find: area.peopleApart,
  },
  {
    sees: 'people stand one row off',
    why: 'a column was moved against the codes',
    todo: 'join the table again by code',
    find: area.peopleRowOff,
  },
  {
    sees: 'two areas look exchanged',
    why: 'codes or names of two outlines, or of two areas of a table, were exchanged',
    todo: 'compare their codes in the outlines and in the table',
    find: area.exchangedAreas,
  },
  {
    sees: 'one figure fills all areas',
    why: 'the figure of the country, or of a larger area, was joined to each area',
    todo: 'get the figures by area',
    find: area.sharedFigures,
  },
  {
    sees: 'a figure is 0 in few areas and far from 0 in all others',
    why: 'a missing value was entered as 0',
    todo: 'leave the cell blank and declare the gap, or get the figure',
    find: area.lonelyZeros,
  },
  {
    sees: 'net use does not fit net access',
    why: 'access was read as use, or the columns were exchanged',
    todo: 'compare the columns with the source',
    find: area.netsApart,
  },
];

/** A check's line names this many places. */
const EXAMPLES = 3;

/** A line for each check and source with doubts: the first places, how many more, the likely cause, and what to do. */
export function doubtsOf(content: Content): ReportLine[] {
  return CHECKS.flatMap(({ sees, why, todo, find }) =>
    [...Map.groupBy(find(content), ({ source }) => source)].map(([source, doubts]): ReportLine => {
      const examples = doubts.slice(0, EXAMPLES).map(({ at }) => at);
      const more = doubts.length > EXAMPLES ? ` and ${doubts.length - EXAMPLES} more` : '';
      return {
        source,
        rule: 'hard to believe',
        what: `${sees}: ${examples.join('; ')}${more}. Perhaps ${why}: ${todo}`,
        needs_approval: true,
      };
    }),
  );
}
