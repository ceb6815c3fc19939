import type { Areas, ContextByLga, ContextByState, ContextFigures, Layers, ZonalRow } from '../artifacts.ts';
import { FIGURES, type Figure } from '../catalog/roles.ts';
import { runSplit, type Split } from '../engine/split.ts';
import type { StageIo, StageRun } from '../engine/stage.ts';
import { responseIndex, weightedMean } from './figures.ts';

interface ContextPart {
  lgas: ContextByLga;
  states: ContextByState;
}

/** Context of every LGA and state: figures from tables and rasters, and which LGAs are urban. */
export const split: Split<null, ContextPart> = {
  prepare: async () => null,
  part: async (io) => contextOf(io),
  async merge(io, _, parts) {
    const areas = io.artifact<Areas>('ingest/areas');
    const [byLga, byState] = [parts.flatMap((part) => part.lgas), parts.flatMap((part) => part.states)];
    const lgas = inOrder(areas.lgas, byLga, 'lga_code');
    const states = inOrder(areas.states, byState, 'state_code');
    const urban = lgas.filter((lga) => lga.is_urban).length;
    const what = `${urban} of ${lgas.length} LGAs have more than half their people in an urban centre`;
    return { lgas, states, report: [{ source: 'population', rule: 'is_urban', what }] };
  },
};

export const run: StageRun = (io) => runSplit(split, io);

function contextOf(io: StageIo): ContextPart {
  const areas = io.artifact<Areas>('ingest/areas');
  const tables = io.artifact<Layers>('ingest/layers');
  const zonal = new Map(io.artifact<ZonalRow[]>('zonal/lgas').map((row) => [row.lga_code, row]));
  const areasKm2 = io.artifact<Record<string, number>>('boundaries/areas_km2');

  const lgas: ContextByLga = areas.lgas.map(({ lga_code }) => {
    const row = zonal.get(lga_code)!;
    const figure = (name: Figure) => tables[name]?.[lga_code] ?? row.layers[name] ?? null;
    const figures = Object.fromEntries(FIGURES.map((name) => [name, figure(name)])) as Record<Figure, number | null>;
    return {
      lga_code,
      is_urban: row.urban_population > row.population / 2,
      population: Math.round(row.population),
      area_km2: areasKm2[lga_code]!,
      ...figures,
      response_index: responseIndex(figures.itn_use, figures.effective_treatment),
    };
  });

  const states: ContextByState = areas.states.map(({ state_code }) => {
    const codes = new Set(areas.lgas.filter((lga) => lga.state_code === state_code).map((lga) => lga.lga_code));
    const parts = lgas.filter((lga) => codes.has(lga.lga_code));
    const sum = (field: keyof Pick<ContextFigures, 'population' | 'area_km2'>) =>
      parts.reduce((s, lga) => s + lga[field], 0);
    const mean = (field: Figure) => weightedMean(parts.map((lga) => ({ value: lga[field], weight: lga.population })));
    const figures = Object.fromEntries(FIGURES.map((name) => [name, mean(name)])) as Record<Figure, number | null>;
    return {
      state_code,
      lgas: parts.length,
      population: sum('population'),
      area_km2: sum('area_km2'),
      ...figures,
      response_index: responseIndex(figures.itn_use, figures.effective_treatment),
    };
  });
  return { lgas, states };
}

/** Rows in the order of the areas that they are of. */
function inOrder<Key extends string, Row extends Record<Key, string>>(
  areas: readonly Record<Key, string>[],
  rows: readonly Row[],
  key: Key,
): Row[] {
  const found = new Map<string, Row>(rows.map((row) => [row[key], row]));
  return areas.map((area) => found.get(area[key])!);
}
