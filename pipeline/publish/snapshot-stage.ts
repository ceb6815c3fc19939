import { readFile } from 'node:fs/promises';
import { availableParallelism } from 'node:os';
import path from 'node:path';
import { hasCases } from '../catalog/missing-data.ts';
import type { Model } from '../catalog/model.ts';
import { mayPassOnCases, type Source } from '../catalog/sources.ts';
import type { Manifest } from '../contract/manifest.ts';
import { addMonths, FORECAST_MONTHS } from '../contract/months.ts';
import { buildOpenapi } from '../contract/openapi.ts';
import {
  type Coverage,
  exampleValues,
  type FileParameters,
  filePath,
  JSON_OPERATIONS,
  OPERATIONS,
  operationFiles,
} from '../contract/operations.ts';
import { hasScores } from '../contract/products.ts';
import { describeApi } from '../contract/reference.ts';
import type { Tables } from '../contract/schemas.ts';
import { TABLE_TYPES } from '../contract/table-list.ts';
import { CONTRACT_VERSION } from '../contract/version.ts';
import { countryWords, wordingInCountry } from '../contract/words.ts';
import { createArtifactViews } from '../engine/artifact-views.ts';
import type { CacheEntry } from '../engine/cache.ts';
import type { CacheKey } from '../engine/cache-key.ts';
import { statedGrowth } from '../ingest/people-by-year.ts';
import { withDatabase } from '../lib/tables/duckdb.ts';
import type { WordedMethod } from '../model/season/description.ts';
import { withCaseSeries } from '../model/transmission/case-series-form.ts';
import type { FittedModel } from '../model/transmission/transmission-stage.ts';
import { readKnownTruth } from '../validate/known-truth.ts';
import type { Validation } from '../validate/validation.ts';
import { renderApiPage } from './clients/api-page.ts';
import { clientArchives } from './clients/archives.ts';
import { clientFiles } from './clients/files.ts';
import { headAndFirstRow, shortenAnswer } from './clients/shorten-answer.ts';
import { renderAnnex, renderReport } from './report/render.ts';
import { describeMissingData, describeRiskLimits } from './report/sections/risk-limits.ts';
import type { Evidence } from './report/shared/evidence.ts';
import { snapshotAnswers } from './snapshot/answers.ts';
import { readCaseForecasts } from './snapshot/case-forecasts.ts';
import type { Contents } from './snapshot/contents.ts';
import { dataPackage } from './snapshot/data-package.ts';
import { controlLines } from './snapshot/findings.ts';
import { addFileHashes, type Finding, stageRecord } from './snapshot/provenance.ts';
import { makeTables, writeTables } from './snapshot/snapshot-tables.ts';
import { createSnapshotWriter, type SnapshotWriter } from './snapshot/snapshot-writer.ts';
import { tableLicences } from './snapshot/table-licences.ts';
import { exampleDiff, exampleVersions } from './snapshot/version-examples.ts';

/** Number of answers in progress, so that every core has something to compress while others wait for the disk. */
const CONCURRENT_WRITES = 4 * availableParallelism();

export interface SnapshotInput {
  model: Model;
  sources: readonly Source[];
  model_version: string;
  /** Version of this project's code. */
  code_version: string;
  /** Reasons why it must not be published; empty if it may. */
  unpublishable: readonly string[];
  /** Content hashes of the raw files. */
  raw: Record<string, string>;
  /** The cache entry of every stage, in order. */
  entries: readonly CacheEntry[];
  /** The snapshot's own key. */
  cacheKey: CacheKey;
  cache: string;
  /** Reads an artifact that is not a table by its full name. */
  artifact<T>(name: string): T;
  /** Findings of all stages, in order, and of the engine. */
  findings: readonly Finding[];
  progress(share: number, what?: string): void;
}

