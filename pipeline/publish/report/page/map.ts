import * as d3 from 'd3';
import { fillAttribute, scaleHatching } from './colours.ts';
import { h, svgElement } from './dom.ts';
import {
  areaName,
  data,
  elementById,
  fullName,
  lgaByCode,
  monthInWords,
  onViewChange,
  setView,
  untestedNote,
  view,
} from './store.ts';
import { openTab } from './tabs.ts';

const map = elementById<SVGSVGElement>('map');
const lgas = [...elementById('lgas').children] as SVGPathElement[];
const states = [...elementById('states').children] as SVGPathElement[];
const { x: west, y: north, width, height } = map.viewBox.baseVal;
const frame = elementById('frame');
// Without this, the height would follow the part of the map that is shown.
map.style.aspectRatio = `${width} / ${height}`;
const prefersNoMotion = matchMedia('(prefers-reduced-motion: reduce)').matches;
let animationFrame = 0;
/** LGA under the pointer. */
let pointedCode: string | null = null;

/** Map units per pixel of the frame, and the map's margins in it, when the whole country is shown. */
function frameScale() {
  const [frameWidth, frameHeight] = [map.clientWidth || 1, map.clientHeight || 1];
  const unit = Math.max(width / frameWidth, height / frameHeight);
  return {
    frameWidth,
    frameHeight,
    unit,
    left: (frameWidth - width / unit) / 2,
    top: (frameHeight - height / unit) / 2,
  };
}

/** Wheel, pinch and drag; a finger alone scrolls the page while the whole country is shown. */
const zoom = d3
  .zoom<HTMLElement, unknown>()
  .scaleExtent([1, 40])
  .filter(
    (event: Event) =>
      !(event instanceof MouseEvent && event.button !== 0) &&
      (event.type !== 'touchstart' || (event as TouchEvent).touches.length > 1 || d3.zoomTransform(frame).k > 1),
  )
  .on('zoom', ({ transform }: { transform: d3.ZoomTransform }) => showPart(transform));

/** Shows the part of the map that is in the frame after a zoom transform. */
function showPart({ k, x, y }: d3.ZoomTransform): void {
  const { frameWidth, frameHeight, unit, left, top } = frameScale();
  const box = [
    west + (-x / k - left) * unit,
    north + (-y / k - top) * unit,
    (frameWidth * unit) / k,
    (frameHeight * unit) / k,
  ];
  map.setAttribute('viewBox', box.join(' '));
  map.style.setProperty('--unit', String(1 / k));
  map.style.setProperty('--pixel', String(unit / k));
  frame.style.touchAction = k > 1 ? 'none' : 'pan-x pan-y';
  scaleHatching(1 / k);
  nameLgas(k);
  updateTip(null);
}

/** Moves the map to a transform, unless it is there. */
function animateTo(target: d3.ZoomTransform): void {
  const start = d3.zoomTransform(frame);
  if (start.k === target.k && start.x === target.x && start.y === target.y) return;
  cancelAnimationFrame(animationFrame);
  const interpolate = d3.interpolateArray([start.k, start.x, start.y], [target.k, target.x, target.y]);
  const startTime = performance.now();
  const step = (now: number) => {
    const progress = prefersNoMotion ? 1 : Math.min(1, Math.max(0, now - startTime) / 350);
    const [k, x, y] = interpolate(d3.easeCubicInOut(progress)) as [number, number, number];
    zoom.transform(d3.select(frame), progress === 1 ? target : d3.zoomIdentity.translate(x, y).scale(k));
    if (progress < 1) animationFrame = requestAnimationFrame(step);
  };
  step(startTime);
}

/** The transform that shows a state with room around it. */
function stateTransform(path: SVGPathElement): d3.ZoomTransform {
  const box = path.getBBox();
  const { frameWidth, frameHeight, unit, left, top } = frameScale();
  const k = Math.min(40, 0.8 * Math.min(width / box.width, height / box.height));
  const [x, y] = [left + (box.x + box.width / 2 - west) / unit, top + (box.y + box.height / 2 - north) / unit];
  return d3.zoomIdentity.translate(frameWidth / 2 - k * x, frameHeight / 2 - k * y).scale(k);
}

/** Centre and width of each LGA's outline, measured when first needed. */
const boxByCode = new Map<string, { x: number; y: number; width: number }>();
const areaBox = (path: SVGPathElement) => {
  const code = path.dataset.code!;
  const cached = boxByCode.get(code);
  if (cached) return cached;
  const { x, y, width, height } = path.getBBox();
  const centredBox = { x: x + width / 2, y: y + height / 2, width };
  boxByCode.set(code, centredBox);
  return centredBox;
};
/** Width of a letter of a name, in pixels. */
const LETTER_WIDTH = 6.5;
let namedCodes = '';
/** Names the LGAs of the selected state, or of all, that are wide enough for their name at this scale. */
function nameLgas(k: number): void {
  const pixel = frameScale().unit / k;
  const fits = (path: SVGPathElement) =>
    areaBox(path).width > LETTER_WIDTH * pixel * areaName(path.dataset.code!).length;
  const isInView = ({ dataset }: SVGPathElement) =>
    view.state === null || lgaByCode(dataset.code!).state_code === view.state;
  const namedPaths = k < 2.5 ? [] : lgas.filter((path) => isInView(path) && fits(path));
  const codes = namedPaths.map(({ dataset }) => dataset.code).join();
  if (codes === namedCodes) return;
  namedCodes = codes;
  const names = namedPaths.map((path) => {
    const { x, y } = areaBox(path);
    return svgElement('text', { x, y }, areaName(path.dataset.code!));
  });
  elementById('lga-names').replaceChildren(...names);
}

