import * as Plot from '@observablehq/plot';
import * as d3 from 'd3';
import { monthInitial } from './format.ts';

/** Width available in an element, at least `least`: an element narrower than that scrolls. */
export const availableWidth = (container: Element, least = 300) => Math.max(least, Math.floor(container.clientWidth));

/**
 * A plot as one image named by `ariaLabel`. Plot also labels each group of marks ("area", "rule"), which is not allowed
 * on elements without a role.
 */
export function chart(options: Plot.PlotOptions & { ariaLabel: string }): Element {
  const plot = Plot.plot({ style: { fontSize: '13px', overflow: 'visible' }, ...options });
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

export function plotCard(name: string, plot: Element): HTMLElement {
  const figure = document.createElement('figure');
  figure.className = 'plot card';
  figure.append(caption(name), plot);
  return figure;
}

export function caption(text: string): HTMLElement {
  const element = document.createElement('figcaption');
  element.textContent = text;
  return element;
}
export const monthScale = { domain: d3.range(1, 13), tickFormat: monthInitial, label: null, tickSize: 0 };

/** Adds a small plot with a caption to an element that shows one for each state. */
export function appendSmallPlot(container: Element, title: string, options: Parameters<typeof chart>[0]): void {
  const figure = document.createElement('figure');
  const size = { width: 240, marginLeft: 32, marginBottom: 22, marginTop: 8, style: { fontSize: '12px' } };
  figure.append(caption(title), chart({ ...size, ...options }));
  container.append(figure);
}
