import { expect, test } from 'vitest';
import { withDatabase } from '../../../../pipeline/lib/tables/duckdb.ts';
import { diffTables } from '../../../../pipeline/publish/snapshot/table-diff.ts';

/** The differences between two tables with the columns code, value and name. */
async function diff(a: string, b: string, columns = 'code, value, name') {
  return withDatabase(async (db) => {
    for (const [schema, rows] of Object.entries({ a, b })) {
      await db.run(`CREATE SCHEMA ${schema}`);
      await db.run(`CREATE TABLE ${schema}.some AS FROM (VALUES ${rows}) AS t(${columns})`);
    }
    return (await diffTables(db))[0]!;
  });
}

test('the diff counts rows in one table only, changed rows and changes by column; null is a valid key', async () => {
  const found = await diff(
    "('x', 1, 'X'), ('y', 2, 'Y'), (NULL, 5, 'all')",
    "('y', 2.5, 'Y'), ('z', 3, 'Z'), (NULL, 1, 'All')",
  );
  expect(found.rows).toEqual({ a: 3, b: 3 });
  expect(found.keyed).toEqual({ only_in_a: 1, only_in_b: 1, changed: 2 });
  expect(found.columns).toEqual([
    { column: 'value', changed: 2, largest: 4 },
    { column: 'name', changed: 1, largest: null },
  ]);
});

test.each([
  ['in A', "('x', 1, 'X'), ('x', 2, 'X')", "('x', 1, 'X')"],
  ['in B', "('x', 1, 'X')", "('x', 1, 'X'), ('x', 2, 'X')"],
  ['in both', "('x', 1, 'X'), ('x', 1, 'X')", "('x', 1, 'X'), ('x', 1, 'X')"],
])('with several rows of one key %s, rows are counted, not compared', async (_, a, b) => {
  const found = await diff(a, b);
  expect([found.keyed, found.columns]).toEqual([null, []]);
});

test('without a key among the columns, rows are counted, not compared', async () => {
  const found = await diff("('x', 1, 'X')", "('x', 2, 'X')", 'label, value, name');
  expect(found).toMatchObject({ rows: { a: 1, b: 1 }, keyed: null, columns: [] });
});
