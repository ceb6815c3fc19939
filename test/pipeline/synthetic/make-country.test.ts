import { booleanPointInPolygon } from '@turf/boolean-point-in-polygon';
import { expect, test } from 'vitest';
import { STATE_GAPS } from '../../../pipeline/synthetic/cases.ts';
import { makeCountry } from '../../../pipeline/synthetic/make-country.ts';
import { KM_PER_DEGREE_LATITUDE, KM_PER_DEGREE_LONGITUDE } from '../../../pipeline/synthetic/noise.ts';
import { POPULATION_GRID } from '../../../pipeline/synthetic/population.ts';
import { cellArea } from '../../../pipeline/synthetic/raster.ts';
import { STATES } from '../../../pipeline/synthetic/states.ts';
import { CLUSTER_ROUNDS, positivityByState } from '../../../pipeline/synthetic/surveys.ts';

const country = makeCountry(1);
const { geography, population, cells, prevalence, clusters, season } = country;
const sum = (values: Iterable<number>) => [...values].reduce((total, value) => total + value, 0);

test('population: 100 to 220 million, all in cells of their LGA, and no LGA is empty', () => {
  const total = sum(population.by_lga);
  expect(total).toBeGreaterThan(100e6);
  expect(total).toBeLessThan(220e6);
  expect(sum(population.persons)).toBeCloseTo(total, 0);
  expect(Math.min(...population.by_lga)).toBeGreaterThan(10_000);
  expect(sum(cells.population)).toBeCloseTo(total, 0);
});

test('cities: 100 to 300 LGAs are urban by the rule of 1,500 people per km² and 50,000 in total', () => {
  const { columns } = POPULATION_GRID;
  const dense = population.persons.map((persons, cell) =>
    persons / cellArea(POPULATION_GRID, Math.floor(cell / columns)) >= 1500 ? 1 : 0,
  );
  const urban = new Float64Array(geography.lgas.length);
  for (let start = 0; start < dense.length; start++) {
    if (!dense[start]) continue;
    const centre = [start];
    dense[start] = 0;
    for (let i = 0; i < centre.length; i++) {
      for (const other of [centre[i]! - 1, centre[i]! + 1, centre[i]! - columns, centre[i]! + columns]) {
        if (!dense[other]) continue;
        dense[other] = 0;
        centre.push(other);
      }
    }
    if (sum(centre.map((cell) => population.persons[cell]!)) < 50_000) continue;
    for (const cell of centre) urban[population.lga_by_cell[cell]!]! += population.persons[cell]!;
  }
  const count = geography.lgas.filter((_, i) => urban[i]! > population.by_lga[i]! / 2).length;
  expect(count).toBeGreaterThan(100);
  expect(count).toBeLessThan(300);
});

test('season: a late-summer peak in the north, an earlier one in the south-west, nearly flat in the south-east', () => {
  const of = (code: string) => season[geography.lgas.findIndex((lga) => STATES[lga.state_index]!.state_code === code)]!;
  expect([8, 9, 10]).toContain(of('BO').indexOf(1) + 1);
  expect([5, 6, 7]).toContain(of('EK').indexOf(1) + 1);
  expect(Math.min(...of('BO'))).toBeLessThan(0.25);
  expect(Math.min(...season.map((index) => Math.min(...index)))).toBeGreaterThan(0.05);
  expect(Math.max(...season.map((index) => Math.min(...index)))).toBeGreaterThan(0.8);
});

test("an LGA's prevalence is the population-weighted mean of its cells' by the documented formula", () => {
  const period = '2018-07';
  const month = prevalence.periods.indexOf(period);
  const { recipe } = prevalence;
  const field = prevalence.field!;
  // Knots are in the middle of years; the middle of July 2018 is 1/24 of a year after that of 2018.
  const later = 1 / 24;
  const knot = 2018 - field.first_year;
  for (const lga of [0, 400, 773]) {
    let positive = 0;
    let people = 0;
    for (const cell of cells.lga_index.keys()) {
      if (cells.lga_index[cell] !== lga) continue;
      const x = cells.longitude[cell]! * KM_PER_DEGREE_LONGITUDE;
      const y = cells.latitude[cell]! * KM_PER_DEGREE_LATITUDE;
      const surface = (k: number) =>
        sum(
          field.frequency_x.map((fx, j) => {
            const angle = fx * x + field.frequency_y[j]! * y;
            return field.cosine[k]![j]! * Math.cos(angle) + field.sine[k]![j]! * Math.sin(angle);
          }),
        );
      const logit =
        recipe.intercept +
        recipe.density * Math.log10(cells.population_density[cell]! / 100) +
        recipe.elevation * (cells.elevation_m[cell]! / 1000) +
        recipe.trend * (8 + 6.5 / 12) +
        recipe.sigma * ((1 - later) * surface(knot) + later * surface(knot + 1)) +
        recipe.gamma * Math.log(season[lga]![6]!);
      positive += cells.population[cell]! / (1 + Math.exp(-logit));
      people += cells.population[cell]!;
    }
    expect(prevalence.by_lga[month]![lga]).toBeCloseTo(positive / people, 9);
  }
});

