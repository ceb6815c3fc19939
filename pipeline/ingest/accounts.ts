/**
 * The account of every number that a file of a table delivered: how much of it is taken as which figure, and how much is
 * left out by which rule. Counts that are published are what is delivered without what is left out, exactly.
 */
import type { ReportLine } from '../engine/stage.ts';
import type { AccountRow } from './ingest-tables.ts';
import { type Delivered, yearNamed } from './readers/delivered.ts';
import { describeSiblings, siblingsOf } from './siblings.ts';

/** The columns that any source takes, by file: one file may have several roles. */
const usedColumns = (deliveries: readonly Delivered[]): ReadonlySet<string> =>
  new Set(
    deliveries.flatMap(({ file, columns }) =>
      columns.flatMap(({ column, figure, isKey }) => (figure !== null || isKey ? [`${file}\n${column}`] : [])),
    ),
  );

/** Columns that no source takes and that may be parts of the cases of a table. */
export function unusedParts(deliveries: readonly Delivered[]): ReportLine[] {
  const used = usedColumns(deliveries);
  return deliveries.flatMap(({ source, file, columns }): ReportLine[] => {
    if (!columns.some(({ figure }) => figure === 'confirmed')) return [];
    const siblings = siblingsOf(
      columns.flatMap(({ column, figure, reason, numbers }) => {
        const isTaken = figure === 'confirmed';
        return isTaken || (reason === null && !used.has(`${file}\n${column}`)) ? [{ column, isTaken, numbers }] : [];
      }),
    );
    const what = `${file}: columns that may be parts of the cases are not taken: ${describeSiblings(siblings)}. If they are, add them up (sources.json, sums); if not, say why (unused)`;
    return siblings.length === 0 ? [] : [{ source, rule: 'hard to believe', what, needs_approval: true }];
  });
}

type Fate = Pick<AccountRow, 'fate' | 'reason'>;
type Tally = Omit<AccountRow, 'source' | 'file' | 'column' | 'people'>;

/** Per file, in the order of reading, its rows and then its columns; years and fates in ascending order. */
export function accountFor(all: readonly Delivered[]): AccountRow[] {
  // A list of facilities is read with every table that needs it.
  const isSame = (a: Delivered) => (b: Delivered) => a.source === b.source && a.file === b.file;
  const deliveries = all.filter((delivered, i) => all.findIndex(isSame(delivered)) === i);
  const used = usedColumns(deliveries);
  return deliveries.flatMap((delivered, i) => {
    const { source, file, rows, columns, key, people } = delivered;
    const isFirst = deliveries.findIndex((one) => one.file === file) === i;
    const about = { source, file, people: null };
    const fateByRow: Fate = { fate: 'key', reason: key.join(' + ') };
    const ofRows = tally(rows.map(({ year }) => ({ year, fate: fateByRow, value: 1 })));
    return [
      ...ofRows.map((row): AccountRow => ({ ...row, ...about, column: null, sum: null })),
      ...columns.flatMap(({ column, figure, isKey, reason, numbers }): AccountRow[] => {
        const isUnused = !used.has(`${file}\n${column}`);
        if (figure === null && !isKey && !(isUnused && isFirst)) return [];
        const first = columns.find((other) => other.figure === figure)!.column;
        const named = yearNamed(column);
        const entries = rows.flatMap(({ year: rowYear, leftOut, added }, row) => {
          const year = rowYear ?? named;
          const taken: Fate = { fate: 'taken', reason: figure };
          const fate: Fate = isKey
            ? { fate: 'key', reason: figure }
            : isUnused
              ? { fate: reason === null ? 'unused' : 'left out', reason }
              : leftOut === null
                ? taken
                : { fate: 'left out', reason: leftOut };
          const more = added.filter((change) => change.figure === figure && column === first);
          return [
            { year, fate, value: numbers[row]! },
            ...more.flatMap(({ rule, amount }) => [
              { year, fate: taken, value: amount, isAdded: true },
              { year, fate: { fate: 'left out' as const, reason: rule }, value: -amount, isAdded: true },
            ]),
          ];
        });
        return tally(entries).map((row) => ({
          ...row,
          ...about,
          column,
          sum: isKey ? null : row.sum,
          people: (row.fate === 'taken' && row.year !== null && people?.get(row.year)) || null,
        }));
      }),
    ];
  });
}

