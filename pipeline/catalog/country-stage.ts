/** What a stage sees of a country: those parts of its catalog, and of its raw files, that the stage declares. */
import type { StageIo as EngineIo, StageRun as EngineRun, Given, Project, Stage } from '../engine/stage.ts';
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

/** A country as the engine runs its stages. @param raw SHA-256 of every raw file, by path */
export function countryProject(country: Country, raw: Readonly<Record<string, string>>): Project<CountryStage> {
  return {
    name: country.model.country,
    rawData: country.rawData,
    given: (stage) => givenForStage(stage, country, raw),
  };
}

function givenForStage(
  stage: CountryStage,
  country: Country,
  raw: Readonly<Record<string, string>>,
): Given<CountryView> {
  const view = stageView(stage, country);
  const files = view.sources.flatMap((source) => source.files.map(({ path }) => [path, raw[path]!] as const));
  return {
    files: Object.fromEntries(files),
    catalog: Object.fromEntries(view.sources.map((source) => [source.id, source])),
    parameters: view.model,
    view,
  };
}

export const stageView = (stage: CountryStage, country: Country): CountryView => ({
  sources: sourcesRead(stage, country),
  rawData: country.rawData,
  model: modelRead(stage, country.model),
});

/** Fields that describe a source to people. Only the snapshot stage sees them, so changing them reruns no other. */
const ABOUT = ['title', 'producer', 'citation', 'licence', 'release', 'access', 'accepted', 'notes'] as const;

/** The catalog entries that a stage reads, without the fields meant for people unless the stage publishes them. */
function sourcesRead(stage: CountryStage, { sources }: Pick<Country, 'sources'>): Source[] {
  const read = sources.filter(stage.reads);
  if (stage.publishes_catalog) return read;
  return read.map((source) => {
    const form: Partial<Source> = structuredClone(source);
    for (const field of ABOUT) delete form[field];
    form.files = source.files.map(({ path, period, rows, join }) => ({
      path,
      ...(period === undefined ? {} : { period }),
      ...(rows === undefined ? {} : { rows }),
      ...(join === undefined ? {} : { join }),
    }));
    return form as Source;
  });
}

/** The parts of model.json that a stage declares, in model.json's shape; the rest is left out. */
function modelRead(stage: CountryStage, model: Model): Model {
  const read: Record<string, unknown> = {};
  for (const name of stage.model) {
    const steps = name.split('.');
    const last = steps.pop()!;
    let [from, to] = [model as Record<string, unknown>, read];
    for (const step of steps) {
      from = from[step] as Record<string, unknown>;
      to[step] ??= {};
      to = to[step] as Record<string, unknown>;
    }
    to[last] = from[last];
  }
  return read as unknown as Model;
}
