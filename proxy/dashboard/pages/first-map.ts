/** From a key to a map, in each language that has a client. Tests run each block exactly as shown. */
import { CLIENTS, clientPath } from '../../../pipeline/contract/operations.ts';
import { type Html, html } from '../../../pipeline/lib/pages/html.ts';
import { copyBlock } from '../kit/parts.ts';

type Language = (typeof CLIENTS)[number];

const LANGUAGES: Record<Language, { name: string; requirements: string; commands: (url: string) => string[] }> = {
  python: {
    name: 'Python',
    requirements: 'Python 3.9 or newer, and the packages requests, pandas, geopandas and matplotlib.',
    commands: (url) => [
      `PYTHONPATH=malaria-risk-python python3 malaria-risk-python/examples/national_map.py '${url}' map.svg`,
    ],
  },
  r: {
    name: 'R',
    requirements: 'R 4 or newer, and the packages httr2, jsonlite, stringi and sf.',
    commands: (url) => [
      'mkdir -p library && R CMD INSTALL --library=library malaria-risk-r',
      `R_LIBS=library Rscript malaria-risk-r/examples/national_map.R '${url}' map.pdf`,
    ],
  },
  ts: {
    name: 'TypeScript',
    requirements: 'Node.js 24 or newer.',
    commands: (url) => [`node malaria-risk-ts/examples/national-map.ts '${url}' map.geojson`],
  },
};

/** The commands for a language, one per line. @param url URL at which clients reach the API */
export function firstMapCommands(language: Language, url: string): string {
  const file = clientPath(language);
  return [
    `curl -fO -H "Authorization: Bearer $MALARIA_API_KEY" '${url}${file}'`,
    `tar xzf ${file.split('/').at(-1)}`,
    ...LANGUAGES[language].commands(url),
  ].join('\n');
}

export function firstMapPage(url: string, inCountryWords: (text: string) => string): Html {
  return html`
    <p>${inCountryWords('From a key to a map of every {lga.one} in the newest month.')} The key must be in the environment
    variable MALARIA_API_KEY and have the scopes risk_scores and lga_boundaries. A map takes three requests, and
    downloading the client takes one.</p>
    ${CLIENTS.map(
      (language) =>
        html`<section><h2>${LANGUAGES[language].name}</h2><p>Needs ${LANGUAGES[language].requirements}</p>${copyBlock(`map-${language}`, 'In a terminal', firstMapCommands(language, url))}</section>`,
    )}
    <p>Add a month such as 2023-09 after the name of the file for a map of that month. The <code>README.md</code> of each
    client shows more, such as a join with your own table by name; Python’s <code>examples</code> also contain an alert,
    which distinguishes a rise from the effect of a new model.</p>
    <p>Without a client: get the scores from <a href="/reference/risk-nation"><code>/v1/risk/nation</code></a> and the
    outlines from <a href="/reference/boundaries-nation"><code>/v1/boundaries/nation</code></a>; both contain the code of
    each area.</p>`;
}

/** The clients' examples draw scores. */
export const firstMapWithoutScores = (): Html => html`
    <p>The data that is currently served has no scores, which the clients’ examples draw. What it has can be drawn with any
    GIS program: reported cases per 1,000 people from the table <code>incidence</code>, forecasts of cases from
    <code>forecasts_cases</code> (<a href="/reference/table-csv"><code>/v1/tables</code></a>), and the outlines from
    <a href="/reference/boundaries-nation"><code>/v1/boundaries/nation</code></a>; all contain the code of each area.</p>`;
