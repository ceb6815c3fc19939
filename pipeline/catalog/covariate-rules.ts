/** Which covariates the risk score may use, and which it may not. */
import { InputLocation } from '../lib/bad-input.ts';
import { COVERAGE_FIGURES } from './figures.ts';
import type { Covariate, Model } from './model.ts';
import { isTable } from './roles.ts';
import type { Source } from './sources.ts';

/** Why figures of net use, net access, spraying and treatment are refused, in the words of the API's description. */
export const COVERAGE_IS_NO_INPUT =
  'net use, net access, spraying and treatment are modelled estimates shown as context; not inputs to the risk score';

const isCoverage = ({ role, figure }: Source) =>
  role === 'layer' && figure !== undefined && COVERAGE_FIGURES.includes(figure);

/** The error of an entry of `parameters.risk.covariates`. */
const covariatesLocation = new InputLocation('model.json', 'parameters.risk.covariates');
const sourceLocation = (id: string) => new InputLocation('sources.json', `source ${id}`);

const EXPECTED_SOURCE = `a different source: ${COVERAGE_IS_NO_INPUT}`;

/**
 * Checks that every covariate has a source of that role and a consistent entry, that every such source is used, and
 * that none of them is a figure of intervention coverage.
 * @throws BadInput naming the entry
 */
export function checkCovariates({ parameters }: Pick<Model, 'parameters'>, sources: readonly Source[]): void {
  const covariates = parameters.risk.covariates ?? [];
  refuseCoverageFiles(sources, {});
  const sourceIds = covariates.map(({ source }) => source);
  const duplicate = sourceIds.find((name, i) => sourceIds.indexOf(name) !== i);
  if (duplicate) throw covariatesLocation.error(`${duplicate} twice`, 'each once');
  for (const covariate of covariates) checkCovariate(covariate, sources);
  const unused = sources.find(
    ({ id, role }) => role === 'covariate' && !covariates.some(({ source }) => source === id),
  );
  if (unused)
    throw sourceLocation(unused.id).error(
      'a covariate that no entry of parameters.risk.covariates in model.json names',
      'one that is used',
    );
}

function checkCovariate(covariate: Covariate, sources: readonly Source[]): void {
  const source = sources.find(({ id }) => id === covariate.source);
  if (!source)
    throw covariatesLocation.error(
      `the source ${covariate.source}, which sources.json lacks`,
      'a source of the role covariate',
    );
  if (isCoverage(source)) throw covariatesLocation.error(`the source ${source.id}`, EXPECTED_SOURCE);
  if (source.role !== 'covariate')
    throw covariatesLocation.error(
      `the source ${source.id} of the role ${source.role}`,
      'a source of the role covariate, which may name the same file',
    );
  if (!isTable(source) && source.files.length > 1)
    throw covariatesLocation.error(`${source.id} with ${source.files.length} rasters`, 'one raster');
}

/**
 * Refuses a covariate that is a figure of coverage, as its name, its file or the file's content shows.
 * @param hashes SHA-256 of the files as they are, by path; for a file without one, the catalog's is compared
 * @throws BadInput naming the source
 */
export function refuseCoverageFiles(sources: readonly Source[], hashes: Readonly<Record<string, string>>): void {
  const coverageSources = sources.filter(isCoverage);
  for (const { id, columns, files } of sources.filter(({ role }) => role === 'covariate')) {
    const coverageName = [id, columns?.value].find((name) => COVERAGE_FIGURES.some((figure) => figure === name));
    if (coverageName !== undefined) throw sourceLocation(id).error(`${coverageName} as a covariate`, EXPECTED_SOURCE);
    for (const file of files) {
      const hash = hashes[file.path] ?? file.sha256;
      for (const coverageSource of coverageSources)
        for (const coverageFile of coverageSource.files) {
          const isSame =
            coverageFile.path === file.path ||
            (hash !== undefined && hash === (hashes[coverageFile.path] ?? coverageFile.sha256));
          if (isSame)
            throw sourceLocation(id).error(
              `the file of ${coverageSource.figure}, ${coverageFile.path}, as a covariate`,
              EXPECTED_SOURCE,
            );
        }
    }
  }
}