/** Writes a snapshot into `directory`, its manifest last. */
export async function writeSnapshot(directory: string, input: SnapshotInput): Promise<void> {
  const { contents, evidence } = await readInput(input);
  const { coverage, tables, model } = contents;
  const { territory } = model;
  const sources = addFileHashes(input.sources, input.raw);
  const writer = createSnapshotWriter(directory);
  const values = exampleValues(coverage, territory);
  const { count, examples, tableList } = await writeAnswers(writer, contents, values, input.progress);
  input.progress(0.92, 'tables');
  await writeTables(writer, tables, tableMetadata(contents, sources), territory);
  await writer.write('tables/datapackage.json', formatJson(dataPackage(contents, writer.entries())));
  for (const { id, file, type } of OPERATIONS)
    if (type === TABLE_TYPES.csv && file in writer.entries())
      examples.set(id, headAndFirstRow(await readFile(path.join(directory, file), 'utf8')));
  const modelCard = makeModelCard(contents, evidence, controlLines(input.findings));
  examples.set(
    'model-card',
    shortenAnswer({ model_version: modelCard.model_version, limits: modelCard.limits, controls: modelCard.controls }),
  );
  examples.set('versions', exampleVersions(contents));
  if (hasScores(coverage)) examples.set('versions-diff', exampleDiff(contents));
  const openapi = buildOpenapi(input.model_version, territory, { values, answers: examples });
  await writer.write('openapi.json', formatJson(openapi));
  await writer.writeEncoded('v1/openapi.json', JSON.stringify(openapi));
  const reference = describeApi(openapi, tableList);
  const clients = await clientFiles(territory, reference, values);
  for (const [name, text] of Object.entries(clients)) await writer.write(`client/${name}`, text);
  for (const [name, bytes] of Object.entries(clientArchives(clients))) await writer.write(name, bytes);
  await writer.write('model-card.json', formatJson(modelCard));
  await writer.writeEncoded('v1/model-card.json', JSON.stringify(modelCard));
  await writer.write('findings.json', formatJson(input.findings));
  const reportContents = { ...contents, sources };
  await writer.write('report/index.html', await renderReport(reportContents, evidence, input.findings));
  await writer.write('report/annex.html', await renderAnnex(reportContents, evidence, input.findings));
  await writer.write('report/api.html', renderApiPage(reference));
  const missing = describeMissingData(contents, evidence);
  const manifest = makeManifest(input, contents, { answers: count, files: writer.entries(), sources, missing });
  await createSnapshotWriter(directory).write('manifest.json', JSON.stringify(manifest));
  input.progress(1);
}

const formatJson = (value: unknown) => `${JSON.stringify(value, null, 2)}\n`;

/** @returns the number of answers, a shortened one of each operation as its example, and the list of tables */
async function writeAnswers(
  writer: SnapshotWriter,
  contents: Contents,
  values: FileParameters,
  onProgress: SnapshotInput['progress'],
): Promise<{ count: number; examples: Map<string, unknown>; tableList: Tables['tables'] }> {
  const total = JSON_OPERATIONS.flatMap((operation) => operationFiles(operation, contents.coverage)).length;
  const examplePaths = new Set(JSON_OPERATIONS.map((operation) => filePath(operation, values)));
  const examples = new Map<string, unknown>();
  let count = 0;
  let tableList: Tables['tables'] = [];
  const queue = snapshotAnswers(contents);
  const writeFromQueue = async () => {
    for (const { id, path: file, answer } of queue) {
      if (examplePaths.has(file)) examples.set(id, shortenAnswer(answer));
      if (id === 'tables') tableList = (answer as Tables).tables;
      await writer.writeEncoded(file, JSON.stringify(answer));
      count += 1;
      if (count % 100 === 0) onProgress((0.9 * count) / total, 'answers');
    }
  };
  await awaitAll(Array.from({ length: CONCURRENT_WRITES }, writeFromQueue));
  return { count, examples, tableList };
}

const tableMetadata = ({ model, model_version }: Contents, sources: readonly Source[]): Record<string, string> => ({
  model_version,
  country: model.name,
  ...(model.synthetic ? { synthetic: 'true' } : {}),
  updated_at: model.updated_at,
  licences: JSON.stringify(Object.fromEntries(sources.map(({ title, licence }) => [title, licence]))),
});

function makeManifest(
  input: SnapshotInput,
  contents: Contents,
  { answers, files, sources, missing }: Pick<Manifest, 'files' | 'sources'> & { answers: number; missing: string[] },
): Manifest {
  const { coverage, tables } = contents;
  const { model, unpublishable } = input;
  return {
    format: 1,
    model_version: input.model_version,
    country: model.name,
    synthetic: model.synthetic,
    territory: model.territory,
    updated_at: model.updated_at,
    code_version: input.code_version,
    contract_version: CONTRACT_VERSION,
    ...(unpublishable.length > 0 ? { unpublishable: [...unpublishable] } : {}),
    ...(missing.length > 0 ? { limits: missing } : {}),
    coverage: { ...coverage, states: [...coverage.states], lgas: [...coverage.lgas!] },
    counts: {
      states: tables.context_states.length,
      lgas: tables.context_lgas.length,
      answers,
      files: Object.keys(files).length,
    },
    runtime: input.cacheKey.runtime,
    sources,
    stages: [...input.entries, input.cacheKey].map(stageRecord),
    files,
  };
}

