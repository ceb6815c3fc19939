import type { Reference } from '../../contract/reference.ts';
import { commonParts, operationParts, operationTables } from '../../contract/reference-parts.ts';
import { html, withCodeMarked } from '../../lib/pages/html.ts';
import { cardStyle, offlinePageHead, pageBody, renderPage } from '../../lib/pages/page.ts';

/** The reference as one page, for those who have a snapshot but no dashboard. */
export function renderApiPage(reference: Reference): string {
  const { title, modelVersion, contractVersion, baseUrl: base, operations } = reference;
  const example = operations.find(({ parameters }) => parameters.length > 1) ?? operations[0]!;
  const { Usage, ...parts } = commonParts(reference);
  return renderPage(
    `${title}: API reference`,
    offlinePageHead({ style: cardStyle() }),
    pageBody(
      html`<h1>${title}</h1><p>API reference of ${modelVersion}, contract ${contractVersion}, made from <a href="../openapi.json">openapi.json</a> · <a href="index.html">Report</a> · <a href="../client/README.md">Clients for Python, R and TypeScript</a></p>`,
      html`<section><h2>Usage</h2>${Usage}
<pre>curl -H "Authorization: Bearer $MALARIA_API_KEY" '${base}${example.address}'</pre></section>
<nav aria-label="Operations">${operationTables(reference, operations, '#')}</nav>
${operations.map(
  (operation) => html`<section id="${operation.id}"><h2><code>GET ${operation.path}</code></h2>
<p>${operation.summary}. ${withCodeMarked(operation.description)}</p>
${Object.entries(operationParts(operation)).map(([part, body]) => body && html`<h3>${part}</h3>${body}`)}</section>`,
)}
${Object.entries(parts).map(([part, body]) => html`<section><h2>${part}</h2>${body}</section>`)}`,
    ),
  );
}
