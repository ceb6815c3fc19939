/** Surveys that are possible row by row and impossible as a whole. Each function returns a text for each fault. */
import type { Method } from '../../catalog/shared-schemas.ts';
import type { SurveyRow } from '../../ingest/ingest-tables.ts';
import { binomialTail } from '../../lib/numerics/binomial-tail.ts';
import { areaNames, type Content, gainOneRowOff, percent } from './content.ts';

/** Two clusters may share a village; a join with one row of a table of places gives its location to all. */
const LEAST_AT_ONE_PLACE = 3;
/** Within fewer degrees, places have some fractions only. */
const LEAST_DEGREES = 2;
/** Results that are neither 0 nor 1 rarely repeat; with fewer rows, or in a smaller share of them, they may. */
const LEAST_ROWS = 10;
const MOST_EQUAL_SHARE = 0.5;
/** A design may test the same number in every cluster, but then there are no others. */
const LEAST_DISTINCT_NUMBERS = 3;
/** Minimum number of children tested by a method in a round: with fewer, its positivity is not informative. */
const LEAST_EXAMINED = 500;
/** A rapid test also detects recently cleared infections, so microscopy exceeds it only by chance. */
const MOST_MICROSCOPY_RATIO = 1.1;
/** The positivity of two rounds may differ by up to this factor. */
const ROUND_FACTOR = 4;
/**
 * A pattern is found if it would arise by chance in one of a thousand files. The chance of a group of rows is divided
 * by the number of groups, because any of them could show the pattern.
 */
const MOST_CHANCE = 1e-3;
/** A pattern is the rule if at least this share of samples has it. */
const NEARLY_ALWAYS_SHARE = 0.9;
/** Where lost slides were counted, a few samples may differ for another reason. */
const NEARLY_ALL_SHARE = 0.99;
/** Both methods tested the same children, so their results go together, with a correlation of 0.8 or more. */
const ROW_OFF_GAIN = 0.6;
const LEAST_SAMPLES = 8;
/** Elsewhere the rapid test exceeds microscopy in 4 of 5 samples, so where methods are swapped, the reverse holds. */
const MOSTLY_SHARE = 0.75;

/** In fewer children, or where fewer of them are positive by the rapid test, chance leaves microscopy without any. */
const LEAST_EXAMINED_BOTH = 5;
const LEAST_RDT_POSITIVITY = 0.3;
/** Of 622 such samples of three rounds of Nigeria, 26 are negative by microscopy. */
const LEAST_NEGATIVE_SHARE = 0.2;

const isPartial = ({ positivity }: SurveyRow) => positivity > 0 && positivity < 1;
const roundName = ({ survey_year, method }: SurveyRow) => `round ${survey_year} by ${method}`;

/** The rows of each sample: one for each method. */
const groupBySample = (surveys: readonly SurveyRow[]): SurveyRow[][] => [
  ...Map.groupBy(surveys, ({ survey_year, sample }) => `${survey_year} ${sample}`).values(),
];
/** The samples, each with one of its rows. */
const distinctSamples = (surveys: readonly SurveyRow[]): SurveyRow[] => groupBySample(surveys).map(([row]) => row!);

const groupByRound = (samples: readonly SurveyRow[]) => Map.groupBy(samples, ({ survey_year }) => survey_year);
const groupByRoundAndState = <Row extends { survey_year: number; state_code: string }>(rows: readonly Row[]) =>
  Map.groupBy(rows, ({ survey_year, state_code }) => `${survey_year} ${state_code}`);

const largestGroup = <Row>(groups: ReadonlyMap<string, Row[]>): [string, Row[]] =>
  [...groups].reduce((a, b) => (b[1].length > a[1].length ? b : a));