/** Waits for all promises even if one fails, so that nothing is written after it rejects with the first failure. */
async function awaitAll(promises: Promise<void>[]): Promise<void> {
  const failure = (await Promise.allSettled(promises)).find((result) => result.status === 'rejected');
  if (failure) throw failure.reason;
}

/** Makes the tables, and reads what the report shows beside them. */
async function readInput(input: SnapshotInput): Promise<{ contents: Contents; evidence: Evidence }> {
  const { artifact, model, sources, model_version, cache, entries } = input;
  const words = countryWords(model.territory);
  const fitted = artifact<FittedModel | null>('transmission/model');
  const limits = fitted?.limits.map((limit) => wordingInCountry(limit, words)) ?? [];
  const { case_series = 'exact' } = model.parameters.publication ?? {};
  const transmission = fitted && withCaseSeries({ ...fitted, limits }, case_series);
  return withDatabase(async (db) => {
    await createArtifactViews(db, cache, entries);
    const hasRows = async (view: string) => (await db.rows(`FROM ${view} LIMIT 1`)).length > 0;
    const states = await db.rows<{ state_code: string }>('FROM ingest.states');
    const lgas = await db.rows<{ lga_code: string }>('FROM ingest.lgas');
    const coverage: Coverage = {
      states: states.map(({ state_code }) => state_code),
      lgas: lgas.map(({ lga_code }) => lga_code),
      first_estimated: model.first_estimated,
      last_estimated: model.last_estimated,
      last_forecast: addMonths(model.last_estimated, FORECAST_MONTHS),
      transmission: transmission !== null,
      alerts: await hasRows('alerts.areas'),
      scores: await hasRows('risk.lgas'),
      season: hasCases(sources) && (await hasRows('season.national')),
    };
    const hasRun = (name: string) => entries.some(({ stage }) => stage === name);
    const backtested = hasRun('backtest');
    const case_forecasts = await readCaseForecasts(db, backtested);
    const tables = await makeTables(db, {
      coverage,
      territory: model.territory,
      outlines: artifact('boundaries/outlines'),
      transmission,
      backtested,
      case_forecasts,
      cases_in: mayPassOnCases(sources) && case_series === 'exact' ? 'cases' : 'index',
      growth: statedGrowth(sources),
    });
    const licences = tableLicences(sources, entries);
    const method = artifact<WordedMethod>('season/method');
    const season_method = { ...method, description: wordingInCountry(method.description, words) };
    return {
      contents: { model, sources, licences, coverage, model_version, tables, season_method, transmission },
      evidence: {
        risk: artifact('risk/evidence'),
        validation: hasRun('validation') ? artifact<Validation | null>('validation/scores') : null,
        known_truth: readKnownTruth(),
        season_check: artifact('season/check'),
        fits: artifact('transmission/fits'),
        exact_series: fitted?.states ?? [],
        surveys: {
          clusters: await db.rows('FROM ingest.clusters'),
          area_rounds: await db.rows('FROM ingest.area_rounds'),
        },
        cases: await db.rows('FROM ingest.cases ORDER BY state_code, lga_code NULLS FIRST, period'),
        case_draws: case_forecasts.draws,
        contrasts: await db.rows(
          'SELECT code, period, list(change_sd ORDER BY years_before) AS change_sd FROM risk.contrasts GROUP BY ALL',
        ),
        joint: artifact('risk/joint'),
        past_forecasts: backtested
          ? await db.rows('FROM backtest.past ORDER BY state_code, horizon_months, period')
          : [],
      },
    };
  });
}

/** The origin of the scores and their checks, in machine-readable form; the report has them in words. */
function makeModelCard(contents: Contents, evidence: Evidence, controls: readonly string[]) {
  const { coverage, model, model_version, season_method, tables, transmission } = contents;
  return {
    model_version,
    score: hasScores(coverage)
      ? `share of children ${model.territory.ages_months.join('-')} months who would test positive by ` +
        `${model.territory.method}, posterior mean`
      : null,
    range: hasScores(coverage) ? 'central 90% posterior interval' : null,
    limits: describeRiskLimits(contents, evidence),
    controls,
    risk: evidence.risk,
    validation: evidence.validation,
    known_truth: evidence.known_truth,
    season: { method: season_method, check: evidence.season_check },
    forecasts: { cases: tables.forecast_skill },
    alerts: model.alert_evaluation ?? null,
    transmission: transmission?.projection_test ?? null,
    parameters: model.parameters,
  };
}
