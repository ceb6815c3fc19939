/** Faults of a catalog, and an update of it, as text. */
import { ALIASES_FILE, aliasCsvLine } from '../../catalog/aliases.ts';
import { describeValueChanges } from '../../engine/explain-run.ts';
import type { Fault } from '../../intake/check/fault.ts';
import type { RowComparison, SumChange } from '../../intake/compare/compare-rows.ts';
import type { SourceComparison } from '../../intake/compare/compare-sources.ts';
import { describeFigure, describeRatio } from '../../intake/compare/doubts.ts';
import { describeChange, type MatchedName, type Update } from '../../intake/update/update.ts';
import { groupMessages } from '../../lib/bad-input.ts';
import { plainName } from '../../lib/name-similarity.ts';
import { type Cells, formatTable } from './text-table.ts';

/** A line for each cause of faults, after its step. */
export function describeFaults(faults: readonly Fault[]): string[] {
  return [...Map.groupBy(faults, ({ step }) => step)].flatMap(([step, stepFaults]) =>
    groupMessages(stepFaults.map(({ what }) => what)).map((line) => `${step}: ${line}`),
  );
}

export function describeUpdate(update: Update): string {
  const { source, files, edits, comparison, doubts, names, notes } = update;
  if (names.some(({ area }) => area === null)) return describeNames(update);
  if (files.length === 0 && edits.length === 0) return `${source}: unchanged since accepted, nothing to do`;
  const changes = edits.flatMap(({ file, field, was, value }) =>
    describeValueChanges(was, value, field).map((change) => `  ${file}, ${change}`),
  );
  const blocks = [
    [`${source}: ${describeChange(update)}`],
    doubts.length > 0 ? ['Doubts:', ...groupMessages(doubts).map((doubt) => `  ${doubt}`)] : ['No doubts.'],
    ...(notes.length > 0 ? [['What it does not change by itself:', ...notes.map((note) => `  ${note}`)]] : []),
    ['Changes to the catalog:', ...changes],
    ...(names.length > 0 ? [describeMatches(names)] : []),
    ...(comparison ? describeComparison(comparison) : []),
  ];
  return blocks.map((lines) => lines.join('\n')).join('\n\n');
}

/** How the names of a table are matched, without those that differ from the outlines' in case and punctuation alone. */
function describeMatches(names: readonly MatchedName[]): string[] {
  const spelledDifferently = names.filter(({ name, area }) => area && plainName(name) !== plainName(area.name));
  return [
    `Areas by name: ${names.filter(({ area }) => area).length} of ${names.length} names are matched${spelledDifferently.length > 0 ? '; otherwise spelled than in the outlines:' : ''}`,
    ...spelledDifferently.map(
      ({ name, area, alias }) =>
        `  ${name} = ${area!.name} (${area!.code})${alias ? `, ${alias.from ? `a part from ${alias.from}, ` : ''}accepted in ${ALIASES_FILE}` : ''}`,
    ),
  ];
}

/** The names that a person must accept, and what else is wrong. */
function describeNames({ source, names, faults }: Update): string {
  const doubtful = names.filter(({ area }) => area === null);
  const rows = doubtful.map(({ name, parent, rows, candidates, proposal, isOnlyRemaining }) => {
    const similarAreas = candidates
      .map(({ area, similarity }) => `${area.name} (${area.code}, ${similarity.toFixed(2)})`)
      .join(', ');
    const note = proposal?.from
      ? `; split, parts added up from ${proposal.from}`
      : isOnlyRemaining
        ? '; not like it, but the only area left over'
        : '';
    return { name, parent, rows, 'likest area (likeness)': `${similarAreas || 'none is alike'}${note}` };
  });
  const proposed = doubtful.flatMap(({ proposal }) => (proposal ? [aliasCsvLine(proposal)] : []));
  const gaps = faults.flatMap(({ remedy }) => (remedy?.declare === 'gap' ? [JSON.stringify(remedy.gap)] : []));
  const blockUnlessEmpty = (title: string, lines: readonly string[]) => (lines.length > 0 ? [[title, ...lines]] : []);
  const blocks = [
    [`${source}: names that are not those of its areas`],
    describeMatches(names),
    ['Doubtful:', formatTable(rows)],
    ...blockUnlessEmpty(
      `Where the likest area is right, add its row to ${ALIASES_FILE} (name,parent,code,from), or all with --accept-names:`,
      proposed,
    ),
    ...(proposed.length < doubtful.length ? [['For the others, write rows of your own, or correct the file.']] : []),
    ...blockUnlessEmpty('Then left to correct:', groupMessages(faults.map(({ what }) => `  ${what}`))),
    ...blockUnlessEmpty(`or to declare in sources.json, ${source}, gaps, each with its "reason":`, gaps),
  ];
  return blocks.map((lines) => lines.join('\n')).join('\n\n');
}

