/**
 * What a country's data allow, product by product: plan, `new-country`, manifest, errors, report and model card say it
 * from this table.
 */
import type { ErrorCode } from './errors.ts';

interface ProductDefinition {
  title: string;
  /** Roles of sources: one of each list. */
  roles: readonly (readonly string[])[];
  /** What a country without the product would need for it. */
  needs: string;
  /** What the sources must hold besides being there. */
  condition?: string;
  /** The error of operations that need it; 404 for those without one. */
  error: ErrorCode | null;
}

/** What scores need (risk/MODEL.md, section 3), unless `parameters.evidence.scores` says otherwise. */
export const USUAL_MINIMUM = { clusters: 50, areas: 20, children: 1000 };
const CASE_ROLES = ['cases_states', 'cases_lgas'];

export const PRODUCTS = {
  places: {
    title: 'months, outlines, places and the context figures that there are layers for',
    roles: [['lga_boundaries']],
    needs: 'outlines',
    error: null,
  },
  scores: {
    title: 'scores, levels and forecasts of scores',
    roles: [['survey_clusters', 'survey_states']],
    needs: `a survey of malaria infection with enough clusters, areas and children (usually ${USUAL_MINIMUM.clusters}, ${USUAL_MINIMUM.areas} and ${USUAL_MINIMUM.children})`,
    condition: 'if the survey has enough clusters, areas and children',
    error: 'SCORES_UNAVAILABLE',
  },
  cases: {
    title: 'case forecasts, usual levels, alerts, and reported cases per 1,000 people',
    roles: [CASE_ROLES],
    needs: 'monthly case records of two years',
    error: 'CASE_DATA_UNAVAILABLE',
  },
  season: {
    title: 'season of every area',
    roles: [['climate', ...CASE_ROLES]],
    needs: 'monthly rain, or monthly case records of three years',
    error: 'TRANSMISSION_DATA_UNAVAILABLE',
  },
  windows: { title: 'best months to act', roles: [['climate']], needs: 'monthly rain', error: null },
  transmission: {
    title: 'transmission model',
    roles: [['cases_states'], ['climate']],
    needs: 'monthly case records of three years, in a table by areas of the upper level, with monthly rain',
    error: 'TRANSMISSION_DATA_UNAVAILABLE',
  },
} as const satisfies Record<string, ProductDefinition>;
export type Product = keyof typeof PRODUCTS;

/** The products that a snapshot may lack, as its manifest records them. */
export interface ProductCoverage {
  transmission: boolean;
  /** Whether case records are long enough for alerts. */
  alerts: boolean;
  /** Absent from versions that always had scores. */
  scores?: boolean;
  /** Whether there are case records and a season; absent from versions that gave no season without the model. */
  season?: boolean;
}

/** Whether a snapshot has scores. */
export const hasScores = ({ scores = true }: Pick<ProductCoverage, 'scores'>): boolean => scores;

/** Whether a snapshot answers operations that need `product`; those about windows, it answers if it has their files. */
export function coversProduct(coverage: ProductCoverage, product: Product | undefined): boolean {
  if (product === 'scores') return hasScores(coverage);
  if (product === 'cases') return coverage.alerts;
  if (product === 'season') return coverage.season ?? coverage.transmission;
  return product !== 'transmission' || coverage.transmission;
}

/** A line for each product: whether the sources allow it, else what it needs. */
export const describeProducts = (sources: readonly { role: string }[]): string[] =>
  Object.values<ProductDefinition>(PRODUCTS).map(({ title, roles, needs, condition }) =>
    roles.every((list) => sources.some(({ role }) => list.includes(role)))
      ? `yes  ${[title, ...(condition ? [condition] : [])].join(', ')}`
      : `no   ${title}: needs ${needs}`,
  );
