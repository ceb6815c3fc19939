/** What a row of a survey table says of a cluster; what cannot be so is refused with file, row and remedy. */
import type { LeaveOutRule } from '../catalog/leave-out-rule.ts';
import type { Remedy } from '../catalog/remedy.ts';
import { METHODS, type Method } from '../catalog/shared-schemas.ts';
import type { Source } from '../catalog/sources.ts';
import { calendarYear, monthFromIndex, monthIndex, type Period } from '../contract/months.ts';
import { normalQuantile } from '../lib/numerics/normal.ts';
import { logit } from '../lib/numerics/special.ts';
import type { Areas, Cluster } from './ingest-tables.ts';
import { codeAndName, createAreaLookup, type IngestInput } from './input.ts';
import { type Locator, MOST_DISPLACEMENT_KM } from './locator.ts';
import type { RawRow } from './readers/raw-table.ts';

/** Far more children than any survey examines in a cluster: a larger number is a different figure. */
const MOST_EXAMINED = 10_000;

/** Years of fieldwork, if a table gives them in a column. */
const YEAR_RANGE = { least: 1980, most: 2099 };

/** The declaration in the catalog that would leave rows with these values out. */
const leaveOutRemedy = (where: LeaveOutRule['where']): Remedy => ({ declare: 'leave_out', where });

/** What programs write for a value that they do not have. */
const NO_VALUE = /^(n\/?a|nan|null|[-.])$/i;

/** The columns of places, of which a cluster needs only some. */
const PLACE_COLUMNS = ['longitude', 'latitude', 'lga_pcode', 'state_pcode'];

/**
 * Refuses a cluster that the catalog may leave out: one without a location, whose coordinates many surveys give as 0,
 * or without a weight or result.
 */
export function refuseIncomplete(row: RawRow, { columns = {} }: Source): void {
  if (Number(row.values.longitude || Number.NaN) === 0 && Number(row.values.latitude || Number.NaN) === 0)
    throw row.error('the coordinates 0, 0', 'a location', leaveOutRemedy({ longitude: 0, latitude: 0 }));
  const places = PLACE_COLUMNS.filter((column) => row.hasColumn(column));
  if (!places.some((column) => row.hasValue(column))) {
    // A table that goes by names has no codes to be blank.
    const columnNames = places.map((column) => (columns[column] === undefined ? column.replace('_pcode', '') : column));
    const where = Object.fromEntries(columnNames.map((column) => [column, null]));
    throw row.error('no location', 'an area of either level, or coordinates inside one', leaveOutRemedy(where));
  }
  for (const column of ['weight', 'examined', 'positive', 'positivity']) {
    if (row.hasColumn(column) && !row.hasValue(column))
      throw row.at(column).error('nothing', 'a value', leaveOutRemedy({ [column]: null }));
    const text = row.values[column];
    if (text && NO_VALUE.test(text)) throw row.at(column).error(text, 'a value', leaveOutRemedy({ [column]: text }));
  }
  if (Number(row.values.examined) === 0)
    throw row.at('examined').error('0', `1 to ${MOST_EXAMINED}`, leaveOutRemedy({ examined: 0 }));
}

/** The row's round, which must be in the catalog, and its month, which must be within the round's fieldwork. */
export function readRound(row: RawRow, source: Source): Pick<Cluster, 'survey_year' | 'period'> {
  const { columns = {}, rounds = [] } = source;
  if (!row.hasColumn('period') && !row.hasColumn('month')) return readFieldwork(row, source);
  const period = row.month(YEAR_RANGE);
  if (!columns.survey_year && !row.hasValue('survey_year')) {
    const spans = rounds.map(({ first, last }) => `${first} to ${last}`).join(' or ');
    throw row.at('period').error(period, `${spans}, the fieldwork of the rounds (sources.json)`);
  }
  const survey_year = row.number('survey_year', { integer: true });
  const round = rounds.find((round) => round.survey_year === survey_year);
  if (!round) {
    const years = rounds.map((round) => round.survey_year).join(', ');
    throw row.at('survey_year').error(String(survey_year), `a round of the catalog: ${years}`);
  }
  if (period < round.first || period > round.last) {
    const expected = `${round.first} to ${round.last}, the fieldwork of round ${survey_year} (sources.json)`;
    throw row.at('period').error(period, expected);
  }
  return { survey_year, period };
}

