import { hasWhatItNeeds, startAddress } from './address.ts';
import { startAreaPanel } from './area-panel.ts';
import { startControls } from './controls.ts';
import { describeAge } from './describe-age.ts';
import { startFiles } from './downloads.ts';
import { startList } from './list.ts';
import { startMap } from './map.ts';
import { startQuestion } from './question.ts';
import { data, elementById, hasArrived, readParts, setView } from './store.ts';

const age = elementById('age');
age.textContent = describeAge(data.periods, data.estimated, new Date());

let isStarted = false;
/** Starts the page as soon as it has what its address needs, and then shows what arrives. */
function followData(): void {
  readParts();
  if (isStarted) setView({});
  else if (hasWhatItNeeds(location.hash)) {
    isStarted = true;
    startQuestion();
    startControls();
    startMap();
    startAreaPanel();
    startList();
    startFiles();
    startAddress();
    setView({});
    document.documentElement.dataset.ready = 'first';
  }
  if (isStarted && hasArrived('changes')) document.documentElement.dataset.ready = 'all';
}
// Each part of the data is followed by a script that says so.
addEventListener('part', followData);
followData();

// Opens folded sections for printing. (A brief is printed alone, by its style.)
addEventListener('beforeprint', () => {
  for (const details of document.querySelectorAll('[data-tab]:not([hidden]) details')) details.setAttribute('open', '');
});
