import type { Model } from '../catalog/model.ts';
import type { Role } from '../catalog/roles.ts';
import type { Gap, Source } from '../catalog/sources.ts';
import type { ReportLine } from '../engine/stage.ts';
import { BadInput } from '../lib/bad-input.ts';
import type { Areas } from './ingest-tables.ts';
import { type OtherNames, plain } from './names.ts';
import { type Row, type Table, textOf } from './readers/raw-table.ts';

/** Input of every part of the ingest stage; each adds its findings to `report`. */
export interface IngestInput {
  rawData: string;
  sources: readonly Source[];
  model: Model;
  report: ReportLine[];
  /** Collects other names of places found in the files, for joins by name. */
  otherNames?: OtherNames;
}

/** The sources of a role, in the catalog's order. */
export function sourcesOf(input: Pick<IngestInput, 'sources'>, role: Role): Source[] {
  return input.sources.filter((source) => source.role === role);
}

/** The only source of a role that a country must have. */
export function sourceOf(input: Pick<IngestInput, 'sources'>, role: Role): Source {
  const found = sourcesOf(input, role);
  if (found.length !== 1) throw new BadInput('sources.json', `role ${role}`, `${found.length} sources`, 'exactly one');
  return found[0]!;
}

/** The gap that `source` declares for an LGA, if any. */
export function gapFor(source: Source, lgaCode: string): Gap | undefined {
  return source.gaps?.find((gap) => gap.lga_pcode === lgaCode);
}

/**
 * Looks up codes in the country's areas; errors name the row. Places are never looked up by name, but a row whose name
 * belongs to another place than its code is refused, because one of the two must be wrong. Spellings may differ.
 */
export function codeReader({ otherNames }: Pick<IngestInput, 'otherNames'>, areas: Areas) {
  const lgas = new Map(areas.lgas.map((lga) => [lga.lga_code, lga]));
  const states = new Map(areas.states.map((state) => [state.state_pcode, state]));
  const byCode = new Map(areas.states.map((state) => [state.state_code, state]));
  const lgaNames = new Set(areas.lgas.map((lga) => plain(lga.lga)));
  const stateNames = new Set(areas.states.map((state) => plain(state.state)));
  const checkName = (
    table: Table,
    row: Row,
    area: 'lga' | 'state',
    code: string,
    own: string,
    names: ReadonlySet<string>,
  ) => {
    const given = row.values[area];
    if (given == null || plain(given) === plain(own)) return;
    if (!names.has(plain(given))) {
      otherNames?.add(area, code, given);
      return;
    }
    throw new BadInput(
      table.file,
      `row ${row.line}, ${area}`,
      `${given} with the code ${code}`,
      `${own}, the name for that code`,
    );
  };
  return {
    lga(table: Table, row: Row) {
      const code = textOf(table, row, 'lga_pcode');
      const lga = lgas.get(code);
      if (!lga) {
        const expected = 'the p-code of an LGA in the outlines';
        const named = areas.lgas.filter(
          (area) =>
            plain(area.lga) === plain(row.values.lga ?? '') &&
            (row.values.state == null || plain(byCode.get(area.state_code)!.state) === plain(row.values.state)),
        );
        throw new BadInput(
          table.file,
          `row ${row.line}, lga_pcode`,
          code,
          expected,
          named.length === 1 ? { declare: 'recode', column: 'lga_pcode', from: code, to: named[0]!.lga_code } : null,
        );
      }
      checkName(table, row, 'lga', code, lga.lga, lgaNames);
      const state = byCode.get(lga.state_code)!;
      checkName(table, row, 'state', state.state_code, state.state, stateNames);
      return lga;
    },
    state(table: Table, row: Row) {
      const code = textOf(table, row, 'state_pcode');
      const state = states.get(code);
      if (!state) {
        const named = areas.states.filter((area) => plain(area.state) === plain(row.values.state ?? ''));
        throw new BadInput(
          table.file,
          `row ${row.line}, state_pcode`,
          code,
          'the p-code of a state of model.json',
          named.length === 1
            ? { declare: 'recode', column: 'state_pcode', from: code, to: named[0]!.state_pcode }
            : null,
        );
      }
      checkName(table, row, 'state', state.state_code, state.state, stateNames);
      return state;
    },
  };
}

/** @throws BadInput if the catalog declares a gap for a place that does not exist */
export function refuseUnknownPlaces(sources: readonly Source[], areas: Areas): void {
  const lgas = new Set(areas.lgas.map((lga) => lga.lga_code));
  const states = new Set(areas.states.map((state) => state.state_pcode));
  for (const { id, gaps = [] } of sources) {
    for (const { lga_pcode, state_pcode } of gaps) {
      const where = `source ${id}, gaps`;
      if (lga_pcode !== undefined && !lgas.has(lga_pcode))
        throw new BadInput('sources.json', where, lga_pcode, 'the p-code of an LGA in the outlines');
      if (state_pcode !== undefined && !states.has(state_pcode))
        throw new BadInput('sources.json', where, state_pcode, 'the p-code of a state of model.json');
    }
  }
}

/** An LGA's code and name for messages: `NG001001 Aba North`. */
export function nameOf(areas: Areas, lgaCode: string): string {
  return `${lgaCode} ${areas.lgas.find((lga) => lga.lga_code === lgaCode)?.lga ?? '?'}`;
}
