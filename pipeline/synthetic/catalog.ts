import type { Model } from '../catalog/model.ts';
import type { Gap, Source } from '../catalog/sources.ts';
import { addMonths } from '../contract/months.ts';
import { CASES_LAST, LGA_BLANK, LGA_DIP, lgaCasesFirst, STATE_GAPS } from './cases.ts';
import { RAIN_NODATA } from './climate.ts';
import { ACCESS_YEARS, LGA_WITHOUT_CENSUS, LGA_WITHOUT_TRAVEL } from './coverage.ts';
import type { TruthFamily } from './families.ts';
import type { SyntheticCountry } from './make-country.ts';
import { GAMMA } from './prevalence.ts';
import { SEASON_RECIPE } from './season.ts';
import { type CountrySize, chooseStates, firstMonth, NIGERIAN_SIZE } from './size.ts';
import { STATES, TERRITORY } from './states.ts';
import { CLUSTER_ROUNDS } from './surveys.ts';
import { ELEVATION_NODATA } from './terrain.ts';

/** Increased whenever the same seed would produce a different country. */
const GENERATOR_VERSION = 1;
/** A file of the country, as written. */
export interface WrittenFile {
  path: string;
  bytes: number;
  sha256: string;
  period?: string;
  /** Rows of a table, without the header. */
  rows?: number;
}
/** The parts of a country that its catalog depends on. */
export type DescribedCountry = Pick<SyntheticCountry, 'seed' | 'size' | 'geography' | 'cases_states' | 'cases_lgas'> & {
  family: TruthFamily;
};
/** The fields that differ between sources; the others are the same for all sources of a made-up country. */
type SourceEntry = Omit<Source, 'producer' | 'citation' | 'licence' | 'release' | 'files'> & { files: string[] };

/** The second part of `model_version`, which may contain only letters, digits and dots. */
export const releaseName = (seed: number, family: TruthFamily, size: CountrySize = NIGERIAN_SIZE) =>
  [
    `${GENERATOR_VERSION}.seed${seed}`,
    ...(family === 'matern' ? [] : [family.replace('-', '')]),
    ...(isNigerian(size) ? [] : Object.entries(size).map(([name, value]) => `${value}${name[0]}`)),
  ].join('.');
const isNigerian = (size: CountrySize) =>
  Object.entries(NIGERIAN_SIZE).every(([name, value]) => size[name as keyof CountrySize] === value);
const seedAndFamily = (seed: number, family: TruthFamily) =>
  `seed ${seed}${family === 'matern' ? '' : `, truth ${family}`}`;
const statePcode = (state_code: string) => STATES.find((state) => state.state_code === state_code)!.state_pcode;
const shapefile = (name: string) => ['shp', 'shx', 'dbf', 'prj'].map((extension) => `boundaries/${name}.${extension}`);

const stateGaps: Gap[] = STATE_GAPS.map(({ state_code, first, last, reason }) => ({
  rule: 'mask',
  state_pcode: statePcode(state_code),
  first,
  last,
  reason,
}));

