import { periodName } from '../names.ts';
import { type Colour, data, element, isForecast, onView, setView, view } from './store.ts';
import { h } from './words.ts';

/** Slider, colouring and the two lists: everything the map does, by keyboard too. */
export function startControls(): void {
  const month = element<HTMLInputElement>('month');
  const state = element<HTMLSelectElement>('state');
  const lga = element<HTMLSelectElement>('lga');
  const last = data.periods.length - 1;
  month.addEventListener('input', () => setView({ month: Number(month.value) }));
  element('earlier').addEventListener('click', () => setView({ month: Math.max(0, view.month - 1) }));
  element('later').addEventListener('click', () => setView({ month: Math.min(last, view.month + 1) }));
  element('home').addEventListener('click', () => setView({ state: null, lga: null }));
  state.addEventListener('change', () => setView({ state: state.value || null, lga: null }));
  lga.addEventListener('change', () => setView({ lga: lga.value || null }));
  for (const radio of document.querySelectorAll<HTMLInputElement>('input[name=colour]'))
    radio.addEventListener('change', () => setView({ colour: radio.value as Colour }));
  state.append(option('', 'All states'), ...data.states.map((s) => option(s.state_code, s.state)));

  month.style.setProperty('--estimated', `${(100 * (data.estimated - 0.5)) / last}%`);
  for (const [i, period] of data.periods.entries())
    if (period.endsWith('-01'))
      element('years').append(h('span', { style: `left:${(100 * i) / last}%` }, period.slice(2, 4)));

  let listed: string | null | undefined;
  onView(() => {
    const name = periodName(data.periods[view.month]!);
    month.value = String(view.month);
    month.setAttribute('aria-valuetext', `${name}, ${isForecast(view.month) ? 'forecast' : 'estimated'}`);
    element('month-name').textContent = name;
    element('kind').textContent = isForecast(view.month) ? 'forecast' : 'estimated';
    element('kind').classList.toggle('forecast', isForecast(view.month));
    element<HTMLButtonElement>('earlier').disabled = view.month === 0;
    element<HTMLButtonElement>('later').disabled = view.month === last;
    element<HTMLButtonElement>('home').disabled = view.state === null;
    if (listed !== view.state) {
      const own = data.lgas.filter((row) => row.state_code === view.state).sort((a, b) => (a.lga < b.lga ? -1 : 1));
      lga.replaceChildren(
        option('', view.state ? 'All LGAs' : 'pick a state'),
        ...own.map((row) => option(row.lga_code, row.lga)),
      );
      lga.disabled = view.state === null;
      listed = view.state;
    }
    state.value = view.state ?? '';
    lga.value = view.lga ?? '';
  });
}

const option = (value: string, name: string) => h('option', { value }, name);
