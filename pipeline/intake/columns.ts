/** Columns of tables, recognised by their usual names and by their content. */
import { METHODS } from '../catalog/shared-schemas.ts';
import type { TextTable } from '../ingest/readers/csv.ts';
import { plainName } from '../lib/name-similarity.ts';

/**
 * Usual names of each column, the likeliest first, separated by blanks: in lower case, without punctuation and
 * `FILLER_WORDS`.
 */
const COLUMN_ALIASES = {
  survey_year: 'surveyyear yearstart dhsyear year anneeenquete annee an ano yy interviewyear hv007 v007',
  survey_name: 'survey surveyname surveyid enquete nomenquete inquerito encuesta round study',
  // The year of the month: a survey that is named by the year in which it began may end in the next.
  year: 'yearstart interviewyear intyear hv007 v007 year annee an ano yy surveyyear anneeenquete dhsyear',
  month: 'monthstart month surveymonth interviewmonth intmonth moisenquete mois mes mm hv006 v006',
  period: `
    period periode periodo timeperiod pe periodid periodcode periodname yearmonth yearmon month date
    interviewdate dateinterview surveydate datesurvey visitdate datevisit
    dateenquete datevisite datainquerito dataentrevista fechaencuesta
    fechaentrevista`,
  facility: `
    facilityid facilitycode healthfacilityid facility facilityname healthfacility
    healthfacilityname hf hfid hfcode hfname formationsanitaire fosa
    unidadesanitaria establecimiento organisationunitid organisationunitname organisationunit
    orgunit ou`,
  closed: 'closeddate dateclosed closingdate closuredate datefermeture datedefermeture',
  cluster_id: `
    clusterid dhsid dhsclust cluster clusternumber clusterno grappe grappeid
    idgrappe aglomerado conglomerado ea eaid eacode eanumber enumerationarea psu zd
    siteid hv001 v001 id`,
  longitude: 'longitude longnum lon long lng',
  latitude: 'latitude latnum lat',
  urban: `
    ruralurban urbanrural urbanrura urban milieu milieuresidence residence
    residencetype typeresidence area residencia arearesidencia hv025 v025`,
  youngest_years: 'lowerage loage agemin minage min',
  oldest_years: 'upperage upage agemax maxage max',
  method: 'method diagnosticmethod methode metodo test diagnostic',
  examined: `
    examined tested nexamined ntested examines testes examinados examinees testees
    testados testadas examinadas read lues lidas ex n`,
  positive: 'positive pfpos npositive npos positives pos positifs positivos positif positivas pf',
  positivity: 'pfpr positivity prevalence prevalencia prev pr share',
  weight: 'weight samplingweight hv005 v005 poids ponderation ponderacao peso',
  confirmed: `
    confirmed confirmedcases casesconfirmed confirmedmalariacases
    malariaconfirmedcases malariacasesconfirmed diseasecases malariacases
    malariaconfirmed confirmedmalaria conf casconfirmes casosconfirmados cases cas
    casos value`,
  rain_mm: `
    rainmm rain rainfall precipitation precipitations precip prec pluie pluies
    pluviometrie chuva precipitacao lluvia precipitacion mm`,
  temperature_c: 'temperaturec temperature temp tmean meantemperature meantemp',
  people: `
    people ttl totalpopulation population populationtotale populacao populacaototal
    poblacion poblaciontotal habitants habitantes poptot total pop`,
  children_0_4: 'children04 t0004 t04 under5 under5years population04 population04ans u5',
  country: 'adm0en adm0 adm0name adm0fr adm0pt admin0name countryname country pays pais name0',
  lga: `
    adm2en adm2 adm2name adm2fr adm2pt adm2es admin2name shapename lganame lga
    districtname district distrito zonedesante zonesanitaire cercle municipio name2 name ouname`,
  lga_pcode: `
    adm2pcode admin2pcode adm2code lgapcode lgacode districtcode codedistrict codigodistrito gid2 pcode code
    organisationunitcode orgunit uid id shapeid`,
  state: `
    adm1en adm1 adm1name adm1fr adm1pt adm1es admin1name statename state region
    province provincia regiao name1 parentname`,
  state_pcode: `
    adm1pcode admin1pcode adm1code statepcode statecode regioncode gid1 dep parentid
    parentcode parent parentgraph adm1id admin1id regionid`,
  itn_use: 'itnuse netuse',
  itn_access: 'itnaccess netaccess',
  irs_coverage: 'irscoverage irs',
  effective_treatment: 'effectivetreatment',
  travel_minutes_to_care: 'travelminutestocare',
};
export type ColumnName = keyof typeof COLUMN_ALIASES;

