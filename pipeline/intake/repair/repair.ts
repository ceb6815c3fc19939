/** Declarations that a catalog could make so that its files can be read unedited. */
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { ALIASES_FILE, type Alias, aliasesCsv, mergeAliases } from '../../catalog/aliases.ts';
import { type Country, catalogSchemaErrors, readUncheckedCatalog } from '../../catalog/country.ts';
import { describeLeaveOutRule } from '../../catalog/leave-out-rule.ts';
import type { Model } from '../../catalog/model.ts';
import type { Remedy } from '../../catalog/remedy.ts';
import type { Acceptance, Gap, Source } from '../../catalog/sources.ts';
import { monthIndex } from '../../contract/months.ts';
import { writeAtomic } from '../../lib/atomic-write.ts';
import { firstFew } from '../../lib/first-few.ts';
import { countryFaults } from '../check/check-country.ts';
import { type Fault, stopsBuild } from '../check/fault.ts';
import { editJson, type JsonEdit } from '../update/json-edits.ts';

export interface Repair {
  source: string;
  /** The declaration in words. */
  declares: string;
  /** The fault that it resolves. */
  fault: string;
  remedy: Remedy;
}

export interface Repairs {
  repairs: Repair[];
  /** Faults for which nothing can be declared. */
  left: Fault[];
}

/** A declaration may reveal the next fault of a file: files are read at most this many times. */
const MAX_PASSES = 10;

/**
 * Proposes, or with `accept` writes, declarations for a country's faults: gaps, differently spelled names, areas in
 * parts, divided areas, slivers, rows left out.
 * @param accept who accepts them and why; the reason is written to each gap and to rows left out, after what is wrong:
 *   one reason for all may be true of some only. Without it nothing is changed
 * @throws BadInput if a catalog file does not have the right form
 */
export async function repairCountry(
  directory: string,
  rawData = directory,
  accept: Pick<Acceptance, 'at' | 'by' | 'reason'> | null = null,
): Promise<Repairs> {
  const [fault] = catalogSchemaErrors(directory);
  if (fault) throw fault;
  const original = readUncheckedCatalog(directory, rawData);
  const reason = accept?.reason ?? 'proposed by `catalog repair`';
  let repaired: Country = { ...original, sources: structuredClone(original.sources) };
  const repairs: Repair[] = [];
  let remaining: Fault[] = [];
  for (let pass = 0; pass < MAX_PASSES; pass++) {
    const faults = mergeDivided(original.sources, (await countryFaults(repaired)).filter(stopsBuild));
    // Many rows may need the same declaration: only the first fault is listed with it.
    const proposalByKey = new Map<string, { source: string; remedy: Remedy; what: string }>();
    for (const { source, remedy, what } of faults) {
      const key = remedy && source ? `${source}, ${describeRemedy(remedy)}` : null;
      if (key && !proposalByKey.has(key)) proposalByKey.set(key, { source: source!, remedy: remedy!, what });
    }
    const allProposals = [...proposalByKey.values()];
    remaining = faults.filter(({ remedy }) => !remedy);
    // A name or code that one table explains may need no declaration for another.
    const hasAlias = allProposals.some(({ remedy }) => remedy.declare === 'alias');
    const proposals = allProposals.filter(({ remedy }) => !hasAlias || remedy.declare !== 'leave_out');
    if (proposals.length === 0) break;
    repaired = {
      ...repaired,
      sources: repaired.sources.map((source) => {
        const sourceProposals = proposals.filter((proposal) => proposal.source === source.id);
        return sourceProposals.reduce(
          (changed, { remedy }) => withRemedy(changed, remedy, declaredReason(remedy, reason)),
          source,
        );
      }),
      model: withModelRemedies(
        repaired.model,
        proposals.map(({ remedy }) => remedy),
      ),
    };
    repairs.push(
      ...proposals.map(({ source, remedy, what }) => ({
        source,
        declares: describeRemedy(remedy),
        fault: what,
        remedy,
      })),
    );
  }
  if (accept && repairs.length > 0) await writeRepairs(original, repaired, repairs, accept);
  return { repairs, left: remaining };
}

/**
 * A new part of a divided area that has no people of its own is merged with it in place of being a gap: the rows of the
 * area are those of both.
 */
