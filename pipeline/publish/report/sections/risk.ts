import { LEVELS } from '../../../contract/schemas.ts';
import type { Contents } from '../../snapshot/contents.ts';
import { periodsOf } from '../../snapshot/tables.ts';
import { renderMap } from '../map.ts';
import { html, type Markup } from '../markup.ts';
import { LEVEL_FILLS, periodName } from '../names.ts';

/** Map, controls, and the place that is looked at; the first map is drawn here and stands without any script. */
export function riskSection({ tables, coverage, model }: Contents): Markup {
  const periods = periodsOf(tables);
  const latest = periods.indexOf(coverage.last_estimated);
  const levels = new Map(
    tables.risk_lgas.flatMap(({ period, lga_code, level }) =>
      period === coverage.last_estimated ? [[lga_code, level] as const] : [],
    ),
  );
  const fill = (code: string) => LEVEL_FILLS[levels.get(code)!];
  const outlines = { lgas: tables.boundaries_lgas, states: tables.boundaries_states };
  const name = periodName(coverage.last_estimated);
  return html`<section id="risk" aria-labelledby="risk-head">
<h2 id="risk-head">Where risk is, and how sure</h2>
<p class="lead">The score is the modelled share of children aged ${model.territory.ages_months.join('–')} months who would test positive for malaria by ${model.territory.method}, in that place and month. Pick a month; click a state, then one of its LGAs, or choose them from the lists.</p>
<div class="stage">
<div class="card map-card">
<div class="controls">
<div class="month"><button type="button" id="earlier" aria-label="One month earlier">‹</button>
<label for="month">Month</label><output id="month-name" for="month">${name}</output><span id="kind" class="kind">estimated</span>
<button type="button" id="later" aria-label="One month later">›</button></div>
<div class="slider"><input type="range" id="month" min="0" max="${periods.length - 1}" value="${latest}" step="1">
<div id="years" aria-hidden="true"></div></div>
<fieldset class="choice"><legend>Colour</legend>
<label><input type="radio" name="colour" value="level" checked><span>Level</span></label>
<label><input type="radio" name="colour" value="score"><span>Score</span></label>
<label><input type="radio" name="colour" value="width"><span>Width of range</span></label>
<label><input type="radio" name="colour" value="change"><span>Change in a year</span></label></fieldset>
</div>
<div id="frame">${renderMap(outlines, { label: `Map of risk by LGA, ${name}`, fill, scripted: true })}<p id="forecast-mark" hidden></p><div id="tip" hidden></div></div>
<div id="legend" class="legend">${LEVELS.map(({ level }) => html`<span><i style="background:${LEVEL_FILLS[level]}"></i>${level.replace('_', ' ')}</span>`)}</div>
<p id="colour-note" class="note"></p>
</div>
<div class="card place"><p id="said" class="unseen" role="status"></p>
<div class="picker"><label>State <select id="state"></select></label><label>LGA <select id="lga" disabled></select></label><button type="button" id="home">Whole country</button></div>
<div id="place"><noscript>The map shows ${name}. Series, seasons and the other months need JavaScript, which this page carries in itself.</noscript></div>
</div>
</div>
<div class="card"><div id="ranking"></div></div>
</section>`;
}
