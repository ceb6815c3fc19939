import { InputLocation } from '../lib/bad-input.ts';
import { levelJoinedByName } from './aliases.ts';
import { type Dialect, tableLabel } from './dialect.ts';
import { EXPECTED_MONTHS_OF_RAIN, isRainRaster, rainFiles } from './rain-files.ts';
import {
  deliveredFiles,
  isTable,
  knownColumns,
  type Role,
  roleDefinition,
  TABLE_FORMATS,
  TEXT_COLUMNS,
  yearOfPeople,
} from './roles.ts';
import type { Gap, Source } from './sources.ts';

const catalogLocation = new InputLocation('sources.json');
const sourceLocation = (id: string): InputLocation => catalogLocation.at(`source ${id}`);

/** What tells how far published shares may be off. */
export const EXPECTED_PRECISION =
  'their 95% confidence interval (columns low and high, or interval with both), or their standard error (standard_error)';

/** Roles for which a country has exactly one source, and those for which it has at most one. */
const REQUIRED_ROLES: readonly Role[] = ['lga_boundaries'];
const SINGLE_SOURCE_ROLES: readonly Role[] = [
  'lga_codes',
  'state_boundaries',
  'population',
  'population_census',
  'climate',
  'elevation',
  'facilities',
];

/** The formats that a role's source can have. */
const ROLE_FORMATS: Record<Role, readonly Source['format'][]> = {
  lga_boundaries: ['shapefile', 'geojson', 'topojson'],
  lga_codes: TABLE_FORMATS,
  state_boundaries: ['shapefile', 'geojson', 'topojson'],
  population: ['geotiff'],
  population_census: TABLE_FORMATS,
  elevation: ['geotiff'],
  climate: [...TABLE_FORMATS, 'geotiff'],
  survey_clusters: TABLE_FORMATS,
  survey_states: TABLE_FORMATS,
  cases_states: TABLE_FORMATS,
  cases_lgas: TABLE_FORMATS,
  facilities: TABLE_FORMATS,
  layer: [...TABLE_FORMATS, 'geotiff'],
  covariate: [...TABLE_FORMATS, 'geotiff'],
};

/** The rules for gaps that a role's source may use. */
const ROLE_GAP_RULES: Partial<Record<Role, readonly Gap['rule'][]>> = {
  state_boundaries: ['uncovered'],
  population: ['omit'],
  population_census: ['omit'],
  elevation: ['null', 'neighbours'],
  climate: ['neighbours'],
  cases_states: ['mask'],
  cases_lgas: ['mask'],
  layer: ['null', 'neighbours'],
};
/** Gaps of a covariate's table are LGAs, those of its raster are cells. */
const COVARIATE_GAP_RULES: Record<'table' | 'raster', readonly Gap['rule'][]> = {
  table: ['neighbours', 'value'],
  raster: ['nearest', 'value'],
};

/**
 * Checks what the schema of `sources.json` cannot express: which fields a source needs, and that every entry has an
 * effect.
 * @throws BadInput naming the source and the field
 */
export function checkSources(sources: readonly Source[]): void {
  checkAcrossSources(sources);
  for (const source of sources) checkSource(source);
}

/** Checks across entries: ids, roles, figures and files that may occur only once. */
export function checkAcrossSources(sources: readonly Source[]): void {
  const ids = sources.map((source) => source.id);
  const duplicateId = ids.find((id, i) => ids.indexOf(id) !== i);
  if (duplicateId) throw catalogLocation.error(`the id ${duplicateId} twice`, 'each id once');
  const count = (role: Role) => sources.filter((source) => source.role === role).length;
  for (const role of REQUIRED_ROLES)
    if (count(role) !== 1) throw catalogLocation.at(`role ${role}`).error(`${count(role)} sources`, 'exactly one');
  for (const role of SINGLE_SOURCE_ROLES)
    if (count(role) > 1) throw catalogLocation.at(`role ${role}`).error(`${count(role)} sources`, 'at most one');
  checkRequiredRoles(sources);
  const layers = sources.filter((source) => source.role === 'layer' && source.figure !== undefined);
  layers.forEach(({ id, figure }, i) => {
    if (layers.findIndex((other) => other.figure === figure) !== i)
      throw sourceLocation(id).error(`a second layer of ${figure}`, 'each figure once');
  });
  // One table may give people, cases and climate.
  const uses = sources
    .filter(({ role }) => role !== 'covariate')
    .flatMap(({ role, figure, files, dialect }) =>
      // The places of clusters may belong to the results of several rounds.
      files.filter(({ join }) => !join).map(({ path }) => ({ file: tableLabel(path, dialect), use: figure ?? role })),
    );
  const duplicateFile = uses.find(
    ({ file, use }, i) => uses.findIndex((other) => other.file === file && other.use === use) !== i,
  );
  if (duplicateFile)
    throw catalogLocation
      .at(duplicateFile.file)
      .error(`the file twice as ${duplicateFile.use}`, 'each file once for a role');
}

