import * as d3 from 'd3';
import { h, svgElement } from './dom.ts';
import {
  areaName,
  data,
  elementById,
  isState,
  lgaByCode,
  lgasInView,
  onViewChange,
  stateByCode,
  view,
} from './store.ts';
import { scopeName, type Tab } from './tab.ts';
import { openTab } from './tabs.ts';

const shownPeriod = () => openTab()?.period?.() ?? data.periods[view.month]!;
/** The source that every downloaded file states. */
export const citation = () =>
  `${data.synthetic ? 'MADE UP. ' : ''}${data.citation}. ${shownPeriod() && `${shownPeriod()}. `}May it be published? ${data.may_publish} By table: see “Data” in the report.`;
const viewTitle = () =>
  `${data.country} ${shownPeriod() && `${shownPeriod()} `}${view.tab}${view.state === null ? '' : ` ${scopeName()}`}`;
const fileName = (ending: string) =>
  `${`${viewTitle()} ${data.model_version}`.replace(/[^\w.-]+/g, '-').toLowerCase()}.${ending}`;

function saveFile(content: string | Blob, ending: string, type: string): void {
  const blob = typeof content === 'string' ? new Blob([content], { type }) : content;
  const link = h('a', { href: URL.createObjectURL(blob), download: fileName(ending) });
  link.click();
  setTimeout(() => URL.revokeObjectURL((link as HTMLAnchorElement).href), 10_000);
}

