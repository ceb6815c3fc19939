import { h } from './dom.ts';
import { elementById, onViewChange, setView, view } from './store.ts';
import { mapChoice } from './tab.ts';
import { isWaiting, openTab } from './tabs.ts';

/** Keeps the open tab: its sentences and choices, or its page if it has no map. */
export function startQuestion(): void {
  const pages = [...document.querySelectorAll<HTMLElement>('[data-tab]')];
  const links = [...document.querySelectorAll<HTMLAnchorElement>('nav a[href^="#"]')];
  // The link's address alone would open the tab without the selected place and month.
  for (const link of links)
    link.addEventListener('click', (event) => {
      event.preventDefault();
      setView({ tab: link.hash.slice(1) });
    });
  let drawnTab = '';
  onViewChange(() => {
    const tab = openTab();
    elementById('stage').hidden = tab === null;
    elementById('waiting').hidden = !isWaiting();
    for (const page of pages) page.hidden = page.dataset.tab !== view.tab;
    for (const link of links) {
      if (link.hash === `#${view.tab}`) link.setAttribute('aria-current', 'page');
      else link.removeAttribute('aria-current');
    }
    if (!tab) return;
    elementById('headline').textContent = tab.headline();
    elementById('words').replaceChildren(...tab.sentences().map((sentence) => h('p', {}, sentence)));
    elementById('method').lastElementChild!.replaceChildren(...tab.method().map((sentence) => h('p', {}, sentence)));
    if (drawnTab !== tab.id) {
      elementById('choices').replaceChildren(...tab.choices.map(([value, label]) => choiceLabel(tab.id, value, label)));
      elementById('plan').replaceChildren(...(tab.controls ? [tab.controls()] : []));
    }
    drawnTab = tab.id;
    elementById('plan').firstElementChild?.dispatchEvent(new Event('follow'));
    for (const input of elementById('choices').querySelectorAll('input'))
      input.checked = input.value === mapChoice(tab);
  });
}

function choiceLabel(tab: string, value: string, label: string): HTMLElement {
  const input = h('input', {
    type: 'radio',
    name: 'shown',
    value,
    change: () => setView({ mapChoices: { ...view.mapChoices, [tab]: value } }),
  });
  return h('label', {}, input, h('span', {}, label));
}
