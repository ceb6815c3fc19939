import * as d3 from 'd3';
import { periodName } from '../shared/names.ts';
import { fillOf, scaleHatching } from './colours.ts';
import { data, element, fullName, isForecast, lgaOf, onView, setView, view } from './store.ts';
import { openTab } from './tabs.ts';
import { h } from './words.ts';

const map = element<SVGSVGElement>('map');
const lgas = [...element('lgas').children] as SVGPathElement[];
const states = [...element('states').children] as SVGPathElement[];
const full = map.viewBox.baseVal;
const home = [full.x, full.y, full.width, full.height];
const still = matchMedia('(prefers-reduced-motion: reduce)').matches;
let shown = home;
let moving = 0;
/** LGA under the pointer. */
let pointed: string | null = null;

/** Moves the map until it shows the box. */
function moveTo(box: number[]): void {
  if (box.every((value, i) => value === shown[i])) return;
  cancelAnimationFrame(moving);
  const between = d3.interpolateArray(shown, box);
  const began = performance.now();
  const step = (now: number) => {
    const moved = still ? 1 : Math.min(1, (now - began) / 350);
    shown = moved === 1 ? box : [...between(d3.easeCubicInOut(moved))];
    map.setAttribute('viewBox', shown.join(' '));
    map.style.setProperty('--unit', String(shown[2]! / home[2]!));
    scaleHatching(shown[2]! / home[2]!);
    if (moved < 1) moving = requestAnimationFrame(step);
  };
  step(began);
}

/** The box of a state with room around it, in the map's own proportions. */
function boxOf(path: SVGPathElement): number[] {
  const { x, y, width, height } = path.getBBox();
  const scale = Math.max(width / home[2]!, height / home[3]!) * 1.25;
  const [wide, high] = [home[2]! * scale, home[3]! * scale];
  return [x + width / 2 - wide / 2, y + height / 2 - high / 2, wide, high];
}

/** The first click selects a state, the next an LGA of that state. */
function pick(code: string): void {
  const { state_code } = lgaOf(code);
  setView(view.state === state_code ? { lga: view.lga === code ? null : code } : { state: state_code, lga: null });
}

const tip = element('tip');
function showTip(event: PointerEvent): void {
  const code = (event.target as Element).getAttribute('data-code');
  writeTip(code);
  if (code === null) return;
  const frame = element('frame').getBoundingClientRect();
  const x = Math.min(event.clientX - frame.left + 14, frame.width - tip.offsetWidth - 4);
  tip.style.transform = `translate(${Math.max(0, x)}px,${event.clientY - frame.top + 16}px)`;
}

/** Shows the open tab's tooltip for an LGA in the month shown; hides it for null. */
function writeTip(code: string | null): void {
  pointed = code;
  const tab = openTab();
  tip.hidden = code === null || tab === null;
  if (code === null || tab === null) return;
  tip.replaceChildren(h('b', {}, fullName(code)), ...tab.tip(code).map((line) => h('span', {}, line)));
}

function draw(): void {
  const tab = openTab();
  if (!tab) return;
  for (const path of lgas) path.setAttribute('fill', fillOf(tab.paint(path.dataset.code!)));
  for (const path of states) path.classList.toggle('faded', view.state !== null && path.dataset.code !== view.state);
  const own = view.lga
    ? lgas.find(({ dataset }) => dataset.code === view.lga)
    : states.find(({ dataset }) => dataset.code === view.state);
  element('selected').setAttribute('d', own?.getAttribute('d') ?? '');
  const state = states.find(({ dataset }) => dataset.code === view.state);
  moveTo(state ? boxOf(state) : home);
  const timeless = tab.months?.length === 0;
  const ahead = timeless ? 0 : view.month - data.estimated + 1;
  const name = periodName(data.periods[view.month]!);
  map.setAttribute(
    'aria-label',
    `Map by ${data.words.lga.one}, ${name}, ${isForecast(view.month) ? 'forecast' : 'estimated'}: ${tab.headline()}`,
  );
  element('frame').classList.toggle('forecast', ahead > 0);
  const mark = element('forecast-mark');
  mark.hidden = ahead <= 0;
  mark.textContent = `Forecast: ${ahead} ${ahead === 1 ? 'month' : 'months'} beyond the last estimate`;
  const { keys, note } = tab.legend();
  element('legend').replaceChildren(...keys);
  element('colour-note').textContent = note;
  writeTip(pointed);
}

/** Makes the map follow pointers and the view. */
export function startMap(): void {
  element('lgas').addEventListener('click', (event) => {
    const code = (event.target as Element).getAttribute('data-code');
    if (code !== null) pick(code);
  });
  element('lgas').addEventListener('pointermove', (event) => showTip(event as PointerEvent));
  // On a touch screen the tooltip stays when the finger is lifted.
  element('lgas').addEventListener('pointerleave', (event) => {
    if ((event as PointerEvent).pointerType === 'mouse') writeTip(null);
  });
  onView(draw);
}
