import type { PredictionCells } from '../measure/zonal/zonal-tables.ts';

export interface Point {
  longitude: number;
  latitude: number;
}

type PopulatedCells = {
  readonly [Name in 'lga_code' | 'longitude' | 'latitude' | 'population']: readonly PredictionCells[Name][number][];
};

/** Centre of population of each LGA. */
export function lgaCentres(cells: PopulatedCells): Map<string, Point> {
  const sums = new Map<string, { people: number; x: number; y: number }>();
  for (const [cell, lga_code] of cells.lga_code.entries()) {
    const sum = sums.get(lga_code) ?? { people: 0, x: 0, y: 0 };
    const people = cells.population[cell]!;
    sum.people += people;
    sum.x += people * cells.longitude[cell]!;
    sum.y += people * cells.latitude[cell]!;
    sums.set(lga_code, sum);
  }
  return new Map([...sums].map(([code, { people, x, y }]) => [code, { longitude: x / people, latitude: y / people }]));
}
