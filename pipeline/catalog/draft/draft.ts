/** The catalog of a new country, drafted from its raw files. */
import path from 'node:path';
import { BadInput } from '../../bad-input.ts';
import { addMonths } from '../../contract/months.ts';
import { ANY_CODE } from '../../contract/territory.ts';
import { UsageError } from '../../errors.ts';
import type { Model } from '../model.ts';
import { isTable, ROLES } from '../roles.ts';
import type { Source } from '../sources.ts';
import { measureSource } from '../update/measure.ts';
import { OPEN } from '../values.ts';
import { type DraftAreas, draftAreas, formOfCodes } from './areas.ts';
import { cellsOf, columnOfYear } from './columns.ts';
import type { LeftOut, Look, Outlines, Picture, Tabular } from './look.ts';
import { parametersOf } from './parameters.ts';
import { type Ratio, ratiosByArea, ratiosInWords } from './people.ts';
import { type Answers, type Question, questionsOf, refuseAnswer } from './questions.ts';
import { draftRasters, peopleAmong, short, yearOf } from './rasters.ts';
import { type Codes, type Drafted, draftTable } from './tables.ts';

interface Entry {
  entry: Drafted;
  files: { path: string; period?: string }[];
  format: Source['format'];
  /** What was guessed, and by what. */
  notes: string[];
}

export interface Draft {
  areas: DraftAreas;
  entries: Entry[];
  leftOut: LeftOut[];
  questions: Question[];
}

/** Months after the last survey that are estimated, unless case records end sooner. */
const AFTER_SURVEY = 12;
/** Tables that the same places and times may come in twice: the one with more columns that are known comes first. */
const ONCE: readonly Drafted['role'][] = ['population_census', 'climate', 'cases_states', 'cases_lgas'];

/**
 * @param root where the files lie
 * @param now when, ISO 8601: what nothing dates ends with the year before
 * @param population the raster of people that was asked for; null: the one that agrees best with the table of people
 * @throws BadInput where the outlines, or codes for them, are missing
 */
export async function draftCountry(
  looks: readonly Look[],
  root: string,
  now: string,
  population: string | null = null,
): Promise<Draft> {
  const of = <Kind extends Look['kind']>(kind: Kind) =>
    looks.filter((one) => one.kind === kind) as Extract<Look, { kind: Kind }>[];
  const tables = of('table');
  const areas = draftAreas(of('outlines'), tables);
  const codes: Codes = {
    lgas: new Set(areas.lgas.map(({ code }) => code)),
    states: new Set(areas.upper.map(({ code }) => code)),
  };
  const { kept, leftOut } = draftTables(tables, codes, areas.codes?.table ?? null);
  const census = kept.find(({ entry }) => entry.role === 'population_census');
  const columnIn = (year: number | null) => {
    const { people } = census!.entry.columns!;
    return year === null ? people! : columnOfYear(census!.table.header, people!, year);
  };
  const counted = (year: number | null) => sum(cellsOf(census!.table, columnIn(year)));
  const ratios = new Map<Picture, Ratio[]>();
  if (census)
    for (const one of peopleAmong(of('raster'))) {
      const counts = peopleByArea(areas, census, columnIn(yearOf(one)));
      const own = await ratiosByArea(root, one.file, areas.outlines, counts);
      if (own.length > 0) ratios.set(one, own);
    }
  const rasters = draftRasters(of('raster'), ratios, population);
  const year = rasters.people[0] ? yearOf(rasters.people[0]) : null;
  // People are compared with the raster, so of the same year.
  if (census) census.entry.columns!.people = columnIn(year);
  const entries: Entry[] = [
    ...entriesOfAreas(areas),
    ...kept.map(({ table, entry }) => ({
      ...{ entry, format: table.format, files: [table.file, ...table.siblings].map((file) => ({ path: file })) },
      notes: ['Columns by their names'],
    })),
    ...rasters.drafted
      .filter(({ entry }) => entry.role !== 'climate' || !kept.some((one) => one.entry.role === 'climate'))
      .map(({ pictures, entry }) =>
        entryOfRaster(pictures, entry, census ? counted(year) : null, ratios.get(pictures[0]!) ?? null),
      ),
  ];
  if (!entries.some(({ entry }) => entry.role === 'population'))
    throw new BadInput('--from', '', 'no raster of people', 'a GeoTIFF of persons per cell, such as WorldPop’s');
  return {
    ...{ areas, entries },
    leftOut: [...of('left out'), ...areas.leftOut, ...leftOut, ...rasters.leftOut]
      .map((one) => ({ ...one, why: areas.lacking.get(one.file) ?? one.why }))
      .sort((a, b) => (a.file < b.file ? -1 : 1)),
    questions: questionsOf({ ...hintsOf(areas, entries, kept, now), people: rasters.people.map(({ file }) => file) }),
  };
}

