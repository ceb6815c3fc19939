/** The tables that ingest hands on. Lists of areas are in ascending order of code, always all of them. */
import { figures, lga, lga_code, period, state, state_code } from '../columns.ts';
import { orNull, real, text, whole, yes } from '../table.ts';

const survey_year = whole('Year of the round');
const positivity = real('Share of children tested who were positive, 0 to 1');

export const STATES = {
  row: 'A state',
  columns: {
    state_code,
    state_pcode: text('As files have it'),
    state,
    zone: orNull(text('Code of its zone; null where the country has none')),
  },
};
export const LGAS = { row: 'An LGA', columns: { lga_code, lga, state_code } };
export const OTHER_NAMES = {
  row: 'A name that some raw file gives a place, other than its own',
  columns: {
    area: text<'state' | 'lga'>('`state` or `lga`'),
    code: text('`state_code` or `lga_code`'),
    name: text('As the file spells it'),
  },
};
export const CLIMATE = {
  row: 'An LGA in a month; none where the climate does not come in this form',
  columns: {
    lga_code,
    period,
    rain_mm: real('Rain, mm'),
    temperature_c: orNull(real('Mean temperature, °C; null where the country has none')),
  },
};
const method = text('Diagnostic method that the row is by');

export const CLUSTERS = {
  row: 'A survey cluster, or what stands for one; each by one diagnostic method',
  columns: {
    cluster_id: text('As the survey numbers it: unique in its round'),
    survey_year,
    period,
    state_code,
    lga_code: orNull(text('LGA that it lies in; null where unknown')),
    longitude: orNull(real('Degrees (WGS 84); null where unknown')),
    latitude: orNull(real('Degrees (WGS 84); null where unknown')),
    displaced: yes('Whether the coordinates are displaced, as DHS does it'),
    method,
    youngest_months: orNull(real('Age of the youngest child tested, months; null where not told')),
    oldest_months: orNull(real('The same of the oldest')),
    urban: orNull(yes("Whether it is urban, by the survey's own word; null where it says nothing")),
    examined: real('Children tested'),
    positivity,
    weight: real('Sampling weight, which multiplies the children tested in ratio estimates; 1 where not given'),
  },
};
export const STATE_ROUNDS = {
  row: 'A state in a round that is known by state only',
  columns: { survey_year, period: text('Middle month of fieldwork, YYYY-MM'), state_code, method, positivity },
};
export const CASES = {
  row: 'A month of the case records of a state or of an LGA, every month from its first on',
  columns: {
    state_code,
    lga_code: orNull(text("LGA; null for a state's own record")),
    period,
    confirmed: orNull(real('Confirmed cases; null where nothing was reported')),
    masked: yes('Whether the catalog leaves the month out of fits'),
  },
};
export const CENSUS = {
  row: 'An LGA that the census table knows',
  columns: {
    lga_code,
    people: whole('People'),
    children_0_4: orNull(whole('Children aged 0 to 4; null where the table has no ages')),
  },
};
export const LAYERS = { row: 'An LGA: figures that came as tables', columns: { lga_code, ...figures } };
export const COVARIATES = {
  row: 'A value of a covariate of the risk score, by LGA',
  columns: {
    covariate: text('The source that it is of'),
    lga_code,
    time: orNull(text('YYYY-MM or YYYY; null where it does not change')),
    value: real("In the source's unit"),
  },
};
