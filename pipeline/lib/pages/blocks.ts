/** Findings, reviews and diffs as data, which are shown on a page or in a terminal. */
import { type Html, html, withCodeMarked } from './html.ts';
import { type Column, renderTable } from './table.ts';

/** What a terminal can show, too. */
export type Cell = string | number | null | undefined;

/**
 * A paragraph, with `code` in backticks; a list; a table; or details, which a page shows on demand and a terminal
 * leaves out. Lists and tables without entries are not shown.
 */
export type Block = string | ListBlock | TableBlock | DetailsBlock;
export interface DetailsBlock {
  summary: string;
  details: readonly Block[];
}
export interface ListBlock {
  heading?: string;
  hint?: string | undefined;
  items: readonly string[];
  /** Whether it is drawn as a warning. */
  isAlert?: boolean;
}
export interface TableBlock {
  caption: string;
  columns: readonly Column<readonly Cell[], Cell>[];
  rows: readonly (readonly Cell[])[];
}
export interface Section {
  title: string;
  blocks: readonly (Block | false)[];
}

type StructuredBlock = Exclude<Block, string>;
export const isTableBlock = (block: StructuredBlock): block is TableBlock => 'rows' in block;
export const isDetailsBlock = (block: StructuredBlock): block is DetailsBlock => 'details' in block;

/** A table as data. */
export const tableBlock = <Row>(
  caption: string,
  columns: readonly Column<NoInfer<Row>, Cell>[],
  rows: readonly Row[],
): TableBlock => ({
  caption,
  columns: columns.map((column, i) => ({ ...column, cell: (cells) => cells[i] })),
  rows: rows.map((row) => columns.map(({ cell }) => cell(row))),
});

/** Blocks without those that have nothing to show. */
export const nonEmpty = (blocks: Section['blocks']): Block[] =>
  blocks.filter((block) => {
    if (block === false || typeof block === 'string') return block !== false;
    if (isTableBlock(block)) return block.rows.length > 0;
    return isDetailsBlock(block) ? nonEmpty(block.details).length > 0 : block.items.length > 0;
  }) as Block[];

/** The sections of a page; those without blocks are left out. */
export const renderSections = (sections: readonly Section[]): Html =>
  html`${sections.map(
    ({ title, blocks }) =>
      nonEmpty(blocks).length > 0 && html`<section><h2>${title}</h2>${renderBlocks(blocks)}</section>\n`,
  )}`;

/** Blocks as HTML. */
export const renderBlocks = (blocks: Section['blocks']): Html => html`${nonEmpty(blocks).map(renderBlock)}`;

function renderBlock(block: Block): Html {
  if (typeof block === 'string') return html`<p>${withCodeMarked(block)}</p>`;
  if (isDetailsBlock(block))
    return html`<details><summary>${block.summary}</summary>${renderBlocks(block.details)}</details>`;
  if (isTableBlock(block)) return renderTable(block.caption, block.columns, block.rows);
  const { heading, hint, items, isAlert } = block;
  return html`${heading && html`<h3>${heading}</h3>`}${hint && html`<p class="note">${withCodeMarked(hint)}</p>`}
<ul${isAlert && html` class="notice"`}>${items.map((item) => html`<li>${withCodeMarked(item)}</li>`)}</ul>`;
}
