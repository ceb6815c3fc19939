/** Surveys in two files, as DHS publishes them: the places of clusters, and their results. */
import { plain } from '../../lib/likeness.ts';
import { quoted } from '../../lib/shell.ts';
import { identifier, literal } from '../../lib/tables/duckdb.ts';
import { type ColumnName, columnsNamed, columnsOf, TEST_WORDS } from '../columns.ts';
import type { TableDraft } from './draft-entry.ts';
import type { TableFile } from './recognise.ts';

interface Tested {
  method: string;
  examined: string;
  positive: string;
}

/** Why neither of two tables with the parts of a survey is one by itself, and the command that joins them. */
export function surveysInParts(tables: readonly TableFile[]): Map<TableFile, TableDraft> {
  const located = tables.filter(({ header }) => Object.keys(columnsOf(header, ['longitude', 'latitude'])).length === 2);
  const parts = new Map<TableFile, TableDraft>();
  for (const results of tables.filter((table) => !located.includes(table))) {
    const tests = testsIn(results.header);
    const clusters = tests.length > 0 && located.find((table) => keysOf(results, table));
    if (!clusters) continue;
    const by = keysOf(results, clusters)!;
    const joined = located.find(({ header }) => results.header.every((column) => header.includes(column)));
    const add = (part: TableFile, other: TableFile, what: string, how: string) =>
      parts.set(part, {
        entries: [],
        obstacles: [
          joined
            ? { why: `joined with ${quoted(other.file)} in ${quoted(joined.file)}`, lost: null }
            : { why: `${what} ${quoted(other.file)}; ${how}`, lost: 'survey results' },
        ],
        keys: [...part.header],
      });
    const command = joinCommand(results, clusters, by, tests);
    const how = `join both by ${by.join(' and ')}, with a row for each cluster and test: ${command}`;
    add(results, clusters, 'the results of clusters whose places are in', how);
    add(clusters, results, 'the places of clusters whose results are in', 'join both (see there)');
  }
  return parts;
}

/** The columns of children examined and positive by each test. */
const testsIn = (header: readonly string[]): Tested[] =>
  (['microscopy', 'rdt'] as const).flatMap((method) => {
    const word = TEST_WORDS[method];
    const named = header.map((name) => [name.toLowerCase().replaceAll('_', ' '), name] as const);
    const bare = new Map(named.flatMap(([own, name]) => (word.test(own) ? [[own.replace(word, ''), name]] : [])));
    const { examined, positive } = columnsOf([...bare.keys()], ['examined', 'positive']);
    return examined && positive ? [{ method, examined: bare.get(examined)!, positive: bare.get(positive)! }] : [];
  });

/** The columns of survey and cluster that both tables have, if they are of the same clusters, each with one place. */
function keysOf(results: TableFile, clusters: TableFile): string[] | null {
  const shared = (name: ColumnName) =>
    columnsNamed(results.header, name).find((column) => plain(column) !== 'id' && clusters.header.includes(column)) ??
    [];
  const cluster = shared('cluster_id');
  const by = [shared('survey_year'), cluster].flat();
  const keysIn = ({ header, rows }: TableFile) =>
    rows.map(({ cells }) => JSON.stringify(by.map((column) => cells[header.indexOf(column)])));
  const [own, placed] = [keysIn(results), new Set(keysIn(clusters))];
  const fits =
    placed.size === clusters.rows.length && own.filter((key) => placed.has(key)).length >= (2 / 3) * own.length;
  return cluster.length > 0 && fits ? by : null;
}

function joinCommand(results: TableFile, clusters: TableFile, by: readonly string[], tests: readonly Tested[]): string {
  const shared = clusters.header.filter((column) => results.header.includes(column));
  const places = `c.* EXCLUDE (${shared.map(identifier).join(', ')})`;
  const from = `FROM ${literal(results.file)} r JOIN ${literal(clusters.file)} c USING (${by.map(identifier).join(', ')})`;
  const selects = tests.map(
    ({ method, examined, positive }) =>
      `SELECT r.*, ${places}, ${literal(method)} AS method, r.${identifier(examined)} AS examined, r.${identifier(positive)} AS positive ${from}`,
  );
  return `duckdb -c ${quoted(`COPY (${selects.join(' UNION ALL ')}) TO 'survey.csv'`)}`;
}
