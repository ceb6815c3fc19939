import { createHash } from 'node:crypto';
import { Html, html, type Value } from '../../lib/pages/html.ts';

// biome-ignore lint/suspicious/noExplicitAny: a document of many shapes; tests lint it, and wrong accesses show on the page
type Json = any;

/** The API reference as one static page without scripts, made from the OpenAPI document alone. */
export function renderApiPage(openapi: Json): string {
  const { info, paths, components, servers } = withoutReferences(openapi, openapi);
  const all: [string, Json][] = Object.entries(paths).map(([path, item]) => [path, (item as Json).get]);
  const isFile = ([, operation]: [string, Json]) => !answerOf(operation).schema;
  const operations = all.filter((one) => !isFile(one));
  const base = servers[0].variables.base_url.default;
  const style = STYLE;
  const hash = createHash('sha256').update(style).digest('base64');
  return html`<!doctype html>
<html lang="en"><head><meta charset="utf-8"><meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'sha256-${hash}'; base-uri 'none'; form-action 'none'">
<meta name="viewport" content="width=device-width, initial-scale=1"><meta name="color-scheme" content="light dark">
<title>${info.title}: API reference</title><style>${Html.of(style)}</style></head><body>
<header><h1>${info.title}</h1><p>API reference of ${info['x-model-version']}, contract ${info.version}, made from <a href="../openapi.json">openapi.json</a> · <a href="index.html">Report</a> · Clients: <a href="../client/python/README.md">Python</a>, <a href="../client/r/README.md">R</a>, <a href="../client/ts/README.md">TypeScript</a></p></header>
<main>
<section><h2>Usage</h2>${prose(info.description)}
<pre>curl -H "Authorization: Bearer $KEY" '${base}/v1/risk/lgas?state=${components.parameters.state.example}&amp;period=${components.parameters.period.example}'</pre>
<p>Send the key as <code>Authorization: Bearer</code> or <code>x-api-key</code>. Repeat a request with <code>If-None-Match</code> and the answer’s <code>ETag</code>: if the answer is unchanged, you get a 304 without a body.</p></section>
<nav aria-label="Operations"><h2>Operations</h2><ul>${operations.map(([path, operation]) => html`<li><a href="#${operation.operationId}"><code>${path}</code></a> ${operation.summary}</li>`)}</ul></nav>
${operations.map(
  ([path, operation]) => html`<section id="${operation.operationId}"><h2><code>GET ${path}</code></h2>
<p>${operation.summary}. ${prose(operation.description, true)}</p>
${operation.parameters.length > 0 && html`<h3>Parameters</h3><dl>${operation.parameters.map((parameter: Json) => html`<dt><code>${parameter.name}</code> ${parameter.required ? 'required' : 'optional'}, such as <code>${parameter.example}</code></dt><dd>${parameter.description}</dd>`)}</dl>`}
<h3>Answer</h3>${schemaList(answerOf(operation).schema)}
<h3>Errors</h3><dl>${Object.entries(operation.responses)
    .filter(([status]) => Number(status) >= 400)
    .map(
      ([status, response]) => html`<dt>${status}</dt><dd>${prose((response as Json).description, true)}</dd>`,
    )}</dl></section>`,
)}
<section id="whole-tables"><h2>Whole tables</h2><p><a href="#tables"><code>/v1/tables</code></a> describes their columns. Each table is one request; use <code>Range</code> to get a part of it.</p><dl>${all.filter(isFile).map(([path, operation]) => html`<dt><code>GET ${path}</code></dt><dd>${operation.summary}. ${prose(operation.description, true)}</dd>`)}</dl></section>
<section id="problem"><h2>Error body</h2>${schemaList(components.schemas.Problem)}</section>
<section><h2>Headers</h2><dl>${Object.entries(components.headers).map(([name, header]) => html`<dt><code>${name}</code></dt><dd>${(header as Json).description}; such as <code>${(header as Json).example}</code></dd>`)}</dl></section>
</main></body></html>
`.toString();
}

/** `value` with its references resolved. */
function withoutReferences(value: Json, openapi: Json): Json {
  if (value === null || typeof value !== 'object') return value;
  if (Array.isArray(value)) return value.map((item) => withoutReferences(item, openapi));
  if (typeof value.$ref === 'string') {
    const names: string[] = value.$ref.slice('#/'.length).split('/');
    const found = names.reduce((at: Json, name) => at[name], openapi);
    return withoutReferences(found, openapi);
  }
  return Object.fromEntries(Object.entries(value).map(([name, item]) => [name, withoutReferences(item, openapi)]));
}

const answerOf = (operation: Json): Json => Object.values(operation.responses['200'].content)[0];

/** Text as HTML, with `code` and lists. */
function prose(text: string, inline = false): Value {
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

/** Fields of an object, with those of inner objects indented below. */
function schemaList(schema: Json): Html {
  const inner = fieldsOf(schema);
  if (!inner) return html`<p>${typeName(schema)}</p>`;
  return html`<dl class="fields">${Object.entries(inner).map(
    ([name, field]: [string, Json]) =>
      html`<dt><code>${name}</code> <span>${typeName(field)}</span></dt><dd>${field.description && prose(field.description, true)}${fieldsOf(field) && schemaList(field)}</dd>`,
  )}</dl>`;
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
