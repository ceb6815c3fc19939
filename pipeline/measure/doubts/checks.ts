/** The list of checks of content: files that are valid row by row and hard to believe as a whole. */
import { FIGURES, type Figure } from '../../catalog/figures.ts';
import type { ReportLine } from '../../engine/stage.ts';
import { firstFew } from '../../lib/first-few.ts';
import * as area from './area-checks.ts';
import * as cases from './case-checks.ts';
import type { Content } from './content.ts';
import * as monthly from './monthly-checks.ts';
import * as survey from './survey-checks.ts';
import * as time from './time-checks.ts';

/** Lists the places or sets of rows that are hard to believe, each with the reason. */
type Find = (content: Content) => string[];

export interface Check {
  /** What is wrong: the beginning of the check's line. */
  finding: string;
  /** What may leave such a pattern, as a clause after `Perhaps`. */
  cause: string;
  /** What to do about it. */
  advice: string;
  /** By role or figure of the sources that are checked. */
  find: Readonly<Record<string, Find>>;
}

const forEachFigure = (find: (figure: Figure) => Find) =>
  Object.fromEntries(FIGURES.map((figure) => [figure, find(figure)]));

export const CHECKS: readonly Check[] = [
  {
    finding: 'clusters share one location',
    cause: 'a join with one row of the table of locations gives it to all',
    advice: 'join the locations by cluster again',
    find: { surveys: survey.sharedLocations },
  },
  {
    finding: 'coordinates look like degrees and minutes',
    cause: '33.45 means 33 degrees and 45 minutes, not hundredths of a degree',
    advice: 'divide the fractions by .6',
    find: { surveys: survey.minutesAsDecimals },
  },
  {
    finding: 'a round has one month',
    cause: 'the month in which fieldwork began was entered for all of its clusters',
    advice: 'take the months from the dates of the interviews; if it took a month, approve',
    find: { surveys: survey.singleMonths },
  },
  {
    finding: 'one result fills a round',
    cause: 'a column was filled down, or holds the result of a larger area',
    advice: 'compare the column with the survey',
    find: { surveys: survey.repeatedResults },
  },
  {
    finding: 'a round repeats another',
    cause: 'the rows of a round were copied and given another year',
    advice: 'get the file of the round',
    find: { surveys: survey.repeatedRounds },
  },
  {
    finding: 'a round differs by a factor of more than 4 from all others',
    cause: 'shares were read as percentages, or positives as negatives',
    advice: 'compare it with the printed report of the survey',
    find: { surveys: survey.distantRounds },
  },
  {
    finding: 'the numbers examined have a common divisor',
    cause: 'numbers were multiplied, by a weight or by the rows of a join',
    advice: 'take the numbers from the survey',
    find: { surveys: survey.multipliedExamined },
  },
  {
    finding: 'both methods have the same results',
    cause: 'results of rapid tests were entered as microscopy',
    advice: 'take the results of microscopy from the survey',
    find: { surveys: survey.equalMethods },
  },
  {
    finding: 'microscopy exceeds the rapid test',
    cause: 'the methods were swapped, or results stand one row off',
    advice: 'compare the rows with the survey; are they swapped?',
    find: { surveys: survey.swappedMethods },
  },
  {
    finding: 'a column stands one row off',
    cause: 'it was moved against the others, so that it fits nothing beside it',
    advice: 'export it, or join it by code, again',
    find: { surveys: survey.resultsRowOff, cases: monthly.casesRowOff, population_census: area.populationsRowOff },
  },
  {
    finding: 'no slide was lost',
    cause: 'a lost slide was counted as negative',
    advice: 'count only the slides that were read',
    find: { surveys: survey.completeSlides },
  },
  {
    finding: 'slides are negative where rapid tests are positive',
    cause: 'slides that were not read were entered as negative',
    advice: 'count only the slides that were read',
    find: { surveys: survey.negativeSlides },
  },
  {
    finding: 'rapid tests are missing where slides were read',
    cause: 'results of rapid tests were entered as microscopy',
    advice: 'compare the methods with the survey',
    find: { surveys: survey.missingRapidTests },
  },
  {
    finding: 'months are those of another time or area',
    cause: 'a block of a table was copied and not replaced',
    advice: 'export the months again',
    find: { climate: monthly.copiedRain, cases: monthly.copiedCases },
  },
  {
    finding: 'months are missing or do not vary',
    cause: 'missing values were filled with 0, a mean or the month before',
    advice: 'declare the gap, or get the months',
    find: { climate: monthly.constantRain, cases: monthly.repeatedCases },
  },
  {
    finding: 'months come at another time than around them',
    cause: 'rows are off by months, or months are of another calendar',
    advice: 'compare the months with the source',
    find: { climate: monthly.shiftedRain, cases: monthly.shiftedCases },
  },
  {
    finding: 'years of rain are exchanged',
    cause: 'files of several years were joined in another order',
    advice: 'compare the years with the source',
    find: { climate: monthly.exchangedYears },
  },
  {
    finding: 'rain of a year is far from that of the others everywhere',
    cause: 'it is in another unit, such as millimetres a day or inches, or from another source',
    advice: 'get all years from one source, in millimetres a month',
    find: { climate: monthly.unusualRainYears },
  },
  {
    finding: 'years of rain have no season',
    cause: 'they are in percent of normal, or another measure than in the other years',
    advice: 'get the millimetres of all years',
    find: { climate: monthly.seasonlessYears },
  },
  {
    finding: 'areas never report',
    cause: 'their cases are counted elsewhere, such as those of a town in the district around it',
    advice: 'find out who counts them; if nobody does, approve',
    find: { cases: cases.neverReported },
  },
  {
    finding: 'cases are counted elsewhere for a time',
    cause: "an area's reports were entered under another one",
    advice: 'divide them, or mask the months of both areas',
    find: { cases: cases.countedElsewhere },
  },
  {
    finding: 'areas have records of another time than most',
    cause: 'an area was divided or joined, and its cases stand under another one for a time',
    advice: 'mask the months in which an area holds the cases of two; if reports began later, approve',
    find: { cases: cases.partialRecords },
  },
  {
    finding: 'the record of the whole differs from the sum of its parts',
    cause: 'one of the two has another indicator, another area or missing reports',
    advice: 'export both again, from one date',
    find: { cases: cases.mismatchedSums },
  },
  {
    finding: 'an area has as much as all others together',
    cause: 'the total of a table was entered as one of its areas',
    advice: 'remove the total',
    find: { cases: cases.findCaseTotals, population_census: area.findPopulationTotals },
  },
  {
    finding: 'cases do not fit the people',
    cause: 'another indicator or another area stands in the column, or people come to care from elsewhere',
    advice: 'compare the cases and the population of the area with their sources',
    find: { cases: cases.outlyingIncidence },
  },
  {
    finding: 'a month has many times the usual cases',
    cause: 'a digit was typed twice, or a month was entered in the cell of another',
    advice: 'compare the number with the register; if it is right, approve',
    find: { cases: cases.outlyingMonths },
  },
  {
    finding: 'a month has 0 cases among hundreds',
    cause: 'no report was made, as in a strike, and 0 was entered',
    advice: 'leave the cells blank, as unknown, or mask the months; if there were none, approve',
    find: { cases: cases.isolatedZeroMonths },
  },
  {
    finding: 'cases of most neighbouring areas fall below a third of the usual for months, and come back',
    cause: 'hardly anybody was tested, or few reports came in, as without tests in stock or in a strike',
    advice: 'compare the months with suspected cases and with reports, and mask them; if cases fell, approve',
    find: { cases: cases.lowMonths },
  },
  {
    finding: 'a month has no rain amid the rains',
    cause: 'a missing reading was entered as 0',
    advice: 'leave the cells blank and declare the gap; if it was dry, approve',
    find: { climate: monthly.isolatedDryMonths },
  },
  {
    finding: 'a year has more than 2.2 times the usual cases',
    cause: 'suspected cases were exported in place of confirmed ones, or those of another area stand in the row',
    advice: 'compare the indicator of that year with the others',
    find: { cases: cases.outlyingYears },
  },
  {
    finding: 'no month reaches the next power of ten',
    cause: 'a field was too narrow, and the first digit of larger numbers is lost',
    advice: 'export the file again; if numbers end there, approve',
    find: { cases: cases.cutDigits },
  },
  {
    finding: 'cases change everywhere at once',
    cause: 'they are another indicator from then on, such as confirmed cases alone after all that were treated',
    advice:
      'compare the definitions of both times, and take figures that mean the same throughout; if cases changed, approve',
    find: { cases: cases.commonSteps },
  },
  {
    finding: 'cases are added up from month to month',
    cause: 'the numbers are those of the year to date, or since the beginning',
    advice: 'take the difference from the month before, or export the months alone',
    find: { cases: time.cumulativeRecords },
  },
  {
    finding: 'the last months are incomplete',
    cause: 'reports are still missing',
    advice: 'mask the months until they are complete',
    find: { cases: time.incompleteMonths },
  },
  {
    finding: 'case records are of another time than the other files',
    cause: 'their months are of another calendar, such as that of Ethiopia or Nepal',
    advice: 'compare the years with the export',
    find: { cases: time.otherCalendars },
  },
  {
    finding: 'cases do not follow the rain',
    cause: 'months are of another calendar, or start with another month of the year',
    advice: 'compare the months with the export',
    find: { cases: cases.mismatchedSeasons },
  },
  {
    finding: 'areas have the same number of people',
    cause: 'a number was filled down, or is the mean of a larger area',
    advice: 'get the numbers by area',
    find: { population_census: area.sharedPopulations },
  },
  {
    finding: 'people are far off beside the neighbours',
    cause: 'a total, another area or another unit stands in the row',
    advice: 'compare the numbers with the source',
    find: { population_census: area.outlyingPopulations },
  },
  {
    finding: 'an area has the people of a neighbour without any',
    cause: 'it was divided and keeps its code, and the table is from before',
    advice: 'get the people of both, and find out whether cases, surveys and other figures of that code are of both',
    find: { population_census: area.dividedPopulations },
  },
  {
    finding: 'people of the table and of the raster differ everywhere',
    cause: 'one of the two is of another year or of a part of the people, or counts something else',
    advice: 'compare both with the census',
    find: { population_census: area.mismatchedPopulations },
  },
  {
    finding: 'two areas look exchanged',
    cause: 'codes or names of two outlines, or of two areas of a table, were exchanged',
    advice: 'compare their codes in the outlines and in the table',
    find: { climate: area.exchangedAreas },
  },
  {
    finding: 'one figure fills all areas',
    cause: 'the figure of the country, or of a larger area, was joined to each area',
    advice: 'get the figures by area',
    find: forEachFigure(area.sharedFigure),
  },
  {
    finding: 'a figure is 0 in few areas and far from 0 in all others',
    cause: 'a missing value was entered as 0',
    advice: 'leave the cell blank and declare the gap, or get the figure',
    find: forEachFigure(area.isolatedZeros),
  },
  {
    finding: 'figures of some areas are in another unit',
    cause: 'shares stand among percentages',
    advice: 'give all in one unit',
    find: forEachFigure(area.mixedUnits),
  },
  {
    finding: 'net use does not fit net access',
    cause: 'access was read as use, or the columns were exchanged',
    advice: 'compare the columns with the source',
    find: { itn_use: area.implausibleNetUse },
  },
];

/** A check's line names this many places. */
const EXAMPLES = 3;

/** A line for each check and source with doubts: the first places, how many more, the likely cause, and what to do. */
export function listDoubts(content: Content): ReportLine[] {
  return CHECKS.flatMap(({ finding, cause, advice, find }) =>
    Object.entries(find).flatMap(([source, findPlaces]): ReportLine[] => {
      const places = findPlaces(content);
      const what = `${finding}: ${firstFew(places, EXAMPLES, '; ')}. Perhaps ${cause}: ${advice}`;
      return places.length === 0 ? [] : [{ source, rule: 'hard to believe', what, places, needs_approval: true }];
    }),
  );
}
