/** The reference: operations with search, samples and example answers; codes of states and LGAs. */
import { commonParts, operationParts, operationTables } from '../../../pipeline/contract/reference-parts.ts';
import { operationSamples } from '../../../pipeline/contract/samples.ts';
import { type Html, html, withCodeMarked } from '../../../pipeline/lib/pages/html.ts';
import { renderTable } from '../../../pipeline/lib/pages/table.ts';
import { ROLES } from '../../store/people/person-rules.ts';
import { notice, sampleBlocks, searchForm } from '../kit/parts.ts';
import type { ReferenceContent as Reference } from '../kit/reference-content.ts';
import type { Services } from '../kit/services.ts';
import { type Answer, type PageHandler, routes, type SignedIn } from '../kit/visit.ts';
import { firstMapPage, firstMapWithoutScores } from './first-map.ts';

const REFERENCE_PATH = '/reference';
const CODES_PATH = `${REFERENCE_PATH}/codes`;
const REQUESTS_PATH = `${REFERENCE_PATH}/requests`;
export const FIRST_MAP_PATH = `${REFERENCE_PATH}/first-map`;
type State = Reference['places']['states'][number];
/** How many of the areas found are shown. */
const MAX_AREAS_SHOWN = 100;

const withReference =
  (handler: (reference: Reference, visit: SignedIn, services: Services) => Answer): PageHandler =>
  async (visit, services) => {
    const reference = await services.reference();
    if (reference) return handler(reference, visit, services);
    const explanation =
      'The data that is currently served is from an early version, which contains no description of the API.';
    return { title: 'Reference', body: html`<h1>Reference</h1>${notice('No reference yet', explanation, 'calm')}` };
  };

const referenceKicker = html`<p class="kicker"><a href="${REFERENCE_PATH}">Reference</a></p>`;

/** Whether every word of `query` occurs in `texts`. */
function matchesQuery(query: string, texts: readonly string[]): boolean {
  const text = texts.join(' ').toLowerCase();
  return query
    .toLowerCase()
    .split(/\s+/)
    .every((word) => text.includes(word));
}

