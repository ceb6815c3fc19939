/**
 * The register of looks at the held-back year: `held-back.json` beside a country's catalog, written by
 * `malaria-risk score-held-back` and by nothing else. It holds no dates: the repository's history has them.
 */
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { HELD_BACK_FILE, type HeldBack, type Look } from '../catalog/held-back.ts';
import { sha256Json } from '../engine/hash.ts';
import { probeRecord } from './projection-probe.ts';
import { developProjections, levelMethod, type ProjectionSettings } from './projection-test.ts';

/** What the register says of a design and a held-back year. */
export interface Standing {
  registered: boolean;
  /** Looks at that year so far, this design's included. */
  looks: number;
}

/**
 * Fingerprint of a design: its settings, the level it chose, and what it projects of a record that is always the same, to
 * four decimals. A design is told by what it does: rewriting code without a change of projections leaves it the same, as do
 * other data; any other change makes another.
 */
export function designOf(level_months: number, settings: ProjectionSettings): string {
  const rounded = (value: number | null) => (value === null ? null : Number(value.toFixed(4)));
  const { years } = developProjections([probeRecord(settings)], settings);
  const projected = years.map(({ year, methods }) => ({
    year,
    projections: methods[levelMethod(level_months)]!.map(rounded),
  }));
  return sha256Json({ level_months, settings, projected });
}

export function standingOf(register: HeldBack | undefined, year: number, design: string): Standing {
  const looks = (register?.looks ?? []).filter((look) => look.held_back_year === year);
  return { registered: looks.some((look) => look.design === design && look.result !== null), looks: looks.length };
}

/**
 * The register with this look entered before it is taken; the entry's `result` is null until then.
 * @returns the register and the entry's position; an entry with a result has been taken, and is not to be taken again
 * @throws Error where another design has been looked at and no reason is given to look again
 */
export function enterLook(
  register: HeldBack,
  look: Omit<Look, 'reason' | 'result'>,
  again: string | undefined,
): { register: HeldBack; entry: number } {
  const known = register.looks.findIndex(
    ({ held_back_year, design }) => held_back_year === look.held_back_year && design === look.design,
  );
  if (known >= 0) return { register, entry: known };
  const other = register.looks.find(({ held_back_year }) => held_back_year === look.held_back_year);
  if (other && again === undefined)
    throw new Error(
      `held-back year ${look.held_back_year}: found a look at another design, ${other.design.slice(0, 8)}, expected none: ` +
        `after it the year is no longer unseen. To look at ${look.design.slice(0, 8)} all the same say why, with --again REASON; both stay on record`,
    );
  const entered: Look = { ...look, reason: other ? again! : 'first look', result: null };
  return { register: { looks: [...register.looks, entered] }, entry: register.looks.length };
}

/** The country's register, empty where there is none. @param directory its catalog's */
export function readRegister(directory: string): HeldBack {
  try {
    return JSON.parse(readFileSync(path.join(directory, HELD_BACK_FILE), 'utf8'));
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return { looks: [] };
    throw error;
  }
}
