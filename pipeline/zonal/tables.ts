/** The tables that the rasters make; its climate and dated covariates have the columns of ingest's. */
import { figures, lga_code } from '../columns.ts';
import { orNull, real, text, whole } from '../table.ts';

export const LGAS = {
  row: 'An LGA: figures from rasters, not rounded',
  columns: {
    lga_code,
    population: real('Σ share × persons'),
    urban_population: real('People living in urban centres as GHS-DEGURBA defines them'),
    elevation_m: orNull(real('Plain area mean, m; null where unknown')),
    ...figures,
  },
};
export const CELLS = {
  row: 'Population cells pooled to about 5 km, split by LGA',
  columns: {
    lga_code,
    longitude: real("Degrees (WGS 84); of the population's centre"),
    latitude: real("Degrees (WGS 84); of the population's centre"),
    population: real('Σ share × persons'),
    population_density: real('Persons per km² of its inhabited ground'),
    urban_share: real('Share of its people in urban centres, 0 to 1'),
    elevation_m: orNull(real("Its people's mean elevation, m; null where unknown")),
  },
};
export const COVARIATES = {
  row: 'A value of a covariate of the risk score that came as rasters without times, by prediction cell',
  columns: {
    covariate: text('The source that it is of'),
    cell: whole('Row in zonal/cells, from 0'),
    value: real("In the source's unit; the mean over the cell's people"),
  },
};