/** Clusters of a round at exactly one location, or nearly all of a state's in one of its areas. */
export function sharedLocations({ areas, surveys, people }: Content): string[] {
  const names = areaNames(areas);
  const clusters = distinctSamples(surveys);
  const clustersByPlace = Map.groupBy(
    clusters.filter(({ longitude }) => longitude !== null),
    ({ survey_year, longitude, latitude }) => `round ${survey_year} at ${longitude}, ${latitude}`,
  );
  const sharedPlaces = [...clustersByPlace].flatMap(([place, rows]) =>
    rows.length < LEAST_AT_ONE_PLACE ? [] : [`${rows.length} clusters of ${place}`],
  );
  const groups = [...groupByRoundAndState(clusters.filter(({ lga_code }) => lga_code !== null)).values()];
  const crowdedAreas = groups.flatMap((group) => {
    const { survey_year, state_code } = group[0]!;
    const [area, rows] = largestGroup(Map.groupBy(group, ({ lga_code }) => lga_code!));
    const countPeople = (codes: readonly string[]) => codes.reduce((sum, code) => sum + (people.get(code) ?? 1), 0);
    const stateAreas = areas.lgas.flatMap((lga) => (lga.state_code === state_code ? [lga.lga_code] : []));
    const chance = binomialTail(rows.length, group.length, countPeople([area]) / countPeople(stateAreas));
    return rows.length >= NEARLY_ALWAYS_SHARE * group.length && chance < MOST_CHANCE / groups.length
      ? [`${rows.length} of ${group.length} clusters of round ${survey_year} in ${names.get(area)}`]
      : [];
  });
  return [...sharedPlaces, ...crowdedAreas];
}

/** Coordinates across several degrees, of which no fraction is .6 or more: degrees and minutes, read as decimals. */
export function minutesAsDecimals({ surveys }: Content): string[] {
  return [...groupByRound(distinctSamples(surveys))].flatMap(([survey_year, samples]) => {
    const isInMinutes = (coordinates: readonly number[]) =>
      coordinates.length > 0 &&
      Math.max(...coordinates) - Math.min(...coordinates) > LEAST_DEGREES &&
      coordinates.every((value) => Math.abs(value) % 1 < 0.6) &&
      0.6 ** new Set(coordinates).size < MOST_CHANCE;
    const located = samples.flatMap(({ longitude, latitude }) => (longitude === null ? [] : [[longitude, latitude!]]));
    return [0, 1].every((axis) => isInMinutes(located.map((place) => place[axis]!)))
      ? [`none of ${located.length} clusters of round ${survey_year} has a fraction of .6 or more`]
      : [];
  });
}

/** A round that is all of one month, with more samples than the other rounds, of several months each, have in any. */
export function singleMonths({ surveys }: Content): string[] {
  const samples = distinctSamples(surveys).filter(({ lga_code }) => lga_code !== null);
  const rounds = [...groupByRound(samples)].map(([survey_year, rows]) => ({
    survey_year,
    byMonth: Map.groupBy(rows, ({ period }) => period!),
  }));
  return rounds.flatMap(({ survey_year, byMonth }) => {
    const others = rounds.filter((round) => round.byMonth !== byMonth);
    const [month, rows] = largestGroup(byMonth);
    const most = Math.max(...others.map((round) => largestGroup(round.byMonth)[1].length));
    return byMonth.size === 1 &&
      others.length > 0 &&
      others.every((round) => round.byMonth.size > 1) &&
      rows.length > most
      ? [`all ${rows.length} samples of round ${survey_year} in ${month}, at most ${most} a month in other rounds`]
      : [];
  });
}

/** One positivity in most rows of a round. */
export function repeatedResults({ surveys }: Content): string[] {
  return [...Map.groupBy(surveys, roundName)].flatMap(([round, rows]) => {
    const values = Map.groupBy(rows.filter(isPartial), ({ positivity }) => positivity);
    const [commonestValue, commonestRows] = [...values].reduce(
      (a, b) => (b[1].length > a[1].length ? b : a),
      [0, [] as SurveyRow[]],
    );
    return rows.length < LEAST_ROWS || commonestRows.length <= MOST_EQUAL_SHARE * rows.length
      ? []
      : [`${percent(commonestValue)} in ${commonestRows.length} of ${rows.length} rows of ${round}`];
  });
}

