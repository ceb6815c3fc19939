import type { Model } from '../catalog/model.ts';
import type { Remedy } from '../catalog/remedy.ts';
import type { Role } from '../catalog/roles.ts';
import type { Gap, Source } from '../catalog/sources.ts';
import type { ReportLine } from '../engine/stage.ts';
import { InputLocation } from '../lib/bad-input.ts';
import { plainName } from '../lib/name-similarity.ts';
import type { Areas } from './ingest-tables.ts';
import type { OtherNames } from './other-names.ts';
import type { Delivery } from './readers/delivery.ts';
import type { RawRow } from './readers/raw-table.ts';

/** Input of every part of the ingest stage; each adds its findings to `report`. */
export interface IngestInput {
  rawData: string;
  sources: readonly Source[];
  model: Model;
  report: ReportLine[];
  /** Collects other names of places in the files, for joins by name. */
  otherNames?: OtherNames;
  /** Collects what the files of tables delivered, for their account. */
  deliveries?: Delivery[];
}

/** The sources of a role, in the catalog's order. */
export function sourcesInRole(input: Pick<IngestInput, 'sources'>, role: Role): Source[] {
  return input.sources.filter((source) => source.role === role);
}

/** The only source of a role that a country must have. */
export function onlySource(input: Pick<IngestInput, 'sources'>, role: Role): Source {
  const sources = sourcesInRole(input, role);
  if (sources.length !== 1)
    throw new InputLocation('sources.json', `role ${role}`).error(`${sources.length} sources`, 'exactly one');
  return sources[0]!;
}

/** The gap that `source` declares for an LGA, if any. */
export function declaredGap(source: Source, lgaCode: string): Gap | undefined {
  return source.gaps?.find((gap) => gap.lga_pcode === lgaCode);
}

/** The declaration in the catalog that would let a build pass a gap in the data. */
export const gapRemedy = (gap: Omit<Gap, 'reason'>): Remedy => ({ declare: 'gap', gap });

/** Looks up the places of rows by their codes. */
export interface AreaLookup {
  /** @throws BadInput naming the row if its code is not that of an LGA, or its names belong to another place */
  lga(row: RawRow): Areas['lgas'][number];
  /** @throws BadInput naming the row if its code is not that of a state, or its name belongs to another one */
  state(row: RawRow): Areas['states'][number];
  /** The project's code of the row's place: by `lga_pcode` of its LGA, by `state_pcode` of its state. */
  code(row: RawRow, codeColumn: 'lga_pcode' | 'state_pcode'): string;
}

/**
 * Looks up codes in the country's areas; errors name the row. Places are never looked up by name, but a row whose name
 * belongs to another place than its code is refused, because one of the two must be wrong. Spellings may differ.
 */
export function createAreaLookup({ otherNames }: Pick<IngestInput, 'otherNames'>, areas: Areas): AreaLookup {
  const lgas = new Map(areas.lgas.map((lga) => [lga.lga_code, lga]));
  const states = new Map(areas.states.map((state) => [state.state_pcode, state]));
  const stateByCode = new Map(areas.states.map((state) => [state.state_code, state]));
  const plainNames = {
    lga: new Set(areas.lgas.map((lga) => plainName(lga.lga))),
    state: new Set(areas.states.map((state) => plainName(state.state))),
  };
  const checkName = (row: RawRow, level: 'lga' | 'state', { code, name }: { code: string; name: string }) => {
    const nameInRow = row.values[level];
    if (nameInRow == null || plainName(nameInRow) === plainName(name)) return;
    if (plainNames[level].has(plainName(nameInRow)))
      throw row.at(level).error(`${nameInRow} with the code ${code}`, `${name}, the name for that code`);
    otherNames?.add(level, code, nameInRow);
  };
  const checkState = (row: RawRow, { state_code, state }: Areas['states'][number]) =>
    checkName(row, 'state', { code: state_code, name: state });
  const lgaInRow = (row: RawRow) => {
    const code = row.text('lga_pcode');
    const lga = lgas.get(code);
    if (!lga) throw row.at('lga_pcode').error(code, EXPECTED_LGA_CODE);
    checkName(row, 'lga', { code, name: lga.lga });
    checkState(row, stateByCode.get(lga.state_code)!);
    return lga;
  };
  const stateInRow = (row: RawRow) => {
    const code = row.text('state_pcode');
    const state = states.get(code);
    if (!state) throw row.at('state_pcode').error(code, EXPECTED_STATE_CODE);
    checkState(row, state);
    return state;
  };
  return {
    lga: lgaInRow,
    state: stateInRow,
    code: (row, codeColumn) => (codeColumn === 'lga_pcode' ? lgaInRow(row).lga_code : stateInRow(row).state_code),
  };
}

/** What a code must be. */
export const EXPECTED_LGA_CODE = 'the p-code of an area in the outlines';
export const EXPECTED_STATE_CODE = 'the p-code of one of `states` in model.json';
/** What is expected where a table or a raster has nobody. */
export const EXPECTED_PEOPLE =
  'people; only if nobody lives there (a park, a lake), a gap `omit` (it counts for nothing in sums of people)';

/** @throws BadInput if the catalog declares a gap, or has a name, for a place that does not exist */
export function refuseUnknownPlaces(sources: readonly Source[], areas: Areas, aliases: Model['aliases'] = []): void {
  const lgas = new Set(areas.lgas.map((lga) => lga.lga_code));
  const states = new Set(areas.states.map((state) => state.state_pcode));
  for (const { name, code } of aliases)
    if (!lgas.has(code) && !states.has(code))
      throw new InputLocation('aliases.csv', name).error(code, `${EXPECTED_LGA_CODE}, or ${EXPECTED_STATE_CODE}`);
  for (const { id, gaps = [] } of sources) {
    const location = new InputLocation('sources.json', `source ${id}, gaps`);
    for (const { lga_pcode, state_pcode } of gaps) {
      if (lga_pcode !== undefined && !lgas.has(lga_pcode)) throw location.error(lga_pcode, EXPECTED_LGA_CODE);
      if (state_pcode !== undefined && !states.has(state_pcode)) throw location.error(state_pcode, EXPECTED_STATE_CODE);
    }
  }
}

/** An LGA's code and name for messages: `NG001001 Aba North`. */
export function codeAndName(areas: Areas, lgaCode: string): string {
  return `${lgaCode} ${areas.lgas.find((lga) => lga.lga_code === lgaCode)?.lga ?? '?'}`;
}
