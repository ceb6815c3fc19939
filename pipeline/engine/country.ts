import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs';
import path from 'node:path';
import { Ajv2020 } from 'ajv/dist/2020.js';
import type { TSchema } from 'typebox';
import { BadInput } from '../bad-input.ts';
import { HELD_BACK_FILE, HeldBack } from '../catalog/held-back.ts';
import { Model } from '../catalog/model.ts';
import { type Source, Sources } from '../catalog/sources.ts';
import { checkEvidence } from './check-evidence.ts';
import { checkModel } from './check-model.ts';
import { checkSources } from './check-sources.ts';

/** A country as its catalog describes it, and where its raw files lie. */
export interface Country {
  directory: string;
  rawData: string;
  sources: Source[];
  model: Model;
}

/**
 * Reads and checks `sources.json` and `model.json` of a country's directory, and that every raw file is there.
 * @param rawData where the raw files lie, if not beside the catalog
 * @throws BadInput naming the file and the field
 */
export function readCountry(directory: string, rawData = directory): Country {
  const country = readCatalog(directory, rawData);
  for (const { path: file } of country.sources.flatMap((source) => source.files)) {
    const there = statSync(path.join(rawData, file), { throwIfNoEntry: false });
    if (there?.isFile()) continue;
    if (there) throw new BadInput(file, '', 'something else than a file', 'a file');
    const expected = 'the file that sources.json names (see --raw-data and `malaria-risk fetch`)';
    throw new BadInput(file, '', `no such file under ${rawData}`, expected);
  }
  checkSiblings(country);
  return country;
}

/** Of a shapefile, what lies beside its .shp under its name is read too: unlisted, it could change without being noticed. */
function checkSiblings({ sources, rawData }: Country): void {
  for (const { id, files } of sources.filter(({ format }) => format === 'shapefile')) {
    const listed = new Set(files.map((file) => file.path));
    for (const file of listed) {
      const { dir, name } = path.parse(file);
      const beside = readdirSync(path.join(rawData, dir)).filter((other) =>
        /^\.(dbf|prj|cpg|shx)$/i.test(path.extname(other)),
      );
      const unlisted = beside.find((other) => path.parse(other).name === name && !listed.has(path.join(dir, other)));
      if (unlisted)
        throw new BadInput(
          'sources.json',
          `source ${id}`,
          `${unlisted} beside ${file} and not in \`files\``,
          'every file of the shapefile',
        );
    }
  }
}

/** As `readCountry`, whether or not the raw files are there. */
export function readCatalog(directory: string, rawData = directory): Country {
  const { sources } = readChecked(directory, 'sources.json', Sources) as Sources;
  const model = readChecked(directory, 'model.json', Model) as Model;
  if (existsSync(path.join(directory, HELD_BACK_FILE)))
    model.held_back = readChecked(directory, HELD_BACK_FILE, HeldBack) as HeldBack;
  checkSources(sources);
  checkModel(model);
  checkEvidence(model, sources);
  for (const file of sources.flatMap((source) => source.files)) {
    const full = path.resolve(rawData, file.path);
    if (path.relative(path.resolve(rawData), full).startsWith('..'))
      throw new BadInput('sources.json', file.path, 'a path outside the raw data', 'a path inside it');
  }
  return { directory, rawData, sources, model };
}

function readChecked(directory: string, name: string, schema: TSchema): unknown {
  const file = path.join(directory, name);
  if (!existsSync(file)) throw new BadInput(file, '', 'no such file', 'the catalog of a country (see --country)');
  let value: unknown;
  try {
    value = JSON.parse(readFileSync(file, 'utf8'));
  } catch (error) {
    throw new BadInput(file, '', (error as Error).message, 'valid JSON');
  }
  const validate = new Ajv2020({ allErrors: false, strict: false }).compile(schema);
  if (!validate(value)) {
    const error = validate.errors![0]!;
    const extra = error.params.additionalProperty ?? error.params.allowedValues;
    throw new BadInput(
      file,
      error.instancePath || '/',
      `a value that ${error.message}${extra ? ` (${extra})` : ''}`,
      `the form of pipeline/catalog/${path.basename(name, '.json')}.ts`,
    );
  }
  return value;
}
