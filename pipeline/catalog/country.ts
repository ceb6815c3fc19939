import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs';
import path from 'node:path';
import type { TSchema } from 'typebox';
import { type BadInput, InputLocation } from '../lib/bad-input.ts';
import { compileSchema, describeSchemaError } from '../lib/json-schema.ts';
import { ALERT_EVALUATION_FILE, AlertEvaluation } from './alert-evaluation.ts';
import { ALIASES_FILE, parseAliases } from './aliases.ts';
import { checkCovariates } from './covariate-rules.ts';
import { checkEvidence } from './evidence-rules.ts';
import { HELD_BACK_FILE, HeldBack } from './held-back.ts';
import { Model } from './model.ts';
import { checkModel, checkModelWithoutRain } from './model-rules.ts';
import { METHOD_NAMES } from './shared-schemas.ts';
import { checkSources } from './source-rules.ts';
import { type Source, Sources, type UnusedFile } from './sources.ts';

/** A country as its catalog describes it, and the location of its raw files. */
export interface Country {
  directory: string;
  rawData: string;
  sources: Source[];
  unused?: readonly UnusedFile[];
  model: Model;
}

/**
 * Reads and checks `sources.json` and `model.json` in a country's directory, and checks that every raw file exists.
 * @param rawData where the raw files are, if not next to the catalog
 * @throws BadInput naming the file and the field
 */
export function readCountry(directory: string, rawData = directory): Country {
  const country = readCatalog(directory, rawData);
  for (const file of country.sources.flatMap((source) => source.files)) refuseMissingFile(file.path, rawData);
  for (const source of country.sources) refuseUnlistedSiblings(source, rawData);
  return country;
}

/** @throws BadInput if there is no such raw file */
export function refuseMissingFile(file: string, rawData: string): void {
  const stats = statSync(path.join(rawData, file), { throwIfNoEntry: false });
  if (stats?.isFile()) return;
  const location = new InputLocation(file);
  if (stats) throw location.error('something that is not a file', 'a file');
  const expected = 'the file that sources.json names (see --raw-data and `malaria-risk fetch`)';
  throw location.error(`no such file under ${rawData}`, expected);
}

/**
 * Reading a .shp also reads its sibling files of the same name. If they were not listed, a change would go unnoticed.
 * @throws BadInput naming it
 */
export function refuseUnlistedSiblings({ id, format, files }: Source, rawData: string): void {
  if (format !== 'shapefile') return;
  const listed = new Set(files.map((file) => file.path));
  for (const file of listed) {
    const { dir, name, ext } = path.parse(file);
    if (ext.toLowerCase() === '.zip') continue;
    const siblings = readdirSync(path.join(rawData, dir)).filter((sibling) =>
      /^\.(dbf|prj|cpg|shx)$/i.test(path.extname(sibling)),
    );
    const unlisted = siblings.find(
      (sibling) => path.parse(sibling).name === name && !listed.has(path.join(dir, sibling)),
    );
    if (unlisted) {
      const found = `${unlisted} beside ${file} and not in \`files\``;
      throw new InputLocation('sources.json', `source ${id}`).error(found, 'every file of the shapefile');
    }
  }
}

/** The raw files beside those of the sources that no source lists, apart from notes and the catalog. */
export function listUnlistedFiles({ rawData, sources, unused = [] }: Country): string[] {
  const listed = new Set([...sources.flatMap(({ files }) => files), ...unused].map((file) => path.join(file.path)));
  const notRaw = [...Object.keys(CATALOG_SCHEMAS), ALIASES_FILE, 'answers.json'];
  const folders = new Set([...listed].map(path.dirname).filter((folder) => existsSync(path.join(rawData, folder))));
  const files = [...folders].flatMap((folder) =>
    readdirSync(path.join(rawData, folder), { withFileTypes: true }).flatMap((entry) =>
      entry.isFile() && !notRaw.includes(entry.name) ? path.join(folder, entry.name) : [],
    ),
  );
  return files.filter((file) => !listed.has(file) && !/(^|\/)\.|\.(md|txt|pdf|xml)$/i.test(file)).sort();
}

/** Checks of model.json, and of both files together; each throws BadInput if it fails. */
export const MODEL_CHECKS: readonly ((country: Country) => void)[] = [
  ({ model }) => checkModel(model),
  ({ model, sources }) => checkModelWithoutRain(model, sources),
  ({ model, sources }) => checkEvidence(model, sources),
  ({ model, sources }) => checkCovariates(model, sources),
];

