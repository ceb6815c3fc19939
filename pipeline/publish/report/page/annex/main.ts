/** Draws the annex's plots. */
import { drawPastForecasts } from './past-forecasts.ts';
import { drawSeasonCheck, drawSeasons } from './season-plots.ts';
import { drawSurveys } from './survey-plots.ts';
import { drawTransmission } from './transmission-plots.ts';
import { drawValidation } from './validation-plots.ts';

for (const draw of [drawValidation, drawPastForecasts, drawSeasons, drawSeasonCheck, drawSurveys, drawTransmission])
  draw();
// A plot wider than its container scrolls, also by keyboard.
for (const plot of document.querySelectorAll<HTMLElement>('.plot'))
  if (plot.scrollWidth > plot.clientWidth) plot.tabIndex = 0;
// A link from another page may lead to something folded.
const target = location.hash === '' ? null : document.getElementById(location.hash.slice(1));
if (target instanceof HTMLDetailsElement) target.open = true;
target?.scrollIntoView();
document.documentElement.dataset.ready = 'all';

addEventListener('beforeprint', () => {
  for (const details of document.querySelectorAll('details')) details.open = true;
});
