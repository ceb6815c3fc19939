import { startAddress } from './address.ts';
import { describeAge } from './age.ts';
import { startAreaPanel } from './area-panel.ts';
import { startControls } from './controls.ts';
import { startFiles } from './files.ts';
import { startList } from './list.ts';
import { startMap } from './map.ts';
import { pastForecasts } from './past-forecasts.ts';
import { startQuestion } from './question.ts';
import { seasonCheck, seasonStates } from './season-plots.ts';
import { data, element, onView, setView, view } from './store.ts';
import { surveys } from './survey-plots.ts';
import { transmission } from './transmission-plots.ts';
import { validation } from './validation-plots.ts';

const age = element('age');
age.textContent = describeAge(data.periods, data.estimated, new Date());
age.hidden = age.textContent === '';

/** Plots by tab, drawn when the tab is first opened: hidden, they would have no width. */
const PLOTS: Record<string, (() => void)[]> = {
  when: [seasonStates],
  good: [pastForecasts, seasonCheck, surveys, validation, transmission],
};
const drawn = new Set<string>();
function drawPlots(): void {
  if (drawn.has(view.tab)) return;
  drawn.add(view.tab);
  for (const draw of PLOTS[view.tab] ?? []) draw();
  // A plot wider than its container scrolls, also by keyboard.
  for (const plot of document.querySelectorAll<HTMLElement>('.plot'))
    if (plot.scrollWidth > plot.clientWidth) plot.tabIndex = 0;
}

startQuestion();
startControls();
startMap();
startAreaPanel();
startList();
startFiles();
startAddress();
setView({});
document.documentElement.dataset.ready = 'map';

// The map first; the plots below it once the browser has shown the map.
requestAnimationFrame(() =>
  setTimeout(() => {
    drawPlots();
    onView(drawPlots);
    document.documentElement.dataset.ready = 'all';
  }),
);

// Opens folded sections for printing. (A brief is printed alone, by its style.)
addEventListener('beforeprint', () => {
  for (const details of document.querySelectorAll('[data-tab]:not([hidden]) details')) details.setAttribute('open', '');
});
