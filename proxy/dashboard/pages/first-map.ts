/** From a key to a map, in each language that has a client. Tests run each block as it stands. */
import { CLIENTS, clientPath } from '../../../pipeline/contract/operations.ts';
import { type Html, html } from '../html.ts';
import { copyable } from '../parts.ts';

type Language = (typeof CLIENTS)[number];

const ABOUT: Record<Language, { name: string; needs: string; commands: (url: string) => string[] }> = {
  python: {
    name: 'Python',
    needs: 'Python 3.10 and the package requests.',
    commands: (url) => [
      `PYTHONPATH=malaria-risk-python python3 malaria-risk-python/examples/national_map.py '${url}' map.svg`,
    ],
  },
  r: {
    name: 'R',
    needs: 'R 4 and the packages curl and jsonlite.',
    commands: (url) => [
      'mkdir -p library && R CMD INSTALL --library=library malaria-risk-r',
      `R_LIBS=library Rscript malaria-risk-r/examples/national_map.R '${url}' map.pdf`,
    ],
  },
  ts: {
    name: 'TypeScript',
    needs: 'Node.js 24.',
    commands: (url) => [`node malaria-risk-ts/examples/national-map.ts '${url}' map.svg`],
  },
};

/** The commands of a language, line by line. @param url where clients reach the API */
export function firstMap(language: Language, url: string): string {
  const file = clientPath(language);
  return [
    `export MALARIA_API_KEY="$KEY"`,
    `curl -fO -H "Authorization: Bearer $KEY" '${url}${file}'`,
    `tar xzf ${file.split('/').at(-1)}`,
    ...ABOUT[language].commands(url),
  ].join('\n');
}

export function firstMapPage(url: string, words: (text: string) => string): Html {
  return html`
    <p>${words('From a key to a map of every LGA in the newest month. The key is in the environment variable KEY and has the scopes risk_scores and lga_boundaries; a map takes two requests, and fetching the client one.')}</p>
    ${CLIENTS.map(
      (language) =>
        html`<section><h2>${ABOUT[language].name}</h2><p>Needs ${ABOUT[language].needs}</p>${copyable(`map-${language}`, 'In a terminal', firstMap(language, url))}</section>`,
    )}
    <p>A month such as 2023-09 after the name of the file gives the map of that month. The folder <code>examples</code> of each client also has an alert, which tells a rise from a new model, and a join of your own table by code or by name; its <code>README.md</code> tells the rest.</p>
    <p>Without a client: scores are <a href="/reference/risk-nation"><code>/v1/risk/nation</code></a>, outlines <a href="/reference/boundaries-nation"><code>/v1/boundaries/nation</code></a>, and both have the code of each area.</p>`;
}
