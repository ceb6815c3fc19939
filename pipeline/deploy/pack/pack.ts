/**
 * `npm run pack`: makes the packages `malaria-risk` and `malaria-proxy` for npm, of compiled JavaScript with types. Run
 * it in a checkout with its dependencies installed.
 */
import { execFileSync } from 'node:child_process';
import { cpSync, globSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { ALIASES_FILE } from '../../catalog/aliases.ts';
import { CATALOG_SCHEMAS } from '../../catalog/country.ts';
import { TABLE_WRITER } from '../../engine/cache-key.ts';
import { moduleCodeHashes } from '../../engine/code-hashes.ts';
import { codeState } from '../../lib/code-state.ts';
import { makeDirectory } from '../../lib/make-directory.ts';
import { PACK_RECORD_FILE, type PackRecord, ROOT } from '../../lib/packed.ts';
import { SNAPSHOT, STAGES } from '../../stages.ts';
import { bundle, lockedVersions } from './bundle.ts';
import { compiledName, withCompiledNames } from './compiled-names.ts';
import { readLock, withDependencies } from './lock-file.ts';

interface Package {
  name: 'malaria-risk' | 'malaria-proxy';
  description: string;
  /** The file that the command runs. */
  commandFile: string;
  /** Files of the checkout to include beyond those in both packages. Sources are replaced by what they compile to. */
  files: readonly string[];
}

/** The modules that cache keys depend on. */
const STAGE_MODULES = [...STAGES, SNAPSHOT].map(({ module }) => module).concat(TABLE_WRITER);

/** All files that a country's catalog can have: a build of another set would be of another version. */
const CATALOG_FILES = [...Object.keys(CATALOG_SCHEMAS), ALIASES_FILE];

const PACKAGES: readonly Package[] = [
  {
    name: 'malaria-risk',
    commandFile: 'pipeline/cli/malaria-risk.js',
    description: 'Malaria risk by local government area: builds, reviews and publishes snapshots',
    files: ['pipeline/**', 'raw-data/README.md', `raw-data/*/{${CATALOG_FILES}}`],
  },
  {
    name: 'malaria-proxy',
    commandFile: 'proxy/cli/malaria-proxy.js',
    description: 'Serves snapshots of malaria risk to holders of API keys',
    // Of lib/, what tables and numerics need is the pipeline's alone.
    files: [
      'pipeline/contract/**',
      'pipeline/lib/*',
      'pipeline/lib/pages/**',
      'pipeline/lib/tables/table.ts',
      'proxy/**',
    ],
  },
];
/** The sources of the report's pages, which are bundled when a page is made. */
export const PAGE_SOURCES: ReadonlySet<string> = new Set(
  ['main.ts', 'annex/main.ts'].flatMap((entryFile) =>
    Object.keys(moduleCodeHashes(`pipeline/publish/report/page/${entryFile}`)),
  ),
);
/** Sources that are shipped uncompiled: those that only the page uses, and the clients. */
const UNCOMPILED = /^pipeline\/publish\/(?:report\/page|clients\/(?:ts|r|python))\/|\.d\.ts$/;
/** The dependencies that differ by platform. */
const PLATFORM_DEPENDENCIES = ['@duckdb/node-api', 'rolldown'];
const EXCLUDED_FILES = /^pipeline\/deploy\/pack\/|\/tsconfig\.json$|^raw-data\/synthetic\//;

/** Makes both packages. @returns the files, in `out` */
export function pack(outDirectory: string): string[] {
  const temporary = mkdtempSync(path.join(tmpdir(), 'malaria-pack-'));
  try {
    const compiled = path.join(temporary, 'compiled');
    compile(compiled);
    makeDirectory(outDirectory);
    return PACKAGES.map((packageToMake) => {
      const directory = path.join(temporary, packageToMake.name);
      writePackage(packageToMake, directory, compiled);
      const archive = execFileSync('npm', ['pack', '--silent', '--pack-destination', path.resolve(outDirectory)], {
        cwd: directory,
        encoding: 'utf8',
      });
      return path.join(outDirectory, archive.trim());
    });
  } finally {
    rmSync(temporary, { recursive: true });
  }
}

const packedFiles = (files: readonly string[]): string[] =>
  globSync([...files], { cwd: ROOT })
    .sort()
    .filter((file) => !EXCLUDED_FILES.test(file) && statSync(path.join(ROOT, file)).isFile());

function compile(outDirectory: string): void {
  const project = path.join(import.meta.dirname, 'tsconfig.json');
  const tsc = path.join(ROOT, 'node_modules/typescript/bin/tsc');
  execFileSync(process.execPath, [tsc, '--project', project, '--outDir', outDirectory], { stdio: 'inherit' });
}

function writePackage({ name, commandFile, description, files }: Package, directory: string, compiled: string): void {
  const writeText = (file: string, text: string) => {
    const target = path.join(directory, file);
    makeDirectory(path.dirname(target));
    writeFileSync(target, text);
  };
  const isCompiled = (file: string) => statSync(path.join(compiled, file), { throwIfNoEntry: false }) !== undefined;
  const writeJs = (file: string, text: string) => writeText(file, withCompiledNames(file, text, isCompiled));

  const { version, license, engines, dependencies } = JSON.parse(readFileSync(path.join(ROOT, 'package.json'), 'utf8'));
  const neededDependencies = new Set<string>();
  /** Notes the dependencies whose name, or a path in them, is a string in the code. */
  const addDependenciesOf = (code: string) => {
    for (const dependency of Object.keys(dependencies))
      if ([`'${dependency}'`, `'${dependency}/`].some((start) => code.includes(start)))
        neededDependencies.add(dependency);
  };
  for (const file of packedFiles(files)) {
    const isToCompile = file.endsWith('.ts') && !UNCOMPILED.test(file);
    const isPageSource = PAGE_SOURCES.has(file) && name === 'malaria-risk';
    const source = readFileSync(path.join(ROOT, file), 'utf8');
    if (!isToCompile || isPageSource) writeText(file, source);
    if (isPageSource) addDependenciesOf(source);
    if (!isToCompile) continue;
    const jsFile = compiledName(file);
    const code = readFileSync(path.join(compiled, jsFile), 'utf8');
    writeJs(jsFile, code);
    addDependenciesOf(code);
    const typesFile = file.replace(/\.ts$/, '.d.ts');
    const typeDeclarations = readFileSync(path.join(compiled, typesFile), 'utf8');
    writeText(typesFile, typeDeclarations);
    // Users of the types need the types that they are made from.
    if (typeDeclarations.includes("from 'typebox'")) neededDependencies.add('typebox');
  }
  for (const file of [commandFile, 'pipeline/lib/about.js']) writeJs(file, readFileSync(path.join(ROOT, file), 'utf8'));
  for (const file of ['LICENSE', 'CHANGELOG.md']) cpSync(path.join(ROOT, file), path.join(directory, file));
  cpSync(path.join(import.meta.dirname, `${name}.md`), path.join(directory, 'README.md'));

  const bundleDependencies = [...neededDependencies]
    .filter((dependency) => !PLATFORM_DEPENDENCIES.includes(dependency))
    .sort();
  const packageJson = {
    name,
    version,
    description,
    license,
    type: 'module',
    engines,
    bin: { [name]: commandFile },
    exports: { './contract/*': './pipeline/contract/*.js', './package.json': './package.json' },
    dependencies: {
      ...Object.fromEntries(bundleDependencies.map((dependency) => [dependency, dependencies[dependency]])),
      ...Object.assign(
        {},
        ...PLATFORM_DEPENDENCIES.filter((name) => neededDependencies.has(name)).map((name) =>
          lockedVersions(name, ROOT),
        ),
      ),
    },
    bundleDependencies,
  };
  const writeJson = (file: string, value: unknown) => writeText(file, `${JSON.stringify(value, null, 2)}\n`);
  writeJson('package.json', packageJson);
  writeJson('sbom.cdx.json', listComponents(packageJson, path.join(path.dirname(directory), 'components', name)));
  bundle(packageJson.bundleDependencies, ROOT, directory);
  writeJson(PACK_RECORD_FILE, packedRecord(name === 'malaria-risk' ? STAGE_MODULES : []));
}

/** The software bill of materials of a package, CycloneDX: every dependency in the version of the lock file. */
function listComponents({ name, version, description, license, dependencies }: PackageJson, directory: string): object {
  const { overrides } = JSON.parse(readFileSync(path.join(ROOT, 'package.json'), 'utf8'));
  const lock = readLock(ROOT);
  const project = { name, version, description, license, dependencies, overrides };
  const locked = Object.keys(dependencies).map((dependency) => withDependencies(dependency, lock));
  makeDirectory(directory);
  writeFileSync(path.join(directory, 'package.json'), JSON.stringify(project));
  const packages = Object.assign({ '': project }, ...locked);
  writeFileSync(path.join(directory, 'package-lock.json'), JSON.stringify({ lockfileVersion: 3, packages }));
  const options = ['--package-lock-only', '--sbom-format=cyclonedx', '--sbom-type=application'];
  const bill = JSON.parse(execFileSync('npm', ['sbom', ...options], { cwd: directory, encoding: 'utf8' }));
  // The same package has the same bill.
  delete bill.serialNumber;
  delete bill.metadata.timestamp;
  return bill;
}

interface PackageJson extends Record<'name' | 'version' | 'description' | 'license', string> {
  dependencies: Record<string, string>;
}

function packedRecord(stageModules: readonly string[]): PackRecord {
  const { commit, dirty } = codeState();
  const modules = Object.fromEntries(stageModules.map((module) => [compiledName(module), moduleCodeHashes(module)]));
  return { commit, dirty, modules };
}

if (import.meta.main) for (const file of pack(process.argv[2] ?? 'build/packages')) process.stdout.write(`${file}\n`);
