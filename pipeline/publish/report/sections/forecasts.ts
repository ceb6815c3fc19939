import type { Words } from '../../../contract/words.ts';
import { type Html, html } from '../../../lib/pages/html.ts';
import { renderTable } from '../../../lib/pages/table.ts';
import type { SnapshotTables } from '../../snapshot/snapshot-tables.ts';

type Skill = SnapshotTables['forecast_skill'][number];

const levelNames = ({ State, Lga }: Words): Record<Skill['area_level'], string> => ({
  lga: Lga.many,
  state: State.many,
  long: `${State.many} with long records`,
});
const METHOD_NAMES: Record<string, string> = {
  case_model: 'The model',
  sum_of_parts: 'The model, sum of parts',
  same_month_last_year: 'Same month last year',
  month_climatology: 'Mean of that month',
  month_median: 'Median of that month',
  flat12: 'Mean of twelve months',
  persistence: 'The last month',
  last3_x_season: 'Last three months × season',
  'last3+12_x_shrunk_season': 'Last 3 and 12 months × shrunk season',
};

/** Skill of the forecasts of reported cases on months that they had not seen, compared with simple methods. */
export function renderForecasts({ forecast_skill }: Pick<SnapshotTables, 'forecast_skill'>, words: Words): Html {
  const names = levelNames(words);
  const overallSkill = forecast_skill.filter(({ origins }) => origins === 'all');
  const horizons = [...new Set(overallSkill.map(({ horizon_months }) => horizon_months))];
  const levels = [...Map.groupBy(overallSkill, ({ area_level }) => area_level)];
  return html`<h3 id="forecast-skill">Test of the forecasts of reported cases</h3>
${
  overallSkill.length === 0
    ? html`<p class="notice">Forecasts of reported cases were not tested in this version, or the country has too few records.</p>`
    : html`<p>For each month of the last years of the records, a model fitted to the records up to that month forecast the next one to four months. Error: mean absolute difference of logarithms; 0.25 is a factor of 1.28. CRPS (continuous ranked probability score) extends this to the whole predictive distribution. For both, lower is better. Forecasts of cases are in the table <code>forecasts_cases</code>; no score uses them.</p>
${levels.map(([level, rows]) => renderLevelTable(names[level], rows, horizons))}
<p class="key"><span class="band"></span> 90% range four months ahead <span class="line model"></span> median one month ahead <span class="dot reported"></span> later reported; each as a share of the ${words.state.one}’s own mean</p>
<div id="past-forecasts" class="small-multiples"></div>
<p class="note">For results by year of the forecast’s origin see the table <code>forecast_skill</code>.</p>`
}`;
}

function renderLevelTable(areas: string, rows: readonly Skill[], horizons: readonly (number | null)[]): Html {
  const methods = [...Map.groupBy(rows, ({ method }) => method)];
  const count = rows.find(({ horizon_months }) => horizon_months === null)!.forecasts;
  const findSkill = (skills: readonly Skill[], horizon: number | null) =>
    skills.find((row) => row.horizon_months === horizon);
  return renderTable(
    `${areas}: ${count} forecasts`,
    [
      { title: 'Method', cell: ([method]) => METHOD_NAMES[method] ?? method },
      ...horizons.map((horizon) => ({
        title: horizon === null ? 'Error, all' : `${horizon} ${horizon === 1 ? 'month' : 'months'}`,
        decimals: 3,
        cell: ([, methodSkill]: (typeof methods)[number]) => findSkill(methodSkill, horizon)?.log_mae,
      })),
      { title: 'CRPS', decimals: 3, cell: ([, methodSkill]) => findSkill(methodSkill, null)!.crps_log },
      { title: 'In 50%', decimals: 3, cell: ([, methodSkill]) => findSkill(methodSkill, null)!.coverage_50 },
      { title: 'In 90%', decimals: 3, cell: ([, methodSkill]) => findSkill(methodSkill, null)!.coverage_90 },
    ],
    methods,
  );
}
