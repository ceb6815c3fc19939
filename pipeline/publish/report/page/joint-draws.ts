/**
 * What is likely of several places at once, by draws of all scores that belong together. They are of the last estimated
 * month; in other months each keeps its place within the range of its area.
 */
import * as d3 from 'd3';
import { fromDeviations } from '../shared/spread.ts';
import { areaIndex, areaScore, data, decodeBase64, isState, lgaByCode, view } from './store.ts';

let deviations: Int8Array | null = null;
let cachedMonth = -1;
const cachedDraws = new Map<string, Float64Array>();

/** Whether there are any: they arrive late, and only the spatial model has them. */
export const hasDraws = (): boolean => Boolean(data.draws);

/** An area's draws in the month shown; a state's are the means of its people's. */
export function areaDraws(code: string): Float64Array {
  if (cachedMonth !== view.month) cachedDraws.clear();
  cachedMonth = view.month;
  const draws = cachedDraws.get(code) ?? (isState(code) ? stateDraws(code) : lgaDraws(code));
  cachedDraws.set(code, draws);
  return draws;
}

function lgaDraws(code: string): Float64Array {
  deviations ??= new Int8Array(decodeBase64(data.draws).buffer);
  const count = deviations.length / data.lgas.length;
  const first = (areaIndex(code) - data.states.length) * count;
  return fromDeviations(deviations.subarray(first, first + count), areaScore(code, view.month));
}

function stateDraws(code: string): Float64Array {
  const lgaCodes = data.lgas.filter((row) => row.state_code === code).map((row) => row.lga_code);
  const people = d3.sum(lgaCodes, (lgaCode) => lgaByCode(lgaCode).population);
  return areaDraws(lgaCodes[0]!).map((_, draw) =>
    d3.sum(lgaCodes, (lgaCode) => (lgaByCode(lgaCode).population / people) * areaDraws(lgaCode)[draw]!),
  );
}

/** Chance, in per cent, that one area's share of children is above another's. */
export const chanceAbove = (code: string, other: string): number =>
  Math.round(100 * d3.mean(areaDraws(code), (share, draw) => Number(share > areaDraws(other)[draw]!))!);

/** `98% likely higher`, never certain. @param chance in per cent */
export const likelyInWords = (chance: number) => {
  const most = Math.max(chance, 100 - chance);
  return `${most > 99 ? 'over 99' : most}% likely ${chance < 50 ? 'lower' : 'higher'}`;
};

/** How much higher one area's share of children is than another's: the 5% and 95% quantiles. */
export function differenceRange(code: string, other: string): [low: number, high: number] {
  const differences = areaDraws(code).map((share, draw) => share - areaDraws(other)[draw]!);
  return [d3.quantile(differences, 0.05)!, d3.quantile(differences, 0.95)!];
}

/** Each area's ranks by a figure, one a draw, ascending; 1 is the highest. @param figure from a share of children */
export function drawRanks(
  codes: readonly string[],
  figure: (code: string, share: number) => number,
): Map<string, Uint16Array> {
  const draws = codes.map(areaDraws);
  const ranks = draws.map(({ length }) => new Uint16Array(length));
  for (const draw of draws[0]?.keys() ?? []) {
    const figures = Float64Array.from(codes, (code, i) => figure(code, draws[i]![draw]!));
    const sorted = figures.toSorted();
    for (const [i, value] of figures.entries()) ranks[i]![draw] = codes.length + 1 - d3.bisectRight(sorted, value);
  }
  return new Map(codes.map((code, i) => [code, ranks[i]!.sort()]));
}
