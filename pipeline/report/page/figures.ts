import { initial } from './words.ts';

/** Room in a place on the page, at least so much: beyond it the place scrolls. */
export const widthOf = (place: Element, least = 300) => Math.max(least, Math.floor(place.clientWidth));

/** A plot under its name. */
export function titled(name: string, plot: Element): HTMLElement {
  const figure = document.createElement('figure');
  figure.className = 'plot card';
  figure.append(caption(name), plot);
  return figure;
}

/** A figure's caption. */
export function caption(text: string): HTMLElement {
  const made = document.createElement('figcaption');
  made.textContent = text;
  return made;
}
/** The months of a year on an axis. */
export const monthScale = { domain: d3.range(1, 13), tickFormat: initial, label: null, tickSize: 0 };
