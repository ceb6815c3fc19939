import type { Areas } from '../artifacts.ts';
import type { StageIo, StageRun } from './stage.ts';
import type { StatesPart, Steps } from './steps.ts';

/**
 * A stage that falls apart by state. However the states are grouped into parts, and whatever order the parts are in,
 * `merge` hands on the same bytes: it puts the parts' rows in the areas' order before it adds anything up. What is handed
 * from step to step is plain JSON, so that steps may run anywhere.
 */
export interface Split<Whole, Part> {
  /** What the parts need and no state can tell by itself. */
  whole(io: StageIo): Promise<Whole>;
  /** The part of some states; `io` shows nothing of the others' areas. */
  part(io: StageIo, whole: Whole): Promise<Part>;
  merge(io: StageIo, whole: Whole, parts: readonly Part[]): ReturnType<StageRun>;
}

/** Runs a split stage: takes the steps already done elsewhere, does what is left as one part, and merges. */
export async function runSplit<Whole, Part>(
  split: Split<Whole, Part>,
  io: StageIo,
  done: Steps<Whole, Part> = { parts: [] },
): ReturnType<StageRun> {
  const whole = done.whole === undefined ? await split.whole(io) : done.whole;
  const { taken, left } = chooseParts(done.parts, statesOf(io));
  const parts = taken.map(({ part }) => part);
  if (left.length > 0) parts.push(await split.part(ofStates(io, left), whole));
  return split.merge(io, whole, parts);
}

/** Parts that share no state, and the states that are in none of them. */
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

/** The same `io` for some states only: every artifact comes without what belongs to the others. */
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
 * An artifact without what belongs to areas elsewhere: rows that name one, entries under the code of one, elements of
 * columns, and neighbours. (A list of state codes alone tells how something was made, and stays.)
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