/** Whether a table has facilities whose areas only the list of facilities gives. */
const needsFacilityList = ({ facility, lga_pcode, lga }: Record<string, string>) =>
  facility !== undefined && lga_pcode === undefined && lga === undefined;

/** Checks which roles need others. */
function checkRequiredRoles(sources: readonly Source[]): void {
  const hasSource = (role: Role, column?: string) =>
    sources.some((source) => source.role === role && (column === undefined || source.columns?.[column] !== undefined));
  if (!hasSource('lga_boundaries', 'lga_pcode') && !hasSource('lga_codes'))
    throw catalogLocation.error('lga_boundaries without a column lga_pcode', 'one, or a source of the role lga_codes');
  if (hasSource('lga_boundaries', 'lga_pcode') && hasSource('lga_codes'))
    throw catalogLocation.error('lga_codes beside a column lga_pcode of lga_boundaries', 'one of them');
  if (
    !['lga_boundaries', 'lga_codes'].some((role) => hasSource(role as Role, 'state_pcode')) &&
    !hasSource('state_boundaries')
  )
    throw catalogLocation.error(
      'no column state_pcode',
      'one of lga_boundaries or lga_codes, or a source of the role state_boundaries',
    );
  if (!hasSource('population') && !hasSource('population_census'))
    throw catalogLocation.error('neither population nor population_census', 'one: figures are weighted by people');
  const sourceWithoutAreas = sources.find(
    ({ columns = {}, role }) => role === 'cases_lgas' && needsFacilityList(columns),
  );
  if (sourceWithoutAreas && !hasSource('facilities'))
    throw sourceLocation(sourceWithoutAreas.id).error(
      'facilities without their areas',
      'a column lga_pcode or lga, or a source of the role facilities',
    );
  if (!sourceWithoutAreas && hasSource('facilities'))
    throw catalogLocation.error(
      'a list of facilities that no cases refer to',
      'a source of the role cases_lgas with a column facility alone',
    );
}

/** Checks what an entry needs by its role and format. */
export function checkSource(source: Source): void {
  const location = sourceLocation(source.id);
  if (source.role === 'layer' && !source.figure)
    throw location.error('no figure', 'the figure of the context that it provides');
  if (!ROLE_FORMATS[source.role].includes(source.format))
    throw location.error(
      `the format ${source.format}`,
      `${ROLE_FORMATS[source.role].join(' or ')} for the role ${source.role}`,
    );
  if (source.figure && source.role !== 'layer')
    throw location.error(`a figure, ${source.figure}`, 'none: only the role layer has one');
  if (source.sliver_km2 !== undefined && source.role !== 'lga_boundaries')
    throw location.error('sliver_km2', 'none: only the role lga_boundaries has one');
  const hasPeople = source.role.startsWith('population');
  if (!hasPeople && source.growth !== undefined) throw location.error('growth', 'none: only people have it');
  if (!hasPeople && source.role !== 'layer' && source.files.some(({ year }) => year !== undefined))
    throw location.error('a year in `files`', 'none: only people and layers have one');
  if (source.format === 'geotiff') checkRaster(source, location);
  else checkColumns(source, location);
  if (source.reporting && !source.columns?.facility && !source.columns?.reporting_rate)
    throw location.error('reporting', 'none: only cases by facility or with a reporting rate have one');
  if (source.reporting?.blank && !source.columns?.reporting_rate)
    throw location.error('reporting.blank', 'none: only a reporting rate tells that a report was made');
  if (isTable(source)) checkTable(source, location);
  else if (source.leave_out) throw location.error('leave_out', 'none: only tables have rows');
  if (source.dialect) checkDialect(source, source.dialect, location);
  for (const gap of source.gaps ?? []) checkGap(source, gap);
}

