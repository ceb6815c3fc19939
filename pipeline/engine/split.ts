import type { Polygons } from '../artifacts.ts';
import type { Table } from '../table.ts';
import { type StageIo, type StageRun, tableReaders } from './stage.ts';
import type { StatesPart, Steps } from './steps.ts';

/**
 * A stage that can be split by state: prepare once, work out parts anywhere, merge. However the states are grouped into
 * parts, and in whatever order the parts come, `merge` returns the same bytes: it puts their rows in the areas' order
 * before it adds anything up. Steps pass each other plain JSON.
 */
export interface Split<Prepared, Part> {
  /** Works out what every part needs and no single state can tell. */
  prepare(io: StageIo): Promise<Prepared>;
  /** Works out the part of some states; `io` hides the areas of all others. */
  part(io: StageIo, prepared: Prepared): Promise<Part>;
  merge(io: StageIo, prepared: Prepared, parts: readonly Part[]): ReturnType<StageRun>;
}

/** Runs a split stage: takes the steps done elsewhere, works out the remaining states as one part, and merges. */
export async function runSplit<Prepared, Part>(
  split: Split<Prepared, Part>,
  io: StageIo,
  done: Steps<Prepared, Part> = { parts: [] },
): ReturnType<StageRun> {
  const prepared = done.prepared === undefined ? await split.prepare(io) : done.prepared;
  const { taken, left } = chooseParts(done.parts, statesOf(io));
  const parts = taken.map(({ part }) => part);
  if (left.length > 0) parts.push(await split.part(ofStates(io, left), prepared));
  return split.merge(io, prepared, parts);
}

/** Chooses parts that share no state, and lists the states that none of them covers. */
export function chooseParts<Part>(
  parts: readonly StatesPart<Part>[],
  states: readonly string[],
): { taken: StatesPart<Part>[]; left: string[] } {
  const left = new Set(states);
  const taken = parts.filter((part) => {
    if (!part.states.every((state) => left.has(state))) return false;
    for (const state of part.states) left.delete(state);
    return true;
  });
  return { taken, left: [...left] };
}

/** The same `io` restricted to some states: tables come without the others' rows, outlines without the others'. */
export function ofStates(io: StageIo, states: readonly string[]): StageIo {
  if (states.length === statesOf(io).length) return io;
  const lgas = io.table('ingest/lgas').filter(({ state_code }) => states.includes(state_code));
  const own = new Set<unknown>([...states, ...lgas.map(({ lga_code }) => lga_code)]);
  return {
    ...io,
    ...tableReaders((name) => {
      const columns: Table['columns'] = io.columns(name);
      const codes = columns.state_code ?? columns.lga_code;
      return mapValues(columns, (values) => (codes ? values.filter((_, i) => own.has(codes[i])) : values));
    }),
    artifact<T>(name: string): T {
      if (name !== 'ingest/polygons') throw new Error(`${name}: not known to fall apart by state (engine/split.ts)`);
      const { lgas, neighbours } = io.artifact<Polygons>(name);
      const near = Object.entries(neighbours).filter(([code]) => own.has(code));
      return {
        lgas: lgas.filter(({ lga_code }) => own.has(lga_code)),
        neighbours: mapValues(Object.fromEntries(near), (codes) => codes.filter((code) => own.has(code))),
      } satisfies Polygons as T;
    },
  };
}

export const statesOf = (io: StageIo) => io.columns('ingest/states').state_code;

const mapValues = <Value>(value: Record<string, Value>, change: (inner: Value) => Value) =>
  Object.fromEntries(Object.entries(value).map(([key, inner]) => [key, change(inner)]));
