import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { beforeAll, expect, test } from 'vitest';
import { roundFields } from '../../../../pipeline/contract/decimals.ts';
import { type Database, withDatabase } from '../../../../pipeline/lib/tables/duckdb.ts';
import { writeTable } from '../../../../pipeline/lib/tables/parquet.ts';
import { type TableSchema, toTable } from '../../../../pipeline/lib/tables/table.ts';
import type { LgaScore, StateScore } from '../../../../pipeline/model/risk/risk-tables.ts';
import { CHANGES, LGAS, PROBABILITIES, STATES } from '../../../../pipeline/model/risk/risk-tables.ts';
import { decisionChecks } from '../../../../pipeline/publish/snapshot/decision-checks.ts';
import { outputRows } from '../../../support/stage-io.ts';
import { DRAWS, runSmall } from '../../model/risk/small-stage.ts';

let made: Awaited<ReturnType<typeof runSmall>>;
beforeAll(async () => {
  made = await runSmall('spatial');
});

/** Faults that the checks find in the small country's rounded tables after `change`. */
function faultsAfter(change: string): Promise<string[]> {
  const scratch = mkdtempSync(path.join(tmpdir(), 'decisions-'));
  return withDatabase(async (db) => {
    const load = async (name: string, form: TableSchema, rows: object[]) => {
      const file = path.join(scratch, `${name}.parquet`);
      await writeTable(db, file, toTable(form, roundFields(rows) as never[]));
      await db.run(`CREATE TABLE ${name} AS FROM read_parquet('${file}')`);
    };
    const estimated = ({ period }: { period: string }) => period <= '2022-12';
    const [lgas, states] = [outputRows<LgaScore>(made.lgas), outputRows<StateScore>(made.states)];
    await load('risk_lgas', LGAS, lgas.filter(estimated));
    await load(
      'forecasts_lgas',
      LGAS,
      lgas.filter((row) => !estimated(row)),
    );
    await load('risk_states', STATES, states.filter(estimated));
    await load(
      'forecasts_states',
      STATES,
      states.filter((row) => !estimated(row)),
    );
    for (const table of ['risk_lgas', 'forecasts_lgas'])
      await db.run(
        `ALTER TABLE ${table} ADD COLUMN state_code VARCHAR; UPDATE ${table} SET state_code = left(lga_code, 2)`,
      );
    await load('probabilities', PROBABILITIES, outputRows(made.probabilities));
    await load('changes', CHANGES, outputRows(made.changes));
    await db.run(change);
    return findIn(db);
  }).finally(() => rmSync(scratch, { recursive: true }));
}

async function findIn(db: Database): Promise<string[]> {
  const found: string[] = [];
  for (const check of Object.values(decisionChecks(DRAWS)).flat())
    found.push(...(await db.rows<{ fault: string }>(check)).map(({ fault }) => fault));
  return found;
}

test("the model's own output passes all checks", async () => {
  expect(await faultsAfter('SELECT 1')).toEqual([]);
});

const one = "WHERE code = 'AA02' AND period = '2022-05'";
test.each([
  ['probability_low = 1.01, probability_moderate = -0.01', /^probabilities lga AA02 2022-05: probability_low is 1\.01/],
  ['probability_low = 1 - probability_low', /^probabilities lga AA02 2022-05: the probabilities of the levels sum to/],
  [
    'probability_above_moderate = 1 - probability_above_moderate',
    /probability_above_moderate is .*, but the levels give/,
  ],
  [
    `probability_moderate = 0, probability_very_high = 1 - probability_low - probability_high, probability_above_high = 1 - probability_low - probability_high,
     probability_above_moderate = 1 - probability_low`,
    /AA02 2022-05: the probabilities of the levels are incompatible with a score of/,
  ],
  [
    'probability_highest_nation = 1 - probability_highest_nation',
    /^probabilities lga nation 2022-05: .* sums to [\d.]+ of 6 areas, expected 1/,
  ],
  [
    'probability_highest_state = 1 - probability_highest_state',
    /^probabilities lga AA 2022-05: .* sums to [\d.]+ of 3 areas, expected 1/,
  ],
  ['probability_highest_state = NULL', /probability_highest_state must be null in rows of the upper level/],
])('probabilities with %s are faulty', async (change, expected) => {
  expect((await faultsAfter(`UPDATE probabilities SET ${change} ${one}`)).join('\n')).toMatch(
    new RegExp(expected.source, 'm'),
  );
});

test.each([
  ['change_year = change_year + 0.01', /^changes lga AA02 2022-05: change_year is .*, but the scores give/],
  ['change_year_low = change_year + 0.001', /change_year is outside its range/],
  ['probability_rise_survey = 1.5', /probability_rise_survey is 1\.5/],
  [
    'change_year_low = -1, change_year_high = -0.0001, change_year = -0.001, probability_rise_year = 0.5',
    /AA02 2022-05: /,
  ],
  ["survey_month = '2021-06'", /survey_month 2021-06 cannot be compared with this month/],
  ["survey_month = '2022-05'", /survey_month 2022-05 cannot be compared with this month/],
  ['survey_month = NULL', /change_survey and survey_month must both be null/],
])('changes with %s are faulty', async (change, expected) => {
  expect((await faultsAfter(`UPDATE changes SET ${change} ${one}`)).join('\n')).toMatch(
    new RegExp(expected.source, 'm'),
  );
});

test('a range that contradicts a probability is a fault', async () => {
  const widened = `UPDATE risk_lgas SET score_high = 0.9, score_low = 0.2 WHERE lga_code = 'AA02' AND period = '2022-05';
    UPDATE probabilities SET probability_low = 0.2, probability_moderate = 0.5, probability_high = 0.2, probability_very_high = 0.1, probability_very_low = 0,
      probability_above_very_low = 1, probability_above_low = 0.8, probability_above_moderate = 0.3, probability_above_high = 0.1 ${one}`;
  expect((await faultsAfter(widened)).join('\n')).toMatch(
    /AA02 2022-05: probability_above_low is 0\.8 for a range of 0\.2 to 0\.9/,
  );
});