function checkRaster(source: Source, location: InputLocation): void {
  if (!source.range)
    throw location.error('no range', "the smallest and the largest value that the raster's cells can have");
  const [smallest, largest] = source.range as [number, number];
  if (!(smallest < largest) && !(smallest === largest && source.role === 'layer'))
    throw location.error(`the range ${smallest} to ${largest}`, 'the smaller value first');
  if (source.role === 'population' && source.repeats === undefined)
    throw location.error('no repeats', 'the largest number of adjacent cells that may have the same value');
  if (source.files.length > 1 && source.role === 'population' && source.files.some(({ year }) => year === undefined))
    throw location.error('a raster of people without its year', '`year` of each of several, in `files`');
  if (!isRainRaster(source)) {
    if (source.files.some(({ period }) => period !== undefined))
      throw location.error('a period in `files`', 'none: only rain has one');
    return;
  }
  const months = rainFiles(source).length;
  if (months < 12) throw location.error(`${months} months of rain`, EXPECTED_MONTHS_OF_RAIN);
}

/** The project's names of the columns that a source maps. */
const columnNames = ({ columns = {}, sums = {} }: Source) => [...Object.keys(columns), ...Object.keys(sums)];

/** Checks for the columns that the role needs, and for no others: a misspelt name would go unnoticed. */
function checkColumns(source: Source, location: InputLocation): void {
  const { columns, exactlyOneOf = [] } = roleDefinition(source.role);
  const valueColumn = source.role === 'layer' ? source.figure : source.role === 'covariate' ? 'value' : undefined;
  const requiredColumns = [...columns, ...(valueColumn === undefined || source.classes ? [] : [valueColumn])];
  const allowedColumns = [...requiredColumns, ...knownColumns(source.role)];
  const mappedColumns = columnNames(source);
  const duplicate = mappedColumns.find((name, i) => mappedColumns.indexOf(name) !== i);
  if (duplicate) throw location.error(`${duplicate} in \`columns\` and in \`sums\``, 'it in one of them');
  const textColumn = Object.keys(source.sums ?? {}).find((name) => TEXT_COLUMNS.includes(name));
  if (textColumn) throw location.error(`a sum of ${textColumn}`, 'counts: nothing else can be added up');
  // Names stand for the codes of their level, and facilities for those of their areas.
  const level = levelJoinedByName(source);
  const hasFacilities = source.role === 'cases_lgas' && mappedColumns.includes('facility');
  const yearColumns = mappedColumns.filter(
    (name) => source.role === 'population_census' && yearOfPeople(name) !== null,
  );
  if (yearColumns.length > 0 && ['people', 'year'].some((name) => mappedColumns.includes(name)))
    throw location.error(`${yearColumns[0]} beside people or year`, 'people of each year in one form');
  const availableColumns = [
    ...mappedColumns,
    ...(level ? [`${level}_pcode`] : []),
    ...(hasFacilities ? ['lga_pcode'] : []),
    ...(yearColumns.length > 0 ? ['people'] : []),
  ];
  const unknownColumn = mappedColumns.find((name) => !allowedColumns.includes(name) && !yearColumns.includes(name));
  if (unknownColumn) throw location.error(`a column ${unknownColumn}`, `one of ${allowedColumns.join(', ')}`);
  const missingColumn = requiredColumns.find((name) => !availableColumns.includes(name));
  if (missingColumn) throw location.error(`no column ${missingColumn}`, 'it in `columns`');
  for (const names of exactlyOneOf) {
    const chosen = names.filter((name) => availableColumns.includes(name));
    if (chosen.length !== 1)
      throw location.error(
        chosen.length === 0 ? `no column ${names.join(' or ')}` : chosen.join(' and '),
        'one of them',
      );
  }
  const isMonthly = ['climate', 'survey_clusters', 'cases_states', 'cases_lgas'].includes(source.role);
  const pairs = [['longitude', 'latitude'], ['low', 'high'], ...(isMonthly ? [['year', 'month']] : [])];
  for (const [first, second] of pairs as [string, string][])
    if (mappedColumns.includes(first) !== mappedColumns.includes(second))
      throw location.error(
        `${mappedColumns.includes(first) ? first : second} alone`,
        `${first} and ${second}, or neither`,
      );
}

