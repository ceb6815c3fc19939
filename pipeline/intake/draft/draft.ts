/** The catalog of a new country, drafted from its raw files. */

import path from 'node:path';
import { mayGiveScores } from '../../catalog/evidence.ts';
import type { Role } from '../../catalog/roles.ts';
import type { Source } from '../../catalog/sources.ts';
import { addMonths } from '../../contract/months.ts';
import type { TextTable } from '../../ingest/readers/csv.ts';
import { MAY_BE_CUT } from '../../ingest/readers/raw-table.ts';
import { BadInput } from '../../lib/bad-input.ts';
import { cellsByRow, filledCells, isUid, likeliestColumn } from '../columns.ts';
import {
  columnTotal,
  comparePeople,
  decidePeople,
  type PeopleComparison,
  peopleColumn,
  readPeopleByYear,
  tablesUnlikePeople,
} from './compare-people.ts';
import { attributeTable, type DraftAreas, draftAreas } from './draft-areas.ts';
import type { DraftEntry } from './draft-entry.ts';
import { type AreaCodes, areaLevel } from './draft-keys.ts';
import { describeRatios, isFarOff, type Ratio } from './draft-people.ts';
import { chooseRain } from './draft-rain.ts';
import { draftRasters, formatRounded, mayBePeople, yearInName } from './draft-rasters.ts';
import { withoutOtherAges } from './draft-survey.ts';
import { type DraftedTable, draftTables, type PeopleTable } from './draft-tables.ts';
import { levelWords } from './level-words.ts';
import { widenLongTable } from './long-form.ts';
import { limitAfterSurvey } from './parameters.ts';
import {
  type Answers,
  controlsFor,
  listQuestions,
  numbersQuestionId,
  peopleYearQuestion,
  type Question,
  UNKNOWN,
  USUAL_AGES,
} from './questions.ts';
import {
  type LeftOut,
  NOT_TABLE,
  type OutlineFile,
  type RasterFile,
  type RecognisedFile,
  type TableFile,
} from './recognise.ts';

/** Tables that can be held against an annual report. */
const CONTROLLED_ROLES: readonly Role[] = ['cases_lgas', 'cases_states', 'population_census'];

export interface DraftSource {
  entry: DraftEntry;
  files: Source['files'];
  format: Source['format'];
  /** What was guessed, and from what. */
  notes: string[];
}

export interface Draft {
  areas: DraftAreas;
  entries: DraftSource[];
  leftOut: LeftOut[];
  /** What is used although it may be wrong. */
  doubts: string[];
  questions: Question[];
}

/**
 * @param root directory that the file paths are relative to
 * @param now current time, ISO 8601; if no file carries a date, estimates end with the previous year
 * @param answers given so far, of which the outlines, the population raster and the numbers of tables change the draft;
 *   by default the population raster is the one that agrees best with the population table
 * @param folder name of the catalog's folder, which may be that of the country
 * @throws BadInput if there are no outlines, no area codes or no data on people
 */
