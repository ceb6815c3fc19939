import { readFileSync } from 'node:fs';
import path from 'node:path';
import { Html, type HtmlValue, html } from './html.ts';

const readStyle = (file: string) => readFileSync(path.resolve(import.meta.dirname, file), 'utf8');
/** The style sheet of every page: colours, type, tables. */
export const baseStyle = (): string => readStyle('./base.css');
/** A further one for pages whose tables become cards on a phone. */
export const cardStyle = (): string => readStyle('./cards.css');

/** An HTML document. @param head what it loads */
export const renderPage = (title: string, head: HtmlValue, body: HtmlValue): string =>
  html`<!doctype html>
<html lang="en"><head><meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1"><meta name="color-scheme" content="light dark">
<title>${title}</title>
${head}</head><body>
${body}
</body></html>
`.toString();

/** Style and permissions of a page that opens from disk. */
export interface OfflinePageOptions {
  /** Style sheet in addition to that of every page. */
  style?: string;
  /** What its policy permits, such as a script by its hash; without it the page runs no scripts. */
  cspDirectives?: string;
}

/** The head of a page that opens from disk and fetches nothing. */
export const offlinePageHead = ({ style = '', cspDirectives: permit = '' }: OfflinePageOptions = {}): Html =>
  html`<meta http-equiv="Content-Security-Policy" content="default-src 'none'; ${permit}style-src 'unsafe-inline'; base-uri 'none'; form-action 'none'"><meta name="referrer" content="no-referrer">
<style>${Html.fromTrustedMarkup(baseStyle() + style)}</style>`;

/** Header and contents of a page. */
export const pageBody = (heading: HtmlValue, main: HtmlValue): Html =>
  html`<header><div class="wrap">${heading}</div></header>
<main class="wrap">
${main}
</main>`;
