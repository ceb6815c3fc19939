/**
 * `npm run pack:chap -- DIRECTORY`: the CHAP model as a repository of its own, because CHAP looks for MLproject at the
 * top of a repository.
 */
import { copyFileSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { InputLocation } from '../../lib/bad-input.ts';
import { codeState } from '../../lib/code-state.ts';
import { UsageError } from '../../lib/errors.ts';
import { makeDirectory } from '../../lib/make-directory.ts';
import { ROOT } from '../../lib/packed.ts';
import { CHAP_HORIZONS } from '../../model/chap/chap-files.ts';
import { pack } from './pack.ts';

const MODEL_FOLDER = path.join(ROOT, 'pipeline/model/chap');
export const OWNER_FILE = path.join(MODEL_FOLDER, 'owner.json');
const ID = 'malaria_risk_cases';

/** What only the owner of the model can say. */
type Owner = Record<
  'author' | 'organization' | 'contact_email' | 'citation_info' | 'documentation_url' | 'repository_url' | 'image',
  string
>;

/** CHAP installs an image only by a tag that names its commit. */
const imageTag = (commit: string) => `sha-${commit.slice(0, 7)}`;

/** @throws BadInput naming the first entry that is still the placeholder of the checkout */
export function readOwner(file: string): Owner {
  const owner: Owner = JSON.parse(readFileSync(file, 'utf8'));
  const placeholders: Owner = JSON.parse(readFileSync(OWNER_FILE, 'utf8'));
  for (const [name, placeholder] of Object.entries(placeholders)) {
    const value: unknown = owner[name as keyof Owner];
    if (typeof value !== 'string' || value.trim() === '' || value === placeholder)
      throw new InputLocation(file, name).error(JSON.stringify(value), `the ${placeholder.toLowerCase()}`);
  }
  return owner;
}

/**
 * Writes the repository's files but for the package: MLproject with the owner's details, Containerfile, README, and the
 * model's entry for CHAP's marketplace.
 * @param commit of the code, which the image names as its GIT_REVISION
 */
export function writeChapRepository(directory: string, owner: Owner, version: string, commit: string): void {
  makeDirectory(directory);
  const write = (file: string, text: string) => writeFileSync(path.join(directory, file), text);
  const readModelFile = (name: string) => readFileSync(path.join(MODEL_FOLDER, name), 'utf8');
  const project = readModelFile('MLproject');
  const containerfile = readModelFile('Containerfile');
  write('Containerfile', containerfile);
  write('README.md', readModelFile('README.md'));
  copyFileSync(path.join(ROOT, 'LICENSE'), path.join(directory, 'LICENSE'));
  write('.gitignore', 'runs/\n');
  const { image, repository_url, ...details } = owner;
  // JSON's strings are YAML's.
  const entries = Object.entries(details).map(([name, value]) => `  ${name}: ${JSON.stringify(value)}\n`);
  write(
    'MLproject',
    project
      .replace(/^version: .*$/m, `version: "${version}"\nsource_url: ${JSON.stringify(repository_url)}`)
      .replace(/^meta_data:\n/m, `meta_data:\n${entries.join('')}`),
  );
  write(
    'marketplace.yaml',
    `# models/${ID}.yaml of CHAP's marketplace. "verified" holds once its reviewers have merged it and signed below.
schema_version: 2
id: ${ID}
service_id: ${ID.replaceAll('_', '-')}
kind: model
display_name: ${/display_name: (.*)/.exec(project)![1]}
assessed_status: ${/author_assessed_status: (.*)/.exec(project)![1]}
summary: >
${/description: >\n((?: {4}.*\n)+)/.exec(project)![1]!.trimEnd()}
source:
  image: ${JSON.stringify(image)}
  runtime_image: ${/^FROM (\S*chapkit\S*):/m.exec(containerfile)![1]}
  repository: ${JSON.stringify(repository_url)}
attribution:
  author: ${JSON.stringify(owner.author)}
  organization: ${JSON.stringify(owner.organization)}
  contact: ${JSON.stringify(owner.contact_email)}
  citation: ${JSON.stringify(owner.citation_info)}
compatibility:
  period_types: [monthly]
  min_prediction_periods: ${CHAP_HORIZONS[0]}
  max_prediction_periods: ${CHAP_HORIZONS.at(-1)}
  requires_geo: false
covariates:
  required: []
  defaults: []
  allow_free_additional: false
channels:
  stable: "${version}"
  latest: "${version}"
versions:
  - version: "${version}"
    commit: "${commit}"
    image_tag: ${imageTag(commit)}
    chapkit: "${/chapkit(==\S+)/.exec(containerfile)![1]}"
    status: verified
    verified_by: []
configurations:
  monthly:
    description: Three months ahead, with the usual number of samples.
    config:
      prediction_periods: 3
`,
  );
}

function main([directory, ownerFile = OWNER_FILE]: readonly string[]): void {
  if (directory === undefined)
    throw new UsageError('expected a directory: npm run pack:chap -- DIRECTORY [OWNER.json]');
  const { version, commit, dirty } = codeState();
  if (commit === null || dirty)
    throw new UsageError('expected a Git checkout without changes, whose commit the image names');
  const owner = readOwner(ownerFile);
  writeChapRepository(directory, owner, version, commit);
  const temporary = mkdtempSync(path.join(tmpdir(), 'malaria-pack-'));
  try {
    const archive = pack(temporary).find((file) => path.basename(file).startsWith('malaria-risk-'))!;
    copyFileSync(archive, path.join(directory, path.basename(archive)));
  } finally {
    rmSync(temporary, { recursive: true });
  }
  const image = `${owner.image}:${imageTag(commit)}`;
  process.stdout.write(
    `podman build --build-arg GIT_REVISION=${commit} -t ${image} ${directory}\npodman push ${image}\n`,
  );
}

if (import.meta.main) {
  try {
    main(process.argv.slice(2));
  } catch (error) {
    process.stderr.write(`error: ${(error as Error).message}\n`);
    process.exitCode = 2;
  }
}