/** Names of the areas in the order of their outlines, and their people by the table. */
function peopleByArea({ outlines, columns, lgas, recode }: DraftAreas, { table, entry }: Kept, column: string) {
  const at = (name: string) => table.header.indexOf(name);
  const [code, people] = [at(entry.columns!.lga_pcode!), at(column)];
  const byCode = new Map(table.rows.map(({ cells }) => [cells[code], Number(cells[people])]));
  const codes = new Map(lgas.map((lga) => [lga.name, lga.code]));
  return outlines.features.map(({ properties }) => {
    const name = String(properties[columns.lga!]);
    const own = columns.lga_pcode ? String(properties[columns.lga_pcode]) : codes.get(recode?.lga?.[name] ?? name);
    return { name, people: byCode.get(own ?? '') || null };
  });
}

const sum = (cells: readonly string[]) => cells.reduce((total, cell) => total + Number(cell), 0);

interface Kept {
  table: Tabular;
  entry: Drafted;
}

/**
 * A role, or a survey's round, once; of two tables the one that more is known of.
 * @param ofCodes the table that gives the areas their codes: it may tell their people as well
 */
function draftTables(
  tables: readonly Tabular[],
  codes: Codes,
  ofCodes: Tabular | null,
): { kept: Kept[]; leftOut: LeftOut[] } {
  const leftOut: LeftOut[] = [];
  const found = tables.flatMap((table): Kept[] => {
    const entry = draftTable(table, codes);
    if (table === ofCodes && (typeof entry === 'string' || entry.role !== 'population_census')) return [];
    if (typeof entry !== 'string') return [{ table, entry }];
    leftOut.push({ kind: 'left out', file: table.file, why: entry });
    return [];
  });
  const known = ({ entry }: Kept) => Object.keys(entry.columns ?? {}).length;
  const kept: Kept[] = [];
  for (const one of found.toSorted((a, b) => known(b) - known(a))) {
    const { role, figure, rounds } = one.entry;
    const before = kept.find(
      ({ entry }) =>
        entry.role === role &&
        (ONCE.includes(role) ||
          (figure !== undefined && entry.figure === figure) ||
          rounds?.some(({ survey_year }) => entry.rounds?.some((round) => round.survey_year === survey_year))),
    );
    const more = before ? one.table.rows.length - before.table.rows.length : 0;
    const besides = more > 0 ? `, and ${more} rows more` : '';
    if (before)
      leftOut.push({
        ...{ kind: 'left out', file: one.table.file },
        why: `has the ${role === 'survey_clusters' ? 'rounds' : 'figures'} of ${before.table.file}${besides}`,
      });
    else kept.push(one);
  }
  return { kept: kept.sort((a, b) => (a.table.file < b.table.file ? -1 : 1)), leftOut };
}

function entriesOfAreas({ outlines, columns, codes, states, recode }: DraftAreas): Entry[] {
  const ofOutlines = (
    one: Outlines,
    role: 'lga_boundaries' | 'state_boundaries',
    own: Record<string, string>,
    notes: string[],
  ): Entry => ({
    entry: { ...{ role, unit: 'degrees', columns: own }, ...(role === 'lga_boundaries' && recode ? { recode } : {}) },
    ...{ format: one.format, files: [one.file, ...one.siblings].map((file) => ({ path: file })), notes },
  });
  const counted = `The lower level, as it has the most outlines, ${outlines.features.length}`;
  return [
    ofOutlines(outlines, 'lga_boundaries', columns, [counted]),
    ...(codes
      ? [
          {
            entry: { role: 'lga_codes' as const, unit: 'codes', columns: codes.columns },
            ...{
              format: codes.table.format,
              files: [codes.table.file, ...codes.table.siblings].map((file) => ({ path: file })),
            },
            notes: ['Joined to the outlines by name'],
          },
        ]
      : []),
    ...(states ? [ofOutlines(states.outlines, 'state_boundaries', states.columns, ['The upper level'])] : []),
  ];
}

