/** The reference: operations with search, samples and example answers; codes of states and LGAs. */
import { commonParts, operationParts, operationTables } from '../../../pipeline/contract/reference-parts.ts';
import { type Html, html, withCodeMarked } from '../../../pipeline/lib/pages/html.ts';
import { renderTable } from '../../../pipeline/lib/pages/table.ts';
import { ROLES } from '../../store/people/person-rules.ts';
import { notice, searchForm } from '../kit/parts.ts';
import type { ReferenceContent as Reference } from '../kit/reference-content.ts';
import type { Services } from '../kit/services.ts';
import { type Answer, type Page, routes, type SignedIn } from '../kit/visit.ts';
import { firstMapPage } from './first-map.ts';
import { codeSamples, sampleBlocks } from './samples.ts';

const PATH = '/reference';
const CODES = `${PATH}/codes`;
const REQUESTS = `${PATH}/requests`;
export const FIRST_MAP = `${PATH}/first-map`;
type State = Reference['places']['states'][number];
/** How many of the areas found are shown. */
const MOST_SHOWN = 100;

const page =
  (answer: (reference: Reference, visit: SignedIn, services: Services) => Answer): Page =>
  async (visit, services) => {
    const reference = await services.reference();
    if (reference) return answer(reference, visit, services);
    const why = 'The data that is currently served is from an early version, which contains no description of the API.';
    return { title: 'Reference', body: html`<h1>Reference</h1>${notice('No reference yet', why, 'calm')}` };
  };

const kicker = html`<p class="kicker"><a href="${PATH}">Reference</a></p>`;

/** Whether every word of `query` occurs in `texts`. */
function matchesQuery(query: string, texts: readonly string[]): boolean {
  const text = texts.join(' ').toLowerCase();
  return query
    .toLowerCase()
    .split(/\s+/)
    .every((word) => text.includes(word));
}

function listPage(reference: Reference, { query }: SignedIn, { words, reportUrl }: Services): Answer {
  const { title, modelVersion, synthetic, lastEstimated, operations } = reference;
  const search = query.text('q').trim();
  const matches = operations.filter(({ id, path, summary, description, fields }) =>
    matchesQuery(search, [
      id,
      path,
      summary,
      description,
      ...fields.flatMap((field) => [field.name, field.description]),
    ]),
  );
  const body = html`<h1>Reference</h1>
    ${synthetic && notice('Made-up data', 'All places, surveys and scores are invented; use them only to try things out.', 'calm')}
    <p>${title}, data version <code>${modelVersion}</code>, estimated up to ${lastEstimated}. Every request needs a key.</p>
    <p>${reportUrl && html`<a href="${reportUrl}">The report</a> · `}<a href="${FIRST_MAP}">Your first map</a> · <a href="${REQUESTS}">Requests and errors</a> · <a href="${CODES}">${words('Codes of {state.many} and {lga.many}')}</a></p>
    ${searchForm(PATH, 'Search paths, fields and their meanings', search)}
    ${search !== '' && html`<p role="status">${matches.length} of ${operations.length} operations</p>`}
    ${operationTables(reference, matches, `${PATH}/`)}`;
  return { title: 'Reference', body };
}

function operationPage({ operations }: Reference, { params }: SignedIn, { apiUrl }: Services): Answer {
  const operation = operations.find(({ id }) => id === params.operation);
  if (!operation) {
    const body = html`${kicker}<h1>No such operation</h1><p><a href="${PATH}">All operations</a></p>`;
    return { title: 'No such operation', status: 404, body };
  }
  const { id, path, summary, description, address, schema } = operation;
  const samples = codeSamples(`${apiUrl()}${address}`, schema ? null : path.split('/').at(-1)!);
  const body = html`${kicker}<h1>${summary}</h1>
    <p><code>GET ${path}</code></p>
    <p>${withCodeMarked(description)}</p>
    ${
      id === 'versions-diff'
        ? html`<p><a href="${PATH}/versions"><code>/v1/versions</code></a> lists the addresses of all diffs, as <code>diff</code>.</p>`
        : html`<section><h2>Samples</h2><p>They read your key from the environment variable <code>MALARIA_API_KEY</code>.</p>${sampleBlocks(samples)}</section>`
    }
    ${sections(operationParts(operation))}`;
  return { title: path, body };
}

function requestsPage(reference: Reference): Answer {
  const title = 'Requests and errors';
  return { title, body: html`${kicker}<h1>${title}</h1>${sections(commonParts(reference))}` };
}

const sections = (parts: Record<string, Html | null>): Html =>
  html`${Object.entries(parts).map(([title, content]) => content && html`<section><h2>${title}</h2>${content}</section>`)}`;

function codesPage({ places: { states, lgas } }: Reference, { query }: SignedIn, { words }: Services): Answer {
  const search = query.text('q').trim();
  const state = states.find(({ state_code }) => state_code === query.text('state'));
  const matches = lgas.filter(
    ({ lga_code, lga, state_code }) =>
      (state !== undefined || search !== '') &&
      (state === undefined || state_code === state.state_code) &&
      matchesQuery(search, [lga_code, lga]),
  );
  const title = words('Codes of {state.many} and {lga.many}');
  const [one, many] = [words('{Lga.one}'), words('{Lga.many}')];
  const body = html`${kicker}<h1>${title}</h1>
    ${searchForm(CODES, words('Search {lga.many} by name or code'), search)}
    ${search !== '' && html`<p role="status">${matches.length} of ${lgas.length} ${words('{lga.many}')}${matches.length > MOST_SHOWN && `, the first ${MOST_SHOWN} shown`}</p>`}
    ${
      matches.length > 0 &&
      html`<h2>${many}${state && ` of ${state.state}`}</h2>${renderTable(
        many,
        [
          { title: 'Code', cell: ({ lga_code }) => html`<code>${lga_code}</code>` },
          { title: one, cell: ({ lga }) => lga },
          { title: words('{State.one}'), cell: ({ state_code }) => html`<code>${state_code}</code>` },
        ],
        matches.slice(0, MOST_SHOWN),
      )}`
    }
    <h2>${words('{State.many}')}</h2>
    ${renderTable(
      words('{State.many}'),
      [
        { title: 'Code', cell: ({ state_code }) => html`<code>${state_code}</code>` },
        { title: words('{State.one}'), cell: ({ state }) => state },
        ...(states.some(({ iso_code }) => iso_code !== null)
          ? [{ title: 'ISO 3166-2', cell: ({ iso_code }: State) => iso_code }]
          : []),
        ...(states.some(({ pcode, state_code }) => pcode !== state_code)
          ? [{ title: 'P-code', cell: ({ pcode }: State) => pcode }]
          : []),
        {
          title: many,
          cell: ({ state, state_code }) =>
            html`<a href="${CODES}?state=${state_code}">${many}<span class="unseen"> of ${state}</span></a>`,
        },
      ],
      states,
    )}`;
  return { title, body };
}

function mapPage(_: Reference, __: SignedIn, { apiUrl, words }: Services): Answer {
  const title = 'Your first map';
  return { title, body: html`${kicker}<h1>${title}</h1>${firstMapPage(apiUrl(), words)}` };
}

export const referenceRoutes = routes(PATH, ROLES, {
  GET: page(listPage),
  'GET /first-map': page(mapPage),
  'GET /requests': page(requestsPage),
  'GET /codes': page(codesPage),
  'GET /:operation': page(operationPage),
});
