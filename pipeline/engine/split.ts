import type { Areas } from '../artifacts.ts';
import type { StageIo, StageRun } from './stage.ts';
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

/** The same `io` restricted to some states: artifacts come without anything that belongs to the others. */
export function ofStates(io: StageIo, states: readonly string[]): StageIo {
  if (states.length === statesOf(io).length) return io;
  const areas = io.artifact<Areas>('ingest/areas');
  const own = new Set(states);
  const elsewhere = new Set([
    ...areas.states.map(({ state_code }) => state_code).filter((code) => !own.has(code)),
    ...areas.lgas.filter(({ state_code }) => !own.has(state_code)).map(({ lga_code }) => lga_code),
  ]);
  return { ...io, artifact: <T>(name: string) => without(io.artifact<T>(name), elsewhere) as T };
}

export const statesOf = (io: StageIo) => io.artifact<Areas>('ingest/areas').states.map(({ state_code }) => state_code);

/**
 * An artifact without what belongs to areas elsewhere: rows that name one, entries keyed by the code of one, elements of
 * columns, and neighbours. (A bare list of state codes says how something was made, and stays.)
 */
function without(value: unknown, elsewhere: ReadonlySet<string>): unknown {
  if (Array.isArray(value)) {
    if (typeof value[0] === 'string') return value.filter((code) => code.length === 2 || !elsewhere.has(code));
    if (!isRecord(value[0])) return value;
    const rows = value as { state_code?: string; lga_code?: string }[];
    const own = rows.filter((row) => !elsewhere.has((row.state_code ?? row.lga_code)!));
    return own.map((row) => without(row, elsewhere));
  }
  if (!isRecord(value)) return value;
  if (Array.isArray(value.lga_code)) {
    const own = value.lga_code.map((code) => !elsewhere.has(code));
    return mapValues(value, (column) => (column as unknown[]).filter((_, i) => own[i]));
  }
  const own = Object.entries(value).filter(([key]) => !elsewhere.has(key));
  return mapValues(Object.fromEntries(own), (inner) => without(inner, elsewhere));
}

const isRecord = (value: unknown): value is Record<string, unknown> =>
  value !== null && typeof value === 'object' && !Array.isArray(value);

const mapValues = (value: Record<string, unknown>, change: (inner: unknown) => unknown) =>
  Object.fromEntries(Object.entries(value).map(([key, inner]) => [key, change(inner)]));
