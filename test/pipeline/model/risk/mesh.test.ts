import { expect, test } from 'vitest';
import { riskFeatures } from '../../../../pipeline/model/risk/covariate-columns.ts';
import { prepareRisk } from '../../../../pipeline/model/risk/inputs.ts';
import { cells, inputs } from './toy-inputs.ts';

test('cells and LGAs are in a plane of kilometres, with longitudes scaled by the cosine of the middle latitude', () => {
  const { mesh } = prepareRisk(inputs);
  const shrink = Math.cos((10.45 * Math.PI) / 180);
  const at = ({ lattice }: typeof mesh.place_field, nodes: Int32Array, weights: Float64Array, k: number) => {
    let [x, y] = [0, 0];
    for (let m = 4 * k; m < 4 * k + 4; m++) {
      x += weights[m]! * (lattice.x + lattice.spacing_km * (nodes[m]! % lattice.nx));
      y += weights[m]! * (lattice.y + lattice.spacing_km * Math.floor(nodes[m]! / lattice.nx));
    }
    return [x, y];
  };
  cells.longitude.forEach((longitude, c) => {
    const [x, y] = at(mesh.place_field, mesh.cell_nodes, mesh.cell_weights, c);
    expect(x).toBeCloseTo(longitude * shrink * 111.19508, 6);
    expect(y).toBeCloseTo(cells.latitude[c]! * 111.19508, 6);
  });
  // an LGA is at its centre of population: cells 10 and 11 have 6,000 and 7,000 people
  const [x] = at(mesh.change_field, mesh.lga_nodes, mesh.lga_weights, 5);
  const centre = (6 * cells.longitude[10]! + 7 * cells.longitude[11]!) / 13;
  expect(x).toBeCloseTo(centre * shrink * 111.19508, 6);
});

test('covariates are log density, its square about the mean and the urban share, each standardised over the population', () => {
  const { features, feature_count } = riskFeatures(cells);
  expect(feature_count).toBe(3);
  const total = cells.population.reduce((a, b) => a + b);
  const mean = (values: number[]) => values.reduce((sum, v, c) => sum + (cells.population[c]! / total) * v, 0);
  const standard = (values: number[]) => {
    const middle = mean(values);
    const spread = Math.sqrt(mean(values.map((v) => (v - middle) ** 2)));
    return values.map((v) => (v - middle) / spread);
  };
  const logs = cells.population_density.map(Math.log);
  const squares = logs.map((v) => (v - mean(logs)) ** 2);
  [standard(logs), standard(squares), standard(cells.urban_share)].forEach((column, f) => {
    column.forEach((v, c) => {
      expect(features[3 * c + f]).toBeCloseTo(v, 9);
    });
  });
  const same = riskFeatures({ ...cells, urban_share: cells.urban_share.map(() => 0) });
  expect(Array.from(cells.longitude.keys(), (c) => same.features[3 * c + 2]).every((v) => v === 0)).toBe(true);
});
