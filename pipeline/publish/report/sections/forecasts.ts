import type { Tables } from '../../snapshot/tables.ts';
import { html, type Markup, table } from '../markup.ts';

type Skill = Tables['forecast_skill'][number];

const LEVELS: Record<Skill['area_level'], string> = {
  lga: 'LGAs',
  state: 'States',
  long: 'States with long records',
};
const METHODS: Record<string, string> = {
  case_model: 'The model',
  same_month_last_year: 'Same month last year',
  month_climatology: 'Mean of that month',
  flat12: 'Mean of twelve months',
  persistence: 'The last month',
  last3_x_season: 'Last three months × season',
  'last3+12_x_shrunk_season': 'Last 3 and 12 months × shrunk season',
};

/** How good forecasts of reported cases were on months that they had not seen, beside simple methods. */
export function forecastPart({ forecast_skill }: Pick<Tables, 'forecast_skill'>): Markup {
  const whole = forecast_skill.filter(({ origins }) => origins === 'all');
  const horizons = [...new Set(whole.map(({ horizon_months }) => horizon_months))];
  const levels = [...Map.groupBy(whole, ({ area_level }) => area_level)];
  return html`<h3 id="forecast-skill">Forecasts of reported cases, tested</h3>
${
  whole.length === 0
    ? html`<p class="missing">Forecasts of reported cases were not tested in this version, or the country has too few records.</p>`
    : html`<p>From each month of the records’ last years a model of the records, which saw none of what came later, said what the next one to four months would bring. Error: mean of the absolute difference of logarithms, .25 being a factor of 1.28. CRPS asks the same of the whole range; less is better of both. Forecasts of cases are in the table <code>forecasts_cases</code>; no score uses them.</p>
${levels.map(([level, rows]) => levelTable(level, rows, horizons))}
<p class="key"><span class="band"></span> 90% range four months ahead <span class="line model"></span> median one month ahead <span class="dot reported"></span> what was then reported; each as a share of the state’s own mean</p>
<div id="past-forecasts" class="small-multiples"></div>
<p class="note">By year of the month that was forecast from: table <code>forecast_skill</code>.</p>`
}`;
}

function levelTable(level: Skill['area_level'], rows: readonly Skill[], horizons: readonly (number | null)[]): Markup {
  const methods = [...Map.groupBy(rows, ({ method }) => method)];
  const count = rows.find(({ horizon_months }) => horizon_months === null)!.forecasts;
  const of = (own: readonly Skill[], horizon: number | null) => own.find((row) => row.horizon_months === horizon);
  return table(
    `${LEVELS[level]}: ${count} forecasts`,
    [
      { head: 'Method' },
      ...horizons.map((horizon) => ({
        head: horizon === null ? 'Error, all' : `${horizon} ${horizon === 1 ? 'month' : 'months'}`,
        number: true,
      })),
      { head: 'CRPS', number: true },
      { head: 'In 50%', number: true },
      { head: 'In 90%', number: true },
    ],
    methods.map(([method, own]) => {
      const all = of(own, null)!;
      return [
        METHODS[method] ?? method,
        ...horizons.map((horizon) => of(own, horizon)?.log_mae.toFixed(3)),
        ...[all.crps_log, all.coverage_50, all.coverage_90].map((value) => value.toFixed(3)),
      ];
    }),
  );
}
