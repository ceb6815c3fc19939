import { describeAge } from './age.ts';
import { startControls } from './controls.ts';
import { startMap } from './map.ts';
import { startPlace } from './place.ts';
import { startRanking } from './ranking.ts';
import { seasonCheck, seasonStates } from './season-plots.ts';
import { data, element, setView } from './store.ts';
import { surveys } from './survey-plots.ts';
import { transmission } from './transmission-plots.ts';
import { validation } from './validation-plots.ts';

const age = element('age');
age.textContent = describeAge(data.periods, data.estimated, new Date());
age.hidden = age.textContent === '';

startControls();
startMap();
startPlace();
startRanking();
setView({});
document.documentElement.dataset.ready = 'map';

// The map first; what lies below it once the browser has shown it.
requestAnimationFrame(() =>
  setTimeout(() => {
    for (const draw of [seasonStates, seasonCheck, surveys, transmission, validation]) draw();
    // A plot wider than its place scrolls there, by keyboard too.
    for (const plot of document.querySelectorAll<HTMLElement>('.plot'))
      if (plot.scrollWidth > plot.clientWidth) plot.tabIndex = 0;
    document.documentElement.dataset.ready = 'all';
  }),
);

// Folded sections are printed too.
addEventListener('beforeprint', () => {
  for (const details of document.querySelectorAll('main details')) details.setAttribute('open', '');
});
