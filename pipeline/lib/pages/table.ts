import { type Html, type HtmlValue, html } from './html.ts';

export interface Column<Row, Shown extends HtmlValue = HtmlValue> {
  title: string;
  cell: (row: Row) => Shown;
  /** Number of decimals that numbers are rounded to. */
  decimals?: number;
  /** Style of the cells. Columns of numbers get `number` by themselves; texts that consist of digits need it. */
  variant?: 'number' | 'email' | 'controls';
}

/**
 * A table that scrolls if it is wider than the page, or becomes a list of cards where a style sheet says so. ARIA roles
 * are explicit, because browsers drop those of elements that a style sheet takes out of table layout. The first column
 * is the header of the row; a cell without a value shows a dash, and columns of numbers are right-aligned.
 */
export function renderTable<Row>(
  caption: string,
  optionalColumns: readonly (Column<NoInfer<Row>> | false | null)[],
  rows: readonly Row[],
): Html {
  const columns = optionalColumns
    .filter((column) => column !== false && column !== null)
    .map(({ title, cell, decimals, variant }) => {
      const cells = rows.map(cell);
      const values = cells.filter((value) => value !== null && value !== undefined);
      const isNumeric = values.length > 0 && values.every((value) => typeof value === 'number');
      const cellClass = variant ?? (isNumeric ? 'number' : null);
      return {
        title,
        cells: cells.map((value) => formatCell(value, decimals)),
        variant,
        className: cellClass && html` class="${cellClass}"`,
      };
    });
  const headerCells = columns.map(
    ({ title, variant, className }) =>
      html`<th scope="col" role="columnheader"${className}>${
        variant === 'controls' ? html`<span class="unseen">${title}</span>` : title
      }</th>`,
  );
  const renderCell = ({ title, cells, className }: (typeof columns)[number], row: number, column: number) =>
    column === 0
      ? html`<th scope="row" role="rowheader">${cells[row]}</th>`
      : html`<td role="cell" data-title="${title}"${className}><div>${cells[row]}</div></td>`;
  return html`<div class="scroll" tabindex="0" role="group" aria-label="${caption}"><table role="table"><caption>${caption}</caption>
<thead role="rowgroup"><tr role="row">${headerCells}</tr></thead>
<tbody role="rowgroup">${rows.map(
    (_, row) => html`<tr role="row">${columns.map((column, i) => renderCell(column, row, i))}</tr>\n`,
  )}</tbody></table></div>`;
}

/** A cell's value with its number of decimals; a dash if there is none. */
export const formatCell = <Shown extends HtmlValue>(value: Shown, decimals: number | undefined) =>
  typeof value === 'number' && decimals !== undefined ? value.toFixed(decimals) : (value ?? '—');