/** A cell of a CSV file, quoted if need be; text that a spreadsheet would run as a formula is marked as text. */
const csvCell = (value: string | number | null) => {
  if (value === null) return '';
  if (typeof value === 'number') return String(value);
  const text = /^[=+\-@\t\r]/.test(value) ? `'${value}` : value;
  return /[",\n\r]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
};

const areaFields = (code: string) =>
  isState(code)
    ? { state_code: code, state: areaName(code), lga_code: null, lga: null }
    : {
        state_code: lgaByCode(code).state_code,
        state: stateByCode(lgaByCode(code).state_code).state,
        lga_code: code,
        lga: areaName(code),
      };
const downloadRow = (tab: Pick<Tab, 'downloadFields'>, code: string) => ({
  ...areaFields(code),
  period: shownPeriod(),
  ...tab.downloadFields(code),
  model_version: data.model_version,
});

/** Saves areas with their figures at full precision. */
export function saveCsv(tab: Pick<Tab, 'downloadFields'>, codes: readonly string[]): void {
  const rows = codes.map((code): Record<string, string | number | null> => downloadRow(tab, code));
  const heads = [...new Set(rows.flatMap(Object.keys))];
  const lines = [heads, ...rows.map((row) => heads.map((head) => row[head] ?? null))].map((cells) =>
    cells.map(csvCell).join(','),
  );
  saveFile(`\ufeff${lines.join('\r\n')}\r\n`, 'csv', 'text/csv');
}

/** Outlines of the LGAs in view, in the map's resolution, with their figures. */
function toGeojson(tab: Tab): string {
  const map = elementById('map');
  const [west, north, shrink, units] = ['west', 'north', 'shrink', 'units'].map((name) =>
    Number(map.dataset[name]),
  ) as [number, number, number, number];
  const toDegrees = ([x, y]: [number, number]) => [
    Number((west + x / units / shrink).toFixed(4)),
    Number((north - y / units).toFixed(4)),
  ];
  const features = lgasInView().map((code) => {
    const rings = pathRings(map.querySelector(`#lgas [data-code="${code}"]`)!.getAttribute('d')!);
    return {
      type: 'Feature',
      properties: downloadRow(tab, code),
      geometry: {
        type: 'MultiPolygon',
        coordinates: groupIntoPolygons(rings).map((polygon) =>
          polygon.map((ring) => [...ring, ring[0]!].map(toDegrees)),
        ),
      },
    };
  });
  return JSON.stringify({ type: 'FeatureCollection', citation: citation(), features });
}

type Ring = [number, number][];
/** The rings of a path as map.ts writes it: `M` and a position, `l` and steps, `z`. */
function pathRings(path: string): Ring[] {
  return path
    .split('z')
    .filter(Boolean)
    .map((ring) => {
      const steps = d3.pairs(ring.match(/-?\d+/g)!.map(Number)).filter((_, i) => i % 2 === 0);
      // The first pair is a position, each other pair a step from the one before.
      return d3.zip(
        d3.cumsum(steps, ([x]) => x),
        d3.cumsum(steps, ([, y]) => y),
      ) as Ring;
    });
}

/** Groups rings into polygons: a ring inside an earlier one is a hole of it. */
function groupIntoPolygons(rings: Ring[]): Ring[][] {
  const polygons: Ring[][] = [];
  for (const ring of rings) {
    const polygonAround = polygons.find(([exterior]) => d3.polygonContains(exterior!, ring[0]!));
    if (polygonAround) polygonAround.push(ring);
    else polygons.push([ring]);
  }
  return polygons;
}

const SVG_STYLE =
  'path{vector-effect:non-scaling-stroke}.lgas path{stroke:#fff;stroke-width:.35px}.states path{fill:none;stroke:#3c463f;stroke-width:.9px}.selected{fill:none;stroke:#000;stroke-width:2.4px}.labels{display:none}text{font-family:sans-serif;fill:#17231f}';
/** Width of a legend entry, in hundredths of the map's width. */
const KEY_WIDTH = 24;

/** The map as shown, with its headline above and its legend and source below. */
function toSvg(tab: Tab): string {
  const map = elementById<SVGSVGElement>('map').cloneNode(true) as SVGSVGElement;
  const [x, y, width, height] = map.getAttribute('viewBox')!.split(' ').map(Number) as [number, number, number, number];
  // What lies outside of the part shown is cut off, as on the page.
  const shownPart = svgElement('svg', { x, y, width, height, viewBox: [x, y, width, height].join(' ') });
  shownPart.append(...map.childNodes);
  map.append(shownPart);
  // Everything beside the map is laid out in hundredths of its width, from its upper left corner.
  const unit = width / 100;
  const addElement = (tag: string, attributes: Record<string, string | number>, text = '') => {
    const created = svgElement(tag, attributes, text);
    map.append(created);
    return created;
  };
  const addText = (text: string, size: number, left: number, top: number, attributes = {}) =>
    addElement('text', { x: x + left * unit, y: y + top * unit, 'font-size': size * unit, ...attributes }, text);
  const title = wrapText(tab.headline(), 62);
  const source = wrapText(citation(), 110);
  const keys = legendEntries();
  const bottom = height / unit;
  const headHeight = 4 * title.length + 5;
  const keysEnd = bottom + 3 + 3 * Math.ceil(keys.length / 4);
  const footHeight = keysEnd + 2.2 * source.length + 2;
  for (const [i, line] of title.entries()) addText(line, 3, 1, 4 * i + 4 - headHeight, { 'font-weight': 700 });
  addText(`${data.synthetic ? 'MADE UP · ' : ''}${viewTitle()}`, 2.2, 1, -2);
  for (const [i, { fill, name }] of keys.entries()) {
    const [left, top] = [1 + KEY_WIDTH * (i % 4), bottom + 2 + 3 * Math.floor(i / 4)];
    addElement('rect', { x: x + left * unit, y: y + (top - 1.6) * unit, width: 2 * unit, height: 2 * unit, fill });
    addText(name, 1.8, left + 2.6, top);
  }
  for (const [i, line] of source.entries()) addText(line, 1.6, 1, keysEnd + 2.2 * i);
  const box = { x, y: y - headHeight * unit, width, height: (headHeight + footHeight) * unit };
  map.prepend(addElement('style', {}, SVG_STYLE), addElement('rect', { ...box, fill: '#fff' }));
  for (const attribute of ['id', 'role', 'style']) map.removeAttribute(attribute);
  map.setAttribute('xmlns', map.namespaceURI!);
  map.setAttribute('viewBox', Object.values(box).join(' '));
  map.setAttribute('width', '1200');
  map.setAttribute('height', String(Math.round((1200 * box.height) / width)));
  return new XMLSerializer().serializeToString(map);
}

/** The legend's fills and their meanings. */
function legendEntries(): { fill: string; name: string }[] {
  const boxes = [...elementById('legend').querySelectorAll<HTMLElement>('i')];
  let lowerEnd = '';
  return boxes.map((box) => {
    const small = box.parentElement!.querySelector('small');
    const name = small
      ? small.textContent
        ? `${lowerEnd ? `${lowerEnd} to ` : 'below '}${small.textContent}`
        : `${lowerEnd} or more`
      : box.parentElement!.textContent!;
    if (small) lowerEnd = small.textContent!;
    return { fill: box.classList.contains('hatched') ? '#888' : box.style.background, name };
  });
}

function wrapText(text: string, maxLength: number): string[] {
  const lines = [''];
  for (const word of text.split(' ')) {
    if (`${lines.at(-1)} ${word}`.length > maxLength) lines.push(word);
    else lines.push(`${lines.pop()} ${word}`.trim());
  }
  return lines;
}

async function savePng(tab: Tab): Promise<void> {
  const image = new Image();
  image.src = `data:image/svg+xml;charset=utf-8,${encodeURIComponent(toSvg(tab))}`;
  await image.decode();
  const canvas = document.createElement('canvas');
  Object.assign(canvas, { width: 2 * image.naturalWidth, height: 2 * image.naturalHeight });
  canvas.getContext('2d')!.drawImage(image, 0, 0, canvas.width, canvas.height);
  canvas.toBlob((blob) => saveFile(blob!, 'png', 'image/png'));
}

const DOWNLOADS: [string, string, (tab: Tab) => void][] = [
  [
    'CSV',
    'The areas on the map as a table, at full precision',
    (tab) => saveCsv(tab, [...new Set([...tab.sortCodes(lgasInView()), ...lgasInView()])]),
  ],
  [
    'GeoJSON',
    'Outlines and figures of the areas on the map',
    (tab) => saveFile(toGeojson(tab), 'geojson', 'application/geo+json'),
  ],
  ['SVG', 'The map as a drawing, to edit and print', (tab) => saveFile(toSvg(tab), 'svg', 'image/svg+xml')],
  ['PNG', 'The map as a picture', (tab) => void savePng(tab)],
];

/** Adds the buttons that download what is shown. */
export function startFiles(): void {
  elementById('download').append(
    h('span', {}, 'Download'),
    ...DOWNLOADS.map(([name, description, download]) =>
      h(
        'button',
        { type: 'button', title: description, id: `download-${name.toLowerCase()}`, click: () => download(openTab()!) },
        name,
      ),
    ),
  );
  onViewChange(() => {
    elementById('cite').textContent = citation();
  });
}