function entryOfRaster(
  pictures: readonly Picture[],
  entry: Drafted,
  census: number | null,
  ratios: readonly Ratio[] | null,
): Entry {
  const total = short(pictures[0]!.sum);
  const told =
    entry.role === 'population'
      ? `${total} people together${census === null ? '' : `, the table of people ${short(census)}`}${ratios ? `; ${ratiosInWords(ratios)}` : ''}`
      : 'By its name and its values';
  return {
    ...{ entry, format: 'geotiff', notes: [told] },
    files: pictures.map(({ file, period }) => ({
      path: file,
      ...(entry.role === 'climate' ? { period: period! } : {}),
    })),
  };
}

function hintsOf(areas: DraftAreas, entries: readonly Entry[], kept: readonly Kept[], now: string) {
  const rounds = entries.flatMap(({ entry }) => entry.rounds ?? []);
  const spans = entries.flatMap(({ entry }) => (/^cases_/.test(entry.role) && entry.span ? [entry.span] : []));
  const ends = rounds.map(({ last }) => last).sort();
  const survey = ends.length > 0 ? addMonths(ends.at(-1)!, AFTER_SURVEY) : null;
  const cases = spans
    .map(({ last }) => last)
    .sort()
    .at(-1);
  // Whole years: without rain they are estimated so.
  const most = [survey, cases].filter((one) => one != null).sort()[0] ?? `${Number(now.slice(0, 4)) - 1}-12`;
  const last = most.endsWith('-12') ? most : `${Number(most.slice(0, 4)) - 1}-12`;
  const first = `${rounds.map(({ survey_year }) => survey_year).sort((a, b) => a - b)[0] ?? Number(last.slice(0, 4)) - 2}-01`;
  return { ...{ codes: areas.lgas.map(({ code }) => code), first, last, most }, ages: agesOf(kept) };
}

/** 6 to 59 months, unless surveys tell ages far from them. */
function agesOf(kept: readonly Kept[]): [number, number] {
  const years = (name: 'youngest_years' | 'oldest_years') =>
    kept
      .flatMap(({ table, entry }) => {
        const column = entry.columns?.[name];
        return column === undefined ? [] : cellsOf(table, column).map(Number);
      })
      .sort((a, b) => a - b);
  const oldest = years('oldest_years');
  const middle = oldest[Math.floor(oldest.length / 2)];
  return middle !== undefined && middle > 5.2
    ? [Math.round(12 * (years('youngest_years')[0] ?? 0)), Math.round(12 * middle)]
    : [6, 59];
}

/** The answers to all questions: those given, else guessed. @throws BadInput for one of another form, or none where nothing is guessed */
export function answersTo(questions: readonly Question[], given: Answers): { answers: Answers; guessed: Question[] } {
  const unknown = Object.keys(given).find((id) => !questions.some((one) => one.id === id));
  if (unknown)
    throw new BadInput('answers', unknown, 'no such question', `one of ${questions.map(({ id }) => id).join(', ')}`);
  const guessed = questions.filter(({ id }) => given[id] === undefined);
  const entries = questions.map((question) => {
    const answer = given[question.id] ?? question.guess;
    if (answer === null) throw new BadInput('answers', question.id, 'no answer and nothing to guess by', question.asks);
    const wrong = refuseAnswer(question, answer);
    if (wrong) throw new UsageError(`answers, ${wrong}`);
    return [question.id, answer];
  });
  return { answers: Object.fromEntries(entries), guessed };
}

