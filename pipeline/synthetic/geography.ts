import type { Polygon } from '../lib/numerics/area.ts';
import { randomStream } from '../lib/numerics/random.ts';
import { type Lattice, makeLattice, USUAL_RADIUS } from './lattice.ts';
import { inventNames } from './names.ts';
import { drawSurface } from './noise.ts';
import { traceOutline } from './outlines.ts';
import { divideIntoRegions, type Ground } from './regions.ts';
import { type CountrySize, chooseStates, lgaCounts, NIGERIAN_SIZE } from './size.ts';
import { STATES } from './states.ts';

export interface SyntheticLga {
  lga_pcode: string;
  lga: string;
  /** Position in `STATES`. */
  state_index: number;
  /** Planned to have a city; whether it counts as urban depends on its cells. */
  is_city: boolean;
  polygons: Polygon[];
  /** Where towns may lie: the centres of its hexagons, degrees. */
  sites: [number, number][];
}
export interface Geography {
  states: { state_index: number; state_pcode: string; polygons: Polygon[] }[];
  /** In ascending order of p-code. */
  lgas: SyntheticLga[];
}

/**
 * LGAs per state for which there are enough hexagons of the usual size, even in a small state; more need smaller ones.
 */
const MAX_LGAS_OF_USUAL_HEXAGONS = (4 * NIGERIAN_SIZE.lgas) / NIGERIAN_SIZE.states;

/**
 * The made-up country's map: states with Nigeria's names (37, or fewer in a smaller country), and LGAs nested in them.
 */
export function makeGeography(seed: number, size: CountrySize = NIGERIAN_SIZE): Geography {
  const random = randomStream(seed, 'geography');
  const [bays, capes, inlets] = [drawSurface(random, 260), drawSurface(random, 260), drawSurface(random, 70)];
  const lattice = makeLattice(
    random,
    (x, y) => 0.22 * bays(x, y) + 0.07 * inlets(x, y),
    (x, y) => 0.22 * capes(x, y) + 0.07 * inlets(y, x),
    USUAL_RADIUS / Math.max(1, Math.sqrt(size.lgas / size.states / MAX_LGAS_OF_USUAL_HEXAGONS)),
  );
  const stateByCell = divideIntoStates(seed, lattice);
  const stateIndexes = chooseStates(seed, size);
  const counts = lgaCounts(size, stateIndexes);
  const names = inventNames(randomStream(seed, 'names'), counts);
  const lgaByCell = new Int32Array(lattice.longitude.length).fill(-1);
  const lgas: SyntheticLga[] = [];
  for (const [i, stateIndex] of stateIndexes.entries()) {
    const recipe = STATES[stateIndex]!;
    const count = counts[i]!;
    const cells = [...lgaByCell.keys()].filter((cell) => stateByCell[cell] === stateIndex);
    const division = divideIntoLgas(seed, lattice, cells, stateIndex, count);
    for (const [k, cell] of cells.entries()) lgaByCell[cell] = lgas.length + division.region[k]!;
    for (let k = 0; k < count; k++) {
      const lgaCells = cells.filter((_, i) => division.region[i] === k);
      lgas.push({
        lga_pcode: `${recipe.state_pcode}${String(k + 1).padStart(3, '0')}`,
        lga: names[i]![k]!,
        state_index: stateIndex,
        is_city: division.is_city[k]!,
        polygons: traceOutline(lattice, lgaByCell, lgas.length, lgaCells),
        sites: lgaCells.map((cell) => [lattice.longitude[cell]!, lattice.latitude[cell]!]),
      });
    }
  }
  const states = stateIndexes.map((stateIndex) => ({
    state_index: stateIndex,
    state_pcode: STATES[stateIndex]!.state_pcode,
    polygons: traceOutline(
      lattice,
      stateByCell,
      stateIndex,
      [...stateByCell.keys()].filter((cell) => stateByCell[cell] === stateIndex),
    ),
  }));
  return { states, lgas };
}

function divideIntoStates(seed: number, lattice: Lattice): Int32Array {
  const random = randomStream(seed, 'states');
  const warpX = drawSurface(random, 120);
  const warpY = drawSurface(random, 120);
  const { longitude: x, latitude: y, neighbours, spacing } = lattice;
  // Borders bend because the coordinates are warped before the land is divided.
  const ground = {
    x: x.map((value, i) => value + 0.1 * warpX(value, y[i]!)),
    y: y.map((value, i) => value + 0.1 * warpY(x[i]!, value)),
    neighbours,
  };
  return divideIntoRegions(
    ground,
    STATES.map((recipe) => ({
      x: recipe.longitude + 0.1 * random.normal(),
      y: recipe.latitude + 0.1 * random.normal(),
      target: recipe.area,
    })),
    spacing,
  );
}

/** Divides one state's hexagons among its LGAs; those nearest the capital are cities, and small. */
function divideIntoLgas(
  seed: number,
  lattice: Lattice,
  cells: number[],
  stateIndex: number,
  count: number,
): { region: Int32Array; is_city: boolean[] } {
  const recipe = STATES[stateIndex]!;
  const random = randomStream(seed, `lgas ${recipe.state_code}`);
  const indexInState = new Map(cells.map((cell, i) => [cell, i]));
  const ground: Ground = {
    x: cells.map((cell) => lattice.longitude[cell]!),
    y: cells.map((cell) => lattice.latitude[cell]!),
    neighbours: cells.map((cell) => lattice.neighbours[cell]!.map((neighbour) => indexInState.get(neighbour) ?? -1)),
  };
  const drawCell = () => Math.floor(random.uniform() * cells.length);
  const capital = drawCell();
  const seedsByDistance = Array.from({ length: count }, drawCell)
    .map((i) => ({
      x: ground.x[i]! + 1e-3 * random.normal(),
      y: ground.y[i]!,
      target: Math.exp(0.4 * random.normal()),
    }))
    .map((site) => ({
      ...site,
      distance: Math.hypot(site.x - ground.x[capital]!, site.y - ground.y[capital]!),
    }))
    .sort((a, b) => a.distance - b.distance);
  const cities = cityCount(stateIndex, count);
  const regionSeeds = seedsByDistance.map((site, k) => ({
    ...site,
    target: k < cities ? site.target * 0.5 : site.target,
  }));
  const region = divideIntoRegions(ground, regionSeeds, lattice.spacing);
  // Codes follow the alphabet, so shuffle the regions: the capital must not always come first.
  const order = seedsByDistance.map((_, k) => ({ k, key: random.uniform() })).sort((a, b) => a.key - b.key);
  const newNumber = new Int32Array(order.length);
  for (const [newIndex, { k }] of order.entries()) newNumber[k] = newIndex;
  return { region: region.map((k) => newNumber[k]!), is_city: order.map(({ k }) => k < cities) };
}

/** Number of LGAs that are cities, which grows with population density: one or two in most states, half of Lagos. */
function cityCount(stateIndex: number, count: number): number {
  const recipe = STATES[stateIndex]!;
  const total = (column: 'people' | 'area') => STATES.reduce((sum, state) => sum + state[column], 0);
  const relativeDensity = (recipe.people / recipe.area) * (total('area') / total('people'));
  return Math.max(1, Math.round(count * Math.min(0.7, 0.17 * relativeDensity ** 0.6)));
}