export const columnAliases = (name: ColumnName): string[] => COLUMN_ALIASES[name].trim().split(/\s+/);

const plainNameWithoutYear = (name: string) => plainName(name).replace(/(19|20)\d\d$/, '');

/** Words that add nothing to a column's name: `number_examined`, `pluie_mm`, `Utilisation des MILDA`. */
const FILLER_WORDS =
  /(?<![\p{L}\p{N}])(number|num|nb|nbre|n|nombre|numero|of|de|des|du|aux|mm|palu|paludisme)(?![\p{L}\p{N}])/giu;

const NET_WORDS = /\b(itns?|llins?|nets?|mosquito|milda|mii|mtild|mosquiteiros?|mosquiteros?|moustiquaires?|redes?)\b/;
/**
 * Figures whose names may be sentences: `Children under 5 who slept under an ITN last night (%)` matches all patterns.
 */
const SENTENCE_WORDS: Partial<Record<ColumnName, readonly RegExp[]>> = {
  itn_use: [NET_WORDS, /\b(use|used|utilisation|uso|slept|dormi\w*|durm\w+)\b/],
  itn_access: [NET_WORDS, /\b(access|acces|acceso|acesso)\b/],
};

/**
 * The file's columns that may be the project's column `name`, the likeliest first. A year at the end (`T_TL_2015`) and
 * `FILLER_WORDS` are ignored.
 */
export function candidateColumns(header: readonly string[], name: ColumnName): string[] {
  const columns = header.map((column) => ({
    column,
    plain: plainName(column),
    withoutYear: plainNameWithoutYear(column),
  }));
  const requiredWords = SENTENCE_WORDS[name] ?? [];
  const bySentence = header.filter(
    (column) => requiredWords.length > 0 && requiredWords.every((word) => word.test(nameAsWords(column))),
  );
  const byAlias = columnAliases(name).flatMap((alias) => {
    const exact = columns.filter(({ plain }) => plain === alias);
    // The latest year first.
    const dated = columns.filter(({ plain, withoutYear }) => plain !== alias && withoutYear === alias);
    const withFillers = columns.filter(
      ({ column, withoutYear }) => withoutYear !== alias && plainName(column.replaceAll(FILLER_WORDS, '')) === alias,
    );
    return [...exact, ...dated.sort((a, b) => (a.plain > b.plain ? -1 : 1)), ...withFillers].map(
      ({ column }) => column,
    );
  });
  return [...byAlias, ...bySentence.filter((column) => !byAlias.includes(column))];
}

/** The column of reporting rates, which DHIS2 calls `DATASET.REPORTING_RATE` or `Data set - Reporting rate`. */
export const reportingRateColumn = (header: readonly string[]): string | null =>
  header.find((name) =>
    /(^|[.\s-])(reporting[ _]?rate|taxa de reporte|taux de (rapportage|compl[ée]tude))( \(%\))?$/i.test(name),
  ) ?? null;

/** The likeliest of the candidate columns; null if there is none. */
export const likeliestColumn = (header: readonly string[], name: ColumnName): string | null =>
  candidateColumns(header, name)[0] ?? null;