/** The two files of the catalog. @param now when, ISO 8601 */
export async function writeDraft(
  { areas, entries }: Draft,
  answers: Answers,
  root: string,
  now: string,
): Promise<{ sources: Source[]; model: Model }> {
  const model = modelOf(areas, entries, answers, now);
  const sources: Source[] = [];
  for (const { entry, format, files, notes } of entries) {
    const { role, unit, columns, ...more } = entry;
    const name = entry.figure ?? role;
    const again = sources.filter(({ id }) => id === name || id.startsWith(`${name}_`)).length;
    const source = {
      ...{ id: again > 0 ? `${name}_${again + 1}` : name, role },
      title: path.basename(files[0]!.path),
      ...{ producer: OPEN, citation: OPEN, licence: OPEN, release: OPEN, format },
      ...(isTable({ format }) ? {} : { crs: 'EPSG:4326' as const }),
      ...{ unit, ...(columns ? { columns } : {}), ...more },
      files: files.map((file) => ({ ...file, ...(isTable({ format }) ? { rows: 1 } : {}) })),
      notes: [`Drafted by new-country: ${ROLES[role].what}`, ...notes],
    } as Source;
    // Only the table itself has rows.
    source.files = source.files.map((file, i) => {
      const { rows: _, ...rest } = file;
      return i === 0 ? file : rest;
    });
    sources.push(await measureSource(source, root, model.states));
  }
  return { sources, model };
}

function modelOf(areas: DraftAreas, entries: readonly Entry[], answers: Answers, now: string): Model {
  const a = (id: string) => answers[id]!;
  const codes = areas.lgas.map(({ code }) => code);
  const upper = areas.upper.map(({ code }) => code);
  const bad = upper.find((code) => !new RegExp(ANY_CODE).test(code));
  if (bad)
    throw new BadInput(
      areas.codes?.table.file ?? areas.outlines.file,
      '',
      `the code ${bad}`,
      `one of the form ${ANY_CODE}`,
    );
  const points = areas.outlines.features.flatMap(({ polygons }) => polygons.flat(2));
  const bound = (axis: 0 | 1, pick: (a: number, b: number) => number) =>
    points.reduce((most, at) => pick(most, at[axis]), points[0]![axis]);
  /** To a tenth of a degree, and a tenth farther out. */
  const low = (value: number) => (Math.floor(value * 10) - 1) / 10;
  const high = (value: number) => (Math.ceil(value * 10) + 1) / 10;
  const methods = new Set(entries.flatMap(({ entry }) => Object.keys(entry.methods ?? {})));
  const ordered = (['microscopy', 'rdt'] as const).filter((name) => methods.has(name));
  const first = ordered[0] ?? 'microscopy';
  const IN_WORDS = { microscopy: 'microscopy', rdt: 'rapid diagnostic test' };
  const years = [a('first_estimated'), a('last_estimated')].map((month) => Number(month.slice(0, 4)));
  return {
    country: plainId(a('name')),
    ...{ name: a('name'), synthetic: false, release: '1' },
    ...{ first_estimated: a('first_estimated'), last_estimated: a('last_estimated'), updated_at: now },
    territory: {
      ...{ iso_code: a('iso_code'), language: a('language') },
      state: {
        one: a('upper_one'),
        many: a('upper_many'),
        code: formOfCodes(upper),
        code_is: `${a('code_is')} of the ${a('upper_one')}`,
        example: upper[0]!,
      },
      lga: {
        one: a('lower_one'),
        many: a('lower_many'),
        code: formOfCodes(codes),
        code_is: a('code_is'),
        example: codes[0]!,
      },
      iso_3166_2: false,
      ages_months: a('ages_months').split('-').map(Number),
      method:
        ordered.length > 1
          ? `${IN_WORDS[first]}, or in surveys without it by ${IN_WORDS[ordered[1]!]}`
          : IN_WORDS[first],
      model_pages: false,
    },
    expected: { states: upper.length, lgas: codes.length },
    extent: [low(bound(0, Math.min)), low(bound(1, Math.min)), high(bound(0, Math.max)), high(bound(1, Math.max))],
    states: areas.upper.map(({ code, name }) => ({ state_pcode: code, state_code: code, state: name })),
    parameters: parametersOf({
      ...{ methods: ordered, hasRain: entries.some(({ entry }) => entry.role === 'climate') },
      ...{ firstYear: years[0]!, lastYear: years[1]! },
    }),
  };
}

/** The first part of `model_version`: small letters and digits. */
const plainId = (name: string) =>
  name
    .normalize('NFD')
    .toLowerCase()
    .replaceAll(/[^a-z0-9]/g, '')
    .replace(/^(\d)/, 'c$1');
