import { hasCases } from '../../../catalog/missing-data.ts';
import { monthIndex } from '../../../contract/months.ts';
import { hasScores } from '../../../contract/products.ts';
import { countryWords } from '../../../contract/words.ts';
import { type Html, html } from '../../../lib/pages/html.ts';
import { renderTable } from '../../../lib/pages/table.ts';
import type { PlaceScore } from '../../../validate/validation.ts';
import type { Contents } from '../../snapshot/contents.ts';
import type { Evidence } from '../shared/evidence.ts';
import { periodName } from '../shared/names.ts';
import { Z90 } from '../shared/spread.ts';
import { describeRiskLimits } from './risk-limits.ts';

/** What was tested and with what result, in plain words; the annex has the figures. */
export function renderVerdicts(contents: Contents, evidence: Evidence): Html {
  const scoreVerdicts: [about: string, verdict: string, more: string][] = [
    ['Scores', describeScores(contents, evidence), 'validation'],
    ['Months after the last survey', describeMonthsAfterSurvey(contents), 'basis'],
  ];
  const { lga } = countryWords(contents.model.territory);
  const { external_review } = contents.model.parameters.evidence;
  const verdicts: typeof scoreVerdicts = [
    ...(hasScores(contents.coverage) ? scoreVerdicts : []),
    ['Forecasts of reported cases', describeForecasts(contents), 'forecast-skill'],
    ['Season', describeSeasonCheck(contents), 'season-checked'],
  ];
  return html`<section id="reliable" aria-labelledby="reliable-head"><h2 id="reliable-head">Can these figures be trusted?</h2>
<p class="lead" id="review">Who checked this: the project that computes these figures, by comparing them with data that it had left out of the fits. ${external_review ? `From outside: ${external_review}.` : 'Nobody outside the project has reviewed them.'}</p>
<div class="cards">${verdicts.map(
    ([topic, verdict, anchor]) =>
      html`<div class="card verdict"><h3>${topic}</h3><p>${verdict}</p><p class="note"><a href="annex.html#${anchor}">The figures behind this</a></p></div>`,
  )}</div>
${renderPlaces(contents, evidence)}
${
  evidence.risk.spatial &&
  evidence.surveys.clusters.length > 0 &&
  html`<h2 id="survey-next">Where to survey next</h2>
<p class="lead">A survey tells most where ranges are wide. <a href="#sure?by=width">The list of ${lga.many} by the width of their range</a> says how many clusters would halve each.</p>`
}
<h2 id="limits">Limits</h2>
<ul class="limits">${describeRiskLimits(contents, evidence).map((limit) => html`<li>${limit}</li>`)}</ul></section>`;
}

/** Calibration by zone and by state. */
function renderPlaces({ model, tables }: Contents, { validation }: Evidence): Html | null {
  const { zone, State } = countryWords(model.territory);
  const stateNames = Object.fromEntries(tables.context_states.map((row) => [row.state_code, row.state]));
  return (
    validation &&
    html`${renderGroup('zones', zone, model.territory.zones?.names ?? {}, validation.zones)}
${renderGroup('states', State.one, stateNames, validation.states)}
<p class="note">Expected: where the share may lie by chance if ranges are right, were the results independent.</p>`
  );
}

function renderGroup(
  id: string,
  word: string,
  names: Record<string, string>,
  rows: readonly PlaceScore[],
): Html | null {
  const [worst] = rows;
  if (!worst) return null;
  const expected = ({ cells }: PlaceScore) => {
    const error = Z90 * Math.sqrt((0.9 * 0.1) / cells);
    return `${formatPercent(0.9 - error)}–${formatPercent(Math.min(1, 0.9 + error))}`;
  };
  return html`<h2 id="reliable-${id}">By ${word.toLowerCase()}, the least reliable first</h2>
<p class="lead">${names[worst.code]} is least reliable: its 90% ranges held ${formatPercent(worst.in_90)} of the survey results that were left out of the fit, of which ${worst.observed.toFixed(2)} were positive and ${worst.predicted.toFixed(2)} predicted.</p>
${renderTable(
  `Survey results left out of the fit, by ${word.toLowerCase()}: share in the 90% range, and share positive`,
  [
    { title: word, cell: ({ code }) => names[code]! },
    { title: 'Results', cell: ({ cells }) => cells },
    { title: 'In range', variant: 'number', cell: ({ in_90 }) => formatPercent(in_90) },
    { title: 'Expected', variant: 'number', cell: expected },
    { title: 'Predicted', decimals: 2, cell: ({ predicted }) => predicted },
    { title: 'Observed', decimals: 2, cell: ({ observed }) => observed },
  ],
  rows,
)}`;
}

const formatPercent = (share: number) => `${Math.round(100 * share)}%`;

