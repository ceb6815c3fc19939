import { isDetailsBlock, isTableBlock, nonEmpty, type Section } from '../../lib/pages/blocks.ts';
import { formatCell } from '../../lib/pages/table.ts';
import { formatTable } from './text-table.ts';

/** The sections of a page as lines for the terminal; those without blocks are left out. */
export const sectionsText = (sections: readonly Section[]): string[] =>
  sections.flatMap(({ title, blocks }) => (nonEmpty(blocks).length > 0 ? ['', title, ...blocksText(blocks)] : []));

/** Blocks as lines for the terminal. @param width columns of the terminal, at which texts wrap */
export const blocksText = (blocks: Section['blocks'], width = Number.POSITIVE_INFINITY): string[] =>
  nonEmpty(blocks).flatMap((block) => {
    if (typeof block === 'string') return wrapLine(block, width);
    if (isDetailsBlock(block)) return wrapLine(block.summary, width);
    if (isTableBlock(block)) {
      const rows = block.rows.map((cells) =>
        Object.fromEntries(
          block.columns.map(({ title, decimals }, i) => [title, formatCell(cells[i] ?? null, decimals)]),
        ),
      );
      return ['', `${block.caption}:`, formatTable(rows)];
    }
    const { heading, hint, items } = block;
    const head = heading === undefined ? [] : [`${heading}${hint === undefined ? '' : ` (${hint})`}:`];
    return [...head, ...items.map((item) => `  ${item}`)].flatMap((line) => wrapLine(line, width));
  });

/** Wraps a line at words; continuation lines are indented by four. */
function wrapLine(line: string, width: number): string[] {
  const lines: string[] = [];
  let current = '';
  // Not at the spaces that a line begins with: they indent it.
  for (const word of line.split(/(?<=\S) /)) {
    if (current !== '' && current.length + 1 + word.length > width) {
      lines.push(current);
      current = `    ${word}`;
    } else current = current === '' ? word : `${current} ${word}`;
  }
  return [...lines, current];
}