const catalogEntries = (size: CountrySize): SourceEntry[] => [
  {
    id: 'lga_boundaries',
    role: 'lga_boundaries',
    title: 'LGAs of the made-up country',
    format: 'shapefile',
    crs: 'EPSG:4326',
    unit: 'degrees',
    columns: { lga_pcode: 'ADM2_PCODE', lga: 'ADM2_EN', state_pcode: 'ADM1_PCODE' },
    files: shapefile('lgas'),
  },
  {
    id: 'state_boundaries',
    role: 'state_boundaries',
    title: 'States of the made-up country',
    format: 'shapefile',
    crs: 'EPSG:4326',
    unit: 'degrees',
    columns: { state_pcode: 'ADM1_PCODE', state: 'ADM1_EN' },
    files: shapefile('states'),
  },
  {
    id: 'population',
    role: 'population',
    title: 'People per cell',
    format: 'geotiff',
    crs: 'EPSG:4326',
    unit: 'persons',
    nodata: 'none',
    range: [0, 200_000],
    // Cells are rounded to tenths of a person, so small values repeat.
    repeats: 1000,
    files: ['population/population.tif'],
    notes: ["0 is both 'nobody' and 'outside'."],
  },
  {
    id: 'population_census',
    role: 'population_census',
    title: 'Census by LGA',
    format: 'csv',
    unit: 'persons',
    columns: { lga_pcode: 'ADM2_PCODE', people: 'T_TL', children_0_4: 'T_00_04' },
    files: ['population/census.csv'],
    gaps: [{ rule: 'omit', lga_pcode: LGA_WITHOUT_CENSUS, reason: 'The census table has no row for it' }],
  },
  {
    id: 'elevation',
    role: 'elevation',
    title: 'Elevation',
    format: 'geotiff',
    crs: 'EPSG:4326',
    unit: 'm',
    nodata: ELEVATION_NODATA,
    range: [-100, 3000],
    files: ['elevation/elevation.tif'],
  },
  {
    id: 'rain',
    role: 'climate',
    title: 'Monthly rain',
    format: 'geotiff',
    crs: 'EPSG:4326',
    unit: 'mm per month',
    nodata: RAIN_NODATA,
    range: [0, 3000],
    files: [],
    notes: ['The missing value has no tag in the file; cells in the sea have it.'],
  },
  {
    id: 'survey_clusters',
    role: 'survey_clusters',
    title: 'Children 6-59 months tested, by cluster and method, 2010, 2015 and 2018',
    format: 'csv',
    crs: 'EPSG:4326',
    unit: 'children',
    columns: Object.fromEntries(
      'survey_year period cluster_id state_pcode longitude latitude urban weight method examined positive'
        .split(' ')
        .map((name) => [name, name]),
    ),
    displaced: true,
    rounds: CLUSTER_ROUNDS.map(({ survey_year, first, months }) => ({
      survey_year,
      first,
      last: addMonths(first, months - 1),
    })),
    files: ['surveys/clusters_2010_2015_2018.csv'],
    notes: ['A row for each cluster and method. `urban` is true or false; `weight` has mean 1 in each round.'],
  },
  {
    id: 'survey_states_2021',
    role: 'survey_states',
    title: 'Positivity by state and method, 2021',
    format: 'csv',
    unit: 'share',
    columns: { survey_year: 'survey_year', state_pcode: 'state_pcode', method: 'method', positivity: 'positivity' },
    fieldwork: { first: '2021-10', last: '2021-12' },
    files: ['surveys/states_2021.csv'],
    notes: ['Fieldwork October to December 2021.'],
  },
  {
    id: 'cases_states',
    role: 'cases_states',
    title: `Confirmed malaria by month, by state, ${firstMonth(size.months)} to ${CASES_LAST}`,
    format: 'csv',
    unit: 'cases',
    columns: { state_pcode: 'state_pcode', period: 'period', confirmed: 'confirmed' },
    span: { first: firstMonth(size.months), last: CASES_LAST },
    files: ['cases/states.csv'],
    gaps: stateGaps,
  },
  {
    id: 'cases_lgas',
    role: 'cases_lgas',
    title: `Confirmed malaria by month, LGAs of ten states, ${lgaCasesFirst(size)} to ${CASES_LAST}`,
    format: 'csv',
    unit: 'cases',
    columns: { state_pcode: 'state_pcode', lga_pcode: 'lga_pcode', period: 'period', confirmed: 'confirmed' },
    span: { first: lgaCasesFirst(size), last: CASES_LAST },
    files: ['cases/lgas.csv'],
    gaps: [
      {
        rule: 'mask',
        lga_pcode: LGA_BLANK.lga_pcode,
        first: LGA_BLANK.period,
        last: LGA_BLANK.period,
        reason: 'Never reported: the field is empty',
      },
    ],
    notes: [`${LGA_DIP.reason}: too few cases from ${LGA_DIP.first} to ${LGA_DIP.last}, except in Kebbi.`],
  },
  {
    id: 'itn_use',
    role: 'layer',
    figure: 'itn_use',
    title: 'Share of people who slept under a treated net, 2018',
    format: 'csv',
    unit: 'share',
    columns: { lga_pcode: 'lga_pcode', itn_use: 'itn_use' },
    files: ['coverage/itn_use_by_lga_2018.csv'],
  },
  {
    id: 'itn_access',
    role: 'layer',
    figure: 'itn_access',
    title: 'Percent of people with access to a treated net',
    format: 'csv',
    unit: 'percent',
    columns: { state_pcode: 'state_pcode', itn_access: 'itn_access_percent' },
    where: { survey_year: ACCESS_YEARS[0]! },
    files: ['coverage/itn_access_by_state_2018_2021.csv'],
  },
  {
    id: 'effective_treatment',
    role: 'layer',
    figure: 'effective_treatment',
    title: 'Share of malaria cases effectively treated, 2022',
    format: 'geotiff',
    crs: 'EPSG:4326',
    unit: 'share',
    nodata: 'nan',
    range: [0, 1],
    files: ['coverage/effective_treatment_2022.tif'],
  },
  {
    id: 'irs_coverage',
    role: 'layer',
    figure: 'irs_coverage',
    title: 'Share of people protected by indoor spraying, 2022',
    format: 'geotiff',
    crs: 'EPSG:4326',
    unit: 'share',
    nodata: 'nan',
    range: [0, 1],
    files: ['coverage/irs_coverage_2022.tif'],
  },
  {
    id: 'travel',
    role: 'layer',
    figure: 'travel_minutes_to_care',
    title: 'People by walking time to the nearest primary health centre',
    format: 'csv',
    unit: 'minutes',
    columns: { lga_pcode: 'lga_pcode' },
    classes: [
      { column: 'tt_below30', midpoint: 15 },
      { column: 'tt_30_60', midpoint: 45 },
      { column: 'tt_60_110', midpoint: 85 },
      { column: 'tt_above110', midpoint: 150 },
    ],
    files: ['access/lga_population_by_walk_minutes.csv'],
    gaps: [{ rule: 'null', lga_pcode: LGA_WITHOUT_TRAVEL, reason: 'The table has no row for it' }],
  },
];