export async function draftCountry(
  files: readonly RecognisedFile[],
  root: string,
  now: string,
  answers: Answers = {},
  folder = '',
): Promise<Draft> {
  const filesOfKind = <Kind extends RecognisedFile['kind']>(kind: Kind) =>
    files.filter((file) => file.kind === kind) as Extract<RecognisedFile, { kind: Kind }>[];
  const rawTables = filesOfKind('table');
  const areas = draftAreas(filesOfKind('outlines'), rawTables, answers.outlines);
  const codes: AreaCodes = { lgas: areaLevel(areas.lgas), states: areaLevel(areas.states) };
  const codeTable = areas.codes?.table ?? null;
  const readIds = (table: TableFile): TableFile => ({
    ...table,
    rows: table.rows.map(({ line, cells }) => ({
      line,
      cells: cells.map((cell) => areas.codeById.get(cell ?? '') ?? cell),
    })),
  });
  const labelTables = rawTables.filter(listsNames);
  const labels = new Map(
    labelTables.flatMap((table) => {
      const names = cellsByRow(table, table.header.find((column) => NAME_OF_ID.test(column))!);
      return cellsByRow(table, 'id').flatMap((id, row): [string, string][] => (names[row] ? [[id!, names[row]]] : []));
    }),
  );
  const tables = rawTables.flatMap((table) => {
    if (labelTables.includes(table)) return [];
    return table === codeTable ? table : widenLongTable(readIds(table), codes, labels);
  });
  const draftWith = (peopleAnswers: Answers, notPeople?: ReadonlyMap<TableFile, string>) =>
    draftTables(tables, codes, codeTable, { ...peopleAnswers, ...answers }, notPeople);
  const undecidedDraft = draftWith({});
  const peopleAnswers = await decidePeople(root, areas, filesOfKind('raster'), undecidedDraft);
  const firstDraft = Object.keys(peopleAnswers).length > 0 ? draftWith(peopleAnswers) : undecidedDraft;
  const comparison = await comparePeople(root, areas, filesOfKind('raster'), [
    ...firstDraft.peopleTables,
    ...firstDraft.statePeople,
  ]);
  const notPeople = tablesUnlikePeople(firstDraft.peopleTables, comparison);
  const { kept, leftOut, doubts, statePeople, unnamedNumbers, caseSums, tableQuestions } =
    notPeople.size > 0 ? draftWith(peopleAnswers, notPeople) : firstDraft;
  const ages = answeredAges(answers) ?? guessAges(kept);
  for (const draftedSource of kept)
    if (draftedSource.entry.rounds)
      draftedSource.entry = withoutOtherAges(draftedSource.entry, draftedSource.usedRows, ages);
  const census = kept.find(({ entry }) => entry.role === 'population_census');
  const ratios = (census && comparison.get(census.table)) ?? new Map<RasterFile, Ratio[]>();
  const recordYears = kept
    .filter(({ entry }) => /^(cases|survey)_/.test(entry.role))
    .flatMap(({ entry }) => [...(entry.span ? [entry.span] : []), ...(entry.rounds ?? [])])
    .map(({ last }) => Number(last.slice(0, 4)));
  const rasters = draftRasters(
    filesOfKind('raster'),
    ratios,
    answers.population ?? null,
    recordYears.length > 0 ? Math.max(...recordYears) : null,
  );
  const year = rasters.population[0] ? yearInName(rasters.population[0]) : null;
  const stateComparison = describeStatePeople(statePeople, comparison, rasters.population[0] ?? null);
  const countedPeople = census ? columnTotal(census, peopleColumn(census, year)) : null;
  const tableYear = census ? readPeopleByYear(census) : null;
  const yearQuestion = census && tableYear === UNKNOWN ? peopleYearQuestion(census.table.file) : null;
  const peopleYear = Number(yearQuestion ? answers[yearQuestion.id] : tableYear) || null;
  const rain = chooseRain(kept, rasters.drafted);
  const used = kept.filter((draftedSource) => draftedSource !== rain.unused);
  const entries: DraftSource[] = [
    ...areaEntries(areas),
    ...used.map(({ table, laterDeliveries, joinedFiles, entry, note }) => ({
      entry: CONTROLLED_ROLES.includes(entry.role) ? { ...entry, ...controlsFor(table.file, answers) } : entry,
      format: table.format,
      files: [
        ...[table, ...laterDeliveries]
          .flatMap((delivery) => [delivery.path, ...delivery.companions])
          .map((file) => ({ path: file, ...(peopleYear && entry === census?.entry ? { year: peopleYear } : {}) })),
        ...joinedFiles,
      ],
      notes: [describeForm(note, table)],
    })),
    ...rasters.drafted
      .filter((draftedSource) => draftedSource !== rain.unused)
      .map(({ rasters: chosen, entry }) => rasterEntry(chosen, entry, countedPeople, ratios.get(chosen[0]!) ?? null)),
  ];
  const surveyRows = used.reduce((sum, { entry, usedRows }) => sum + (entry.rounds ? usedRows.rows.length : 0), 0);
  const isChoice = rasters.population.length > 1 || answers.population !== undefined;
  const [onePeopleRaster, ...otherPeopleRasters] = filesOfKind('raster').filter(mayBePeople);
  const peopleRasterNames = [onePeopleRaster, ...otherPeopleRasters].map((raster) => raster?.file).join(' or ');
  if (!entries.some(({ entry }) => entry.role === 'population' || entry.role === 'population_census'))
    throw new BadInput({
      file: '--from',
      found: 'no population raster or table',
      expected:
        'a GeoTIFF of persons per cell, such as WorldPop’s, or at least a table of people with a row for each area (and year)' +
        (onePeopleRaster ? `; if ${peopleRasterNames} is of people, answer "population" with it` : '') +
        leftOut.flatMap(({ file, why, lost }) => (lost === 'people' ? [`; ${file}: ${why}`] : [])).join(''),
    });
  return {
    areas,
    entries,
    leftOut: [
      ...filesOfKind('left out').flatMap((file) => unlessConverted(file, tables)),
      ...areas.leftOut,
      ...labelTables.map(({ file }) => ({ kind: 'left out' as const, file, why: LABELS_ALONE, lost: null })),
      ...leftOut,
      ...stateComparison.leftOut,
      ...rasters.leftOut,
      ...rain.leftOut,
    ]
      .map((skipped) => ({ ...skipped, why: areas.incompleteTables.get(skipped.file) ?? skipped.why }))
      // A table that lacks a few areas has that one reason.
      .filter(({ file, why }, i, all) => all.findIndex((one) => one.file === file && one.why === why) === i)
      .sort((a, b) => (a.file < b.file ? -1 : 1)),
    doubts: [
      ...[areas.outlines, ...(areas.stateOutlines ? [areas.stateOutlines.outlines] : [])].flatMap(
        ({ file, dissolved = [], notDrawn }) => [
          ...(dissolved.length > 0
            ? [
                `${file}: ${dissolved.join(', ')} in several features of one code and name, which are taken for one area (dissolve)`,
              ]
            : []),
          ...(notDrawn.length > 0 ? [`${file}: left out of the areas: ${notDrawn.join(', ')}`] : []),
        ],
      ),
      ...areas.doubts,
      ...tables.flatMap(({ file, mayBeCut }) => (mayBeCut ? [`${file}: ${MAY_BE_CUT}`] : [])),
      ...doubts,
      ...stateComparison.doubts,
    ],
    questions: listQuestions({
      ...draftHints(areas, entries, surveyRows, [...filesOfKind('left out'), ...leftOut], now),
      ages,
      folder,
      columns: tables.flatMap(({ header }) => header),
      levels: levelWords(tables, codes),
      country: findCountryName([attributeTable(areas.outlines), ...tables]),
      outlines: areas.rivals,
      population: isChoice ? rasters.population.map(({ file }) => file) : [],
      countFiles: [
        ...new Set(used.flatMap(({ table, entry }) => (CONTROLLED_ROLES.includes(entry.role) ? [table.file] : []))),
      ],
      unnamedNumbers: unnamedNumbers.flatMap((numbers) => {
        const id = numbersQuestionId(numbers.file);
        const isUnused = leftOut.some(({ file, lost }) => file === numbers.file && lost !== null);
        const isAsked = numbers.isMonthly || isUnused || (peopleAnswers[id] ?? answers[id]) !== undefined;
        return isAsked ? [{ ...numbers, guess: peopleAnswers[id] ?? numbers.guess }] : [];
      }),
      caseSums,
      tableQuestions: yearQuestion ? [yearQuestion, ...tableQuestions] : tableQuestions,
    }),
  };
}

