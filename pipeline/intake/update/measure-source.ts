/** Measures a source's files for its catalog entry. */
import { statSync } from 'node:fs';
import path from 'node:path';
import type { Model } from '../../catalog/model.ts';
import { deliveredFiles, isTable } from '../../catalog/roles.ts';
import type { Source } from '../../catalog/sources.ts';
import { isPeriod } from '../../contract/months.ts';
import { coherentSpan } from '../../ingest/readers/months.ts';
import { readTable } from '../../ingest/readers/raw-table.ts';
import { groupMonthsIntoRounds, isLongPause } from '../../ingest/survey-doubts.ts';
import { sha256File } from '../../lib/hash.ts';
import type { ComparedRow } from '../compare/compare-rows.ts';
import { comparedRows, type ReadWithCodes } from '../compare/read-rows.ts';

/**
 * The entry with bytes, SHA-256, rows, span and rounds taken from its files.
 * @returns also the table's rows, which a comparison need not read again; null if the source is not a table
 */
export async function measureSource(
  source: Source,
  rawData: string,
  states: Model['states'],
  readWithCodes: ReadWithCodes = readTable,
): Promise<{ source: Source; rows: ComparedRow[] | null }> {
  const files: Source['files'] = [];
  for (const file of source.files) {
    const fullPath = path.join(rawData, file.path);
    files.push({ ...file, bytes: statSync(fullPath).size, sha256: await sha256File(fullPath) });
  }
  if (!isTable(source)) return { source: { ...source, files }, rows: null };
  const table = await readWithCodes(rawData, source);
  const rows = comparedRows(table, source, states);
  // Rounds of the catalog stay as they are, new ones have the months of their rows.
  const extendRounds = source.columns?.survey_year ? roundsByYear : roundsByMonth;
  const hasMonths = source.columns?.period !== undefined || source.columns?.month !== undefined;
  return {
    source: {
      ...source,
      files: files.map((file) => {
        const tableIndex = deliveredFiles(source).findIndex(({ path: tablePath }) => tablePath === file.path);
        return tableIndex === -1 ? file : { ...file, rows: table.counts[tableIndex]!.total };
      }),
      ...(source.span ? { span: extendSpan(source.span, rows) } : {}),
      ...(source.rounds && source.role === 'survey_clusters' && hasMonths
        ? { rounds: extendRounds(source.rounds, rows) }
        : {}),
    },
    rows,
  };
}

type Span = NonNullable<Source['span']>;

/**
 * From the first month of any place to the last month that half of the places reach. Readers of the table report
 * places that end earlier and months that only a few places have.
 */
function extendSpan(span: Span, rows: readonly ComparedRow[]): Span {
  const periods = rows.flatMap(({ period }) => (period !== null && isPeriod(period) ? [period] : []));
  if (periods.length === 0) return span;
  const { first, last: latest } = coherentSpan(periods, 'months');
  const dated = rows.filter(({ period }) => period !== null && isPeriod(period) && period <= latest);
  const lastMonths = [...Map.groupBy(dated, ({ place }) => place).values()]
    .map((placeRows) => placeRows.map(({ period }) => period!).reduce((a, b) => (a > b ? a : b)))
    .sort()
    .reverse();
  return { first, last: lastMonths[Math.ceil(lastMonths.length / 2) - 1]! };
}

type Rounds = NonNullable<Source['rounds']>;

/**
 * Months soon before or after a round of the catalog are not another round: a reader of the table refuses their rows.
 */
function roundsByMonth(rounds: Rounds, rows: readonly ComparedRow[]): Rounds {
  const months = rows.flatMap(({ period }) => (period !== null && isPeriod(period) ? [period] : []));
  const presentRounds = rounds.filter(({ first, last }) => months.some((month) => month >= first && month <= last));
  const newMonths = months.filter((month) =>
    presentRounds.every(({ first, last }) => isLongPause(last, month) || isLongPause(month, first)),
  );
  return [...presentRounds, ...groupMonthsIntoRounds(newMonths)].sort((a, b) => (a.first < b.first ? -1 : 1));
}

function roundsByYear(rounds: Rounds, rows: readonly ComparedRow[]): Rounds {
  const rowsByYear = Map.groupBy(rows, ({ group }) => Number(group.split(' ')[0]));
  const newRounds = [...rowsByYear]
    .filter(([year]) => !rounds.some(({ survey_year }) => survey_year === year))
    .map(([survey_year, roundRows]) => {
      const months = roundRows.map(({ period }) => period!).sort();
      return { survey_year, first: months[0]!, last: months.at(-1)! };
    });
  return [...rounds.filter(({ survey_year }) => rowsByYear.has(survey_year)), ...newRounds].sort(
    (a, b) => a.survey_year - b.survey_year,
  );
}