/** Rounds that have most of their results in common, state by state, or nearly all in one state. */
export function repeatedRounds({ areas, surveys }: Content): string[] {
  const names = areaNames(areas);
  const rows = surveys.filter(isPartial);
  const wholeRounds = findRepeats(rows, MOST_EQUAL_SHARE, '');
  if (wholeRounds.length > 0) return wholeRounds;
  const states = Map.groupBy(rows, ({ state_code }) => state_code);
  return [...states].flatMap(([state, stateRows]) =>
    findRepeats(stateRows, NEARLY_ALWAYS_SHARE, `${names.get(state)} in `),
  );
}

/** Pairs of rounds of which more than the share `mostEqualShare` of the results are the same, in the same states. */
function findRepeats(surveys: readonly SurveyRow[], mostEqualShare: number, statePrefix: string): string[] {
  const rounds = [...Map.groupBy(surveys, roundName)].map(([round, rows]) => ({
    round,
    rows,
    results: Map.groupBy(rows, ({ state_code, examined, positivity }) => `${state_code} ${examined} ${positivity}`),
  }));
  return rounds.flatMap((later, i) =>
    rounds.slice(0, i).flatMap((earlier) => {
      if (later.rows[0]!.survey_year === earlier.rows[0]!.survey_year) return [];
      const commonCount = [...later.results].reduce(
        (sum, [result, repeats]) => sum + Math.min(repeats.length, earlier.results.get(result)?.length ?? 0),
        0,
      );
      const smallerCount = Math.min(later.rows.length, earlier.rows.length);
      return smallerCount < LEAST_ROWS || commonCount <= mostEqualShare * smallerCount
        ? []
        : [`${commonCount} of ${smallerCount} results of ${statePrefix}${later.round} are those of ${earlier.round}`];
    }),
  );
}

/** Numbers examined that are all multiples of one number, in a round or in a state of a round. */
export function multipliedExamined({ areas, surveys }: Content): string[] {
  const names = areaNames(areas);
  const rows = surveys.filter(({ examined }) => examined !== null && Number.isInteger(examined));
  const rounds = Map.groupBy(rows, roundName);
  const states = Map.groupBy(rows, (row) => `${roundName(row)} in ${names.get(row.state_code)}`);
  const commonDivisorOf = (group: readonly SurveyRow[]) =>
    group.map(({ examined }) => examined!).reduce(greatestCommonDivisor);
  const isMultiplied = ([, group]: [string, SurveyRow[]]) => {
    const commonDivisor = commonDivisorOf(group);
    const isVaried = new Set(group.map(({ examined }) => examined)).size >= LEAST_DISTINCT_NUMBERS;
    return isVaried && commonDivisor > 1 && commonDivisor ** -group.length < MOST_CHANCE / (rounds.size + states.size);
  };
  const wholeRounds = [...rounds].filter(isMultiplied);
  // A state is not named again with its round.
  const listedRows = new Set(wholeRounds.flatMap(([, group]) => group));
  const otherStates = [...states].filter((state) => isMultiplied(state) && !listedRows.has(state[1][0]!));
  return [...wholeRounds, ...otherStates].map(
    ([place, group]) => `all ${group.length} numbers of ${place} are multiples of ${commonDivisorOf(group)}`,
  );
}

const greatestCommonDivisor = (a: number, b: number): number => (b === 0 ? a : greatestCommonDivisor(b, a % b));

/** A sample tested by both methods. */
interface ResultPair {
  survey_year: number;
  state_code: string;
  microscopy: SurveyRow;
  rdt: SurveyRow;
}

const pairResults = (surveys: readonly SurveyRow[]): ResultPair[] =>
  groupBySample(surveys).flatMap((rows) => {
    const rowBy = (method: Method) => rows.find((row) => row.method === method);
    const [microscopy, rdt] = [rowBy('microscopy'), rowBy('rdt')];
    const { survey_year, state_code } = rows[0]!;
    return microscopy && rdt ? [{ survey_year, state_code, microscopy, rdt }] : [];
  });

/** Results by the two methods that are the same figure, in a round or in one of its states. */
export function equalMethods({ areas, surveys }: Content): string[] {
  const pairs = pairResults(surveys).filter(({ microscopy, rdt }) => isPartial(microscopy) || isPartial(rdt));
  const isEqual = ({ microscopy, rdt }: ResultPair) => microscopy.positivity === rdt.positivity;
  const { rounds, states } = findOutlyingGroups(areas, pairs, isEqual, NEARLY_ALWAYS_SHARE);
  return [...rounds, ...states].map((group) => `the same positivity by both methods in ${group}`);
}

