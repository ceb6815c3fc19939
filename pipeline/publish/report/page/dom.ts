/** Makes elements of the page. */

/** `h('p', { class: 'note' }, 'text')` makes an element; strings become text, never HTML. */
export function h(
  tag: string,
  attributes: Record<string, string | (() => void)> = {},
  ...children: (Node | string)[]
): HTMLElement {
  const created = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) {
    if (typeof value === 'string') created.setAttribute(name, value);
    else created.addEventListener(name, value);
  }
  created.append(...children);
  return created;
}

/** A paragraph in small print. */
export const note = (text: string) => h('p', { class: 'note' }, text);

export function svgElement(tag: string, attributes: Record<string, string | number>, text = ''): SVGElement {
  const created = document.createElementNS('http://www.w3.org/2000/svg', tag) as SVGElement;
  for (const [name, value] of Object.entries(attributes)) created.setAttribute(name, String(value));
  created.textContent = text;
  return created;
}