/** The round of a row without a month, and the middle month of its fieldwork. */
export function readFieldwork(row: RawRow, { fieldwork, rounds }: Source): Pick<Cluster, 'survey_year' | 'period'> {
  const candidates = rounds ?? yearsWithin(fieldwork!).map((survey_year) => ({ survey_year, ...fieldwork! }));
  const survey_year = row.hasValue('survey_year')
    ? row.number('survey_year', { integer: true })
    : candidates[0]!.survey_year;
  const round = candidates.find((candidate) => candidate.survey_year === survey_year);
  if (!round) {
    const years = candidates.map((candidate) => candidate.survey_year).join(', ');
    throw row.at('survey_year').error(String(survey_year), `a round of the catalog: ${years}`);
  }
  const middle = Math.floor((monthIndex(round.first) + monthIndex(round.last)) / 2);
  return { survey_year, period: monthFromIndex(middle) };
}

const yearsWithin = ({ first, last }: { first: Period; last: Period }): number[] =>
  Array.from({ length: calendarYear(last) - calendarYear(first) + 1 }, (_, i) => calendarYear(first) + i);

/**
 * Reads the location of a cluster: as given in the row, with the LGA by the coordinates if the row gives none.
 * @param snapMessages collects a line for each displaced cluster outside every LGA, which is assigned to the nearest
 *   one; if null, such clusters are refused
 */
export function createPlaceReader(input: IngestInput, areas: Areas, locator: Locator, snapMessages: string[] | null) {
  const lookup = createAreaLookup(input, areas);
  const [west, south, east, north] = input.model.extent as [number, number, number, number];
  const stateByLga = new Map(areas.lgas.map((lga) => [lga.lga_code, lga.state_code]));

  /** Whether a position is outside the country, and inside it with the two numbers exchanged. */
  const isExchanged = (x: number, y: number) =>
    locator.lgaAt(y, x) !== null &&
    locator.lgaAt(x, y) === null &&
    locator.nearestLga(x, y, MOST_DISPLACEMENT_KM) === null;

  const findLga = (row: RawRow, longitude: number, latitude: number, state: string | undefined) => {
    const inside = locator.lgaAt(longitude, latitude, state);
    if (inside !== null || snapMessages === null) return inside;
    const nearest = locator.nearestLga(longitude, latitude, MOST_DISPLACEMENT_KM);
    if (nearest)
      snapMessages.push(
        `round ${row.text('survey_year')}, ${row.text('cluster_id')}: ${(1000 * nearest.km).toFixed(0)} m outside every area, assigned to ${codeAndName(areas, nearest.lga_code)}`,
      );
    return nearest?.lga_code ?? null;
  };

  return (row: RawRow): Pick<Cluster, 'state_code' | 'lga_code' | 'longitude' | 'latitude'> => {
    const statedState = row.hasValue('state_pcode') ? lookup.state(row).state_code : undefined;
    const [x, y] = [row.numberOrNull('longitude'), row.numberOrNull('latitude')];
    if (x !== null && y !== null && isExchanged(x, y))
      throw row.error(
        `longitude ${x} and latitude ${y}, which look exchanged`,
        'a place inside the country, where these lie if exchanged; correct the file or, if all rows are so, exchange the names of the two in `columns` (sources.json), unless it is the outlines whose numbers are exchanged, and look at all rows of the same round: others may be exchanged too, and lie inside by chance',
      );
    const longitude = row.numberOrNull('longitude', { least: west, most: east });
    const latitude = row.numberOrNull('latitude', { least: south, most: north });
    if ((longitude === null) !== (latitude === null))
      throw row.error('only one coordinate', 'longitude and latitude, or neither');
    const hasCoordinates = longitude !== null && latitude !== null;
    const statedLga = row.hasValue('lga_pcode') ? lookup.lga(row).lga_code : null;
    const lga_code = statedLga ?? (hasCoordinates ? findLga(row, longitude, latitude, statedState) : null);
    const state_code = lga_code === null ? statedState : (stateByLga.get(lga_code) ?? statedState);
    if (state_code === undefined) throw row.error('no location', 'an area of either level, or coordinates inside one');
    if (statedState !== undefined && statedState !== state_code)
      throw row.error(`${lga_code} in ${statedState}`, 'the area of the upper level that it lies in');
    const distanceKm = hasCoordinates ? locator.distanceKm(longitude, latitude, lga_code!) : 0;
    if (distanceKm > MOST_DISPLACEMENT_KM) {
      const found = `coordinates ${longitude}, ${latitude}, ${distanceKm.toFixed(0)} km from ${statedLga ?? statedState ?? lga_code}`;
      throw row.error(found, `at most ${MOST_DISPLACEMENT_KM} km, the largest displacement of clusters`);
    }
    return { state_code, lga_code, longitude, latitude };
  };
}