function mergeDivided(sources: readonly Source[], faults: readonly Fault[]): Fault[] {
  const outlines = sources.find(({ role, columns }) => role === 'lga_boundaries' && columns?.lga_pcode);
  const divisions = (outlines?.accepted ?? []).flatMap(({ divided = [] }) => divided);
  const uncounted = faults.flatMap(({ remedy }) =>
    remedy?.declare === 'gap' && remedy.gap.rule === 'omit' ? [remedy.gap.lga_pcode] : [],
  );
  return faults.map((fault) => {
    const part = fault.remedy?.declare === 'gap' ? fault.remedy.gap.lga_pcode : undefined;
    const whole = divisions.find(({ parts }) => part !== undefined && parts.includes(part));
    if (!whole || !uncounted.includes(part)) return fault;
    return { ...fault, source: outlines!.id, remedy: { declare: 'merge', part: part!, code: whole.code } };
  });
}

/** What is wrong where a gap is declared, and what the answers are with it. */
const GAPS: Readonly<Record<Gap['rule'], { finding: string; effect: string }>> = {
  null: { finding: 'no figure', effect: 'its figure is unknown, and null in the answers' },
  neighbours: { finding: 'no data', effect: 'it takes the mean of its neighbours' },
  omit: {
    finding: 'no row',
    effect: 'nobody counts there: right only if nobody lives there, or nobody was counted, here or elsewhere',
  },
  mask: { finding: 'no rows of these months', effect: 'these months are unknown, not 0' },
  uncovered: { finding: 'ground in no area', effect: 'this ground belongs to no area' },
  nearest: { finding: 'cells without a value', effect: 'they take that of the nearest cell with one' },
  value: { finding: 'cells without a value', effect: 'they take the value that is named' },
};
const MERGE_EFFECT =
  'the two are one area as before the division, and every figure stays; to keep them apart, accept files with rows of both instead';

/** What the answers are with a declaration, if it does not say so. */
export function describeEffect(remedy: Remedy): string[] {
  if (remedy.declare === 'gap') return [GAPS[remedy.gap.rule].effect];
  return remedy.declare === 'merge' ? [MERGE_EFFECT] : [];
}

/**
 * What is wrong, in words that do not depend on the month: gaps of consecutive months with the same reason are merged.
 */
const describeFinding = (remedy: Remedy): string =>
  remedy.declare === 'gap' ? GAPS[remedy.gap.rule].finding : 'rows that cannot be used';

/** The reason that is written with a declaration. @param reason of whoever accepts it */
export const declaredReason = (remedy: Remedy, reason: string): string =>
  remedy.declare === 'gap' || remedy.declare === 'leave_out'
    ? `${describeFinding(remedy)}; accepted: ${reason}`
    : reason;

function withModelRemedies(model: Model, remedies: readonly Remedy[]): Model {
  const aliases = remedies.flatMap((remedy) => (remedy.declare === 'alias' ? remedy.alias : []));
  const merged = remedies.filter(({ declare }) => declare === 'merge').length;
  return {
    ...model,
    expected: { ...model.expected, lgas: model.expected.lgas - merged },
    ...(aliases.length === 0 ? {} : { aliases: mergeAliases(model.aliases, aliases) }),
  };
}

function withRemedy(source: Source, remedy: Remedy, reason: string): Source {
  if (remedy.declare === 'dissolve') return { ...source, dissolve: true };
  if (remedy.declare === 'sliver_km2') return { ...source, sliver_km2: remedy.km2 };
  if (remedy.declare === 'gap') return { ...source, gaps: withGap(source.gaps ?? [], { ...remedy.gap, reason }) };
  if (remedy.declare === 'leave_out')
    return { ...source, leave_out: [...(source.leave_out ?? []), { where: remedy.where, reason }] };
  // Names belong to the country, not to one source.
  if (remedy.declare === 'alias') return source;
  const isMerge = remedy.declare === 'merge';
  const { column, from, to } = isMerge ? { column: 'lga_pcode', from: remedy.part, to: remedy.code } : remedy;
  return {
    ...source,
    recode: { ...source.recode, [column]: { ...source.recode?.[column], [from]: to } },
    ...(isMerge ? { dissolve: true } : {}),
  };
}

/** Adds a gap, and merges masks of consecutive months of a place. */
function withGap(gaps: readonly Gap[], gap: Gap): Gap[] {
  const precedingGap = gaps.find(
    (existing) =>
      gap.rule === 'mask' &&
      existing.rule === 'mask' &&
      existing.reason === gap.reason &&
      existing.lga_pcode === gap.lga_pcode &&
      existing.state_pcode === gap.state_pcode &&
      monthIndex(existing.last!) + 1 === monthIndex(gap.first!),
  );
  return precedingGap
    ? gaps.map((existing) => (existing === precedingGap ? { ...existing, last: gap.last! } : existing))
    : [...gaps, gap];
}