/** The sources of a written country, from all its `files`; those with a `period` are the rain rasters. */
export function describeSources(
  { seed, family, size, geography, cases_states, cases_lgas }: DescribedCountry,
  files: WrittenFile[],
): { sources: Source[] } {
  const byPath = new Map(files.map((file) => [file.path, file]));
  const statesWithCases = cases_states.map(({ state_index }) => STATES[state_index]!.state_pcode);
  const allLgas = new Set(geography.lgas.map(({ lga_pcode }) => lga_pcode));
  const lgasWithCases = new Set(cases_lgas.map(({ lga_index }) => geography.lgas[lga_index]!.lga_pcode));
  // A smaller country does not have all of these areas and months.
  const appliesTo = (role: string, { lga_pcode, state_pcode, last }: Gap) =>
    (lga_pcode === undefined || (role === 'cases_lgas' ? lgasWithCases : allLgas).has(lga_pcode)) &&
    (state_pcode === undefined || (statesWithCases.includes(state_pcode) && last! >= firstMonth(size.months)));
  const sources = catalogEntries(size).map(({ gaps, ...entry }) => ({
    ...entry,
    ...gapsField(gaps?.filter((gap) => appliesTo(entry.role, gap))),
    producer: 'malaria-risk synth',
    citation: `made up by malaria-risk synth, ${seedAndFamily(seed, family)}`,
    licence: 'CC0-1.0',
    pass_on: 'yes' as const,
    release: releaseName(seed, family, size),
    files:
      entry.role === 'climate' ? files.filter((file) => file.period) : entry.files.map((path) => byPath.get(path)!),
  }));
  return { sources };
}

const gapsField = (gaps: Gap[] | undefined) => (gaps && gaps.length > 0 ? { gaps } : {});

/** For a country that was asked to be small. */
const SMALL_EVIDENCE = { clusters: 20, areas: 4, children: 100, reason: 'the country was made this small on request' };

/**
 * Near the mode for seed 1 (by `malaria-risk catalog start`), from where the search is short for any made-up country.
 */
const SEARCH_START = {
  sigma_place: 0.65,
  range_km: 114,
  sigma_change: 0.35,
  sigma_state: 0.13,
  sigma_lga: 0.076,
  sigma_slope: 0.03,
  tau_years: 7.2,
  tau_state_years: 2.8,
  rho_2010: 0.104,
  rho_2015: 0.105,
  rho_2018: 0.115,
};

export function describeModel(seed: number, family: TruthFamily, size: CountrySize = NIGERIAN_SIZE): Model {
  const kept = chooseStates(seed, size).map((state) => STATES[state]!);
  return {
    country: 'synthetic',
    name: 'Made-up country',
    synthetic: true,
    release: releaseName(seed, family, size),
    first_estimated: firstMonth(size.months),
    last_estimated: '2023-12',
    updated_at: '2024-02-01T00:00:00.000Z',
    territory: TERRITORY,
    expected: { states: size.states, lgas: size.lgas },
    extent: [2.7, 4.3, 14.7, 13.9],
    states: kept.map(({ state_pcode, state_code, state, zone }) => ({ state_pcode, state_code, state, zone })),
    parameters: {
      seed,
      boundaries: { tolerance_m: 200, max_area_change: 0.01 },
      context: {
        name: `Made-up country, ${seedAndFamily(seed, family)}`,
        coverage_year: 2018,
        note:
          `Made up by malaria-risk synth${family === 'matern' ? '' : ` (truth ${family})`} and describing no real place. ` +
          'Modelled estimates shown as context; not inputs to the ' +
          'risk score. Net use and access 2018; treatment and spraying 2022; minutes on foot to a primary health centre.',
      },
      survey: { method: 'microscopy', small_sample: 100, confidence: 0.95 },
      season: {
        high_share: 0.5,
        masked: [{ first: LGA_DIP.first, last: LGA_DIP.last, reason: LGA_DIP.reason }],
      },
      risk: {
        score: 'spatial',
        draws: 500,
        // 285 children per state in 15 clusters that differ widely: a design effect of about 5.
        state_only_effective_size: 60,
        season_exponent: { ...GAMMA, source: 'the distribution from which malaria-risk synth draws the true exponent' },
        start: SEARCH_START,
      },
      transmission: {
        infectious_months: SEASON_RECIPE.sirs.infectious_months,
        immune_months: SEASON_RECIPE.sirs.immune_months,
        assumed_from: 'the values with which malaria-risk synth simulates its cases',
        development_first: 2018,
        held_back_year: 2023,
        starts: 20,
      },
      evidence: {
        max_months_after_survey: 36,
        reason: 'as for the real country: the time from its round of 2018 to that of 2021',
        ...(size.clusters < 100 || size.lgas < 40 ? { scores: SMALL_EVIDENCE } : {}),
      },
      diff: { score_change: 0.02, max_moved_share: 0.02, max_flipped_share: 0.02, max_disjoint_share: 0.001 },
    },
  };
}
