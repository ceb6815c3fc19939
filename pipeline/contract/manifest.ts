import type { Static } from 'typebox';
import { PERIOD_PATTERN } from './months.ts';
import { ANY_CODE, Territory } from './territory.ts';
import { closedObject, Type } from './type.ts';

const SHA256_PATTERN = '^[0-9a-f]{64}$';
const sha256 = Type.String({ pattern: SHA256_PATTERN });
const period = Type.String({ pattern: PERIOD_PATTERN });

/** One file of a snapshot. `etag` is a strong validator of exactly these bytes, so each encoding has its own. */
export const FileEntry = closedObject({
  bytes: Type.Integer({ minimum: 0 }),
  sha256,
  etag: Type.String({ pattern: '^"[0-9a-f]{32}"$' }),
});
export type FileEntry = Static<typeof FileEntry>;

/** The provenance of one stage's results. It has no durations, which would make otherwise equal builds differ. */
export const StageRecord = closedObject({
  stage: Type.String(),
  key: Type.String({
    pattern: SHA256_PATTERN,
    description: 'Hash of inputs, code, parameters and runtime',
  }),
  code: Type.Record(Type.String(), sha256, {
    description: 'SHA-256 of each file of code, and of package-lock.json, which has the versions of all npm packages',
  }),
  inputs: Type.Record(Type.String(), sha256, {
    description:
      'Content hash of each raw file (`raw …`), catalog entry (`catalog …`) and artifact (`stage/name`) read',
  }),
  parameters: Type.Unknown({ description: "The stage's part of model.json" }),
  outputs: Type.Record(Type.String(), sha256, { description: 'Content hash of each artifact written' }),
  counts: Type.Record(Type.String(), Type.Integer(), { description: 'Rows of each table written' }),
});
export type StageRecord = Static<typeof StageRecord>;

/** `manifest.json`: what a snapshot is, what it covers, where it came from and every file in it. */
export const Manifest = closedObject({
  format: Type.Literal(1),
  model_version: Type.String({ pattern: '^[a-z0-9][a-z0-9.-]*-[0-9a-f]{8}$' }),
  country: Type.String(),
  synthetic: Type.Boolean({ description: 'True if the country is made up' }),
  territory: Territory,
  limits: Type.Optional(
    Type.Array(Type.String(), {
      minItems: 1,
      description: 'Data that the country lacks, and the consequences for the answers',
    }),
  ),
  updated_at: Type.String(),
  code_version: Type.String({ description: "Version of this project's code, as in its package.json" }),
  contract_version: Type.String({ description: 'Version of the contract that the answers follow' }),
  unpublishable: Type.Optional(
    Type.Array(Type.String(), {
      minItems: 1,
      description: 'Why this is a trial, which `publish` refuses, such as `built without validation`',
    }),
  ),
  coverage: closedObject({
    states: Type.Array(Type.String({ pattern: ANY_CODE }), { minItems: 1 }),
    lgas: Type.Array(Type.String({ pattern: ANY_CODE }), { minItems: 1 }),
    first_estimated: period,
    last_estimated: period,
    last_forecast: period,
    transmission: Type.Boolean(),
    alerts: Type.Boolean(),
    scores: Type.Optional(Type.Boolean()),
    season: Type.Optional(Type.Boolean()),
  }),
  counts: Type.Record(Type.String(), Type.Integer()),
  runtime: Type.String({ description: 'The version of Node that ran the code' }),
  sources: Type.Array(Type.Unknown(), {
    description: 'Catalog entries: citation, licence, release; `sha256` is of the file that was read',
  }),
  stages: Type.Array(StageRecord),
  files: Type.Record(Type.String(), FileEntry),
});
export type Manifest = Static<typeof Manifest>;

/** Encodings in which every JSON and CSV file of an answer is stored too, with the extension of the compressed copy. */
export const ENCODINGS = { br: '.br', gzip: '.gz' } as const;
export type Encoding = keyof typeof ENCODINGS;

/** Strong entity tag of bytes with this SHA-256 (hex). */
export function strongEtag(sha256Hex: string): string {
  return `"${sha256Hex.slice(0, 32)}"`;
}