const describeNewAlias = ({ name, parent, code, from }: Alias) =>
  `name "${name}"${parent && ` in ${parent}`} is ${from ? `a part of ${code} from ${from} on` : code} (${ALIASES_FILE})`;

/** Number of places that the line of a group of repairs names. */
const SHOWN_PLACES = 3;

/**
 * Merges gaps that differ only in their places, for display.
 * @param examples number of places that a line names: all when they are accepted, since nobody can accept what was not
 *   shown
 */
export function groupRepairs(repairs: readonly Repair[], examples = SHOWN_PLACES): Repair[] {
  const groups = Map.groupBy(repairs, (repair) => {
    if (repair.remedy.declare !== 'gap') return repair;
    const { lga_pcode: _lga, state_pcode: _state, ...gap } = repair.remedy.gap;
    return JSON.stringify([repair.source, gap]);
  });
  return [...groups.values()].map(([first, ...more]) => {
    if (more.length === 0) return first!;
    const { source, declares, fault, remedy } = first!;
    const places = [first!, ...more].map(({ remedy }) => remedyPlace(remedy)!);
    return {
      source,
      declares: declares.replace(places[0]!, firstFew(places, examples)),
      fault: `${fault}; and ${more.length} more like it`,
      remedy,
    };
  });
}

/** The code of a gap's place. */
const remedyPlace = (remedy: Remedy): string | undefined =>
  remedy.declare === 'gap' ? (remedy.gap.lga_pcode ?? remedy.gap.state_pcode) : undefined;

export function describeRemedy(remedy: Remedy): string {
  if (remedy.declare === 'dissolve') return 'dissolve: features with the same code are one area';
  if (remedy.declare === 'sliver_km2')
    return `sliver_km2: overlaps and gaps of outlines up to ${remedy.km2} km² are drawing errors`;
  if (remedy.declare === 'leave_out') return `leave_out: rows with ${describeLeaveOutRule(remedy)}`;
  if (remedy.declare === 'merge')
    return `merge ${remedy.part} with ${remedy.code}, of which it was a part (recode and dissolve)`;
  if (remedy.declare === 'recode') return `recode ${remedy.column}: "${remedy.from}" means "${remedy.to}"`;
  if (remedy.declare === 'alias') return describeNewAlias(remedy.alias);
  const { rule, first, last, area_km2 } = remedy.gap;
  const months = first === undefined ? '' : first === last ? ` ${first}` : ` ${first} to ${last}`;
  const place = remedyPlace(remedy);
  return `gap ${rule}${place ? `: ${place}` : ''}${months}${area_km2 === undefined ? '' : ` up to ${area_km2} km²`}`;
}

async function writeRepairs(
  original: Country,
  repaired: Country,
  repairs: readonly Repair[],
  acceptance: Omit<Acceptance, 'what'>,
) {
  const edits = original.sources.flatMap((source, sourceIndex) => {
    const repairedSource = repaired.sources[sourceIndex]!;
    const sourceRepairs = repairs.filter((repair) => repair.source === source.id);
    if (sourceRepairs.length === 0) return [];
    const declared =
      sourceRepairs.length > 3
        ? `${sourceRepairs.length} faults`
        : sourceRepairs.map(({ declares }) => declares).join('; ');
    const what = `declared: ${declared}`;
    const fields = (['recode', 'dissolve', 'sliver_km2', 'leave_out', 'gaps'] as const).flatMap((name) =>
      repairedSource[name] === undefined ? [] : [{ path: ['sources', sourceIndex, name], value: repairedSource[name] }],
    );
    return [
      ...fields,
      { path: ['sources', sourceIndex, 'accepted'], value: [...(source.accepted ?? []), { ...acceptance, what }] },
    ];
  });
  if (repaired.model.aliases !== original.model.aliases)
    await writeAtomic(path.join(original.directory, ALIASES_FILE), aliasesCsv(repaired.model.aliases!));
  const write = (name: string, fileEdits: readonly JsonEdit[]) => {
    const file = path.join(original.directory, name);
    return writeAtomic(file, editJson(readFileSync(file, 'utf8'), fileEdits));
  };
  const { lgas } = repaired.model.expected;
  if (lgas !== original.model.expected.lgas) await write('model.json', [{ path: ['expected', 'lgas'], value: lgas }]);
  await write('sources.json', edits);
}
