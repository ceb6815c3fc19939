import { startAddress } from './address.ts';
import { startAreaPanel } from './area-panel.ts';
import { startControls } from './controls.ts';
import { describeAge } from './describe-age.ts';
import { startFiles } from './downloads.ts';
import { startList } from './list.ts';
import { startMap } from './map.ts';
import { startQuestion } from './question.ts';
import { data, elementById, setView } from './store.ts';

const age = elementById('age');
age.textContent = describeAge(data.periods, data.estimated, new Date());
age.hidden = age.textContent === '';

startQuestion();
startControls();
startMap();
startAreaPanel();
startList();
startFiles();
startAddress();
setView({});
document.documentElement.dataset.ready = 'all';

// Opens folded sections for printing. (A brief is printed alone, by its style.)
addEventListener('beforeprint', () => {
  for (const details of document.querySelectorAll('[data-tab]:not([hidden]) details')) details.setAttribute('open', '');
});
