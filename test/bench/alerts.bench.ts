/**
 * Alerts on series with injected changes of known size and date.
 *
 *   npm run bench -- alerts --set DIR
 *
 * --set  a directory with onsets.csv (panel, onset, start, index), truth.csv (panel, onset, scenario, location, type,
 *        months) and records in CHAP's form: PANEL/clean.csv, PANEL/ONSET/{mixA,mixB,state}.csv
 *
 * Months are judged by the function that makes the table `alerts`, from records up to the fourth month after the onset.
 * Rises of areas with fewer than a case in four months are no change if all is multiplied. It never fails because of a
 * score.
 */
import path from 'node:path';
import { parseArgs } from 'node:util';
import { formatTable } from '../../pipeline/cli/terminal/text-table.ts';
import { monthIndex } from '../../pipeline/contract/months.ts';
import { readCsv } from '../../pipeline/ingest/readers/csv.ts';
import { judgeMonths } from '../../pipeline/model/forecast/alerts.ts';
import { type Panel, panelUpTo } from '../../pipeline/model/forecast/panel.ts';
import { FOLLOWED_MONTHS, type FollowedArea, scoreAlerts } from '../../pipeline/validate/alerts/alert-scores.ts';

const { values: given } = parseArgs({ options: { set: { type: 'string' } } });

async function readRows(file: string): Promise<Record<string, string>[]> {
  const { header, rows } = await readCsv(file, file);
  return rows.map(({ cells }) => Object.fromEntries(header.map((name, i) => [name, cells[i]!])));
}

async function readRecords(file: string): Promise<Panel> {
  const rows = await readRows(file);
  const all = rows.map(({ time_period }) => monthIndex(time_period!));
  const first = Math.min(...all);
  const months = Math.max(...all) - first + 1;
  const areas = [...Map.groupBy(rows, ({ location }) => location!)].map(([code, own]) => {
    const cases = new Float64Array(months).fill(Number.NaN);
    for (const { time_period, disease_cases } of own)
      if (disease_cases !== '') cases[monthIndex(time_period!) - first] = Number(disease_cases);
    return { code, state_code: '', people: null, cases };
  });
  const disrupted = new Array(months).fill(false);
  return { level: 'lga', first, months, areas, disrupted, origins: { first_forecast: 0, first_scored: 0 } };
}

const set = given.set!;
const truth = new Map(
  (await readRows(path.join(set, 'truth.csv'))).map((row) => [
    `${row.panel} ${row.onset} ${row.scenario} ${row.location}`,
    row,
  ]),
);
const followed: (FollowedArea & { panel: string })[] = [];
for (const { panel, onset, index } of await readRows(path.join(set, 'onsets.csv'))) {
  const begin = Number(index);
  for (const scenario of ['clean', 'mixA', 'mixB', 'state']) {
    const file = scenario === 'clean' ? 'clean.csv' : `${onset}/${scenario}.csv`;
    const records = await readRecords(path.join(set, panel!, file));
    const judged = judgeMonths(panelUpTo(records, begin + FOLLOWED_MONTHS - 1));
    for (const [a, { code, cases }] of records.areas.entries()) {
      const change = truth.get(`${panel} ${onset} ${scenario} ${code}`);
      const before = cases.slice(begin - 24, begin).filter((value) => !Number.isNaN(value));
      const isFew = before.reduce((sum, value) => sum + value, 0) / before.length < 0.25;
      if (scenario !== 'clean' && (!change || (change.type === 'state4' && isFew))) continue;
      const classes = judged[a]!.slice(-FOLLOWED_MONTHS)
        .filter((month) => scenario !== 'clean' || month.cases !== null)
        .map(({ month, detection }) => ({ class: detection.class, isNew: detection.since === month }));
      followed.push({ panel: panel!, kind: change?.type ?? null, duration_months: Number(change?.months), classes });
    }
  }
  process.stderr.write(`${panel} ${onset}\n`);
}
const groups = [['all', followed] as const, ...Map.groupBy(followed, ({ panel }) => panel)];
process.stdout.write(`${formatTable(groups.map(([panel, areas]) => ({ panel, ...scoreAlerts(areas) })))}\n`);
for (const [kind, areas] of Map.groupBy(followed, (area) => area.kind ?? 'no change')) {
  const inAlert = [0, 1, 2, 3].map((i) => areas.filter(({ classes }) => classes[i]?.class === 'alert').length);
  process.stdout.write(`${kind}: ${areas.length}, in alert ${inAlert.join(', ')} in months 1 to 4\n`);
}
