/** Covariates for the tiny country. */
import type { TinyCountry } from '../support/tiny-country.ts';
import { sourceIn } from '../support/tiny-country.ts';

/** Adds a source of the role `covariate` and the entry that uses it. */
export const addCovariate =
  (source: Record<string, unknown>, entry: Record<string, unknown> = {}, file = 'x.csv') =>
  (country: TinyCountry) => {
    const { title, producer, citation, licence, release } = sourceIn(country, 'population');
    const about = { title, producer, citation, licence, release };
    const files = [{ path: file, ...(file.endsWith('.csv') ? { rows: 4 } : {}) }];
    const added = { id: 'x', role: 'covariate', ...about, unit: 'test', files, ...source };
    country.sources.push(added);
    country.model.parameters.risk.covariates ??= [];
    country.model.parameters.risk.covariates.push({ source: added.id, transform: 'none', ...entry });
  };

/** The raster of elevation, as a covariate. */
export const heightCovariate =
  (entry: Record<string, unknown> = {}, source: Record<string, unknown> = {}) =>
  (country: TinyCountry) => {
    const { format, crs, unit, nodata, range } = sourceIn(country, 'elevation');
    addCovariate({ id: 'height', format, crs, unit, nodata, range, ...source }, entry, 'height.tif')(country);
  };