/** Microscopy above the rapid test, in a round or in one of its states. */
export function swappedMethods({ areas, surveys }: Content): string[] {
  const pairs = pairResults(surveys).filter(({ microscopy, rdt }) => microscopy.positivity !== rdt.positivity);
  const isMicroscopyHigher = ({ microscopy, rdt }: ResultPair) => microscopy.positivity > rdt.positivity;
  const { states } = findOutlyingGroups(areas, pairs, isMicroscopyHigher, MOSTLY_SHARE);
  const rounds = positivityByRound(surveys).flatMap(({ survey_year, microscopy, rdt }) =>
    microscopy !== null && rdt !== null && microscopy > MOST_MICROSCOPY_RATIO * rdt
      ? [`round ${survey_year}: ${percent(microscopy)} by microscopy, ${percent(rdt)} by rapid test`]
      : [],
  );
  return [...rounds, ...states.map((group) => `microscopy above the rapid test in ${group}`)];
}

/** Many samples without a positive slide, where the rapid test finds many children positive. */
export function negativeSlides({ areas, surveys }: Content): string[] {
  const pairs = pairResults(surveys).filter(
    ({ microscopy, rdt }) => microscopy.examined! >= LEAST_EXAMINED_BOTH && rdt.positivity >= LEAST_RDT_POSITIVITY,
  );
  const isNegative = ({ microscopy }: ResultPair) => microscopy.positivity === 0;
  const { rounds, states } = findOutlyingGroups(areas, pairs, isNegative, LEAST_NEGATIVE_SHARE);
  return [...rounds, ...states].map((group) => `no slide positive in ${group} with many positive rapid tests`);
}

/** States of a round in which microscopy goes together with the rapid test of the sample before or after it. */
export function resultsRowOff({ areas, surveys }: Content): string[] {
  const names = areaNames(areas);
  const states = groupByRoundAndState(pairResults(surveys));
  return [...states.values()].flatMap((pairs) => {
    if (pairs.length < LEAST_SAMPLES) return [];
    const gain = gainOneRowOff(
      pairs.map(({ microscopy }) => microscopy.positivity),
      pairs.map(({ rdt }) => rdt.positivity),
    );
    const { survey_year, state_code } = pairs[0]!;
    return gain > ROW_OFF_GAIN ? [`round ${survey_year} in ${names.get(state_code)}`] : [];
  });
}

/** As many slides as rapid tests in every sample of a round, or of a state, although slides are lost elsewhere. */
export function completeSlides({ areas, surveys }: Content): string[] {
  const pairs = pairResults(surveys).filter(({ microscopy }) => microscopy.examined !== null);
  const hasAllSlides = ({ microscopy, rdt }: ResultPair) => microscopy.examined! >= rdt.examined!;
  if (pairs.every(hasAllSlides)) return [];
  const { rounds, states } = findOutlyingGroups(areas, pairs, hasAllSlides, NEARLY_ALL_SHARE);
  const hasSeveralRounds = new Set(pairs.map(({ survey_year }) => survey_year)).size > 1;
  return [...(hasSeveralRounds ? rounds : []), ...states].map((group) => `as many slides as rapid tests in ${group}`);
}

/** States of a round, or rounds, with results by microscopy only, although others have both. */
export function missingRapidTests({ areas, surveys }: Content): string[] {
  const names = areaNames(areas);
  const samples = groupBySample(surveys).map((rows) => ({
    survey_year: rows[0]!.survey_year,
    state_code: rows[0]!.state_code,
    hasOnlySlides: rows.every(({ method }) => method === 'microscopy'),
    hasBothMethods: new Set(rows.map(({ method }) => method)).size === 2,
  }));
  const groups = [
    ...Map.groupBy(samples, ({ survey_year }) => `round ${survey_year}`),
    ...Map.groupBy(samples, ({ survey_year, state_code }) => `round ${survey_year} in ${names.get(state_code)}`),
  ];
  const countPaired = (group: typeof samples) => group.filter(({ hasBothMethods }) => hasBothMethods).length;
  const pairedCount = countPaired(samples);
  return groups.flatMap(([place, group]) => {
    const otherCount = samples.length - group.length;
    const arePairsUsual =
      otherCount >= LEAST_ROWS && pairedCount - countPaired(group) >= NEARLY_ALWAYS_SHARE * otherCount;
    return arePairsUsual && group.length >= LEAST_AT_ONE_PLACE && group.every(({ hasOnlySlides }) => hasOnlySlides)
      ? [`all ${group.length} samples of ${place}`]
      : [];
  });
}