/** The first click selects a state, the next an LGA of that state. */
function toggleArea(code: string): void {
  const { state_code } = lgaByCode(code);
  setView(view.state === state_code ? { lga: view.lga === code ? null : code } : { state: state_code, lga: null });
}

const tip = elementById('tip');
function showTip(event: PointerEvent): void {
  const code = (event.target as Element).getAttribute('data-code');
  updateTip(code);
  if (code === null) return;
  const { left, top, width } = frame.getBoundingClientRect();
  const x = Math.min(event.clientX - left + 14, width - tip.offsetWidth - 4);
  tip.style.transform = `translate(${Math.max(0, x)}px,${event.clientY - top + 16}px)`;
}

/** Shows the open tab's tooltip for an LGA in the month shown; hides it for null. */
function updateTip(code: string | null): void {
  pointedCode = code;
  const tab = openTab();
  tip.hidden = code === null || tab === null;
  if (code === null || tab === null) return;
  const lines = [...tab.tooltip(code), ...(tab.restsOnSurveys ? [untestedNote(code)].filter(Boolean) : [])];
  tip.replaceChildren(h('b', {}, fullName(code)), ...lines.map((line) => h('span', {}, line)));
}

/** The state that the map was last moved to. */
let shownState: string | null = null;
function drawMap(): void {
  const tab = openTab();
  if (!tab) return;
  for (const path of lgas) path.setAttribute('fill', fillAttribute(tab.paint(path.dataset.code!)));
  for (const path of states) path.classList.toggle('faded', view.state !== null && path.dataset.code !== view.state);
  const path = view.lga
    ? lgas.find(({ dataset }) => dataset.code === view.lga)
    : states.find(({ dataset }) => dataset.code === view.state);
  elementById('selected').setAttribute('d', path?.getAttribute('d') ?? '');
  const state = states.find(({ dataset }) => dataset.code === view.state);
  if (shownState !== view.state) animateTo(state ? stateTransform(state) : d3.zoomIdentity);
  shownState = view.state;
  const isWholeYear = tab.months?.length === 0;
  const monthsAhead = isWholeYear ? 0 : view.month - data.estimated + 1;
  const month = isWholeYear ? '' : `, ${monthInWords(view.month)}`;
  map.setAttribute('aria-label', `Map by ${data.words.lga.one}${month}: ${tab.headline()}`);
  elementById('frame').classList.toggle('forecast', monthsAhead > 0);
  const mark = elementById('forecast-mark');
  mark.hidden = monthsAhead <= 0;
  mark.textContent = `Forecast: ${monthsAhead} ${monthsAhead === 1 ? 'month' : 'months'} beyond the last estimate`;
  const { keys, note } = tab.legend();
  elementById('legend').replaceChildren(...keys);
  elementById('colour-note').textContent = note;
  updateTip(pointedCode);
}

/** Makes the map follow pointers and the view. */
export function startMap(): void {
  elementById('lgas').addEventListener('click', (event) => {
    const code = (event.target as Element).getAttribute('data-code');
    if (code !== null) toggleArea(code);
  });
  elementById('lgas').addEventListener('pointermove', (event) => showTip(event as PointerEvent));
  // On a touch screen the tooltip stays when the finger is lifted, until another place is touched.
  elementById('lgas').addEventListener('pointerleave', (event) => {
    if ((event as PointerEvent).pointerType === 'mouse') updateTip(null);
  });
  addEventListener('pointerdown', ({ target }) => {
    if (!(target instanceof Element && target.closest('#lgas'))) updateTip(null);
  });
  const frameSelection = d3.select(frame).call(zoom).on('dblclick.zoom', null);
  elementById('home').addEventListener('click', () => animateTo(d3.zoomIdentity));
  elementById('nearer').addEventListener('click', () => zoom.scaleBy(frameSelection, 1.6));
  elementById('farther').addEventListener('click', () => zoom.scaleBy(frameSelection, 1 / 1.6));
  const PAN_PIXELS = 60;
  const actionByKey: Record<string, () => void> = {
    '+': () => zoom.scaleBy(frameSelection, 1.6),
    '-': () => zoom.scaleBy(frameSelection, 1 / 1.6),
    '0': () => animateTo(d3.zoomIdentity),
    ArrowLeft: () => zoom.translateBy(frameSelection, PAN_PIXELS / d3.zoomTransform(frame).k, 0),
    ArrowRight: () => zoom.translateBy(frameSelection, -PAN_PIXELS / d3.zoomTransform(frame).k, 0),
    ArrowUp: () => zoom.translateBy(frameSelection, 0, PAN_PIXELS / d3.zoomTransform(frame).k),
    ArrowDown: () => zoom.translateBy(frameSelection, 0, -PAN_PIXELS / d3.zoomTransform(frame).k),
  };
  frame.addEventListener('keydown', (event) => {
    const action = actionByKey[event.key];
    if (!action) return;
    event.preventDefault();
    action();
  });
  // The frame's size decides how a transform becomes a part of the map.
  new ResizeObserver(() => {
    const state = states.find(({ dataset }) => dataset.code === view.state);
    zoom
      .extent([
        [0, 0],
        [map.clientWidth, map.clientHeight],
      ])
      .translateExtent([
        [0, 0],
        [map.clientWidth, map.clientHeight],
      ]);
    zoom.transform(frameSelection, state ? stateTransform(state) : d3.zoomIdentity);
  }).observe(map);
  onViewChange(drawMap);
}
