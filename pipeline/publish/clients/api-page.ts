import type { Reference } from '../../contract/reference.ts';
import { fieldTable, operationParts, operationTables } from '../../contract/reference-parts.ts';
import { blocksOf } from '../../lib/pages/blocks.ts';
import { html, prose } from '../../lib/pages/html.ts';
import { cardStyle, headed, headOnDisk, page } from '../../lib/pages/page.ts';
import { table } from '../../lib/pages/table.ts';

/** The reference as one page, for those who have a snapshot but no dashboard. */
export function renderApiPage(reference: Reference): string {
  const { title, modelVersion, contractVersion, description, base, operations, headers, problem } = reference;
  const example = operations.find(({ parameters }) => parameters.length > 1) ?? operations[0]!;
  const blocks = description
    .split('\n\n')
    .map((block) => (block.startsWith('- ') ? { items: block.split('\n').map((line) => line.slice(2)) } : block));
  return page(
    `${title}: API reference`,
    headOnDisk({ style: cardStyle() }),
    headed(
      html`<h1>${title}</h1><p>API reference of ${modelVersion}, contract ${contractVersion}, made from <a href="../openapi.json">openapi.json</a> · <a href="index.html">Report</a> · <a href="../client/README.md">Clients for Python, R and TypeScript</a></p>`,
      html`<section><h2>Usage</h2>${blocksOf(blocks)}
<pre>curl -H "Authorization: Bearer $KEY" '${base}${example.address}'</pre>
<p>Send the key as <code>Authorization: Bearer</code> or <code>x-api-key</code>. Repeat a request with <code>If-None-Match</code> and the answer’s <code>ETag</code>: if the answer is unchanged, you get a 304 without a body. Tables are files: use <code>Range</code> to get a part of one.</p></section>
<nav aria-label="Operations">${operationTables(reference, operations, '#')}</nav>
${operations.map(
  (operation) => html`<section id="${operation.id}"><h2><code>GET ${operation.path}</code></h2>
<p>${operation.summary}. ${prose(operation.description)}</p>
${Object.entries(operationParts(operation)).map(([part, body]) => body && html`<h3>${part}</h3>${body}`)}</section>`,
)}
<section id="problem"><h2>Error body</h2>${fieldTable('Fields', problem)}</section>
<section><h2>Headers</h2>${table(
        'Headers',
        [
          { title: 'Name', cell: ({ name }) => html`<code>${name}</code>` },
          { title: 'Meaning', cell: (header) => header.description },
          { title: 'Example', cell: (header) => html`<code>${header.example}</code>` },
        ],
        headers,
      )}</section>`,
    ),
  );
}
