/** Which covariates the risk score may use, and which it may not. */
import { InputLocation } from '../lib/bad-input.ts';
import { COVERAGE } from './figures.ts';
import type { Covariate, Model } from './model.ts';
import { isTable } from './roles.ts';
import type { Source } from './sources.ts';

/** Why figures of net use, net access, spraying and treatment are refused, in the words of the API's description. */
export const NOT_INPUTS =
  'net use, net access, spraying and treatment are modelled estimates shown as context; not inputs to the risk score';

const isCoverage = ({ role, figure }: Source) => role === 'layer' && figure !== undefined && COVERAGE.includes(figure);

/** The error of an entry of `parameters.risk.covariates`. */
const location = new InputLocation('model.json', 'parameters.risk.covariates');
const entry = (id: string) => new InputLocation('sources.json', `source ${id}`);

const EXPECTED = `a different source: ${NOT_INPUTS}`;

/**
 * Checks that every covariate has a source of that role and a consistent entry, that every such source is used, and
 * that none of them is a figure of intervention coverage.
 * @throws BadInput naming the entry
 */
export function checkCovariates({ parameters }: Pick<Model, 'parameters'>, sources: readonly Source[]): void {
  const entries = parameters.risk.covariates ?? [];
  refuseCoverageFiles(sources, {});
  const names = entries.map(({ source }) => source);
  const duplicate = names.find((name, i) => names.indexOf(name) !== i);
  if (duplicate) throw location.error(`${duplicate} twice`, 'each once');
  for (const entry of entries) checkEntry(entry, sources);
  const unused = sources.find(({ id, role }) => role === 'covariate' && !entries.some(({ source }) => source === id));
  if (unused)
    throw entry(unused.id).error(
      'a covariate that no entry of parameters.risk.covariates in model.json names',
      'one that is used',
    );
}

function checkEntry(entry: Covariate, sources: readonly Source[]): void {
  const source = sources.find(({ id }) => id === entry.source);
  if (!source)
    throw location.error(`the source ${entry.source}, which sources.json lacks`, 'a source of the role covariate');
  if (isCoverage(source)) throw location.error(`the source ${source.id}`, EXPECTED);
  if (source.role !== 'covariate')
    throw location.error(
      `the source ${source.id} of the role ${source.role}`,
      'a source of the role covariate, which may name the same file',
    );
  if (!isTable(source) && source.files.length > 1)
    throw location.error(`${source.id} with ${source.files.length} rasters`, 'one raster');
}

/**
 * Refuses a covariate that is a figure of coverage, as its name, its file or the file's content shows.
 * @param hashes SHA-256 of the files as they are, by path; for a file without one, the catalog's is compared
 * @throws BadInput naming the source
 */
export function refuseCoverageFiles(sources: readonly Source[], hashes: Readonly<Record<string, string>>): void {
  const coverage = sources.filter(isCoverage);
  for (const { id, columns, files } of sources.filter(({ role }) => role === 'covariate')) {
    const named = [id, columns?.value].find((name) => COVERAGE.some((figure) => figure === name));
    if (named !== undefined) throw entry(id).error(`${named} as a covariate`, EXPECTED);
    for (const file of files) {
      const hash = hashes[file.path] ?? file.sha256;
      for (const source of coverage)
        for (const coverageFile of source.files) {
          const isSame =
            coverageFile.path === file.path ||
            (hash !== undefined && hash === (hashes[coverageFile.path] ?? coverageFile.sha256));
          if (isSame)
            throw entry(id).error(`the file of ${source.figure}, ${coverageFile.path}, as a covariate`, EXPECTED);
        }
    }
  }
}