/**
 * Checks the fields that specify how long a table must be: rows, months, rounds. Without them a truncated table would
 * pass.
 */
function checkTable(source: Source, location: InputLocation): void {
  const deliveries = deliveredFiles(source);
  const isMonthly = ['climate', 'cases_states', 'cases_lgas'].includes(source.role);
  if (deliveries.length > 1 && !isMonthly)
    throw location.error(
      `${source.files.length} files`,
      'one table: only monthly records may come in several deliveries',
    );
  if (deliveries.some(({ rows }) => rows === undefined)) throw location.error('no rows', "the file's rows, in `files`");
  if (isMonthly && !source.span) throw location.error('no span', 'the first and the last month of the records');
  if (source.role === 'survey_clusters' && !source.rounds)
    throw location.error('no rounds', 'the survey rounds and their months of fieldwork');
  if (source.role === 'survey_states') checkAreaResults(source, location);
  const isSurvey = source.role === 'survey_states' || source.role === 'survey_clusters';
  const hasTime = ['survey_year', 'period', 'month'].some((name) => columnNames(source).includes(name));
  if (isSurvey && !hasTime && (source.rounds ?? []).length > 1)
    throw location.error('several rounds and no column survey_year', 'that column');
  if (isSurvey && !columnNames(source).includes('method') && Object.keys(source.methods ?? {}).length !== 1)
    throw location.error('no column method', 'it, or one test in `methods`');
  if (source.files[0]!.join)
    throw location.error('join in the first of `files`', 'it in another: that one has the rows');
  if (source.role !== 'survey_clusters' && source.files.some(({ join }) => join))
    throw location.error('join', 'none: only the clusters of surveys have one');
  checkRoundsByMonth(source, location);
  const years = (source.rounds ?? []).map((round) => round.survey_year);
  const duplicate = years.find((year, i) => years.indexOf(year) !== i);
  if (duplicate) throw location.error(`the round ${duplicate} twice`, 'each round once');
  for (const [column, [smallest, largest]] of Object.entries(source.ranges ?? {}) as [string, [number, number]][]) {
    if (!columnNames(source).includes(column)) throw location.error(`a range of ${column}`, 'a column of `columns`');
    if (smallest > largest)
      throw location.error(`the range ${smallest} to ${largest} of ${column}`, 'the smaller value first');
  }
  for (const column of (source.leave_out ?? []).flatMap(({ where }) => Object.keys(where)))
    if (!columnNames(source).includes(column))
      throw location.at('leave_out').error(`the column ${column}`, `one of ${columnNames(source).join(', ')}`);
  if (source.classes_total !== undefined && !source.classes)
    throw location.error('classes_total', 'classes that sum to it');
  for (const [name, months] of [
    ['span', source.span],
    ['fieldwork', source.fieldwork],
    ...(source.rounds ?? []).map((round) => [`the round ${round.survey_year}`, round] as const),
  ] as const)
    if (months && months.first > months.last)
      throw location.error(`${name} from ${months.first} to ${months.last}`, 'the first month first');
}

/** Checks what a table of results by area needs beside them. */
function checkAreaResults(source: Source, location: InputLocation): void {
  const { fieldwork, rounds = [] } = source;
  const names = columnNames(source);
  if ((fieldwork === undefined) === (rounds.length === 0))
    throw location.error(fieldwork ? 'fieldwork and rounds' : 'no rounds', 'the rounds, or the fieldwork of one');
  const hasPrecision = ['low', 'interval', 'standard_error'].some((name) => names.includes(name));
  if (!hasPrecision && ['lga', 'lga_pcode'].some((name) => names.includes(name)))
    throw location.error('shares of areas of the lower level, and no number examined', EXPECTED_PRECISION);
}

/** Refuses rounds with a month in common if nothing but the month of a row tells to which of them it belongs. */
function checkRoundsByMonth({ role, columns = {}, rounds = [] }: Source, location: InputLocation): void {
  if (role !== 'survey_clusters' || columns.survey_year !== undefined) return;
  const sorted = rounds.toSorted((a, b) => (a.first < b.first ? -1 : 1));
  sorted.slice(1).forEach((round, i) => {
    const previous = sorted[i]!;
    if (round.first <= previous.last)
      throw location.error(
        `the rounds ${previous.survey_year} and ${round.survey_year} with months in common, and no column survey_year`,
        'rounds that the months of rows tell apart, or that column',
      );
  });
}

