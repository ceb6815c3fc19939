import { createHash } from 'node:crypto';
import { type Content, html, type Markup, raw } from '../report/markup.ts';

// biome-ignore lint/suspicious/noExplicitAny: a document of many shapes, which the tests lint; wrong reads show on the page
type Json = any;

/** The API's reference as one static page without scripts, made of nothing but the OpenAPI document. */
export function renderApiPage(openapi: Json): string {
  const { info, paths, components, servers } = openapi;
  const operations: [string, Json][] = Object.entries(paths).map(([path, item]) => [path, (item as Json).get]);
  const deref = (value: Json): Json =>
    value.$ref
      ? value.$ref
          .slice(2)
          .split('/')
          .reduce((at: Json, name: string) => at[name], openapi)
      : value;
  const base = servers[0].variables.base_url.default;
  const style = STYLE;
  const hash = createHash('sha256').update(style).digest('base64');
  return html`<!doctype html>
<html lang="en"><head><meta charset="utf-8"><meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'sha256-${hash}'; base-uri 'none'; form-action 'none'">
<meta name="viewport" content="width=device-width, initial-scale=1"><meta name="color-scheme" content="light dark">
<title>${info.title}: API reference</title><style>${raw(style)}</style></head><body>
<header><h1>${info.title}</h1><p>API reference of ${info['x-model-version']}, contract ${info.version}, made from <a href="../openapi.json">openapi.json</a> · <a href="index.html">Report</a> · <a href="../client/malaria-risk.ts">TypeScript client</a></p></header>
<main>
<section><h2>Using it</h2>${prose(info.description)}
<pre>curl -H "Authorization: Bearer $KEY" '${base}/v1/risk/lgas?state=KN&amp;period=2023-09'</pre>
<p>The key goes into <code>Authorization: Bearer</code> or <code>x-api-key</code>. Ask again with <code>If-None-Match</code> and the answer’s <code>ETag</code>: an unchanged answer is a 304 without a body.</p></section>
<nav aria-label="Operations"><h2>Operations</h2><ul>${operations.map(([path, operation]) => html`<li><a href="#${operation.operationId}"><code>${path}</code></a> ${operation.summary}</li>`)}</ul></nav>
${operations.map(
  ([path, operation]) => html`<section id="${operation.operationId}"><h2><code>GET ${path}</code></h2>
<p>${operation.summary}. ${prose(operation.description, true)}</p>
${operation.parameters.length > 0 && html`<h3>Parameters</h3><dl>${operation.parameters.map(deref).map((parameter: Json) => html`<dt><code>${parameter.name}</code> ${parameter.required ? 'required' : 'optional'}, such as <code>${parameter.example}</code></dt><dd>${parameter.description}</dd>`)}</dl>`}
<h3>Answer</h3>${answerOf(operation, deref)}
<h3>Errors</h3><dl>${Object.entries(operation.responses)
    .filter(([status]) => Number(status) >= 400)
    .map(
      ([status, response]) => html`<dt>${status}</dt><dd>${prose((deref(response) as Json).description, true)}</dd>`,
    )}</dl></section>`,
)}
<section id="problem"><h2>Error body</h2>${schemaList(components.schemas.Problem, deref)}</section>
<section><h2>Headers</h2><dl>${Object.entries(components.headers).map(([name, header]) => html`<dt><code>${name}</code></dt><dd>${(header as Json).description}; such as <code>${(header as Json).example}</code></dd>`)}</dl></section>
</main></body></html>
`.markup;
}

/** Fields of the answer; a whole table's columns are told elsewhere. */
function answerOf(operation: Json, deref: (value: Json) => Json): Markup {
  const [[type, { schema }]] = Object.entries(operation.responses['200'].content) as [[string, Json]];
  return schema
    ? schemaList(deref(schema), deref)
    : html`<p>A file, <code>${type}</code>; its columns are told by <code>/v1/tables</code>.</p>`;
}

/** Text with its `code` and its list lines. */
function prose(text: string, inline = false): Content {
  const spans = (line: string) => line.split('`').map((part, i) => (i % 2 ? html`<code>${part}</code>` : part));
  if (inline) return spans(text);
  return text
    .split('\n\n')
    .map((block) =>
      block.startsWith('- ')
        ? html`<ul>${block.split('\n').map((line) => html`<li>${spans(line.slice(2))}</li>`)}</ul>`
        : html`<p>${spans(block)}</p>`,
    );
}

/** Fields of an object, those of inner objects indented beneath. */
function schemaList(schema: Json, deref: (value: Json) => Json): Markup {
  const inner = fieldsOf(schema);
  if (!inner) return html`<p>${typeName(schema)}</p>`;
  return html`<dl class="fields">${Object.entries(inner).map(([name, field]) => {
    const value = deref(field);
    const below = fieldsOf(value);
    return html`<dt><code>${name}</code> <span>${typeName(value)}</span></dt><dd>${value.description}${below && schemaList(value, deref)}</dd>`;
  })}</dl>`;
}

/** Fields of an object, or of the objects in an array. */
const fieldsOf = (schema: Json): Json => schema.properties ?? (schema.items && fieldsOf(schema.items));

function typeName(schema: Json): string {
  if (schema.const !== undefined) return JSON.stringify(schema.const);
  if (schema.enum) return schema.enum.map((value: unknown) => JSON.stringify(value)).join(', ');
  if (schema.anyOf) return schema.anyOf.map(typeName).join(' or ');
  if (schema.type === 'array') {
    const count = schema.minItems !== undefined && schema.minItems === schema.maxItems ? ` of ${schema.minItems}` : '';
    return `array${count}: ${typeName(schema.items)}`;
  }
  const limits =
    schema.minimum !== undefined && schema.maximum !== undefined ? ` ${schema.minimum} to ${schema.maximum}` : '';
  return `${schema.type}${limits}`;
}

const STYLE = `:root{color-scheme:light dark}
body{font:16px/1.55 system-ui,sans-serif;max-width:62rem;margin:0 auto;padding:0 1.2rem 4rem}
header{border-bottom:3px solid #0b6b4f;margin-bottom:1rem}h1{margin:1.2rem 0 0}h2{margin:2.2rem 0 .3rem;font-size:1.3rem;overflow-wrap:anywhere}h3{margin:1rem 0 .2rem;font-size:1rem}
a{color:light-dark(#0b6b4f,#4cc49b)}code,pre{font-family:ui-monospace,Menlo,monospace;font-size:.9em}pre{overflow-x:auto;padding:.7rem 1rem;background:light-dark(#f0f2ee,#222a26);border-radius:6px}
dl{margin:.2rem 0}dt{margin-top:.35rem}dt code{font-weight:650}dt span{opacity:.7;font-size:.9em}dd{margin:0 0 0 1.4rem}.fields .fields{border-left:2px solid light-dark(#d9ddd7,#343d38);padding-left:.8rem}
nav ul{list-style:none;padding:0}nav li{margin:.15rem 0}section{break-inside:avoid}`;
