/**
 * The artifacts of the ingest stage. From here on all codes are the project's (`state_code` and `lga_code`, as
 * `territory` in model.json describes them). Missing values are null, and nothing is rounded.
 * Tables of areas list all areas in ascending order of code.
 */
import { METHODS } from '../catalog/shared-schemas.ts';
import { account, area, code, figures, lga, lga_code, period, state, state_code } from '../contract/fields.ts';
import type { Polygon } from '../lib/numerics/area.ts';
import { choice, flag, orNull, real, type TableRow, text, whole, withMeaning } from '../lib/tables/table.ts';

const survey_year = whole('Year of the round');
const positivity = real('Share of children tested who were positive, 0 to 1');

export const STATES = {
  name: 'ingest/states',
  row: '{A.state}',
  columns: {
    state_code,
    state_pcode: text('P-code in the raw files'),
    state,
    zone: orNull(text('Code of its zone; null if the country has no zones')),
  },
};
export const LGAS = { name: 'ingest/lgas', row: '{A.lga}', columns: { lga_code, lga, state_code } };
export const OTHER_NAMES = {
  name: 'ingest/other_names',
  row: 'Another name of a place, found in a raw file',
  columns: {
    area,
    code,
    name: text('As the file spells it'),
  },
};
export const CLIMATE = {
  name: 'ingest/climate',
  row: '{A.lga} in a month; no rows if the climate comes in another form',
  columns: {
    lga_code,
    period,
    rain_mm: real('Rain, mm'),
    temperature_c: orNull(real('Mean temperature, °C; null if the country has no temperatures')),
  },
};
const method = text('Diagnostic method');

export const CLUSTERS = {
  name: 'ingest/clusters',
  row: 'A survey cluster or its substitute, each tested by one diagnostic method',
  columns: {
    cluster_id: text('Id in the survey, unique within a round'),
    survey_year,
    period,
    state_code,
    lga_code: orNull(text('{Lga.one} that contains it; null if unknown')),
    longitude: orNull(real('Degrees (WGS 84); null if unknown')),
    latitude: orNull(real('Degrees (WGS 84); null if unknown')),
    displaced: flag('Whether the coordinates are displaced, as in DHS surveys'),
    method,
    youngest_months: orNull(real('Age of the youngest child tested, months; null if unknown')),
    oldest_months: orNull(real('Age of the oldest child tested, months; null if unknown')),
    urban: orNull(flag('Whether it is urban according to the survey; null if unknown')),
    examined: real('Children tested'),
    positivity,
    weight: real('Sampling weight, which multiplies the children tested in ratio estimates; 1 if not given'),
  },
};
export const AREA_ROUNDS = {
  name: 'ingest/area_rounds',
  row: '{A.state} or {a.lga} in a round with results by area, without clusters',
  columns: {
    survey_year,
    period: withMeaning('Middle month of fieldwork', period),
    state_code,
    lga_code: orNull(text('{Lga.one}; null for a result of {a.state}')),
    method,
    positivity,
    examined: orNull(real('Effective number tested, from the published interval or standard error; null without them')),
  },
};
export const SURVEY_ROWS = {
  name: 'ingest/survey_rows',
  row: 'A row of a survey, whether or not the score uses its method and ages',
  columns: {
    survey_year,
    sample: text('Id of the cluster; code of {a.state} in a round by {state.one}'),
    state_code,
    lga_code: orNull(text('{Lga.one}; null if unknown, and in a round by {state.one}')),
    period: orNull(text('Month of the visit; null in a round by {state.one}')),
    longitude: orNull(real('Degrees (WGS 84); null if unknown')),
    latitude: orNull(real('Degrees (WGS 84); null if unknown')),
    method: choice(METHODS, 'Diagnostic method'),
    examined: orNull(real('Children tested; null if unknown')),
    positivity,
  },
};
export const CASES = {
  name: 'ingest/cases',
  row: 'A month in the case records of {a.state} or {a.lga}, without gaps from its first month',
  columns: {
    state_code,
    lga_code: orNull(text("{Lga.one}; null for {a.state}'s own record")),
    period,
    confirmed: orNull(real('Confirmed cases; null if nothing was reported')),
    reporting_rate: orNull(real('Share of the expected reports that were made; null if the records do not tell')),
    masked: flag('Whether the catalog excludes the month from fitting'),
  },
};
export const CENSUS = {
  name: 'ingest/census',
  row: '{A.lga} in the census table',
  columns: {
    lga_code,
    people: whole('People; of several years, those of the last that is not after the records'),
    children_0_4: orNull(whole('Children aged 0 to 4; null if the table has no ages')),
  },
};
export const PEOPLE = {
  name: 'ingest/people',
  row: 'People of {a.lga} in a year that the census table gives; no rows if it does not tell the year',
  columns: { lga_code, year: whole('Year'), people: whole('People') },
};
export const LAYERS = { name: 'ingest/layers', row: '{A.lga}: figures from tables', columns: { lga_code, ...figures } };
export const COVARIATES = {
  name: 'ingest/covariates',
  row: 'A value of a covariate of the risk score, by {lga.one}',
  columns: {
    covariate: text('Id of its source'),
    lga_code,
    value: real("In the source's unit"),
  },
};