const LABELS_ALONE = 'names of ids, which are used for the ids in other files';

/** Whether a table has nothing but the names of ids, as DHIS2 gives them of data elements and category options. */
const listsNames = (table: TableFile): boolean =>
  table.header.includes('id') &&
  table.header.some((column) => NAME_OF_ID.test(column)) &&
  table.header.every((column) => NAME_OF_ID.test(column) || /^(id|code|shortName)$/.test(column)) &&
  filledCells(table, 'id').every(isUid);

const NAME_OF_ID = /^(name|displayName)$/;

const describeForm = (note: string, { dialect: { encoding, sheet } }: TableFile) =>
  [note, ...(encoding ? [`text in ${encoding}`] : []), ...(sheet === undefined ? [] : [`sheet ${sheet}`])].join(', ');

/** How a raster agrees with tables of people by area of the upper level, which are not used otherwise. */
function describeStatePeople(
  statePeople: readonly PeopleTable[],
  comparison: PeopleComparison,
  raster: RasterFile | null,
): { leftOut: LeftOut[]; doubts: string[] } {
  const compared = statePeople.map(({ table, entry }) => {
    const ratios = raster && comparison.get(table)?.get(raster);
    const column = `"${entry.columns!.people}"`;
    return { file: table.file, column, ratios, agreement: ratios && `${raster.file} has ${describeRatios(ratios)}` };
  });
  return {
    leftOut: compared.map(({ file, column, agreement }) => ({
      kind: 'left out',
      file,
      why: agreement
        ? `${column} is for the upper level, and only compared: ${agreement}`
        : `${column} is not used: it is given for the upper level only`,
      lost: agreement ? null : 'people',
    })),
    doubts: compared.flatMap(({ file, ratios, agreement }) =>
      ratios && isFarOff(ratios)
        ? [`${file}: ${agreement}; one of the two has other people, another unit or other areas`]
        : [],
    ),
  };
}