/**
 * The row's method, or the only one of a table without such a column. @throws BadInput if the catalog does not name it
 */
export function readMethod(row: RawRow, { methods = {} }: Source): Method {
  if (!row.hasColumn('method')) return Object.keys(methods)[0] as Method;
  const names = METHODS.map((method) => methods[method] ?? method);
  const text = row.text('method');
  const method = METHODS[names.indexOf(text)];
  if (!method) throw row.at('method').error(text, `${names.join(' or ')} (sources.json, methods)`);
  return method;
}

/** An age in months; null if the table does not give it. */
export function readAge(row: RawRow, column: 'youngest_years' | 'oldest_years'): number | null {
  return row.hasColumn(column) ? 12 * row.number(column, { least: 0, most: 120 }) : null;
}

export function readUrban(row: RawRow): boolean | null {
  const text = row.text('urban');
  const isUrban = parseUrban(text);
  if (isUrban === undefined) throw row.at('urban').error(text, 'true or false, or urban or rural');
  return isUrban;
}

/** What a cell says of a cluster: whether it is urban, null for unknown, undefined for anything else. */
export function parseUrban(text: string): boolean | null | undefined {
  const word = text.toLowerCase();
  if (['true', '1', 'u', 'urban', 'urbain', 'urbaine', 'urbano', 'urbana'].includes(word)) return true;
  if (['false', '0', 'r', 'rural', 'rurale'].includes(word)) return false;
  return word === 'unknown' ? null : undefined;
}

/** Children examined: a whole number, unless the survey's weights are in it. */
export function readExamined(row: RawRow, { weighted_counts }: Source): number {
  return weighted_counts
    ? row.number('examined', { above: 0, least: 0, most: MOST_EXAMINED })
    : row.number('examined', { least: 1, most: MOST_EXAMINED, integer: true });
}

/** In fewer rows, chance makes whole children; a few rows may be mistyped. */
const LEAST_SHARE_ROWS = 10;
const WHOLE_SHARE = 0.95;
/** With a higher chance, counts may be whole children as percentages too. */
const MOST_CHANCE = 1e-6;

/**
 * What numbers of positives are if those examined are whole: shares or percentages, if read as such they are whole
 * children, as far as they are rounded, and counts would hardly ever be. Null if they are counts, or weighted ones.
 * @param cells the texts of the two columns
 */
export function findPositivesUnit(
  cells: readonly { examined: string | null; positive: string | null }[],
): 'share' | 'percent' | null {
  const rows = cells.flatMap(({ examined, positive }) =>
    examined === null || positive === null ? [] : [{ examined: Number(examined), positive: Number(positive) }],
  );
  if (!rows.every(({ examined }) => Number.isInteger(examined))) return null;
  const areWhole = rows.filter(({ positive }) => !Number.isInteger(positive)).length < LEAST_SHARE_ROWS;
  // 0 is whole children in any unit.
  const positiveRows = rows.filter(({ positive }) => positive > 0);
  // The chance that counts of positives, read as percentages, would be whole children in all rows.
  const chance = positiveRows.reduce((product, { examined }) => product * Math.min(1, examined / 100), 1);
  if (areWhole && chance > MOST_CHANCE) return null;
  const decimals = Math.max(...cells.map(({ positive }) => positive?.split('.')[1]?.length ?? 0));
  const rounding = Math.max(0.5 * 10 ** -decimals, 1e-6);
  const areWholeChildren = (whole: number) =>
    positiveRows.filter(({ examined, positive }) => {
      const children = (examined * positive) / whole;
      return positive <= whole && Math.abs(children - Math.round(children)) <= (rounding * examined) / whole;
    }).length >=
    WHOLE_SHARE * positiveRows.length;
  return !areWhole && areWholeChildren(1) ? 'share' : areWholeChildren(100) ? 'percent' : null;
}

