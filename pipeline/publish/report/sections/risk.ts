import { countryWords } from '../../../contract/words.ts';
import { type Html, html } from '../../../lib/pages/html.ts';
import type { Contents } from '../../snapshot/contents.ts';
import { coveredPeriods } from '../../snapshot/snapshot-tables.ts';
import { renderMap } from '../shared/map.ts';
import { periodName, SCORE_CLASSES, scoreFill } from '../shared/names.ts';

/** The part of the page with the map, its controls, sentences and the selected place. The first map needs no script. */
export function renderMapView({ tables, coverage, model }: Contents): Html {
  const periods = coveredPeriods(tables);
  const latest = periods.indexOf(coverage.last_estimated);
  const scores = new Map(
    tables.risk_lgas.flatMap(({ period, lga_code, score }) =>
      period === coverage.last_estimated ? [[lga_code, score] as const] : [],
    ),
  );
  const outlines = { lgas: tables.boundaries_lgas, states: tables.boundaries_states };
  const name = periodName(coverage.last_estimated);
  const { lga, Lga, State } = countryWords(model.territory);
  const fill = (code: string) => scoreFill(scores.get(code)!);
  return html`<section id="stage" aria-labelledby="headline">
<div class="card view-bar">
<div class="picker"><label class="find">Find a place <input id="search" list="names" autocomplete="off" placeholder="name or code"></label><datalist id="names"></datalist><label>${State.one} <select id="state"></select></label><label>${Lga.one} <select id="lga" disabled></select></label><button type="button" id="home" title="Show the whole country">All</button><button type="button" id="copy-link" title="Copy the address of what is shown">Copy link</button></div>
<div id="time"><div class="month"><button type="button" id="earlier" aria-label="One month earlier">‹</button>
<label for="month" class="unseen">Month</label><output id="month-name" for="month">${name}</output><span id="kind" class="mark kind">estimated</span>
<button type="button" id="later" aria-label="One month later">›</button></div>
<div class="slider"><input type="range" id="month" min="0" max="${periods.length - 1}" value="${latest}" step="1">
<div id="years" aria-hidden="true"></div></div></div>
</div>
<div class="stage">
<div class="card question"><h2 id="headline">Malaria risk by ${lga.one}, ${name}</h2><div id="words"></div><div id="plan"></div><details id="method"><summary>Method and definitions</summary><div></div></details></div>
<div class="card map-card">
<fieldset class="choice"><legend class="unseen">The map shows</legend><div id="choices"></div></fieldset>
<div id="frame" tabindex="0" role="group" aria-label="Map: plus and minus zoom, arrow keys move, 0 shows all">${renderMap(outlines, { label: `Map of the score by ${lga.one}, ${name}`, fill, scripted: true })}<p id="forecast-mark" hidden></p><div id="tip" hidden></div><div class="zoom"><button type="button" id="nearer" aria-label="Zoom in">+</button><button type="button" id="farther" aria-label="Zoom out">−</button></div></div>
<div id="legend" class="legend">${SCORE_CLASSES.map(({ below, fill }) => html`<span><i style="background:${fill}"></i>${Number.isFinite(below) && `below ${below.toFixed(2)}`}</span>`)}</div>
<p id="colour-note" class="note"></p>
<div id="download" class="download"></div><p id="cite" class="note"></p>
</div>
<div class="beside" id="beside">
<div class="card" id="ranking"></div>
<div class="card place"><p id="announcement" class="unseen" role="status"></p>
<div id="place"><noscript>The map shows ${name}. Time series, seasons and the other months require JavaScript, which is turned off in this browser.</noscript></div></div>
<div class="card" id="pins" hidden></div>
</div>
</div>
</section>`;
}
