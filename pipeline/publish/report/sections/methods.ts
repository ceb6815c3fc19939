import { readFileSync } from 'node:fs';
import path from 'node:path';
import { Marked, type MarkedExtension, type Renderer, type Tokens } from 'marked';
import temml from 'temml';
import type { Territory } from '../../../contract/territory.ts';
import { Html, html } from '../../../lib/pages/html.ts';

/** The model pages in the pipeline's order. Their paths are literals, so that a changed page makes another snapshot. */
const MODEL_PAGES: Readonly<Record<string, string>> = {
  zonal: '../../../measure/zonal/MODEL.md',
  survey: '../../../model/survey/MODEL.md',
  season: '../../../model/season/MODEL.md',
  risk: '../../../model/risk/MODEL.md',
  'risk-numerics': '../../../model/risk/NUMERICS.md',
  'risk-results': '../../../model/risk/RESULTS.md',
  forecast: '../../../model/forecast/MODEL.md',
  transmission: '../../../model/transmission/MODEL.md',
};

/** The repository's model pages, with equations as MathML, if they describe this country's fit. */
export function renderMethods({ model_pages }: Territory): Html {
  if (!model_pages)
    return html`<section id="methods" aria-labelledby="methods-head"><h2 id="methods-head">How it is computed</h2>
<p class="lead">The page <code>MODEL.md</code> beside the code of each stage describes its model in full, with priors and with results for the country that it was developed on. This country’s own results are in <code>model-card.json</code>.</p></section>`;
  return html`<section id="methods" aria-labelledby="methods-head"><h2 id="methods-head">How it is computed</h2>
<p class="lead">Full descriptions of the models, for reviewers: data, equations, priors, estimation, checks and limits.</p>
${Object.entries(MODEL_PAGES).map(([name, file]) => {
  const { title, body } = renderPage(readFileSync(path.resolve(import.meta.dirname, file), 'utf8'), file);
  return html`<details id="method-${name}" class="method"><summary>${title}</summary>${Html.fromTrustedMarkup(body)}</details>`;
})}</section>`;
}

/**
 * A page's title and the rest of it as HTML. Links to other model pages lead to them in the report; links to anything
 * else in the repository, which readers of the report do not have, become text.
 * @param file the page's path, to which its links are relative
 */
export function renderPage(markdown: string, file: string): { title: string; body: string } {
  const end = markdown.indexOf('\n');
  const body = new Marked(MARKDOWN_OPTIONS, { renderer: { link: makeLinkRenderer(file) } }).parse(markdown.slice(end), {
    async: false,
  });
  return { title: markdown.slice('# '.length, end), body };
}

const makeLinkRenderer = (file: string) =>
  function link(this: Renderer, { href, tokens }: Tokens.Link): string {
    const text = this.parser.parseInline(tokens);
    const target = path.join(path.dirname(file), href.replace(/#.*/, ''));
    const page = Object.keys(MODEL_PAGES).find((name) => MODEL_PAGES[name] === target);
    if (page !== undefined) return `<a href="#method-${page}">${text}</a>`;
    return /^https:/.test(href) ? `<a href="${href}">${text}</a>` : text;
  };

const renderEquation = (tex: string, displayMode: boolean) =>
  temml.renderToString(tex, { displayMode, throwOnError: true });

const MARKDOWN_OPTIONS: MarkedExtension = {
  extensions: [
    {
      name: 'equation',
      level: 'inline',
      start: (text) => text.indexOf('$'),
      tokenizer: (text) => {
        // $x$, or $`x`$ if x contains Markdown's own characters
        const match = /^\$(`?)(?=\S)([^$]*[^$\s`])\1\$/.exec(text);
        return match ? { type: 'equation', raw: match[0], tex: match[2] } : undefined;
      },
      renderer: ({ tex }) => renderEquation(tex, false),
    },
  ],
  renderer: {
    heading({ tokens, depth }) {
      return `<h${depth + 1}>${this.parser.parseInline(tokens)}</h${depth + 1}>\n`;
    },
    code({ text, lang }) {
      return lang === 'math' ? renderEquation(text, true) : false;
    },
    table(token: Tokens.Table) {
      const renderTable = new Marked().Renderer.prototype.table;
      return `<div class="scroll" tabindex="0" role="group" aria-label="Table">${renderTable.call(this, token)}</div>`;
    },
  },
};
