import { globSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';
import { renderMethods, renderPage } from '../../../../pipeline/publish/report/sections/methods.ts';
import { TERRITORY } from '../../../../pipeline/synthetic/states.ts';

const PIPELINE = path.join(import.meta.dirname, '../../../../pipeline');

test('equations become MathML, headings move down one level, links out of the page become text', () => {
  const { title, body } = renderPage(
    '# Title\n\n## Part\n\nA $x_i$ and $`5\\%`$ of [the season](../season/MODEL.md#1-data), [numbers](NUMERICS.md), [code](fit.ts), [site](https://example.org).\n\n```math\n\\frac{a}{b}\n```\n',
    '../../../model/risk/MODEL.md',
  );
  expect(title).toBe('Title');
  expect(body).toContain('<h3>Part</h3>');
  expect(body).toContain('<msub><mi>x</mi><mi>i</mi></msub>');
  expect(body).toContain('<mn>5</mn><mi>%</mi>');
  expect(body).toMatch(/<math display="block".*<mfrac>/);
  expect(body).toContain(
    '<a href="#method-season">the season</a>, <a href="#method-risk-numerics">numbers</a>, code, <a href="https://example.org">site</a>',
  );
});

test('an equation that cannot be parsed stops the build', () => {
  expect(() => renderPage('# T\n\n$\\nosuch{x}$\n', 'MODEL.md')).toThrow(/nosuch/);
});

test('every model page is in the report, with no equation left as text', () => {
  const markup = renderMethods(TERRITORY).toString();
  const pages = globSync('{measure,model}/*/{MODEL,NUMERICS,RESULTS}.md', { cwd: PIPELINE });
  expect(pages.length).toBe(8);
  for (const file of pages) {
    const page = readFileSync(path.join(PIPELINE, file), 'utf8');
    expect(markup).toContain(`<summary>${page.slice(2, page.indexOf('\n'))}</summary>`);
  }
  expect(markup.replace(/<code>.*?<\/code>/gs, '')).not.toMatch(/\$|\\[a-z]/);
  expect([...markup.matchAll(/href="#([\w-]+)"/g)].every(([, id]) => markup.includes(`id="${id}"`))).toBe(true);
});