/**
 * Nothing is lost with a file that cannot be read if a table in a path of its name can. It is not even listed if that
 * is what the command for it writes: a CSV beside it, or a folder of them.
 */
function unlessConverted(skipped: LeftOut, tables: readonly TableFile[]): LeftOut[] {
  const { dir, name } = path.parse(skipped.file);
  const stem = path.join(dir, name);
  const isConverted = ({ file }: TableFile) => file === `${stem}.csv` || file.startsWith(`${stem}_tables${path.sep}`);
  if (!NOT_TABLE.test(skipped.file) && tables.some(isConverted)) return [];
  return [tables.some(({ file }) => file.includes(name)) ? { ...skipped, lost: null } : skipped];
}

/**
 * The country's name: the only one, not a code, in the first column of countries; null if there is none, or several.
 */
function findCountryName(tables: readonly TextTable[]): string | null {
  const [names = []] = tables.flatMap((table) => {
    const column = likeliestColumn(table.header, 'country');
    return column === null
      ? []
      : [[...new Set(filledCells(table, column).filter((cell) => !/^[A-Z]{2,3}$/.test(cell)))]];
  });
  return names.length === 1 ? names[0]! : null;
}

function areaEntries({ outlines, columns, codes, stateOutlines, recode }: DraftAreas): DraftSource[] {
  const outlineEntry = (
    file: OutlineFile,
    role: 'lga_boundaries' | 'state_boundaries',
    fields: Record<string, string>,
    note: string,
  ): DraftSource => ({
    entry: {
      role,
      unit: 'degrees',
      columns: fields,
      ...(role === 'lga_boundaries' && recode ? { recode } : {}),
      ...(file.dissolved ? { dissolve: true as const } : {}),
    },
    format: file.format,
    files: [file.file, ...file.companions].map((name) => ({ path: name })),
    notes: [note],
  });
  const reason = `The lower level, with ${outlines.features.length} outlines`;
  return [
    outlineEntry(outlines, 'lga_boundaries', columns, reason),
    ...(codes
      ? [
          {
            entry: { role: 'lga_codes' as const, unit: 'codes', columns: codes.columns },
            format: codes.table.format,
            files: [codes.table.path, ...codes.table.companions].map((file) => ({ path: file })),
            notes: ['Joined to the outlines by name'],
          },
        ]
      : []),
    ...(stateOutlines
      ? [outlineEntry(stateOutlines.outlines, 'state_boundaries', stateOutlines.columns, 'The upper level')]
      : []),
  ];
}

