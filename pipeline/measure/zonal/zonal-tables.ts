/** The tables of the zonal stage; climate has the columns of the ingest stage's table. */
import { figures, lga_code } from '../../contract/fields.ts';
import * as ingest from '../../ingest/ingest-tables.ts';
import { orNull, real, type TableColumns, type TableRow, text, whole } from '../../lib/tables/table.ts';

export const LGAS = {
  name: 'zonal/lgas',
  row: '{A.lga}: figures from rasters, not rounded',
  columns: {
    lga_code,
    population: real('Σ share × persons'),
    urban_population: real('People living in urban centres as GHS-DEGURBA defines them'),
    elevation_m: orNull(real('Unweighted mean over its area, m; null if unknown')),
    ...figures,
  },
};
export const PEOPLE = {
  name: 'zonal/people',
  row: 'People of {a.lga} in the year of a population raster; no rows if the catalog gives no year of it',
  columns: { lga_code, year: whole('Year'), people: real('Σ share × persons') },
};
export const CELLS = {
  name: 'zonal/cells',
  row: 'Population cells pooled to about 5 km, split by {lga.one}',
  columns: {
    lga_code,
    longitude: real('Mean over its people, degrees (WGS 84)'),
    latitude: real('Mean over its people, degrees (WGS 84)'),
    population: real('Σ share × persons'),
    population_density: real('Persons per km² of its inhabited ground'),
    urban_share: real('Share of its people in urban centres, 0 to 1'),
    elevation_m: orNull(real('Mean elevation of its people, m; null if unknown')),
  },
};
export const COVARIATES = {
  name: 'zonal/covariates',
  row: 'A value of a raster covariate of the risk score, by prediction cell',
  columns: {
    covariate: text('Id of its source'),
    cell: whole('Row in zonal/cells, from 0'),
    value: real("Mean over the cell's people, in the source's unit"),
  },
};
export const CLIMATE = { ...ingest.CLIMATE, name: 'zonal/climate' };

export type ZonalRow = TableRow<typeof LGAS>;
export type PredictionCell = TableRow<typeof CELLS>;
export type PredictionCells = TableColumns<typeof CELLS>;