/** Like `readCountry`, but the raw files need not exist. */
export function readCatalog(directory: string, rawData = directory): Country {
  const [schemaError] = catalogSchemaErrors(directory);
  if (schemaError) throw schemaError;
  const country = readUncheckedCatalog(directory, rawData);
  checkSources(country.sources);
  for (const check of MODEL_CHECKS) check(country);
  for (const file of country.sources.flatMap((source) => source.files)) refuseOutsidePath(file.path, rawData);
  return country;
}

/** The JSON Schema of each file of a catalog. */
export const CATALOG_SCHEMAS = {
  'sources.json': Sources,
  'model.json': Model,
  [HELD_BACK_FILE]: HeldBack,
  [ALERT_EVALUATION_FILE]: AlertEvaluation,
};
/** Results of evaluations, which a country may lack. */
const OPTIONAL_FILES: readonly string[] = [HELD_BACK_FILE, ALERT_EVALUATION_FILE];

/**
 * The places where a catalog's files do not match their schemas, in the order of the files.
 * @throws BadInput if a file is missing or is not JSON
 */
export function catalogSchemaErrors(directory: string): BadInput[] {
  return Object.entries(CATALOG_SCHEMAS).flatMap(([name, schema]) => {
    if (OPTIONAL_FILES.includes(name) && !existsSync(path.join(directory, name))) return [];
    return fileSchemaErrors(directory, name, schema);
  });
}

/** Reads a catalog whose files match their schemas, without further checks. */
export function readUncheckedCatalog(directory: string, rawData = directory): Country {
  const { sources, unused = [] } = readJson(path.join(directory, 'sources.json')) as Sources;
  const model = readJson(path.join(directory, 'model.json')) as Model;
  if (existsSync(path.join(directory, HELD_BACK_FILE)))
    model.held_back = readJson(path.join(directory, HELD_BACK_FILE)) as HeldBack;
  if (existsSync(path.join(directory, ALERT_EVALUATION_FILE)))
    model.alert_evaluation = readJson(path.join(directory, ALERT_EVALUATION_FILE)) as AlertEvaluation;
  const aliases = path.join(directory, ALIASES_FILE);
  if (existsSync(aliases)) model.aliases = parseAliases(aliases, readFileSync(aliases, 'utf8'));
  model.territory = territoryWithMethodNames(model);
  return { directory, rawData, sources, unused, model };
}

/** The territory with its words for the diagnostic methods: if surveys used several, the score is by the first. */
function territoryWithMethodNames({ territory, parameters }: Model): Model['territory'] {
  const { method } = parameters.survey;
  if (!Array.isArray(method)) return territory;
  const names = method.map((test) => METHOD_NAMES[test]);
  return { ...territory, method: names[0]!, survey_method: names.join(', or, where that was not done, by ') };
}

/** @throws BadInput if the file would be outside the raw data */
export function refuseOutsidePath(file: string, rawData: string): void {
  const fullPath = path.resolve(rawData, file);
  if (path.relative(path.resolve(rawData), fullPath).startsWith('..'))
    throw new InputLocation('sources.json', file).error('a path outside the raw data', 'a path inside it');
}

/** @param what the file is expected to be @throws BadInput if there is none, or it is not JSON */
export function readJson(file: string, what = 'the catalog of a country (see --country)'): unknown {
  const location = new InputLocation(file);
  if (!existsSync(file)) throw location.error('no such file', what);
  const bytes = readFileSync(file);
  if (/^(\xff\xfe|\xfe\xff)/.test(bytes.toString('latin1', 0, 2))) throw location.error('text in UTF-16', 'UTF-8');
  try {
    return JSON.parse(bytes.toString());
  } catch (error) {
    throw location.error(`text that is not JSON (${(error as Error).message})`, 'valid JSON');
  }
}

function fileSchemaErrors(directory: string, name: string, schema: TSchema): BadInput[] {
  const validate = compileSchema(schema);
  if (validate(readJson(path.join(directory, name)))) return [];
  return validate.errors!.map((error) => {
    const [found, expected] = describeSchemaError(error);
    const form = `\`malaria-risk catalog schema ${name}\` prints its form`;
    return new InputLocation(path.join(directory, name), error.instancePath || '/').error(
      found,
      `${expected} (${form})`,
    );
  });
}
