/**
 * The register of evaluations on the held-back year (looks): `held-back.json` next to a country's catalog, which only
 * `malaria-risk evaluate held-back` writes. It contains no dates, since the repository's history has them.
 */
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { HELD_BACK_FILE, type HeldBack, type RegisteredEvaluation } from '../../catalog/held-back.ts';
import { UsageError } from '../../lib/errors.ts';
import { sha256Json } from '../../lib/hash.ts';
import { probeRecord } from './projection-probe.ts';
import { developProjections, levelMethod, type ProjectionSettings } from './projection-test.ts';

/** Status of a design and a held-back year in the register. */
export interface Standing {
  registered: boolean;
  /** Number of evaluations on that year so far, including this design's. */
  looks: number;
}

/**
 * Fingerprint of a design: its settings, the level it chose, and its projections from one fixed record, to four
 * decimals. A design is identified by its behaviour: it stays the same if code is rewritten without changing
 * projections, or if the data change; any other change makes it a new design.
 */
export function designHash(level_months: number, settings: ProjectionSettings): string {
  const roundToFourDecimals = (value: number | null) => (value === null ? null : Number(value.toFixed(4)));
  const { years } = developProjections([probeRecord(settings)], settings);
  const projected = years.map(({ year, methods }) => ({
    year,
    projections: methods[levelMethod(level_months)]!.map(roundToFourDecimals),
  }));
  return sha256Json({ level_months, settings, projected });
}

export function heldBackStanding(register: HeldBack | undefined, year: number, design: string): Standing {
  const looks = (register?.looks ?? []).filter((look) => look.held_back_year === year);
  return { registered: looks.some((look) => look.design === design && look.result !== null), looks: looks.length };
}

/**
 * The register with an evaluation entered in advance; the entry's `result` is null until it has been done.
 * @returns the register and the entry's position; an entry with a result must not be evaluated again
 * @throws UsageError if another design has been evaluated and no reason is given for a further evaluation
 */
export function enterLook(
  register: HeldBack,
  look: Omit<RegisteredEvaluation, 'reason' | 'result'>,
  reason: string | undefined,
): { register: HeldBack; entry: number } {
  const position = register.looks.findIndex(
    ({ held_back_year, design }) => held_back_year === look.held_back_year && design === look.design,
  );
  if (position >= 0) return { register, entry: position };
  const earlierLook = register.looks.find(({ held_back_year }) => held_back_year === look.held_back_year);
  if (earlierLook && reason === undefined)
    throw new UsageError(
      `held-back year ${look.held_back_year}: found an evaluation of another design, ` +
        `${earlierLook.design.slice(0, 8)}, expected none, since the year is then no longer unseen. To evaluate ` +
        `${look.design.slice(0, 8)} nevertheless, give a reason with --again REASON; both stay on record`,
    );
  const newLook: RegisteredEvaluation = { ...look, reason: earlierLook ? reason! : 'first look', result: null };
  return { register: { looks: [...register.looks, newLook] }, entry: register.looks.length };
}

/** The country's register, empty if there is none. @param directory directory of its catalog */
export function readRegister(directory: string): HeldBack {
  try {
    return JSON.parse(readFileSync(path.join(directory, HELD_BACK_FILE), 'utf8'));
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return { looks: [] };
    throw error;
  }
}