export function readPositivity(row: RawRow, examined: number, source: Source): number {
  if (!row.hasColumn('positive')) return readShare(row, source);
  const positive = row.number('positive', { least: 0, integer: !source.weighted_counts });
  if (positive > examined)
    throw row.at('positive').error(`${positive} of ${examined} examined`, 'no more positive than examined');
  return positive / examined;
}

export const readShare = (row: RawRow, { unit }: Source, column = 'positivity'): number => {
  const whole = unit === 'percent' ? 100 : 1;
  return row.number(column, { least: 0, most: whole }) / whole;
};

/**
 * The effective number examined of a published share, from its 95% interval or its standard error; null if the table
 * has neither.
 * @throws BadInput if it cannot be derived
 */
export function readEffectiveNumber(row: RawRow, positivity: number, source: Source): number | null {
  const column = ['standard_error', 'interval', 'low'].find((name) => row.hasColumn(name));
  if (column === undefined) return null;
  const [low, high] = column === 'standard_error' ? [positivity, positivity] : readInterval(row, source);
  const number =
    column === 'standard_error'
      ? (positivity * (1 - positivity)) / readShare(row, source, column) ** 2
      : effectiveNumber(positivity, low, high);
  if (low <= positivity && positivity <= high && number >= 1 && number <= MOST_EXAMINED) return number;
  const columns = column === 'low' ? ['low', 'high'] : [column];
  const share = row.text('positivity');
  const expected =
    low > high
      ? 'the lower end before the upper one'
      : positivity < low || positivity > high
        ? `an interval around ${share}`
        : positivity === 0 || positivity === 1
          ? `an interval that tells the number examined, since with ${share} no standard error and no interval without a width does: of n children none of whom is positive it ends at 1 - 0.025^(1/n), as at 3.6% of 100 children; if the number is not known, leave the row out`
          : `what 1 to ${MOST_EXAMINED} children can have around ${share}`;
  throw row
    .at(column)
    .error(
      columns.map((name) => row.text(name)).join(' to '),
      expected,
      leaveOutRemedy(Object.fromEntries(['positivity', ...columns].map((name) => [name, row.text(name)]))),
    );
}

function readInterval(row: RawRow, source: Source): [low: number, high: number] {
  if (!row.hasColumn('interval')) return [readShare(row, source, 'low'), readShare(row, source, 'high')];
  const ends = row.text('interval').match(/\d+(?:[.,]\d+)?/g) ?? [];
  const [low, high, more] = ends.map((end) => Number(end.replace(',', '.')) / (source.unit === 'percent' ? 100 : 1));
  if (low === undefined || high === undefined || high > 1 || more !== undefined)
    throw row.at('interval').error(row.text('interval'), 'two shares or percentages, such as 12.3-18.9');
  return [low, high];
}

/**
 * n = p (1 − p) / s², the size of a simple random sample with the standard error s of the share p (Korn and Graubard
 * 1998, Survey Methodology 24: 193-201). Of the interval l to h, s = (h − l) / 2z or, if p is nearer to its middle on
 * the logit scale, s = p (1 − p) (logit h − logit l) / 2z (delta method), z = 1.96; if l is 0 or h is 1, the interval
 * is cut off there, and s = max(p − l, h − p) / z. For p = 0 the exact interval ends at h = 1 − 0.025^(1/n) (Clopper
 * and Pearson 1934, Biometrika 26: 404-413), and likewise for p = 1.
 */
export function effectiveNumber(p: number, low: number, high: number): number {
  const z = normalQuantile(0.975);
  if (p === 0 || p === 1) return Math.log(0.025) / Math.log(p === 0 ? 1 - high : low);
  if (low === 0 || high === 1) return (p * (1 - p) * z ** 2) / Math.max(p - low, high - p) ** 2;
  const offMiddle = Math.abs(high + low - 2 * p);
  const offLogitMiddle = p * (1 - p) * Math.abs(logit(high) + logit(low) - 2 * logit(p));
  return offMiddle <= offLogitMiddle
    ? (4 * p * (1 - p) * z ** 2) / (high - low) ** 2
    : (2 * z) ** 2 / (p * (1 - p) * (logit(high) - logit(low)) ** 2);
}