function rasterEntry(
  rasters: readonly RasterFile[],
  entry: DraftEntry,
  countedPeople: number | null,
  ratios: readonly Ratio[] | null,
): DraftSource {
  const total = formatRounded(rasters[0]!.sum);
  const note =
    entry.role === 'population'
      ? `${total} people in total${countedPeople === null ? '' : ` (population table: ${formatRounded(countedPeople)})`}${ratios ? `; ${describeRatios(ratios)}` : ''}`
      : 'Recognised by its name and values';
  return {
    entry,
    format: 'geotiff',
    notes: [
      entry.nodata === undefined
        ? note
        : `${note}; cells of ${entry.nodata}, which the file does not declare as missing, are read as missing (nodata)`,
    ],
    files: rasters.map((raster) => ({
      path: raster.file,
      ...(entry.role === 'climate' ? { period: raster.period! } : {}),
      ...(entry.role === 'population' && yearInName(raster) !== null ? { year: yearInName(raster)! } : {}),
    })),
  };
}

function draftHints(
  areas: DraftAreas,
  entries: readonly DraftSource[],
  surveyRows: number,
  leftOut: readonly LeftOut[],
  now: string,
) {
  const usedNote = leftOut.some(({ lost }) => lost === 'cases') ? ' that are used' : '';
  const rounds = mayGiveScores(surveyRows, areas.lgas.length) ? entries.flatMap(({ entry }) => entry.rounds ?? []) : [];
  const spans = entries.flatMap(({ entry }) => (/^cases_/.test(entry.role) && entry.span ? [entry.span] : []));
  const [survey, cases] = [rounds, spans].map((periods) =>
    periods
      .map(({ last }) => last)
      .sort()
      .at(-1),
  );
  const { months } = limitAfterSurvey(cases !== undefined);
  const limits: [latest: string, reason: string][] = [];
  if (cases)
    limits.push([cases, `the case records${usedNote} end there${survey ? `, the surveys with ${survey}` : ''}`]);
  if (survey) limits.push([addMonths(survey, months), `${months} months after the last survey, ${survey}`]);
  const [latest, latestReason] = limits.toSorted(([a], [b]) => (a < b ? -1 : 1))[0] ?? [
    `${Number(now.slice(0, 4)) - 1}-12`,
    'no file carries a date',
  ];
  // Without case records whole years, since without rain either the model estimates no others.
  const last = cases !== undefined || latest.endsWith('-12') ? latest : `${Number(latest.slice(0, 4)) - 1}-12`;
  const first = `${rounds.map(({ survey_year }) => survey_year).sort((a, b) => a - b)[0] ?? Number(last.slice(0, 4)) - 2}-01`;
  return { codes: areas.lgas.map(({ code }) => code), first, last, latest, latestReason };
}

const answeredAges = ({ ages_months }: Answers): [number, number] | null =>
  ages_months ? (ages_months.split('-').map(Number) as [number, number]) : null;

/** 6 to 59 months, unless the surveys include much older children. */
function guessAges(kept: readonly DraftedTable[]): readonly [number, number] {
  const years = (name: 'youngest_years' | 'oldest_years') =>
    kept
      .flatMap(({ usedRows, entry }) => {
        const column = entry.columns?.[name];
        return column === undefined ? [] : filledCells(usedRows, column).map(Number);
      })
      .sort((a, b) => a - b);
  const oldest = years('oldest_years');
  const median = oldest[Math.floor(oldest.length / 2)];
  return median !== undefined && median > 5.2
    ? [Math.round(12 * (years('youngest_years')[0] ?? 0)), Math.round(12 * median)]
    : USUAL_AGES;
}
