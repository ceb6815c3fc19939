/** How much survey evidence there is, and how much scores need (MODEL.md, section 3). */
import type { SurveyEvidence } from '../../catalog/evidence.ts';
import type { Model } from '../../catalog/model.ts';
import { USUAL_MINIMUM } from '../../contract/products.ts';
import type { Words } from '../../contract/words.ts';
import type { Surveys } from '../../ingest/ingest-tables.ts';

type Parameters = Pick<Model['parameters'], 'evidence' | 'risk'>;

/** What all rounds together have. */
export function countSurveyEvidence({ clusters, area_rounds }: Surveys, { risk }: Parameters): SurveyEvidence {
  const areas = new Set([
    ...clusters.map(({ lga_code, state_code }) => lga_code ?? state_code),
    ...area_rounds.map(({ lga_code, state_code }) => lga_code ?? state_code),
  ]);
  const children = [...clusters, ...area_rounds].reduce(
    (sum, { examined }) => sum + (examined ?? risk.state_only_effective_size),
    0,
  );
  return {
    clusters: clusters.length + area_rounds.length,
    areas: areas.size,
    children: Math.round(children),
  };
}

const suffices = (evidence: SurveyEvidence, { clusters, areas, children }: SurveyEvidence) =>
  evidence.clusters >= clusters && evidence.areas >= areas && evidence.children >= children;

/** Whether there are scores. */
export const allowsScores = (surveys: Surveys, parameters: Parameters): boolean =>
  surveys.clusters.length + surveys.area_rounds.length > 0 &&
  suffices(countSurveyEvidence(surveys, parameters), parameters.evidence.scores ?? USUAL_MINIMUM);

/** Why there are no scores, or why they are to be doubted; null if the surveys are as large as usual. */
export function describeSurveyEvidence(surveys: Surveys, parameters: Parameters, { lga }: Words): string | null {
  const evidence = countSurveyEvidence(surveys, parameters);
  if (evidence.clusters === 0) return 'No scores: there is no survey of malaria infection.';
  if (suffices(evidence, USUAL_MINIMUM)) return null;
  const describe = ({ clusters, areas, children }: SurveyEvidence) =>
    `${clusters} clusters, ${areas} ${lga.many} and ${children} children`;
  const { scores } = parameters.evidence;
  return allowsScores(surveys, parameters)
    ? `The scores rest on less than ${describe(USUAL_MINIMUM)}, the usual minimum: on ${describe(evidence)}. ` +
        `Reason: ${scores!.reason}.`
    : `No scores: they need at least ${describe(scores ?? USUAL_MINIMUM)}; the surveys have ${describe(evidence)}.`;
}
