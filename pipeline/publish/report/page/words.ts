import { monthName } from '../names.ts';
import { data } from './store.ts';

/** `J`, `F` … by month 1 to 12. */
export const initial = (month: number) => monthName(month)[0]!;
/** The first of the month, for time scales. */
export const dateOf = (period: string) =>
  new Date(Date.UTC(Number(period.slice(0, 4)), Number(period.slice(5)) - 1, 1));
export const dates = data.periods.map(dateOf);

/** A share as the answers give it. */
export const share = (value: number) => value.toFixed(4);
/** A whole number with its thousands apart by a space that does not break, the same in every locale. */
export const whole = (value: number) => String(Math.round(value)).replace(/\B(?=(\d{3})+$)/g, '\u00a0');

/** `h('p', { class: 'note' }, 'text')`: an element; text is text, never HTML. */
export function h(
  tag: string,
  attributes: Record<string, string | (() => void)> = {},
  ...children: (Node | string)[]
): HTMLElement {
  const made = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) {
    if (typeof value === 'string') made.setAttribute(name, value);
    else made.addEventListener(name, value);
  }
  made.append(...children);
  return made;
}

/** Type of the plots' labels. */
export const PLOT_STYLE = { fontSize: '13px', overflow: 'visible' };