/** A round whose positivity differs greatly from that of all others by the same method. */
export function distantRounds({ surveys }: Content): string[] {
  const rounds = positivityByRound(surveys);
  return (['microscopy', 'rdt'] as const).flatMap((method) =>
    rounds.flatMap((round) => {
      const positivity = round[method];
      if (positivity === null) return [];
      const otherRounds = rounds.flatMap((other) => (other === round ? [] : (other[method] ?? [])));
      const isDistant = (figure: number) => positivity > ROUND_FACTOR * figure || positivity < figure / ROUND_FACTOR;
      return otherRounds.length > 0 && otherRounds.every(isDistant)
        ? [
            `round ${round.survey_year}: ${percent(positivity)} by ${method}, ${otherRounds.map(percent).join(', ')} in others`,
          ]
        : [];
    }),
  );
}

/** The positivity of each round by method; null with too few children. A row without their number counts as 1000. */
function positivityByRound(surveys: readonly SurveyRow[]) {
  return [...groupByRound(surveys)].map(([survey_year, rows]) => ({
    survey_year,
    microscopy: pooledPositivity(rows, 'microscopy'),
    rdt: pooledPositivity(rows, 'rdt'),
  }));
}

function pooledPositivity(rows: readonly SurveyRow[], method: Method): number | null {
  const tested = rows.filter((row) => row.method === method);
  const childrenTested = (row: SurveyRow) => row.examined ?? 1000;
  const examined = tested.reduce((sum, row) => sum + childrenTested(row), 0);
  if (examined < LEAST_EXAMINED) return null;
  return tested.reduce((sum, row) => sum + childrenTested(row) * row.positivity, 0) / examined;
}

/**
 * The rounds in which far more pairs have a property than in the other rounds, and the states of the remaining rounds
 * with far more than the rest of their round: at least `leastShare`, and more than chance explains.
 */
function findOutlyingGroups(
  areas: Content['areas'],
  pairs: readonly ResultPair[],
  hasProperty: (pair: ResultPair) => boolean,
  leastShare: number,
) {
  const names = areaNames(areas);
  const count = (group: readonly ResultPair[]) => group.filter(hasProperty).length;
  const byYear = Map.groupBy(pairs, ({ survey_year }) => survey_year);
  const byPlace = groupByRoundAndState(pairs);
  const groupCount = byYear.size + byPlace.size;
  const isOutlying = (group: readonly ResultPair[], rest: readonly ResultPair[]) => {
    // One sample of each kind is added, so that a property that never occurs elsewhere still has a chance.
    const usualShare = (count(rest) + 1) / (rest.length + 2);
    return (
      count(group) >= leastShare * group.length &&
      binomialTail(count(group), group.length, usualShare) < MOST_CHANCE / groupCount
    );
  };
  const rounds = [...byYear].filter(([year, group]) =>
    isOutlying(
      group,
      pairs.filter(({ survey_year }) => survey_year !== year),
    ),
  );
  const states = [...byPlace.values()].filter((group) => {
    const { survey_year, state_code } = group[0]!;
    if (rounds.some(([year]) => year === survey_year)) return false;
    return isOutlying(
      group,
      byYear.get(survey_year)!.filter((pair) => pair.state_code !== state_code),
    );
  });
  return {
    rounds: rounds.map(([year, group]) => `${count(group)} of ${group.length} samples of round ${year}`),
    states: states.map((group) => {
      const { survey_year, state_code } = group[0]!;
      return `${count(group)} of ${group.length} samples of round ${survey_year} in ${names.get(state_code)}`;
    }),
  };
}
