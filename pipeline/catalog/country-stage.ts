/** What a stage sees of a country: those parts of its catalog, and of its raw files, that the stage declares. */
import type { StageIo as EngineIo, StageRun as EngineRun, Project, ProjectInputs, Stage } from '../engine/stage.ts';
import type { Country } from './country.ts';
import type { Model } from './model.ts';
import type { Source } from './sources.ts';

export interface CountryStage extends Stage {
  /** Which sources' raw files and catalog entries it reads. */
  readonly reads: (source: Source) => boolean;
  /** It publishes the catalog's descriptions of files (citation, licence …), which no other stage sees. */
  readonly publishes_catalog?: true;
  /** The parts of model.json that it sees, as paths such as `parameters.survey.method`. */
  readonly model: readonly string[];
}

export interface CountryView {
  /** Catalog entries without the fields meant for people (title, citation, licence, notes …). */
  readonly sources: readonly Source[];
  /** Directory of the raw files. */
  readonly rawData: string;
  /** The parts of model.json that the stage declares; the rest is absent. */
  readonly model: Model;
}
export type StageIo = EngineIo<CountryView>;
export type StageRun = EngineRun<CountryView>;

/** A country as the engine runs its stages. @param rawHashes SHA-256 of every raw file, by path */
export function countryProject(country: Country, rawHashes: Readonly<Record<string, string>>): Project<CountryStage> {
  return {
    name: country.model.country,
    rawData: country.rawData,
    inputsFor: (stage) => countryInputs(stage, country, rawHashes),
  };
}

function countryInputs(
  stage: CountryStage,
  country: Country,
  rawHashes: Readonly<Record<string, string>>,
): ProjectInputs<CountryView> {
  const view = stageView(stage, country);
  const files = view.sources.flatMap((source) => source.files.map(({ path }) => [path, rawHashes[path]!] as const));
  return {
    files: Object.fromEntries(files),
    catalog: Object.fromEntries(view.sources.map((source) => [source.id, source])),
    parameters: view.model,
    view,
  };
}

export const stageView = (stage: CountryStage, country: Country): CountryView => ({
  sources: visibleSources(stage, country),
  rawData: country.rawData,
  model: visibleModel(stage, country.model),
});

/** Fields that describe a source to people. Only the snapshot stage sees them, so changing them reruns no other. */
const DESCRIPTIVE_FIELDS = [
  'title',
  'producer',
  'citation',
  'licence',
  'spdx',
  'derived',
  'release',
  'access',
  'accepted',
  'notes',
] as const;

/** The catalog entries that a stage reads, without the fields meant for people unless the stage publishes them. */
function visibleSources(stage: CountryStage, { sources }: Pick<Country, 'sources'>): Source[] {
  const sourcesToRead = sources.filter(stage.reads);
  if (stage.publishes_catalog) return sourcesToRead;
  return sourcesToRead.map((source) => {
    const visibleSource: Partial<Source> = structuredClone(source);
    for (const field of DESCRIPTIVE_FIELDS) delete visibleSource[field];
    visibleSource.files = source.files.map(({ url, bytes, sha256, ...file }) => file);
    return visibleSource as Source;
  });
}

/** The parts of model.json that a stage declares, in model.json's shape; the rest is left out. */
function visibleModel(stage: CountryStage, model: Model): Model {
  const visible: Record<string, unknown> = {};
  for (const modelPath of stage.model) {
    const keys = modelPath.split('.');
    const lastKey = keys.pop()!;
    let [source, target] = [model as Record<string, unknown>, visible];
    for (const key of keys) {
      source = source[key] as Record<string, unknown>;
      target[key] ??= {};
      target = target[key] as Record<string, unknown>;
    }
    target[lastKey] = source[lastKey];
  }
  return visible as unknown as Model;
}