const countColumn = (about: string) => whole(about, { minimum: 0 });
export const ACCOUNTS = {
  name: 'ingest/accounts',
  row: 'What became of the numbers in a column of a raw file in a year; their sum over fates is what the file has',
  columns: {
    source: text('Id of the source'),
    file: text('Path of the file'),
    column: orNull(text("The file's column"), 'null for the rows themselves'),
    year: orNull(whole('Year of the rows, or in the name of the column'), 'null if neither has one'),
    period: orNull(text('Month of the rows'), 'null for columns, and if rows have none'),
    fate: choice(
      ['taken', 'key', 'left out', 'unused'],
      '`taken`: read as a figure; `key`: of places and times; `left out`: by a rule; `unused`: read by no source',
    ),
    reason: orNull(text('The figure, the columns that tell the rows apart, or the rule'), 'null if it is unused'),
    numbers: countColumn('Cells with a number, or rows'),
    blank: countColumn('Blank cells'),
    text: countColumn('Cells with anything else'),
    zero: countColumn('Numbers that are 0'),
    negative: countColumn('Numbers below 0'),
    fractional: countColumn('Numbers that are not whole'),
    ...account,
    people: orNull(
      real('People of the areas that the cases are of'),
      'null if they are not known, and for other figures',
    ),
  },
};

export type StateArea = TableRow<typeof STATES>;
export type LgaArea = TableRow<typeof LGAS>;
/** The country's areas, each list in ascending order of code. */
export interface Areas {
  states: StateArea[];
  lgas: LgaArea[];
  /** The codes of LGAs by the ids that tables may have in their place. */
  codeById?: ReadonlyMap<string, string>;
}

/** ingest/polygons: full-resolution outlines, in the order of `Areas.lgas`, and which LGAs share an edge. */
export interface Polygons {
  lgas: { lga_code: string; polygons: Polygon[] }[];
  neighbours: Record<string, string[]>;
}

/** One month of an LGA; the rows of an LGA are contiguous and in order of month. */
export type ClimateRow = TableRow<typeof CLIMATE>;
export type Cluster = TableRow<typeof CLUSTERS>;
export type AreaRound = TableRow<typeof AREA_ROUNDS>;
export type SurveyRow = TableRow<typeof SURVEY_ROWS>;
export interface Surveys {
  clusters: Cluster[];
  area_rounds: AreaRound[];
}
export type CasesRow = TableRow<typeof CASES>;
export type AccountRow = TableRow<typeof ACCOUNTS>;
export type LayerRow = TableRow<typeof LAYERS>;
export type CensusRow = TableRow<typeof CENSUS>;
export type PeopleRow = TableRow<typeof PEOPLE>;
/** By LGA code; an LGA that the census table lacks is absent. */
export type Census = Record<string, Omit<CensusRow, 'lga_code'>>;