function listPage(reference: Reference, { query }: SignedIn, { inCountryWords, reportUrl }: Services): Answer {
  const { title, modelVersion, synthetic, lastEstimated, operations } = reference;
  const searchText = query.text('q').trim();
  const matches = operations.filter(({ id, path, summary, description, fields }) =>
    matchesQuery(searchText, [
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
    <p>${reportUrl && html`<a href="${reportUrl}">The report</a> · `}<a href="${FIRST_MAP_PATH}">Your first map</a> · <a href="${REQUESTS_PATH}">Requests and errors</a> · <a href="${CODES_PATH}">${inCountryWords('Codes of {state.many} and {lga.many}')}</a></p>
    ${searchForm(REFERENCE_PATH, 'Search paths, fields and their meanings', searchText)}
    ${searchText !== '' && html`<p role="status">${matches.length} of ${operations.length} operations</p>`}
    ${operationTables(reference, matches, `${REFERENCE_PATH}/`)}`;
  return { title: 'Reference', body };
}

function operationPage({ operations }: Reference, { params }: SignedIn, { apiUrl }: Services): Answer {
  const operation = operations.find(({ id }) => id === params.operation);
  if (!operation) {
    const body = html`${referenceKicker}<h1>No such operation</h1><p><a href="${REFERENCE_PATH}">All operations</a></p>`;
    return { title: 'No such operation', status: 404, body };
  }
  const { id, path, summary, description } = operation;
  const samples = operationSamples(operation, apiUrl());
  const body = html`${referenceKicker}<h1>${summary}</h1>
    <p><code>GET ${path}</code></p>
    <p>${withCodeMarked(description)}</p>
    ${
      id === 'versions-diff'
        ? html`<p><a href="${REFERENCE_PATH}/versions"><code>/v1/versions</code></a> lists the addresses of all diffs, as <code>diff</code>.</p>`
        : html`<section><h2>Samples</h2><p>They read your key from the environment variable <code>MALARIA_API_KEY</code>.</p>${sampleBlocks(samples)}</section>`
    }
    ${sections(operationParts(operation))}`;
  return { title: path, body };
}

function requestsPage(reference: Reference): Answer {
  const title = 'Requests and errors';
  return { title, body: html`${referenceKicker}<h1>${title}</h1>${sections(commonParts(reference))}` };
}

const sections = (parts: Record<string, Html | null>): Html =>
  html`${Object.entries(parts).map(([title, content]) => content && html`<section><h2>${title}</h2>${content}</section>`)}`;

function codesPage({ places: { states, lgas } }: Reference, { query }: SignedIn, { inCountryWords }: Services): Answer {
  const searchText = query.text('q').trim();
  const state = states.find(({ state_code }) => state_code === query.text('state'));
  const matches = lgas.filter(
    ({ lga_code, lga, state_code }) =>
      (state !== undefined || searchText !== '') &&
      (state === undefined || state_code === state.state_code) &&
      matchesQuery(searchText, [lga_code, lga]),
  );
  const title = inCountryWords('Codes of {state.many} and {lga.many}');
  const [lgaWord, lgasWord] = [inCountryWords('{Lga.one}'), inCountryWords('{Lga.many}')];
  const body = html`${referenceKicker}<h1>${title}</h1>
    ${searchForm(CODES_PATH, inCountryWords('Search {lga.many} by name or code'), searchText)}
    ${searchText !== '' && html`<p role="status">${matches.length} of ${lgas.length} ${inCountryWords('{lga.many}')}${matches.length > MAX_AREAS_SHOWN && `, the first ${MAX_AREAS_SHOWN} shown`}</p>`}
    ${
      matches.length > 0 &&
      html`<h2>${lgasWord}${state && ` of ${state.state}`}</h2>${renderTable(
        lgasWord,
        [
          { title: 'Code', cell: ({ lga_code }) => html`<code>${lga_code}</code>` },
          { title: lgaWord, cell: ({ lga }) => lga },
          { title: inCountryWords('{State.one}'), cell: ({ state_code }) => html`<code>${state_code}</code>` },
        ],
        matches.slice(0, MAX_AREAS_SHOWN),
      )}`
    }
    <h2>${inCountryWords('{State.many}')}</h2>
    ${renderTable(
      inCountryWords('{State.many}'),
      [
        { title: 'Code', cell: ({ state_code }) => html`<code>${state_code}</code>` },
        { title: inCountryWords('{State.one}'), cell: ({ state }) => state },
        ...(states.some(({ iso_code }) => iso_code !== null)
          ? [{ title: 'ISO 3166-2', cell: ({ iso_code }: State) => iso_code }]
          : []),
        ...(states.some(({ pcode, state_code }) => pcode !== state_code)
          ? [{ title: 'P-code', cell: ({ pcode }: State) => pcode }]
          : []),
        {
          title: lgasWord,
          cell: ({ state, state_code }) =>
            html`<a href="${CODES_PATH}?state=${state_code}">${lgasWord}<span class="unseen"> of ${state}</span></a>`,
        },
      ],
      states,
    )}`;
  return { title, body };
}

function mapPage({ showsScores }: Reference, _: SignedIn, { apiUrl, inCountryWords }: Services): Answer {
  const title = 'Your first map';
  return {
    title,
    body: html`${referenceKicker}<h1>${title}</h1>${showsScores ? firstMapPage(apiUrl(), inCountryWords) : firstMapWithoutScores()}`,
  };
}

export const referenceRoutes = routes(REFERENCE_PATH, ROLES, {
  GET: withReference(listPage),
  'GET /first-map': withReference(mapPage),
  'GET /requests': withReference(requestsPage),
  'GET /codes': withReference(codesPage),
  'GET /:operation': withReference(operationPage),
});
