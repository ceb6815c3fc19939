import { hasCases } from '../../../catalog/missing-data.ts';
import { monthIndex } from '../../../contract/months.ts';
import { countryWords } from '../../../contract/words.ts';
import { type Html, html } from '../../../lib/pages/html.ts';
import type { Contents } from '../../snapshot/contents.ts';
import type { Evidence } from '../shared/evidence.ts';
import { periodName } from '../shared/names.ts';
import { describeRiskLimits } from './words.ts';

/** What was tested, what came of it and for whom, in a person's words; the annex has the figures behind it. */
export function verdictsSection(contents: Contents, evidence: Evidence): Html {
  const verdicts: [about: string, verdict: string, more: string][] = [
    ['Scores', scoresInWords(contents, evidence), 'validation'],
    ['Months after the last survey', carriedInWords(contents), 'basis'],
    ['Forecasts of reported cases', forecastsInWords(contents), 'forecast-skill'],
    ['Season', seasonInWords(contents), 'season-checked'],
  ];
  return html`<section id="reliable" aria-labelledby="reliable-head"><h2 id="reliable-head">Can these figures be trusted?</h2>
<div class="cards">${verdicts.map(
    ([about, verdict, more]) =>
      html`<div class="card verdict"><h3>${about}</h3><p>${verdict}</p><p class="note"><a href="annex.html#${more}">The figures behind this</a></p></div>`,
  )}</div>
<h2 id="limits">Limits</h2>
<ul class="limits">${describeRiskLimits(contents, evidence).map((limit) => html`<li>${limit}</li>`)}</ul></section>`;
}

const percent = (share: number) => `${Math.round(100 * share)}%`;

function scoresInWords({ model }: Contents, { validation, known_truth }: Evidence): string {
  const { state, lga } = countryWords(model.territory);
  const all = (validation?.scores ?? []).filter(({ survey_year }) => survey_year === null);
  const [rows, baseline] = ['spatial', 'baseline'].map((name) => all.find(({ model }) => model === name));
  if (!rows || !baseline)
    return (
      'The scores of this version were not tested on survey results left out of the fit. Nothing here shows how ' +
      'often their ranges contain the truth.'
    );
  const inside = rows.coverage.find(({ level }) => level === 0.9)!.share;
  const [error, simple] = [rows, baseline].map(({ mean_absolute_error }) =>
    (100 * mean_absolute_error.mean).toFixed(1),
  ) as [string, string];
  const blocks = known_truth.pooled.filter(({ by }) => by === 'block').map(({ coverage_90 }) => coverage_90);
  return (
    `In places left out of the fit, the share of children positive in a survey cluster was missed by ${error} ` +
    `percentage points on average; a simple average of the ${state.one} misses it by ${simple}. Much of both is ` +
    `chance, because a cluster has few children. The 90% ranges held ${percent(inside)} of what was observed. In ` +
    `made-up countries, where the truth of every ${lga.one} is known, they held ${percent(Math.min(...blocks))} to ` +
    `${percent(Math.max(...blocks))}.`
  );
}

function carriedInWords({ coverage, tables, sources }: Contents): string {
  const last = tables.basis
    .flatMap(({ last_survey }) => last_survey ?? [])
    .sort()
    .at(-1);
  if (last === undefined) return 'No survey round is dated.';
  const after = monthIndex(coverage.last_estimated) - monthIndex(last);
  const cases =
    hasCases(sources) &&
    ' Reported cases move no score, because surveys provide too little evidence of how prevalence follows them.';
  return after <= 0
    ? `No estimated month is later than the last survey (${periodName(last)}).`
    : `The last survey was in ${periodName(last)}. The ${after} months from then to ` +
        `${periodName(coverage.last_estimated)} carry its level forward with the usual season: they show neither a ` +
        `wet year nor an outbreak nor a campaign, and their ranges are wider.${cases || ''}`;
}

/** An error of logarithms as a share: .223 is a factor of 1.25, or 25%. */
const typicalError = (log_mae: number) => percent(Math.exp(log_mae) - 1);

function forecastsInWords({ tables, model }: Contents): string {
  const { state, lga } = countryWords(model.territory);
  const skill = (area_level: string, method: string, horizon: number) =>
    tables.forecast_skill.find(
      (row) =>
        row.origins === 'all' &&
        row.area_level === area_level &&
        row.method === method &&
        row.horizon_months === horizon,
    );
  const areas = (area: string) =>
    new Set(tables.forecasts_cases.filter((row) => row.area === area).map(({ code }) => code)).size;
  if (tables.forecasts_cases.length === 0)
    return 'There are none: this country has no monthly case records, or too few.';
  const kinds = [
    { area: 'state', words: state },
    { area: 'lga', words: lga },
  ].filter(({ area }) => areas(area) > 0);
  const extent =
    'They exist for ' +
    `${kinds.map(({ area, words }) => `${areas(area)} ${areas(area) === 1 ? words.one : words.many}`).join(' and ')}.`;
  const lines = kinds.flatMap(({ area, words }) => {
    const [one, four, usual] = [
      skill(area, 'case_model', 1),
      skill(area, 'case_model', 4),
      skill(area, 'same_month_last_year', 1),
    ];
    return one && four && usual
      ? [
          `Of ${words.many}, they are typically off by ${typicalError(one.log_mae)} one month ahead and by ` +
            `${typicalError(four.log_mae)} four months ahead; last year’s figure of the month by ` +
            `${typicalError(usual.log_mae)}. Their 90% ranges held ${percent(one.coverage_90)} and ` +
            `${percent(four.coverage_90)} of what was then reported.`,
        ]
      : [];
  });
  return (
    `${extent} ${lines.length > 0 ? lines.join(' ') : 'They were not tested in this version.'} The score does not ` +
    'use them.'
  );
}

function seasonInWords({ season_method, tables, model }: Contents): string {
  const { check } = season_method;
  const { state } = countryWords(model.territory);
  if (tables.season.length === 0) return 'There is none: scores are the same in all months of a year.';
  if (check.series === 0) return 'It was not checked, because there are too few monthly case records.';
  return (
    `The season of ${check.series === 1 ? `one ${state.one}` : `${check.series} ${state.many}`} with case records ` +
    `was predicted without them: on average the peak is off by ${check.mean_months_peak_is_off.toFixed(1)} months ` +
    `and the middle of the high season by ${check.mean_months_off.toFixed(1)}. Elsewhere it was not checked.`
  );
}
