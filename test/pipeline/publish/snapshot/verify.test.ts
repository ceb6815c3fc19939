import { execFileSync } from 'node:child_process';
import { readFileSync, renameSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { gzipSync } from 'node:zlib';
import { beforeAll, describe, expect, inject, test } from 'vitest';
import { strongEtag } from '../../../../pipeline/contract/manifest.ts';
import { periodRange } from '../../../../pipeline/contract/months.ts';
import { OPERATIONS, operationFiles } from '../../../../pipeline/contract/operations.ts';
import { sha256 } from '../../../../pipeline/lib/hash.ts';
import { verifySnapshot } from '../../../../pipeline/publish/snapshot/verify.ts';
import {
  copySnapshot,
  overwrite,
  readJson,
  rewrite,
  rewriteManifest,
  rewriteTable,
  tinySnapshot,
} from '../../../support/built-tiny.ts';
import { runHere } from '../../../support/run-here.ts';

const intact = tinySnapshot();

const LGAS = 'v1/risk/lgas/2021-09/AB.json';

test('a built snapshot has no faults', async () => {
  const verdict = await verifySnapshot(intact);
  expect(verdict.faults).toEqual([]);
  expect(verdict.files).toBeGreaterThan(100);
});

test('a snapshot of an older contract may lack later operations and fields; the verdict states what was not checked', async () => {
  const old = copySnapshot(intact);
  const { files, coverage } = readJson(old, 'manifest.json');
  const optional = OPERATIONS.filter((operation) => operation.optional);
  const ofLater = optional.flatMap((operation) => operationFiles(operation, coverage));
  const later = Object.keys(files).filter((name) => ofLater.includes(name.replace(/\.(br|gz)$/, '')));
  expect(later.length).toBeGreaterThan(100);
  for (const name of later) rmSync(path.join(old, name));
  rewrite(old, 'v1/periods.json', (answer) => {
    delete answer[Object.keys(answer)[0]!];
  });
  rewriteManifest(old, (manifest) => {
    for (const name of later) delete manifest.files[name];
  });
  expect((await verifySnapshot(old)).faults).not.toEqual([]);
  rewriteManifest(old, (manifest) => {
    manifest.contract_version = '1.0.0';
  });
  const { faults, unchecked } = await verifySnapshot(old);
  expect(faults).toEqual([]);
  expect(unchecked).toContain('it follows contract 1.0.0');
  // If only some files of a later operation are missing, the snapshot is damaged.
  const torn = copySnapshot(intact);
  const gone = later.find((name) => /^v1\/series\/.*\.json$/.test(name))!;
  rmSync(path.join(torn, gone));
  rewriteManifest(torn, (manifest) => {
    manifest.contract_version = '1.0.0';
    delete manifest.files[gone];
  });
  expect((await verifySnapshot(torn)).faults.join()).toContain(gone);
});

test('the model card has the basis of the scores, their checks and their limits in words', () => {
  const card = readJson(intact, 'model-card.json');
  expect(card.risk.baseline.rounds.map((round: { survey_year: number }) => round.survey_year)).toEqual([2018, 2021]);
  expect(card.validation.scores.map(({ model }: { model: string }) => model)).toContain('national');
  expect(card.known_truth.pooled.map(({ truth }: { truth: string }) => truth)).toContain('trend');
  expect(card.parameters.risk.season_exponent.source).not.toBe('');
  expect(card.limits.join(' ')).toMatch(/No survey was taken in .*Months after .* are forecasts/);
});

/**
 * What is wrong, how it comes about, and the report; in the report, `FILE` is `file`: an answer that no other fault
 * touches.
 */
type Fault = [what: string, inject: (snapshot: string, file: string) => unknown, report: RegExp];

/** One is left as it is; the others are damaged, each by one fault. */
const [UNCHANGED, ...ANSWERS] = periodRange('2020-11', '2021-12').flatMap((period) =>
  ['AB', 'AD'].map((state) => `v1/risk/lgas/${period}/${state}.json`),
) as [string, ...string[]];

const IN_ANSWERS: Fault[] = [
  [
    'a byte flipped',
    (snapshot, file) => {
      const bytes = readFileSync(path.join(snapshot, file));
      bytes[10]! ^= 1;
      overwrite(snapshot, file, bytes);
    },
    /^FILE: SHA-256 differs/,
  ],
  [
    'a file cut short',
    (snapshot, file) => overwrite(snapshot, file, readFileSync(path.join(snapshot, file)).subarray(0, 100)),
    /^FILE: 100 bytes, but \d+ in the manifest/,
  ],
  ['a file missing', (snapshot, file) => rmSync(path.join(snapshot, file)), /^FILE: missing/],
  ['a sibling missing', (snapshot, file) => rmSync(path.join(snapshot, `${file}.br`)), /^FILE\.br: missing/],
  [
    'an answer missing from files and manifest',
    (snapshot, file) => {
      rmSync(path.join(snapshot, file));
      rewriteManifest(snapshot, ({ files }) => delete files[file]);
    },
    /^FILE: the answer to risk-lgas is missing/,
  ],
  [
    'an LGA missing in one month',
    (snapshot, file) => rewrite(snapshot, file, ({ lgas }) => lgas.pop()),
    /^FILE: \/lgas\/1 is undefined, but the tables give \{"lga_code"/,
  ],
  [
    'an LGA twice in place of another',
    (snapshot, file) =>
      rewrite(snapshot, file, ({ lgas }) => {
        lgas[1] = lgas[0];
      }),
    /^FILE: \/lgas\/1\/lga_code is "NG00\d00\d", but the tables give/,
  ],
  [
    'low above score',
    (snapshot, file) =>
      rewrite(snapshot, file, ({ lgas }) => {
        lgas[0].score_low = lgas[0].score + 0.0001;
      }),
    /^FILE: \/lgas\/0\/score_low is [\d.]+, but the tables give/,
  ],
  [
    'a wrong order',
    (snapshot, file) => rewrite(snapshot, file, ({ lgas }) => lgas.reverse()),
    /^FILE: \/lgas\/0\/lga_code is/,
  ],
  [
    'a wrong level',
    (snapshot, file) =>
      rewrite(snapshot, file, ({ lgas }) => {
        lgas[0].level = lgas[0].level === 'low' ? 'high' : 'low';
      }),
    /^FILE: \/lgas\/0\/level is "\w+"/,
  ],
  [
    'another month under its name',
    (snapshot, file) =>
      rewrite(snapshot, file, (answer) => {
        answer.period = '2023-08';
      }),
    /^FILE: \/period is "2023-08", but the tables give "202\d-\d\d"/,
  ],
  [
    'a score as text',
    (snapshot, file) =>
      rewrite(snapshot, file, ({ lgas }) => {
        lgas[0].score = '0.3';
      }),
    /^FILE: \/lgas\/0\/score must be number/,
  ],
  [
    'an extra field',
    (snapshot, file) =>
      rewrite(snapshot, file, ({ lgas }) => {
        lgas[0].extra = 1;
      }),
    /^FILE: .*must NOT have (?:additional|unevaluated)/,
  ],
  [
    'a stale compressed sibling',
    (snapshot, file) => overwrite(snapshot, `${file}.gz`, gzipSync(readFileSync(path.join(snapshot, UNCHANGED)))),
    /^FILE\.gz: does not unpack to FILE/,
  ],
  [
    'a stale compressed sibling that the manifest agrees with',
    (snapshot, file) => {
      overwrite(snapshot, `${file}.br`, readFileSync(path.join(snapshot, `${UNCHANGED}.br`)));
      rewriteManifest(snapshot, ({ files }) => {
        files[`${file}.br`] = files[`${UNCHANGED}.br`];
      });
    },
    /^FILE\.br: does not unpack/,
  ],
  [
    'a link to a file with the same bytes',
    (snapshot, file) => {
      const elsewhere = path.join(snapshot, '..', 'elsewhere.json');
      renameSync(path.join(snapshot, file), elsewhere);
      symlinkSync(elsewhere, path.join(snapshot, file));
    },
    /^FILE: not a regular file/,
  ],
  [
    'a pipe in place of a file',
    (snapshot, file) => {
      rmSync(path.join(snapshot, file));
      execFileSync('mkfifo', [path.join(snapshot, file)]);
    },
    /^FILE: not a regular file/,
  ],
  [
    'a sibling that unpacks to far more than its file',
    (snapshot, file) => {
      const bomb = gzipSync(Buffer.alloc(5e7));
      overwrite(snapshot, `${file}.gz`, bomb);
      rewriteManifest(snapshot, ({ files }) => {
        const hash = sha256(bomb);
        files[`${file}.gz`] = { bytes: bomb.length, sha256: hash, etag: strongEtag(hash) };
      });
    },
    /^FILE\.gz: does not unpack/,
  ],
  [
    "an LGA's people in one month",
    (snapshot, file) =>
      rewrite(snapshot, file, ({ lgas }) => {
        lgas[0].population += 1;
      }),
    /^FILE: \/lgas\/0\/population is \d+, but the tables give \d+/,
  ],
  [
    "an LGA's score that does not agree with its state's",
    (snapshot, file) =>
      rewrite(snapshot, file, ({ lgas }) => {
        for (const field of ['score', 'score_low', 'score_high']) lgas[0][field] = 1;
        lgas[0].level = 'very_high';
      }),
    /^FILE: \/lgas\/0\/score is 1/,
  ],
];

const IN_OTHER_FILES: Fault[] = [
  [
    'an extra answer',
    (snapshot) => writeFileSync(path.join(snapshot, 'v1/risk/lgas/2021-09/KN.json'), '{}'),
    /KN\.json: not in the manifest/,
  ],
  [
    'an extra file beside the answers',
    (snapshot) => writeFileSync(path.join(snapshot, 'notes.txt'), 'x'),
    /^notes\.txt: not in/,
  ],
  [
    'an LGA missing in one forecast month',
    (snapshot) => rewrite(snapshot, 'v1/forecasts/lgas/4/AD.json', ({ forecasts }) => forecasts[2].lgas.pop()),
    /forecasts\/lgas\/4\/AD\.json: \/forecasts\/2\/lgas\/1 is undefined/,
  ],
  [
    'a state missing in one month',
    (snapshot) => rewrite(snapshot, 'v1/risk/states/2021-09.json', ({ states }) => states.pop()),
    /2021-09\.json: \/states\/1 is undefined/,
  ],
  [
    'high below score',
    (snapshot) =>
      rewrite(snapshot, 'v1/risk/states/2021-08.json', ({ states }) => {
        states[0].score_high = states[0].score - 0.0001;
      }),
    /2021-08\.json: \/states\/0\/score_high is/,
  ],
  [
    'an outline that does not nest',
    (snapshot) =>
      rewrite(snapshot, 'v1/boundaries/lgas/AB.json', ({ features }) => {
        // One corner, first and last point of its ring, half a degree out of the state.
        const ring = features[0].geometry.coordinates.flat(features[0].geometry.type === 'Polygon' ? 0 : 1)[0];
        const west = ring.reduce((furthest: number[], point: number[]) =>
          point[0]! < furthest[0]! ? point : furthest,
        );
        for (const point of ring) if (point[0] === west[0] && point[1] === west[1]) point[0] -= 0.5;
      }),
    /boundaries\/lgas\/AB\.json: \/features\/0\/geometry\/coordinates\/.* is /,
  ],
  [
    'an outline of another state',
    (snapshot) =>
      rewrite(snapshot, 'v1/boundaries/lgas/AD.json', ({ features }) => {
        features[0].properties.state = 'AB';
      }),
    /boundaries\/lgas\/AD\.json: \/features\/0\/properties\/state is "AB"/,
  ],
  [
    'an index that does not peak at 1',
    (snapshot) =>
      rewrite(snapshot, 'v1/transmission/lgas/AB.json', ({ lgas }) => {
        const { season } = lgas[0];
        season.seasonal_index[season.peak_month - 1] = 0.99;
      }),
    /transmission\/lgas\/AB\.json: \/lgas\/0\/season\/seasonal_index\/\d+ is 0.99, but the tables give 1/,
  ],
  [
    'an LGA missing from the context',
    (snapshot) => rewrite(snapshot, 'v1/context/lgas/AB.json', ({ lgas }) => lgas.pop()),
    /context\/lgas\/AB\.json: \/lgas\/1 is undefined/,
  ],
  [
    'forecasts of two months under the name of three',
    (snapshot) => rewrite(snapshot, 'v1/forecasts/states/3.json', ({ forecasts }) => forecasts.pop()),
    /forecasts\/states\/3\.json: \/forecasts\/2 is undefined, but the tables give \{"period":"2022-03"/,
  ],
  [
    'a forecast that differs between horizons',
    (snapshot) =>
      rewrite(snapshot, 'v1/forecasts/lgas/1/AD.json', ({ forecasts }) => {
        forecasts[0].lgas[0].score_low = 0;
      }),
    /forecasts\/lgas\/1\/AD\.json: \/forecasts\/0\/lgas\/0\/score_low is 0,/,
  ],
  [
    "a state's people",
    (snapshot) =>
      rewrite(snapshot, 'v1/context/states.json', ({ states }) => {
        states[0].population += 1;
      }),
    /context\/states\.json: \/states\/0\/population is/,
  ],
  [
    'a season that is not the run of its high months',
    (snapshot) =>
      rewrite(snapshot, 'v1/transmission/states.json', ({ states }) => {
        const { season } = states[0];
        season.season_end_month = (season.season_end_month % 12) + 1;
      }),
    /transmission\/states\.json: \/states\/0\/season\/season_end_month is/,
  ],
  [
    'a table with other content as CSV',
    (snapshot) => {
      const name = 'tables/context_lgas.csv';
      overwrite(snapshot, name, readFileSync(path.join(snapshot, name), 'utf8').replace('Place 1', 'Place 9'));
      rewriteManifest(snapshot, ({ files }) => {
        const bytes = readFileSync(path.join(snapshot, name));
        files[name] = { bytes: bytes.length, sha256: sha256(bytes), etag: strongEtag(sha256(bytes)) };
      });
    },
    /^tables\/context_lgas\.csv: its rows differ from tables\/context_lgas\.parquet/,
  ],
  [
    'a table missing as CSV',
    (snapshot) => {
      const names = ['', '.gz', '.br'].map((end) => `tables/context_states.csv${end}`);
      for (const name of names) rmSync(path.join(snapshot, name));
      rewriteManifest(snapshot, ({ files }) => {
        for (const name of names) delete files[name];
      });
    },
    /^tables\/context_states\.csv: not in the manifest/,
  ],
];

const EXCHANGED = ['forecasts/lgas/4', 'context/lgas', 'transmission/lgas', 'boundaries/lgas'].map(
  (folder): Fault => [
    `${folder}: two states' files in each other's place`,
    (snapshot) => {
      const [one, two] = [`v1/${folder}/AB.json`, `v1/${folder}/AD.json`];
      const [first, second] = [readJson(snapshot, one), readJson(snapshot, two)];
      rewrite(snapshot, one, (value) => Object.assign(value, second));
      rewrite(snapshot, two, (value) => Object.assign(value, first));
    },
    new RegExp(`v1/${folder}/AB\\.json: /.*(state|state_code|lgaCode|geometry.*) is `),
  ],
);

const IN_RECORDS: Fault[] = [
  [
    'a byte flipped in a table',
    (snapshot) => {
      const bytes = readFileSync(path.join(snapshot, 'tables/risk_lgas.parquet'));
      bytes[bytes.length >> 1]! ^= 128;
      overwrite(snapshot, 'tables/risk_lgas.parquet', bytes);
    },
    /^tables\/risk_lgas\.parquet: SHA-256 differs/,
  ],
  [
    'a wrong tag',
    (snapshot, file) =>
      rewriteManifest(snapshot, ({ files }) => {
        files[file].etag = `"${'0'.repeat(32)}"`;
      }),
    /^FILE: its ETag does not match/,
  ],
  [
    'a parameter changed afterwards',
    (snapshot) =>
      rewriteManifest(snapshot, ({ stages }) => {
        stages[0].parameters.extent = [0, 0, 1, 1];
      }),
    /manifest\.json, ingest: its key is not the hash/,
  ],
  [
    'a changed hash of a raw file',
    (snapshot) =>
      rewriteManifest(snapshot, ({ sources }) => {
        sources[0].files[0].sha256 = 'a'.repeat(64);
      }),
    /raw lgas\.geojson differs from the recorded file/,
  ],
  [
    'a changed time of update',
    (snapshot) => {
      rewriteManifest(snapshot, (manifest) => {
        manifest.updated_at = '2031-01-01T00:00:00.000Z';
      });
      rewrite(snapshot, 'v1/periods.json', (value) => {
        value.updated_at = '2031-01-01T00:00:00.000Z';
      });
    },
    /does not match the stages' keys and updated_at/,
  ],
];

/** After each of these, nothing else is checked. */
const WITHOUT_MANIFEST: Fault[] = [
  ['no manifest', (snapshot) => rmSync(path.join(snapshot, 'manifest.json')), /^manifest\.json: /],
  ['half a manifest', (snapshot) => overwrite(snapshot, 'manifest.json', '{"format":1'), /^manifest\.json: /],
  [
    'a manifest that is a link',
    (snapshot) => {
      renameSync(path.join(snapshot, 'manifest.json'), path.join(snapshot, '..', 'elsewhere.json'));
      symlinkSync('../elsewhere.json', path.join(snapshot, 'manifest.json'));
    },
    /^manifest\.json: not a regular file/,
  ],
];

describe.each([
  ['in the answers of a month', IN_ANSWERS],
  ['in other files', IN_OTHER_FILES],
  ['between files', EXCHANGED],
  ['in records', IN_RECORDS],
  ...WITHOUT_MANIFEST.map((fault) => ['in the manifest itself', [fault]] as const),
] as const)('each of the faults injected into a copy is found, %s', (_, faults) => {
  let found = '';
  beforeAll(async () => {
    const copy = copySnapshot(intact);
    for (const [i, [, inject]] of faults.entries()) await inject(copy, ANSWERS[i]!);
    found = (await verifySnapshot(copy)).faults.join('\n');
  });
  test.each(faults.map(([what, , report], i) => [what, report, ANSWERS[i]!] as const))('%s', (_, report, file) => {
    expect(found).toMatch(new RegExp(report.source.replaceAll('FILE', file.replaceAll('.', '\\.')), 'm'));
  });
});

/** What is wrong, the statement that makes it so in a table, and the report. */
type BrokenRule = [what: string, table: string, statement: string, report: RegExp];
const at = (period: string) => `WHERE lga_code = 'NG001001' AND period = '${period}'`;

const IN_ROWS: BrokenRule[] = [
  [
    'an LGA missing in one month',
    'risk_lgas',
    `DELETE FROM risk_lgas ${at('2020-11')}`,
    /risk_lgas: 0 rows of NG001001 2020-11, expected 1/,
  ],
  [
    'an LGA twice in one month',
    'risk_lgas',
    `INSERT INTO risk_lgas FROM risk_lgas ${at('2020-12')}`,
    /risk_lgas: 2 rows of NG001001 2020-12, expected 1/,
  ],
  [
    'a month that is not estimated',
    'risk_lgas',
    `UPDATE risk_lgas SET period = '2019-01' ${at('2021-01')}`,
    /risk_lgas: 1 rows of NG001001 2019-01, expected 0/,
  ],
  [
    'an LGA missing in one forecast month',
    'forecasts_lgas',
    "DELETE FROM forecasts_lgas WHERE lga_code = 'NG002001' AND horizon_months = 3",
    /forecasts_lgas: 0 rows of NG002001 2022-03/,
  ],
  [
    'a state missing in one month',
    'risk_states',
    "DELETE FROM risk_states WHERE state_code = 'AB' AND period = '2021-09'",
    /risk_states: 0 rows of AB 2021-09/,
  ],
  [
    'low above score',
    'risk_lgas',
    `UPDATE risk_lgas SET score_low = score + 0.0001 ${at('2021-02')}`,
    /risk_lgas NG001001 2021-02: score [\d.]+ outside/,
  ],
  [
    'high below score',
    'forecasts_states',
    "UPDATE forecasts_states SET score_high = score - 0.0001 WHERE state_code = 'AB'",
    /forecasts_states AB 2022-01: score [\d.]+ outside/,
  ],
  [
    'a wrong level',
    'risk_lgas',
    `UPDATE risk_lgas SET level = 'very_low' ${at('2021-03')}`,
    /risk_lgas NG001001 2021-03: level very_low for a score of/,
  ],
  [
    'a wrong order',
    'risk_lgas',
    'CREATE OR REPLACE TABLE risk_lgas AS FROM risk_lgas ORDER BY score',
    /risk_lgas NG00100\d 2021-09: out of order/,
  ],
  [
    "an LGA's people in one month",
    'risk_lgas',
    `UPDATE risk_lgas SET population = population + 1 ${at('2021-04')}`,
    /risk_lgas NG001001: population \d+, but \d+ in context_lgas/,
  ],
  [
    "an LGA's name in one month",
    'risk_lgas',
    `UPDATE risk_lgas SET lga = 'Other' ${at('2021-05')}`,
    /risk_lgas NG001001: lga Other, but Place 1 in context_lgas/,
  ],
  [
    "a state's people",
    'context_states',
    "UPDATE context_states SET population = population + 1 WHERE state_code = 'AB'",
    /context_states AB: \d+ people and 2 areas, but these give \d+ and 2/,
  ],
  [
    "an LGA's score that does not agree with its state's",
    'risk_lgas',
    `UPDATE risk_lgas SET score = 1, score_high = 1 ${at('2021-06')}`,
    /risk_states AB 2021-06: score [\d.]+, but its areas give [\d.]+/,
  ],
  [
    'an index that does not peak at 1',
    'season',
    "UPDATE season SET seasonal_index = 0.99 WHERE is_peak AND code = 'NG001001'",
    /season lga NG001001: the index at its peak is not 1/,
  ],
  [
    'two peaks',
    'season',
    "UPDATE season SET is_peak = true WHERE code = 'AB'",
    /season state AB: its peak is not the first month with index 1/,
  ],
  [
    'a high month that is not',
    'season',
    'UPDATE season SET is_high = NOT is_high WHERE code IS NULL',
    /season nation: is_high does not mark/,
  ],
  [
    'a month of the year missing',
    'season',
    "DELETE FROM season WHERE code = 'AB' AND month = 5",
    /season: 0 rows of state AB 5, expected 1/,
  ],
  [
    'an account that lacks a cell',
    'accounts',
    "UPDATE accounts SET blank = blank + 1 WHERE file = 'cases.csv' AND \"column\" = 'cases' AND year = 2019",
    /accounts cases\.csv, cases: 49 cells in 48 rows/,
  ],
  [
    'a run of months with a wrong last month',
    'season_windows',
    "UPDATE season_windows SET last_month = last_month % 12 + 1 WHERE code = 'AB' AND measure = 'reported_cases' AND months = 3",
    /season_windows state AB reported_cases 3: its run is not 3 months long/,
  ],
  [
    'a criterion that does not match its probability',
    'season_windows',
    "UPDATE season_windows SET criterion = 'reached' WHERE code = 'AB' AND measure = 'rain_transmission' AND months = 4",
    /season_windows state AB rain_transmission 4: its criterion does not match its criterion_probability/,
  ],
  [
    'a run of months missing',
    'season_windows',
    "DELETE FROM season_windows WHERE code = 'NG001001' AND measure = 'reported_cases' AND months = 5",
    /season_windows: 0 rows of lga NG001001 reported_cases 5, expected 1/,
  ],
  [
    'a score based on a later survey',
    'basis',
    "UPDATE basis SET last_survey = '2099-01' WHERE code = 'AB' AND period = '2021-09'",
    /basis state AB 2021-09: evidence of a later month/,
  ],
  [
    'a missing neighbour',
    'places',
    "UPDATE places SET neighbours = '' WHERE code = 'NG001002'",
    /tables\/places: \/3\/neighbours is "", but the tables give "NG001001 NG002001"/,
  ],
  [
    'quantiles of cases in the wrong order',
    'forecasts_cases',
    "UPDATE forecasts_cases SET q25 = q75 + 1 WHERE code = 'AB' AND horizon_months = 2",
    /forecasts_cases state AB 2022-02: its quantiles are negative or not ascending/,
  ],
  [
    'a negative number of cases',
    'forecasts_cases',
    "UPDATE forecasts_cases SET q05 = -1 WHERE code = 'AB' AND horizon_months = 1",
    /forecasts_cases state AB 2022-01: its quantiles are negative or not ascending/,
  ],
  [
    'a forecast of a month that was recorded',
    'forecasts_cases',
    'UPDATE forecasts_cases SET period = last_cases WHERE horizon_months = 3',
    /forecasts_cases state AB \d{4}-\d\d: it is not 3 months or more after/,
  ],
  [
    'a forecast of cases in an unknown area',
    'forecasts_cases',
    "UPDATE forecasts_cases SET code = 'XX' WHERE horizon_months = 4",
    /forecasts_cases state XX \d{4}-\d\d: no such area/,
  ],
  [
    'an alert in an unknown area',
    'alerts',
    "UPDATE alerts SET code = 'XX'",
    /alerts state XX \d{4}-\d\d: no such area/,
  ],
  [
    'a usual above its own upper limit',
    'alerts',
    'UPDATE alerts SET usual = usual_high + 1',
    /alerts state XX \d{4}-\d\d: the usual is outside its range/,
  ],
  [
    'an alert that began without an unusual month',
    'alerts',
    "UPDATE alerts SET detection_class = 'alert', detection_since = period, detection_probability = 0.5",
    /alerts state XX \d{4}-\d\d: it began with a month that is not unusual/,
  ],
  [
    'a class without its first month',
    'alerts',
    "UPDATE alerts SET warning_class = 'alert', warning_since = NULL",
    /alerts state XX \d{4}-\d\d: a class without its first month/,
  ],
  [
    'a warning against its probability',
    'alerts',
    'UPDATE alerts SET warning_probability = 0.3',
    /alerts state XX \d{4}-\d\d: its warning does not match its probability/,
  ],
];

const IN_AREAS: BrokenRule[] = [
  [
    'a state missing altogether',
    'context_states',
    "DELETE FROM context_states WHERE state_code = 'AB'",
    /context_states: 0 rows of AB, expected 1/,
  ],
  [
    'an LGA missing from the context',
    'context_lgas',
    "DELETE FROM context_lgas WHERE lga_code = 'NG001001'",
    /context_lgas: 3 rows, but 4 in the manifest/,
  ],
  [
    'an LGA of an unknown state',
    'context_lgas',
    "UPDATE context_lgas SET state_code = 'XX' WHERE lga_code = 'NG002001'",
    /context_lgas: 1 rows of NG002001, expected 0/,
  ],
  [
    'an outline under another state',
    'boundaries_lgas',
    "UPDATE boundaries_lgas SET state_code = 'AD' WHERE lga_code = 'NG001001'",
    /boundaries_lgas: 1 rows of NG001001 AD, expected 0/,
  ],
];

const IN_OUTLINES: BrokenRule[] = [
  // The double 3, which is the westernmost longitude, becomes 2.5 in one of the two outlines that have it.
  [
    'an outline that does not nest',
    'boundaries_lgas',
    "UPDATE boundaries_lgas SET geometry = ST_GeomFromWKB(unhex(replace(hex(ST_AsWKB(geometry)), '0000000000000840', '0000000000000440')))",
    /^AB: its areas do not nest in it: \d+ of their edges are missing/,
  ],
];

/** After this, the tables cannot be read. */
const WITHOUT_COLUMN: BrokenRule[] = [
  ['a table without a column', 'season', 'ALTER TABLE season DROP is_high', /is_high/],
];

describe.each([
  ['in rows', IN_ROWS],
  ['in areas', IN_AREAS],
  ['in outlines', IN_OUTLINES],
  ['in columns', WITHOUT_COLUMN],
] as const)('each of the rules that tables break is reported, whatever the answers contain, %s', (_, rules) => {
  let found = '';
  beforeAll(async () => {
    const copy = copySnapshot(intact);
    for (const [table, own] of Map.groupBy(rules, ([, table]) => table))
      await rewriteTable(copy, table, ...own.map(([, , statement]) => statement));
    found = (await verifySnapshot(copy)).faults.join('\n');
  });
  test.each(rules.map(([what, , , report]) => [what, report] as const))('%s', (_, report) => {
    expect(found).toMatch(new RegExp(report.source, 'm'));
  });
});

test('the command exits with 1 and a line for each fault, and with 2 if there is no snapshot', async () => {
  const copy = copySnapshot(intact);
  rmSync(path.join(copy, LGAS));
  const [good, bad, none, output] = await Promise.all([
    runHere(['verify', intact]),
    runHere(['verify', copy, '--json']),
    runHere(['verify', '/nowhere']),
    runHere(['verify', inject('builtTiny')]),
  ]);
  expect([good.code, bad.code, none.code, output.code]).toEqual([0, 1, 2, 2]);
  // Whoever took it for a damaged version would move all versions away.
  expect(output.stderr).toMatch(/found the --out of a build, expected a snapshot; give .*\/current/);
  expect(JSON.parse(bad.stdout).faults).toContain(`${LGAS}: missing`);
  expect(none.stderr).toMatch(/\/nowhere: no snapshot there/);
});