/** Words in names of columns of tests and their results, in lower case without accents. */
export const TEST_WORDS = {
  rdt: /\b(m?rdts?|tdrs?|trds?|rapid\w*|rapides?)\b/,
  microscopy:
    /\b(ge|bs|htz|hematozoarios?|laminas?|slides?|smears?|films?|lames?|mic|micro(scop\w+)?|goutte( epaisse)?|gota( gruesa| espessa)?)\b/,
  positive: /\b(pos|positi[fv](s|es?|os?|as?)?)\b/,
  confirmed: /\b(conf|confirm\w+)\b/,
  tested: /\b(test(ed|e|es|ee|ees|ados?|adas?)|exam(ined|ine|ines|inee|inees|inados?|inadas?))\b/,
  /** Shares, and those of the cases that were treated. */
  share: /%|\b(taux|tx|rate|taxa|tasa|share|prop\w*|tra[it]\w+|treat\w*)\b/,
};

/** A column's name as words in lower case without accents; a capital may begin a word, as in `RDTpositive`. */
export const nameAsWords = (column: string) =>
  column
    .normalize('NFD')
    .replaceAll(/\p{M}/gu, '')
    .replaceAll(/(?<=\p{Ll})(?=\p{Lu})|(?<=\p{Lu}{2})(?=\p{Ll}{3})/gu, ' ')
    .toLowerCase()
    .replaceAll('_', ' ');
/** A text in lower case, without accents and punctuation. */
export const bareWords = (text: string) => nameAsWords(text).replaceAll(/[^a-z0-9]+/g, ' ');
/** The methods of diagnosis that a text names. */
export const testsNamed = (text: string) => METHODS.filter((method) => TEST_WORDS[method].test(bareWords(text)));

/** The columns of a survey's table about one test. */
export interface TestColumns {
  method: 'microscopy' | 'rdt';
  examined: string;
  positive?: string;
  positivity?: string;
}

/** Who was tested, in names of columns of tests: children, and ages such as `6-59 mois`. */
const TESTED_PEOPLE =
  /\b(children|enfants|criancas|ninos|u5|\d+ ?(-|to|a)? ?\d+ ?(m|mo|months?|mois|meses|y|yrs?|years?|ans|anos))\b/g;

/**
 * The columns of people examined and positive by each test, if each test has its own: `rdt_n`, `n_mic`,
 * `tdr_positifs`. For a test without its own number examined, the number for all tests is used.
 */
export function testColumnsIn(header: readonly string[]): TestColumns[] {
  const named = header.map((column) => ({ column, name: nameAsWords(column) }));
  const columnsOfMethod = (method: TestColumns['method'] | null) => {
    // A column `n` for all tests may number the rows.
    const matching = named.filter(({ name }) =>
      method ? String(testsNamed(name)) === method : testsNamed(name).length === 0 && name !== 'n',
    );
    const columnByBareName = new Map(
      matching.map(({ column, name }) => [
        name.replace(method ? TEST_WORDS[method] : '', '').replaceAll(TESTED_PEOPLE, ''),
        column,
      ]),
    );
    const matched = likeliestColumns([...columnByBareName.keys()], ['examined', 'positive', 'positivity']);
    return Object.fromEntries(Object.entries(matched).map(([name, column]) => [name, columnByBareName.get(column)!]));
  };
  const ofAllTests = columnsOfMethod(null);
  const tests = (['microscopy', 'rdt'] as const).flatMap((method) => {
    const { examined = ofAllTests.examined, positive, positivity } = columnsOfMethod(method);
    return examined && (positive ?? positivity) ? [{ method, examined, positive, positivity }] : [];
  });
  // Numbers for one test and shares for another cannot be in one column.
  const result = (['positive', 'positivity'] as const).find((name) => tests.every((test) => test[name] !== undefined));
  return result ? tests.map(({ method, examined, [result]: column }) => ({ method, examined, [result]: column! })) : [];
}

