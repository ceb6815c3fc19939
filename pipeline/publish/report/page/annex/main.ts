/** Draws the annex's plots. */
import { pastForecasts } from './past-forecasts.ts';
import { seasonCheck, seasonStates } from './season-plots.ts';
import { surveys } from './survey-plots.ts';
import { transmission } from './transmission-plots.ts';
import { validation } from './validation-plots.ts';

for (const draw of [validation, pastForecasts, seasonStates, seasonCheck, surveys, transmission]) draw();
// A plot wider than its container scrolls, also by keyboard.
for (const plot of document.querySelectorAll<HTMLElement>('.plot'))
  if (plot.scrollWidth > plot.clientWidth) plot.tabIndex = 0;
// A link from another page may lead to something folded.
const target = location.hash === '' ? null : document.getElementById(location.hash.slice(1));
if (target instanceof HTMLDetailsElement) target.open = true;
target?.scrollIntoView();
document.documentElement.dataset.ready = 'all';

// Opens folded sections for printing.
addEventListener('beforeprint', () => {
  for (const details of document.querySelectorAll('details')) details.open = true;
});