function describeComparison({ rows, outlines, rasters = [] }: SourceComparison): string[][] {
  return [
    ...(rows ? describeRows(rows) : []),
    ...(outlines
      ? [
          [
            `Outlines: ${outlines.outlines.was} -> ${outlines.outlines.is}; ${outlines.added.length} new, ` +
              `${outlines.removed.length} removed, ${outlines.relabelled.length} names or parents changed, ` +
              `${outlines.resized.length} resized, ${outlines.moved.length} moved`,
          ],
        ]
      : []),
    ...rasters.map(({ path, before, was, is, rank_correlation }) => [
      `${path}${before === path ? '' : `, compared with ${before}`}: rank correlation of quarter-degree means ${threeDecimals(rank_correlation)}`,
      formatTable([
        { of: 'was', sum: was.sum, ...was.values },
        { of: 'is', sum: is.sum, ...is.values },
      ]),
    ]),
  ];
}

const LISTED_FIGURES = 10;

function describeRows({
  rows,
  examples,
  figures,
  changed_columns,
  columns,
  by_year,
  added_months,
}: RowComparison): string[][] {
  const exampleText = (what: string, keys: readonly string[]) =>
    keys.length > 0 ? [`  ${what} ${keys.join(', ')}${keys.length === 5 ? ' …' : ''}`] : [];
  const addedCases = added_months.filter(({ column }) => column === 'confirmed');
  const changedYears = by_year.filter(({ rows_was, rows_is, was, is }) => rows_was !== rows_is || was !== is);
  return [
    [
      `Rows: ${rows.was} -> ${rows.is}`,
      ...exampleText('added', examples.added),
      ...exampleText('removed', examples.removed),
      ...exampleText('changed', examples.changed),
      ...changed_columns.map(({ column, rows: changed }) => `    ${column} in ${changed}`),
      ...figures.slice(0, LISTED_FIGURES).map((figure) => `    ${describeFigure(figure)}`),
      ...(figures.length > LISTED_FIGURES ? [`    and ${figures.length - LISTED_FIGURES} more (--json)`] : []),
    ],
    ...(changedYears.length > 0 ? [['Years that differ:', formatTable(changedYears.map(yearCells))]] : []),
    ...(addedCases.length > 0 ? [[describeAddedCases(addedCases)]] : []),
    [
      'Columns:',
      formatTable(
        columns.flatMap(({ column, was, is }) => [
          { column, of: 'was', ...was },
          { column, of: 'is', ...is },
        ]),
      ),
    ],
  ];
}

const yearCells = ({ year, column, rows_was, rows_is, was, is }: RowComparison['by_year'][number]): Cells => ({
  year: year || 'all',
  'rows, was': rows_was,
  'rows, is': rows_is,
  column,
  was,
  is,
});

/** The cases of added months beside the usual ones, and the areas of the upper level that differ most. */
function describeAddedCases(sums: readonly SumChange[]): string {
  const inOrder = sums.toSorted((a, b) => a.is / a.was - b.is / b.was);
  const ends = inOrder.length > 1 ? [inOrder[0]!, inOrder.at(-1)!] : [];
  const extremes = ends.map(({ of, was, is }) => `${of.replace('added months of ', '')} ${describeRatio(is / was)}`);
  const [was, is] = [sums.reduce((sum, state) => sum + state.was, 0), sums.reduce((sum, state) => sum + state.is, 0)];
  const range = extremes.length > 0 ? ` (from ${extremes.join(' to ')})` : '';
  return `Added months, beside the usual sum of their places and months: ${describeRatio(is / was)}${range}`;
}

const threeDecimals = (value: number | null) => (value === null ? null : value.toFixed(3));