function describeScores({ model }: Contents, { validation, known_truth }: Evidence): string {
  const { state, lga } = countryWords(model.territory);
  const all = (validation?.scores ?? []).filter(({ survey_year }) => survey_year === null);
  const [spatial, baseline] = ['spatial', 'baseline'].map((name) => all.find(({ model }) => model === name));
  if (!spatial || !baseline)
    return (
      'The scores of this version were not tested on survey results left out of the fit. Nothing here shows how ' +
      'often their ranges contain the truth.'
    );
  const coverage90 = spatial.coverage.find(({ level }) => level === 0.9)!.share;
  const [modelError, baselineError] = [spatial, baseline].map(({ mean_absolute_error }) =>
    (100 * mean_absolute_error.mean).toFixed(1),
  ) as [string, string];
  const coverages = known_truth.pooled.filter(({ by }) => by === 'block').map(({ coverage_90 }) => coverage_90);
  return (
    `In places left out of the fit, the share of children positive in a survey cluster was missed by ${modelError} ` +
    `percentage points on average; a simple average of the ${state.one} misses it by ${baselineError}. Much of both is ` +
    `chance, because a cluster has few children. The 90% ranges held ${formatPercent(coverage90)} of what was observed. In ` +
    `made-up countries, where the truth of every ${lga.one} is known, they held ${formatPercent(Math.min(...coverages))} to ` +
    `${formatPercent(Math.max(...coverages))}.`
  );
}

function describeMonthsAfterSurvey({ coverage, tables, sources }: Contents): string {
  const lastSurvey = tables.basis
    .flatMap(({ last_survey }) => last_survey ?? [])
    .sort()
    .at(-1);
  if (lastSurvey === undefined) return 'No survey round is dated.';
  const monthsAfter = monthIndex(coverage.last_estimated) - monthIndex(lastSurvey);
  const casesSentence =
    hasCases(sources) &&
    ' Reported cases move no score, because surveys provide too little evidence of how prevalence follows them.';
  return monthsAfter <= 0
    ? `No estimated month is later than the last survey (${periodName(lastSurvey)}).`
    : `The last survey was in ${periodName(lastSurvey)}. The ${monthsAfter} months from then to ` +
        `${periodName(coverage.last_estimated)} carry its level forward with the usual season: they show neither a ` +
        `wet year nor an outbreak nor a campaign, and their ranges are wider.${casesSentence || ''}`;
}

/** An error of logarithms as a share: .223 is a factor of 1.25, or 25%. */
const formatLogError = (log_mae: number) => formatPercent(Math.exp(log_mae) - 1);

function describeForecasts({ coverage, tables, model }: Contents): string {
  const { state, lga } = countryWords(model.territory);
  const findSkill = (area_level: string, method: string, horizon: number) =>
    tables.forecast_skill.find(
      (row) =>
        row.origins === 'all' &&
        row.area_level === area_level &&
        row.method === method &&
        row.horizon_months === horizon,
    );
  const countAreas = (area: string) =>
    new Set(tables.forecasts_cases.filter((row) => row.area === area).map(({ code }) => code)).size;
  if (tables.forecasts_cases.length === 0)
    return 'There are none: this country has no monthly case records, or too few.';
  const areaKinds = [
    { area: 'state', words: state },
    { area: 'lga', words: lga },
  ].filter(({ area }) => countAreas(area) > 0);
  const extent =
    'They exist for ' +
    `${areaKinds.map(({ area, words }) => `${countAreas(area)} ${countAreas(area) === 1 ? words.one : words.many}`).join(' and ')}.`;
  const lines = areaKinds.flatMap(({ area, words }) => {
    const [oneMonth, fourMonths, lastYear] = [
      findSkill(area, 'case_model', 1),
      findSkill(area, 'case_model', 4),
      findSkill(area, 'same_month_last_year', 1),
    ];
    return oneMonth && fourMonths && lastYear
      ? [
          `Of ${words.many}, they are typically off by ${formatLogError(oneMonth.log_mae)} one month ahead and by ` +
            `${formatLogError(fourMonths.log_mae)} four months ahead; last year’s figure of the month by ` +
            `${formatLogError(lastYear.log_mae)}. Their 90% ranges held ${formatPercent(oneMonth.coverage_90)} and ` +
            `${formatPercent(fourMonths.coverage_90)} of what was then reported.`,
        ]
      : [];
  });
  return (
    `${extent} ${lines.length > 0 ? lines.join(' ') : 'They were not tested in this version.'}` +
    (hasScores(coverage) ? ' The score does not use them.' : '')
  );
}

function describeSeasonCheck({ coverage, season_method, tables, model }: Contents): string {
  const { check } = season_method;
  const { state } = countryWords(model.territory);
  if (tables.season.length === 0)
    return `There is none${hasScores(coverage) ? ': scores are the same in all months of a year' : ''}.`;
  if (check.series === 0) return 'It was not checked, because there are too few monthly case records.';
  return (
    `The season of ${check.series === 1 ? `one ${state.one}` : `${check.series} ${state.many}`} with case records ` +
    `was predicted without them: on average the peak is off by ${check.mean_months_peak_is_off.toFixed(1)} months ` +
    `and the middle of the high season by ${check.mean_months_off.toFixed(1)}. Elsewhere it was not checked.`
  );
}