/** Subjects that the service reads, and the words that suggest them in names of files and columns. */
const SUBJECTS: Readonly<Record<string, RegExp>> = {
  'survey results': /examined|positiv|prevalence|pfpr|_mis[._]|_dhs[._]/i,
  cases: /(?<!\p{L})(cases?|cas|casos|conf)(?!\p{L})|confirmed|confirm[ée]s|malaria|paludisme/iu,
  climate: /rain|precip|chirps|temperature|pluie|chuva|lluvia/i,
  people: /popula|poblaci|people|census|recensement|habitant/i,
};

/**
 * The subject that names of files and columns suggest, such as cases; null if the service reads nothing of the kind.
 */
export const guessSubject = (names: readonly string[]): string | null =>
  Object.keys(SUBJECTS).find((subject) => names.some((name) => SUBJECTS[subject]!.test(name))) ?? null;

/** The columns of the same figure as `column` by the years at the end of their names. */
export function columnsByYear(header: readonly string[], column: string): Map<number, string> {
  const figure = plainNameWithoutYear(column);
  return new Map(
    header.flatMap((name) => {
      const [year] = /(?:19|20)\d\d$/.exec(plainName(name)) ?? [];
      return year !== undefined && plainNameWithoutYear(name) === figure ? [[Number(year), name]] : [];
    }),
  );
}

/** For each of `names`, the likeliest of the file's columns; names without a candidate are left out. */
export function likeliestColumns(
  header: readonly string[],
  names: readonly ColumnName[],
): Partial<Record<ColumnName, string>> {
  return Object.fromEntries(
    names.flatMap((name) => {
      const column = likeliestColumn(header, name);
      return column === null ? [] : [[name, column]];
    }),
  );
}

/** Whether a text is an id as DHIS2 makes them. */
export const isUid = (text: string): boolean => /^[A-Za-z][A-Za-z0-9]{10}$/.test(text) && /\d|[a-z][A-Z]/.test(text);

/** The cells of a column by row; null for an empty one. */
export function cellsByRow({ header, rows }: TextTable, column: string): (string | null)[] {
  const index = header.indexOf(column);
  return rows.map(({ cells }) => cells[index] ?? null);
}

/** The non-empty cells of a column. */
export const filledCells = (table: TextTable, column: string): string[] =>
  cellsByRow(table, column).filter((cell) => cell !== null);

/** The numbers of a column by row; NaN for an empty cell. */
export const numbersByRow = (table: TextTable, column: string): number[] =>
  cellsByRow(table, column).map((cell) => (cell === null ? Number.NaN : Number(cell)));

/** The sum of some columns by row, in which an empty cell is 0. */
export function sumsByRow(table: TextTable, columns: readonly string[]): number[] {
  const numbers = columns.map((column) => numbersByRow(table, column));
  return table.rows.map((_, row) => numbers.reduce((sum, { [row]: number }) => sum + (number || 0), 0));
}

/** How many different rows some columns have. */
export function countDistinct(table: TextTable, columns: readonly string[]): number {
  const cells = columns.map((column) => cellsByRow(table, column));
  return new Set(table.rows.map((_, row) => JSON.stringify(cells.map((column) => column[row])))).size;
}

/**
 * The column with the largest share of matching cells, if that is at least two thirds; else null. Of shares alike, it is
 * that of the most exact matches.
 */
export function bestMatchingColumn(
  table: TextTable,
  makeMatcher: (cells: ReadonlySet<string>) => (cell: string) => boolean,
  isExact: (cell: string) => boolean = () => false,
): string | null {
  const shares = table.header.map((column) => {
    const cells = filledCells(table, column);
    const distinct = new Set(cells);
    const matching = new Set([...distinct].filter(makeMatcher(distinct)));
    return {
      column,
      share: cells.length === 0 ? 0 : cells.filter((cell) => matching.has(cell)).length / table.rows.length,
      exact: cells.filter(isExact).length,
    };
  });
  const tenths = ({ share }: (typeof shares)[number]) => Math.round(10 * share);
  const [best] = shares.sort((a, b) => tenths(b) - tenths(a) || b.exact - a.exact || b.share - a.share);
  return best && best.share >= 2 / 3 ? best.column : null;
}
