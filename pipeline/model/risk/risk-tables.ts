import { lga_code, period, scores, state_code } from '../../contract/columns.ts';
import { LEVELS } from '../../contract/schemas.ts';
import { type ColumnForm, orNull, type RowOf, real, text } from '../../lib/tables/table.ts';

export const LGAS = {
  name: 'risk/lgas',
  row: '{A.lga} in a month, estimated or forecast',
  columns: { lga_code, period, ...scores },
};
export const STATES = {
  name: 'risk/states',
  row: '{A.state} in a month, estimated or forecast',
  columns: { state_code, period, ...scores },
};
/** The baseline's scores. */
export const BASELINE = { ...LGAS, name: 'risk/baseline' };

const areaMonth = { area: text<'state' | 'lga'>('`state` or `lga`'), code: text('`state_code` or `lga_code`'), period };

type LevelName = (typeof LEVELS)[number]['level'];
type Below = Exclude<LevelName, 'very_high'>;

/** `probability_very_low` and so on. */
const ofLevels = Object.fromEntries(
  LEVELS.map(({ level, below }, i) => {
    const from = LEVELS[i - 1]?.below;
    const span = [...(from ? [`${from} or more`] : []), ...(Number.isFinite(below) ? [`below ${below}`] : [])].join(
      ', ',
    );
    return [`probability_${level}`, real(`Probability that the true share is in the level ${level} (${span}), 0 to 1`)];
  }),
) as Record<`probability_${LevelName}`, ColumnForm<number>>;

/** `probability_above_very_low` and so on: of exceeding the upper end of a level. */
const above = Object.fromEntries(
  LEVELS.slice(0, -1).map(({ level, below }) => [
    `probability_above_${level}`,
    real(`Probability that the true share is ${below} or more, above the level ${level}, 0 to 1`),
  ]),
) as Record<`probability_above_${Below}`, ColumnForm<number>>;

export const PROBABILITIES = {
  name: 'risk/probabilities',
  row: 'An area in an estimated or forecast month: how certain its level and rank are, given the model and all surveys',
  columns: {
    ...areaMonth,
    ...ofLevels,
    ...above,
    probability_highest_nation: real(
      "Probability of being among the highest tenth of the nation's areas of its kind (their number, rounded up), 0 to 1",
    ),
    probability_highest_state: orNull(
      real(
        "Probability of being among the highest tenth of its {state.one}'s {lga.many} (their number, rounded up), 0 to 1; null for {state.many}",
      ),
    ),
  },
};

const changeSince = (since: string) =>
  [
    real(`Score minus that of ${since}, as a share of children; posterior mean`),
    real('Lower end of the central 90% range of that change'),
    real('Upper end of that range'),
    real(`Probability that the true share is higher than in ${since}, 0 to 1`),
  ] as const;
const [change_year, change_year_low, change_year_high, probability_rise_year] =
  changeSince('the same month a year before');
const sinceSurvey = changeSince('survey_month; null if that is null');
export const CHANGES = {
  name: 'risk/changes',
  row: 'An area in an estimated or forecast month that has a score a year before: change, and how certain it is',
  columns: {
    ...areaMonth,
    change_year,
    change_year_low,
    change_year_high,
    probability_rise_year,
    survey_month: orNull(
      text(
        'Month compared with, YYYY-MM: the latest month of the same name that is at most three months after the end of fieldwork of the last survey round completed by then; null if that month has no score',
      ),
    ),
    change_survey: orNull(sinceSurvey[0]),
    change_survey_low: orNull(sinceSurvey[1]),
    change_survey_high: orNull(sinceSurvey[2]),
    probability_rise_survey: orNull(sinceSurvey[3]),
  },
};

/** Posterior mean and central 90% range of an area in a month. */
export type LgaScore = RowOf<typeof LGAS>;
export type StateScore = RowOf<typeof STATES>;

/**
 * risk/evidence: what the scores are based on. Models add fields of their own; these are the ones that the report
 * reads. If one is absent, the report leaves out the part that shows it.
 */
export interface RiskEvidence {
  /** Model whose scores are published: `baseline` or `spatial`. */
  model: string;
  /** The baseline's fit; `middle` is the middle month of the round's fieldwork. */
  baseline?: { rounds: { survey_year: number; middle: string }[] };
  /** The spatial model's fit: hyperparameters on the scale they were searched on. */
  spatial?: { hyperparameters: { name: string; scale: string; mean: number; sd: number }[] } | null;
}
export type RiskModel = 'spatial' | 'baseline';
