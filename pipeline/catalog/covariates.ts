/** Helpers for the catalog's covariates. */
import { isDated } from './dated-files.ts';
import type { Covariate } from './model.ts';
import type { Source } from './sources.ts';

/** Why figures of net use, net access, spraying and treatment are refused, in the words of the API's description. */
export const NOT_INPUTS =
  'net use, net access, spraying and treatment are modelled estimates shown as context; not inputs to the risk score';

/** The name of a covariate in findings, reports and options. */
export const covariateName = ({ source }: Covariate): string => source;

/** Whether a covariate has values for several times: a table by year or by month, or several rasters. */
export const changesOverTime = (source: Source): boolean =>
  'period' in (source.columns ?? {}) || 'year' in (source.columns ?? {}) || source.files.length > 1 || isDated(source);
