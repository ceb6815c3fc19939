import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { LIMITS_TEXT } from '../../contract/limits.ts';
import type { Reference, ReferenceOperation } from '../../contract/reference.ts';
import { commonParts, operationParts, operationTables } from '../../contract/reference-parts.ts';
import { operationSamples } from '../../contract/samples.ts';
import { Html, html, withCodeMarked } from '../../lib/pages/html.ts';
import { cardStyle, offlinePageHead, pageBody, renderPage } from '../../lib/pages/page.ts';

const read = (file: string) => readFileSync(path.resolve(import.meta.dirname, file), 'utf8');

/**
 * The reference as one page, for those who have a snapshot but no dashboard. Its script searches it and shows one
 * operation at a time; without scripts all are shown, one after the other.
 */
export function renderApiPage(reference: Reference): string {
  const { title, modelVersion, contractVersion, baseUrl, operations } = reference;
  const script = read('./api-script.js');
  const scriptHash = createHash('sha256').update(script).digest('base64');
  const style = cardStyle() + read('./api-style.css');
  return renderPage(
    `${title}: API reference`,
    offlinePageHead({ style, cspDirectives: `script-src 'sha256-${scriptHash}'; ` }),
    html`${pageBody(
      html`<h1>${title}</h1><p>API reference of ${modelVersion}, contract ${contractVersion}, made from <code>openapi.json</code> · <a href="index.html">Report</a></p><p>Whoever has the whole version finds <code>openapi.json</code> and clients for Python, R and TypeScript (<code>client/README.md</code>) in the directory above this page; the service answers them too, see <a href="#openapi"><code>/v1/openapi.json</code></a> and <a href="#client-python"><code>/v1/clients</code></a>.</p>`,
      html`<div id="tools" role="search" hidden><label>Search paths, fields and their meanings <input id="search" type="search"></label>
<label>Address of the API, for the samples <input id="base" type="url" value="${baseUrl}"></label></div>
<section id="operations" tabindex="-1"><div class="facts"><p><b>A key.</b> Every request needs one: ask the service team for an account, and create keys on its dashboard, page <i>API access</i>. Whoever runs the service can also use <code>malaria-proxy keys create</code>.</p>
<p><b>Limits.</b> ${withCodeMarked(LIMITS_TEXT)}</p>
<p><b>Address.</b> The one that whoever runs the service gives you; <code>${baseUrl}</code> is a server on your own machine. The service team is the team that sent you this report: the version names no other contact.</p>
<p><b>First request.</b> Choose an operation: each has samples for curl, Python, R and others. <a href="#requests">Requests and errors</a> says what holds for all.</p></div>
<p id="count" role="status"></p>
<nav aria-label="Operations">${operationTables(reference, operations, '#')}</nav></section>
${operations.map((operation) => renderOperation(operation, baseUrl))}
<section id="requests" tabindex="-1"><p><a href="#operations">All operations</a></p>${Object.entries(commonParts(reference)).map(([part, body]) => html`<h2>${part}</h2>${body}`)}</section>`,
    )}
<script>${Html.fromTrustedMarkup(script)}</script>`,
  );
}

function renderOperation(operation: ReferenceOperation, baseUrl: string): Html {
  const { id, path: operationPath, summary, description, address, parameters } = operation;
  return html`<section id="${id}" tabindex="-1" data-path="${operationPath}" data-address="${address}"><p><a href="#operations">All operations</a></p><h2><code>GET ${operationPath}</code></h2>
<p>${summary}. ${withCodeMarked(description)}</p>
<h3>Try it</h3><p>The samples read your key from the environment variable <code>MALARIA_API_KEY</code>; this page neither asks for it nor keeps it.</p>
<div class="values" hidden>${parameters.map(({ name, example }) => html`<label><code>${name}</code> <input name="${name}" value="${example}"></label>`)}</div>
${operationSamples(operation, baseUrl).map(
  ({ language, text }, i) =>
    html`<details name="samples-${id}"${i === 0 && html` open`}><summary>${language}</summary><pre class="sample" tabindex="0" role="group" aria-label="${language}">${text}</pre></details>`,
)}
${Object.entries(operationParts(operation)).map(([part, body]) => body && html`<section data-part="${part}"><h3>${part}</h3>${body}</section>`)}</section>`;
}
