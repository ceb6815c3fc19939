import * as Plot from '@observablehq/plot';
import * as d3 from 'd3';
import { monthInitial } from './words.ts';

/** Width available in an element, at least `least`: an element narrower than that scrolls. */
export const availableWidth = (container: Element, least = 300) => Math.max(least, Math.floor(container.clientWidth));

/**
 * A plot as one image named by `ariaLabel`. Plot also labels each group of marks ("area", "rule"), which is not allowed
 * on elements without a role.
 */
export function chart(options: Plot.PlotOptions & { ariaLabel: string }): Element {
  const plot = Plot.plot(options);
  const svgs = plot.localName === 'svg' ? [plot] : [...plot.querySelectorAll('svg')];
  for (const svg of svgs) {
    // The last SVG is the plot; those before it are the symbols of its legend.
    svg.setAttribute('role', 'img');
    if (svg === svgs.at(-1)) svg.setAttribute('aria-label', options.ariaLabel);
    else svg.setAttribute('aria-hidden', 'true');
    for (const group of svg.querySelectorAll('g[aria-label]')) group.removeAttribute('aria-label');
  }
  return plot;
}

/** A plot in a card with its title. */
export function plotCard(name: string, plot: Element): HTMLElement {
  const figure = document.createElement('figure');
  figure.className = 'plot card';
  figure.append(caption(name), plot);
  return figure;
}

/** A figure's caption. */
export function caption(text: string): HTMLElement {
  const element = document.createElement('figcaption');
  element.textContent = text;
  return element;
}
/** The months of a year on an axis. */
export const monthScale = { domain: d3.range(1, 13), tickFormat: monthInitial, label: null, tickSize: 0 };