/** Population-weighted mean of the true prevalence over LGAs (of one state, or all) and months. */
function trueMean(periods: string[], state?: number): number {
  const here = [...geography.lgas.keys()].filter(
    (i) => state === undefined || geography.lgas[i]!.state_index === state,
  );
  const people = sum(here.map((i) => population.by_lga[i]!));
  const months = periods.map((period) => {
    const row = prevalence.by_lga[prevalence.periods.indexOf(period)]!;
    return sum(here.map((i) => population.by_lga[i]! * row[i]!)) / people;
  });
  return sum(months) / months.length;
}
const fieldwork = { 2010: ['2010-10', '2010-11', '2010-12'], 2015: ['2015-10', '2015-11'] } as Record<number, string[]>;
fieldwork[2018] = ['2018-08', '2018-09', '2018-10', '2018-11', '2018-12'];
fieldwork[2021] = ['2021-10', '2021-11', '2021-12'];

test('the nation falls from round to round, within 0.2 to 0.45; LGAs range from below 0.1 to above 0.6', () => {
  const means = Object.values(fieldwork).map((periods) => trueMean(periods));
  expect(means).toEqual(means.toSorted((a, b) => b - a));
  expect(means[0]).toBeLessThan(0.45);
  expect(means[3]).toBeGreaterThan(0.2);
  const months = prevalence.by_lga[prevalence.periods.indexOf('2018-10')]!;
  expect(Math.min(...months)).toBeLessThan(0.1);
  expect(Math.max(...months)).toBeGreaterThan(0.6);
  expect(prevalence.by_lga.flat().every((share) => share > 0.003 && share < 0.95)).toBe(true);
});

test.each(CLUSTER_ROUNDS)('round $survey_year: numbers, months and positions of clusters', (round) => {
  const taken = clusters.filter((cluster) => cluster.survey_year === round.survey_year);
  expect(taken).toHaveLength(round.clusters);
  expect(new Set(taken.map((cluster) => cluster.cluster_id)).size).toBe(round.clusters);
  expect([...new Set(taken.map((cluster) => cluster.period))].sort()).toEqual(fieldwork[round.survey_year]);
  expect(sum(taken.map((cluster) => cluster.weight)) / taken.length).toBeCloseTo(1, 4);
  for (const cluster of taken) {
    for (const positive of [cluster.microscopy, cluster.rdt]) {
      expect(Number.isInteger(positive) && positive >= 0 && positive <= cluster.examined).toBe(true);
    }
    const [polygon] = geography.states[cluster.state_index]!.polygons;
    expect(
      booleanPointInPolygon([cluster.longitude, cluster.latitude], { type: 'Polygon', coordinates: polygon! }),
    ).toBe(true);
    const moved_km = Math.hypot(
      (cluster.longitude - cluster.true_longitude) * KM_PER_DEGREE_LONGITUDE,
      (cluster.latitude - cluster.true_latitude) * KM_PER_DEGREE_LATITUDE,
    );
    expect(moved_km).toBeLessThan(cluster.urban ? 2.001 : 10.001);
  }
  const perState = STATES.map((_, state) => taken.filter((cluster) => cluster.state_index === state).length);
  expect(Math.max(...perState) - Math.min(...perState)).toBeLessThanOrEqual(1);
});