/** @param entries those that are added by a rule are no cells of the file */
function tally(entries: readonly { year: number | null; fate: Fate; value: number; isAdded?: boolean }[]): Tally[] {
  const groups = new Map<string, Tally & { sum: number }>();
  for (const { year, fate, value, isAdded = false } of entries) {
    const id = `${year ?? ''}\n${fate.fate}\n${fate.reason}`;
    const counts = { numbers: 0, blank: 0, text: 0, zero: 0, negative: 0, fractional: 0, sum: 0 };
    const group = groups.get(id) ?? { year, ...fate, ...counts };
    groups.set(id, group);
    if (Number.isFinite(value)) group.sum += value;
    if (isAdded) continue;
    if (Number.isNaN(value)) group.blank += 1;
    else if (!Number.isFinite(value)) group.text += 1;
    else {
      group.numbers += 1;
      if (value === 0) group.zero += 1;
      if (value < 0) group.negative += 1;
      if (!Number.isInteger(value)) group.fractional += 1;
    }
  }
  return [...groups].sort(([a], [b]) => (a < b ? -1 : 1)).map(([, group]) => group);
}

/** Figures that are counts, and what a reader calls them. */
const COUNTS: Readonly<Record<string, string>> = {
  confirmed: 'cases',
  people: 'people',
  examined: 'children examined',
};

const whole = (value: number) => Math.round(value).toLocaleString('en-US');

/**
 * The first page of an account, a line for each count of a source, as somebody would hold it against an annual report:
 * `cases.csv: cases read: 2021 1,234,567 (88 per 1,000 people), 2022 …`; then the columns that are not used.
 */
export function firstPage(accounts: readonly AccountRow[]): string[] {
  const sources = [...Map.groupBy(accounts, ({ source }) => source).values()];
  return sources.flatMap((ofSource) => {
    const files = [...new Set(ofSource.map(({ file }) => file))].join(', ');
    const rows = ofSource.filter(({ column }) => column === null);
    const lines = Object.entries(COUNTS).flatMap(([figure, what]) => {
      const taken = ofSource.filter(({ fate, reason }) => fate === 'taken' && reason === figure);
      if (taken.length === 0) return [];
      const columns = new Set(taken.map(({ column }) => column));
      const left = ofSource.filter(({ fate, column }) => fate === 'left out' && columns.has(column));
      return [
        [
          `${files}: ${what} read: ${sumsBy(taken, ({ year }) => year ?? '')}`,
          ...(left.length > 0 ? [`left out by rule: ${sumsBy(left, ({ reason }) => reason!)}`] : []),
          `${whole(rows.reduce((sum, { numbers }) => sum + numbers, 0))} rows, told apart by ${rows[0]?.reason || 'nothing'}`,
        ].join('; '),
      ];
    });
    const unused = [...new Set(ofSource.flatMap(({ fate, column }) => (fate === 'unused' ? [column!] : [])))];
    return lines.length > 0 && unused.length > 0
      ? [...lines, `${files}: columns of numbers that are not used: ${unused.join(', ')}`]
      : lines;
  });
}

/** Sums by year or rule, those of a year per 1,000 people if they are known. */
const sumsBy = (rows: readonly AccountRow[], by: (row: AccountRow) => string | number) =>
  [...Map.groupBy(rows, by)]
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([group, ofGroup]) => {
      const sum = ofGroup.reduce((total, row) => total + row.sum!, 0);
      const { people } = ofGroup[0]!;
      const perThousand = people === null ? 0 : (1000 * sum) / people;
      const shown = perThousand < 10 ? perThousand.toFixed(1) : whole(perThousand);
      const rate = people === null ? '' : ` (${shown} per 1,000 people)`;
      return `${group} ${whole(sum)}${rate}`.trim();
    })
    .join(', ');
