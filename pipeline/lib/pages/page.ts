import { readFileSync } from 'node:fs';
import path from 'node:path';
import { Html, html, type Value } from './html.ts';

const read = (file: string) => readFileSync(path.resolve(import.meta.dirname, file), 'utf8');
/** The style sheet of every page: colours, type, tables. */
export const baseStyle = (): string => read('./base.css');
/** A further one for pages whose tables become cards on a phone. */
export const cardStyle = (): string => read('./cards.css');

/** An HTML document. @param head what it loads */
export const page = (title: string, head: Value, body: Value): string =>
  html`<!doctype html>
<html lang="en"><head><meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1"><meta name="color-scheme" content="light dark">
<title>${title}</title>
${head}</head><body>
${body}
</body></html>
`.toString();

/** Style and permissions of a page that opens from disk. */
export interface OnDisk {
  /** Style sheet in addition to that of every page. */
  style?: string;
  /** What its policy permits, such as a script by its hash; without it the page runs no scripts. */
  permit?: string;
}

/** The head of a page that opens from disk and fetches nothing. */
export const headOnDisk = ({ style = '', permit = '' }: OnDisk = {}): Html =>
  html`<meta http-equiv="Content-Security-Policy" content="default-src 'none'; ${permit}style-src 'unsafe-inline'; base-uri 'none'; form-action 'none'"><meta name="referrer" content="no-referrer">
<style>${Html.of(baseStyle() + style)}</style>`;

/** Header and contents of a page. */
export const pageBody = (heading: Value, main: Value): Html =>
  html`<header><div class="wrap">${heading}</div></header>
<main class="wrap">
${main}
</main>`;