test.each(CLUSTER_ROUNDS)(
  'round $survey_year: weighted microscopy agrees with the truth within its sampling error',
  (round) => {
    const taken = clusters.filter((cluster) => cluster.survey_year === round.survey_year);
    const total = sum(taken.map((cluster) => cluster.weight * cluster.examined));
    const ratio = sum(taken.map((cluster) => cluster.weight * cluster.microscopy)) / total;
    const error =
      Math.sqrt(sum(taken.map((cluster) => (cluster.weight * (cluster.microscopy - ratio * cluster.examined)) ** 2))) /
      total;
    expect(Math.abs(ratio - trueMean(fieldwork[round.survey_year]!))).toBeLessThan(3.5 * error);
    expect(sum(taken.map(({ rdt }) => rdt))).toBeGreaterThan(1.1 * sum(taken.map(({ microscopy }) => microscopy)));
  },
);

test('2021 by state: errors are no larger than 15 clusters per state explain, and not one-sided', () => {
  const off = positivityByState(country.state_round, 'microscopy').map(
    (share, state) => share - trueMean(fieldwork[2021]!, state),
  );
  expect(Math.sqrt(sum(off.map((difference) => difference * difference)) / off.length)).toBeLessThan(0.09);
  expect(Math.abs(sum(off) / off.length)).toBeLessThan(0.03);
});

test('cluster probabilities scatter around prevalence according to rho, and results around them binomially', () => {
  const dispersion = clusters.map(
    (cluster) => (cluster.chance - cluster.prevalence) ** 2 / (cluster.prevalence * (1 - cluster.prevalence)),
  );
  expect(sum(dispersion) / dispersion.length / prevalence.recipe.rho).toBeGreaterThan(0.85);
  expect(sum(dispersion) / dispersion.length / prevalence.recipe.rho).toBeLessThan(1.15);
  const usual = clusters.filter((cluster) => cluster.chance > 0.05 && cluster.chance < 0.95);
  const counted = usual.map(
    (cluster) =>
      (cluster.microscopy - cluster.examined * cluster.chance) ** 2 /
      (cluster.examined * cluster.chance * (1 - cluster.chance)),
  );
  expect(Math.abs(sum(counted) / counted.length - 1)).toBeLessThan(0.2);
});

test('cases by state: infections × people × reporting with noise, except in the declared gaps', () => {
  for (const record of country.cases_states) {
    const residents = sum(
      geography.lgas.map((lga, i) => (lga.state_index === record.state_index ? population.by_lga[i]! : 0)),
    );
    expect(record.periods).toHaveLength(108);
    const gaps = STATE_GAPS.filter((gap) => gap.state_code === STATES[record.state_index]!.state_code);
    const kept = record.periods.flatMap((period, i) =>
      gaps.some((gap) => period >= gap.first && period <= gap.last) ? [] : [i],
    );
    expect(kept.length).toBe(108 - (gaps[0] ? (gaps[0].first === gaps[0].last ? 1 : 5) : 0));
    for (const i of kept) {
      expect(record.expected[i]).toBeCloseTo(residents * record.incidence[i]! * record.reporting[i]!, 3);
    }
    const scatter = kept.map((i) => Math.log(record.confirmed[i]! / record.expected[i]!));
    expect(Math.abs(sum(scatter) / scatter.length)).toBeLessThan(0.035);
    expect(Math.sqrt(sum(scatter.map((own) => own * own)) / scatter.length)).toBeLessThan(0.11);
    expect((sum(record.expected) / 108 / residents) * 1000).toBeGreaterThan(2);
  }
});

test("cases by LGA: ten states; Kebbi's LGAs add up to the state, the others follow their season", () => {
  const states = new Set(country.cases_lgas.map((record) => geography.lgas[record.lga_index]!.state_index));
  expect(states.size).toBe(10);
  const kebbi = country.cases_states.find((record) => STATES[record.state_index]!.state_code === 'KE')!;
  const parts = country.cases_lgas.filter(
    (record) => geography.lgas[record.lga_index]!.state_index === kebbi.state_index,
  );
  for (let month = 0; month < 48; month++)
    expect(sum(parts.map((part) => part.confirmed[month]!))).toBe(kebbi.confirmed[60 + month]);
  expect(country.cases_lgas.flatMap((record) => record.confirmed).filter((cases) => cases === null)).toHaveLength(1);
  const record = country.cases_lgas.find((other) => other.expected)!;
  // The ratio of October to February 2022 is that of the index, apart from eight months' growth.
  const [feb, oct] = [record.expected![25]!, record.expected![33]!];
  const index = season[record.lga_index]!;
  expect(Math.abs(Math.log(oct / feb / (index[9]! / index[1]!)))).toBeLessThan(0.35);
});
