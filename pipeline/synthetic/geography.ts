import type { Polygon } from '../lib/numerics/area.ts';
import { randomStream } from '../lib/numerics/random.ts';
import { growLattice, type Lattice, RADIUS } from './lattice.ts';
import { inventNames } from './names.ts';
import { drawSurface } from './noise.ts';
import { traceOutline } from './outlines.ts';
import { type Ground, growRegions } from './regions.ts';
import { type CountrySize, chooseStates, lgaCounts, NIGERIAN } from './size.ts';
import { STATES } from './states.ts';

export interface SyntheticLga {
  lga_pcode: string;
  lga: string;
  /** Position in `STATES`. */
  state: number;
  /** Planned to have a city; whether it counts as urban depends on its cells. */
  city: boolean;
  polygons: Polygon[];
  /** Where towns may lie: the centres of its hexagons, degrees. */
  sites: [number, number][];
}
export interface Geography {
  /** `state` is its position in `STATES`. */
  states: { state: number; state_pcode: string; polygons: Polygon[] }[];
  /** In ascending order of p-code. */
  lgas: SyntheticLga[];
}

/**
 * LGAs per state for which there are enough hexagons of the usual size, even in a small state; more need smaller ones.
 */
const MOST_OF_USUAL_HEXAGONS = (4 * NIGERIAN.lgas) / NIGERIAN.states;

/**
 * The made-up country's map: states with Nigeria's names (37, or fewer in a smaller country), and LGAs nested in them.
 */
export function growGeography(seed: number, size: CountrySize = NIGERIAN): Geography {
  const random = randomStream(seed, 'geography');
  const [bays, capes, inlets] = [drawSurface(random, 260), drawSurface(random, 260), drawSurface(random, 70)];
  const lattice = growLattice(
    random,
    (x, y) => 0.22 * bays(x, y) + 0.07 * inlets(x, y),
    (x, y) => 0.22 * capes(x, y) + 0.07 * inlets(y, x),
    RADIUS / Math.max(1, Math.sqrt(size.lgas / size.states / MOST_OF_USUAL_HEXAGONS)),
  );
  const stateByCell = growStates(seed, lattice);
  const kept = chooseStates(seed, size);
  const counts = lgaCounts(size, kept);
  const names = inventNames(randomStream(seed, 'names'), counts);
  const lga = new Int32Array(lattice.longitude.length).fill(-1);
  const lgas: SyntheticLga[] = [];
  for (const [i, state] of kept.entries()) {
    const recipe = STATES[state]!;
    const count = counts[i]!;
    const cells = [...lga.keys()].filter((cell) => stateByCell[cell] === state);
    const parts = growLgas(seed, lattice, cells, state, count);
    for (const [k, cell] of cells.entries()) lga[cell] = lgas.length + parts.region[k]!;
    for (let k = 0; k < count; k++) {
      const members = cells.filter((_, i) => parts.region[i] === k);
      lgas.push({
        lga_pcode: `${recipe.state_pcode}${String(k + 1).padStart(3, '0')}`,
        lga: names[i]![k]!,
        state,
        city: parts.city[k]!,
        polygons: traceOutline(lattice, lga, lgas.length, members),
        sites: members.map((cell) => [lattice.longitude[cell]!, lattice.latitude[cell]!]),
      });
    }
  }
  const states = kept.map((state) => ({
    state,
    state_pcode: STATES[state]!.state_pcode,
    polygons: traceOutline(
      lattice,
      stateByCell,
      state,
      [...stateByCell.keys()].filter((cell) => stateByCell[cell] === state),
    ),
  }));
  return { states, lgas };
}

function growStates(seed: number, lattice: Lattice): Int32Array {
  const random = randomStream(seed, 'states');
  const warpX = drawSurface(random, 120);
  const warpY = drawSurface(random, 120);
  const { longitude: x, latitude: y, across, spacing } = lattice;
  // Borders bend because the coordinates are warped before the land is divided.
  const ground = {
    x: x.map((value, i) => value + 0.1 * warpX(value, y[i]!)),
    y: y.map((value, i) => value + 0.1 * warpY(x[i]!, value)),
    across,
  };
  return growRegions(
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
function growLgas(
  seed: number,
  lattice: Lattice,
  cells: number[],
  state: number,
  count: number,
): { region: Int32Array; city: boolean[] } {
  const recipe = STATES[state]!;
  const random = randomStream(seed, `lgas ${recipe.state_code}`);
  const position = new Map(cells.map((cell, i) => [cell, i]));
  const ground: Ground = {
    x: cells.map((cell) => lattice.longitude[cell]!),
    y: cells.map((cell) => lattice.latitude[cell]!),
    across: cells.map((cell) => lattice.across[cell]!.map((neighbour) => position.get(neighbour) ?? -1)),
  };
  const anywhere = () => Math.floor(random.uniform() * cells.length);
  const capital = anywhere();
  const seeds = Array.from({ length: count }, anywhere)
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
  const cities = cityCount(state, count);
  const shares = seeds.map((site, k) => ({ ...site, target: k < cities ? site.target * 0.5 : site.target }));
  const region = growRegions(ground, shares, lattice.spacing);
  // Codes follow the alphabet, so shuffle the regions: the capital must not always come first.
  const order = seeds.map((_, k) => ({ k, key: random.uniform() })).sort((a, b) => a.key - b.key);
  const newNumber = new Int32Array(order.length);
  for (const [to, { k }] of order.entries()) newNumber[k] = to;
  return { region: region.map((k) => newNumber[k]!), city: order.map(({ k }) => k < cities) };
}

/** Number of LGAs that are cities, which grows with population density: one or two in most states, half of Lagos. */
function cityCount(state: number, count: number): number {
  const recipe = STATES[state]!;
  const total = (of: 'people' | 'area') => STATES.reduce((sum, state) => sum + state[of], 0);
  const crowding = (recipe.people / recipe.area) * (total('area') / total('people'));
  return Math.max(1, Math.round(count * Math.min(0.7, 0.17 * crowding ** 0.6)));
}