/** Refuses a dialect that has no effect on the source's files. */
function checkDialect(
  { role, format, columns = {}, sums = {} }: Source,
  { separator, title_rows, sheet, months, pivot, wide, tests }: Dialect,
  location: InputLocation,
): void {
  const dialectLocation = location.at('dialect');
  if (!isTable({ format })) throw dialectLocation.error(`the format ${format}`, 'a table: only tables have a dialect');
  if (separator !== undefined && format !== 'csv')
    throw dialectLocation.error('a separator', 'none: only CSV files have one');
  if (title_rows !== undefined && format !== 'csv' && format !== 'xlsx')
    throw dialectLocation.error('title_rows', 'none: only CSV files and workbooks have them');
  if (sheet !== undefined && format !== 'xlsx')
    throw dialectLocation.error('a sheet', 'none: only workbooks have them');
  const fileColumns = [...Object.values(columns), ...Object.values(sums).flat()];
  if (pivot && wide && wide.values !== pivot.values)
    throw dialectLocation.at('wide').error(`values ${wide.values}`, `${pivot.values}, the values of pivot`);
  // The values of figures that are rows get the names of the figures.
  const pivotColumns = pivot && (wide ? [pivot.months] : [pivot.months, pivot.values]);
  const missingColumn = pivotColumns?.find((name) => !fileColumns.includes(name));
  if (missingColumn !== undefined)
    throw dialectLocation.at('pivot').error(missingColumn, 'a name that `columns` refers to');
  if (tests && (role !== 'survey_clusters' || pivot || wide))
    throw dialectLocation.error('tests', 'none: only clusters of surveys have them, and neither pivot nor wide');
  const testColumns = Object.values(tests ?? {}).map((columns) => Object.keys(columns).sort().join(' and '));
  const unexpectedColumns = testColumns.find(
    (names) => names !== testColumns[0] || !/^examined and (positive|positivity)$/.test(names),
  );
  if (unexpectedColumns !== undefined)
    throw dialectLocation
      .at('tests')
      .error(unexpectedColumns, 'examined and positive, or examined and positivity, the same for each test');
  if (months !== undefined && !pivot && columns.period === undefined)
    throw dialectLocation.error(`months in the order ${months}`, 'a column of months');
}

/** Refuses a gap with a rule that its role does not have, or without a place: it would have no effect. */
function checkGap(source: Source, gap: Gap): void {
  const { id, role, format } = source;
  const location = sourceLocation(id).at('gaps');
  const isRaster = role === 'covariate' && format === 'geotiff';
  const rules =
    role === 'covariate' ? COVARIATE_GAP_RULES[isRaster ? 'raster' : 'table'] : (ROLE_GAP_RULES[role] ?? []);
  if (!rules.includes(gap.rule))
    throw location.error(
      `the rule ${gap.rule}`,
      rules.length ? `${rules.join(' or ')} for the role ${role}` : 'no gaps',
    );
  if (gap.rule === 'uncovered' && (gap.state_pcode === undefined || gap.area_km2 === undefined))
    throw location.error('`uncovered` without its place or size', 'state_pcode and area_km2');
  const needsPlace = ['null', 'neighbours', 'omit'].includes(gap.rule) || (gap.rule === 'value' && !isRaster);
  // Cells with this number are missing, whatever their place.
  const isFillValue = role === 'climate' && gap.value !== undefined;
  if (needsPlace && !isFillValue && gap.lga_pcode === undefined)
    throw location.error(`\`${gap.rule}\` without its place`, 'lga_pcode');
  if (isRaster && (gap.lga_pcode ?? gap.state_pcode) !== undefined)
    throw location.error(`\`${gap.rule}\` of a raster with a place`, 'one for all of its cells');
  if (gap.rule === 'nearest' && gap.km === undefined)
    throw location.error('`nearest` without `km`', 'how far it may reach');
  if (gap.rule === 'value' && gap.value === undefined) throw location.error('`value` without its value', 'its value');
  if (gap.first !== undefined && gap.last !== undefined && gap.first > gap.last)
    throw location.error(`${gap.first} to ${gap.last}`, 'the first month first');
}
