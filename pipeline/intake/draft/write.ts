/** A draft and the answers to its questions as the two files of a catalog. */
import path from 'node:path';
import type { Model } from '../../catalog/model.ts';
import { isTable, ROLES } from '../../catalog/roles.ts';
import { METHOD_NAMES, METHODS, OPEN_QUESTION } from '../../catalog/shared-schemas.ts';
import type { Source, UnusedFile } from '../../catalog/sources.ts';
import { addMonths, calendarYear } from '../../contract/months.ts';
import { ANY_CODE } from '../../contract/territory.ts';
import { BadInput } from '../../lib/bad-input.ts';
import { measureSource } from '../update/measure-source.ts';
import type { Draft, DraftSource } from './draft.ts';
import { codePattern, type DraftAreas } from './draft-areas.ts';
import { draftParameters } from './parameters.ts';
import type { Answers } from './questions.ts';

/** The content of sources.json and model.json. @param now current time, ISO 8601 */
export async function writeDraft(
  { areas, entries, leftOut }: Draft,
  answers: Answers,
  root: string,
  now: string,
): Promise<{ sources: Source[]; unused?: UnusedFile[]; model: Model }> {
  const model = draftModel(areas, entries, answers, now);
  const sources: Source[] = [];
  for (const { entry, format, files, notes } of entries) {
    const { role, unit, columns, ...more } = entry;
    const name = entry.figure ?? role;
    const sameNames = sources.filter(({ id }) => id.replace(/_\d+$/, '') === name).length;
    const source = {
      id: sameNames > 0 ? `${name}_${sameNames + 1}` : name,
      role,
      title: path.basename(files[0]!.path),
      producer: OPEN_QUESTION,
      citation: OPEN_QUESTION,
      licence: OPEN_QUESTION,
      release: OPEN_QUESTION,
      format,
      ...(isTable({ format }) ? {} : { crs: 'EPSG:4326' as const }),
      unit,
      ...(columns ? { columns } : {}),
      ...more,
      files,
      notes: [`Drafted by new-country: ${ROLES[role].description}`, ...notes],
    } as Source;
    sources.push((await measureSource(source, root, model.states)).source);
  }
  const unused = leftOut.flatMap(({ file, why, lost }) =>
    lost === null ? [] : [{ path: file, subject: lost, reason: why }],
  );
  return unused.length > 0 ? { sources, unused, model } : { sources, model };
}

function draftModel(areas: DraftAreas, entries: readonly DraftSource[], answers: Answers, now: string): Model {
  const answer = (id: string) => answers[id]!;
  const lgaCodes = areas.lgas.map(({ code }) => code);
  const stateCodes = areas.states.map(({ code }) => code);
  const invalidCode = stateCodes.find((code) => !new RegExp(ANY_CODE).test(code));
  if (invalidCode)
    throw new BadInput({
      file: areas.codes?.table.file ?? areas.outlines.file,
      found: `the code ${invalidCode}`,
      expected: `a code of the form ${ANY_CODE}`,
    });
  const points = areas.outlines.features.flatMap(({ polygons }) => polygons.flat(2));
  const bound = (axis: 0 | 1, pick: (a: number, b: number) => number) =>
    points.reduce((most, point) => pick(most, point[axis]), points[0]![axis]);
  /** Rounded outwards to a tenth of a degree, plus a margin of another tenth. */
  const roundDown = (value: number) => (Math.floor(value * 10) - 1) / 10;
  const roundUp = (value: number) => (Math.ceil(value * 10) + 1) / 10;
  const usedMethods = new Set(entries.flatMap(({ entry }) => Object.keys(entry.methods ?? {})));
  const methods = METHODS.filter((name) => usedMethods.has(name));
  const first = methods[0] ?? 'microscopy';
  const firstYear = calendarYear(answer('first_estimated'));
  return {
    country: plainId(answer('name')),
    name: answer('name'),
    synthetic: false,
    release: '1',
    first_estimated: answer('first_estimated'),
    last_estimated: answer('last_estimated'),
    updated_at: now,
    territory: {
      iso_code: answer('iso_code'),
      language: answer('language'),
      state: {
        one: answer('upper_one'),
        many: answer('upper_many'),
        code: codePattern(stateCodes),
        code_is: `${answer('code_is')} of the ${answer('upper_one')}`,
        example: stateCodes[0]!,
      },
      lga: {
        one: answer('lower_one'),
        many: answer('lower_many'),
        code: codePattern(lgaCodes),
        code_is: answer('code_is'),
        example: lgaCodes[0]!,
      },
      iso_3166_2: false,
      ages_months: answer('ages_months').split('-').map(Number),
      method:
        methods.length > 1
          ? `${METHOD_NAMES[first]}, or by ${METHOD_NAMES[methods[1]!]} in surveys without it`
          : METHOD_NAMES[first],
      model_pages: false,
    },
    expected: { states: stateCodes.length, lgas: lgaCodes.length },
    extent: [
      roundDown(bound(0, Math.min)),
      roundDown(bound(1, Math.min)),
      roundUp(bound(0, Math.max)),
      roundUp(bound(1, Math.max)),
    ],
    states: areas.states.map(({ code, name }) => ({ state_pcode: code, state_code: code, state: name })),
    parameters: draftParameters({
      methods,
      hasRain: entries.some(({ entry }) => entry.role === 'climate'),
      hasCases: entries.some(({ entry }) => /^cases_/.test(entry.role)),
      firstYear,
      // The last whole year, since its cases are held back.
      lastYear: Math.max(firstYear, calendarYear(addMonths(answer('last_estimated'), -11))),
    }),
  };
}

/** The first part of `model_version`: lower-case letters and digits. */
const plainId = (name: string) =>
  name
    .normalize('NFD')
    .toLowerCase()
    .replaceAll(/[^a-z0-9]/g, '')
    .replace(/^(\d)/, 'c$1');
