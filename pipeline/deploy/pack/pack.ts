/**
 * `npm run pack`: makes the packages `malaria-risk` and `malaria-proxy` for npm, of compiled JavaScript with types. Run
 * it in a checkout with its dependencies installed.
 */
import { execFileSync } from 'node:child_process';
import { cpSync, globSync, mkdirSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { ALIASES_FILE } from '../../catalog/aliases.ts';
import { CATALOG_SCHEMAS } from '../../catalog/country.ts';
import { TABLES } from '../../engine/cache-key.ts';
import { moduleCode } from '../../engine/code.ts';
import { codeState } from '../../lib/code-state.ts';
import { PACK_RECORD_FILE, type PackRecord, ROOT } from '../../lib/packed.ts';
import { SNAPSHOT, STAGES } from '../../stages.ts';
import { bundle, pinned } from './bundle.ts';
import { compiledName, withCompiledNames } from './compiled-names.ts';

interface Package {
  name: 'malaria-risk' | 'malaria-proxy';
  description: string;
  /** The file that the command runs. */
  entry: string;
  /** Files of the checkout to include beyond those in both packages. Sources are replaced by what they compile to. */
  files: readonly string[];
}

/** The modules that cache keys depend on. */
const KEYED = [...STAGES, SNAPSHOT].map(({ module }) => module).concat(TABLES);

/** All files that a country's catalog can have: a build of another set would be of another version. */
const CATALOG_FILES = [...Object.keys(CATALOG_SCHEMAS), ALIASES_FILE];

const PACKAGES: readonly Package[] = [
  {
    name: 'malaria-risk',
    entry: 'pipeline/cli/malaria-risk.js',
    description: 'Malaria risk by local government area: builds, reviews and publishes snapshots',
    files: ['pipeline/**', 'raw-data/README.md', `raw-data/*/{${CATALOG_FILES}}`],
  },
  {
    name: 'malaria-proxy',
    entry: 'proxy/cli/malaria-proxy.js',
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
  ['main.ts', 'annex/main.ts'].flatMap((main) => Object.keys(moduleCode(`pipeline/publish/report/page/${main}`))),
);
/** Sources that are shipped uncompiled: those that only the page uses, and the clients. */
const UNCOMPILED = /^pipeline\/publish\/(?:report\/page|clients\/(?:ts|r|python))\/|\.d\.ts$/;
/** The dependencies that differ by platform. */
const MACHINE_CODE = ['@duckdb/node-api', 'rolldown'];
const LEFT_OUT = /^pipeline\/deploy\/pack\/|\/tsconfig\.json$|^raw-data\/synthetic\//;

/** Makes both packages. @returns the files, in `out` */
export function pack(out: string): string[] {
  const work = mkdtempSync(path.join(tmpdir(), 'malaria-pack-'));
  try {
    const compiled = path.join(work, 'compiled');
    compile(compiled);
    mkdirSync(out, { recursive: true });
    return PACKAGES.map((one) => {
      const directory = path.join(work, one.name);
      layOut(one, directory, compiled);
      const packed = execFileSync('npm', ['pack', '--silent', '--pack-destination', path.resolve(out)], {
        cwd: directory,
        encoding: 'utf8',
      });
      return path.join(out, packed.trim());
    });
  } finally {
    rmSync(work, { recursive: true });
  }
}

const packedFiles = (files: readonly string[]): string[] =>
  globSync([...files], { cwd: ROOT })
    .sort()
    .filter((file) => !LEFT_OUT.test(file) && statSync(path.join(ROOT, file)).isFile());

function compile(to: string): void {
  const project = path.join(import.meta.dirname, 'tsconfig.json');
  const tsc = path.join(ROOT, 'node_modules/typescript/bin/tsc');
  execFileSync(process.execPath, [tsc, '--project', project, '--outDir', to], { stdio: 'inherit' });
}

function layOut({ name, entry, description, files }: Package, directory: string, compiled: string): void {
  const put = (file: string, text: string) => {
    const target = path.join(directory, file);
    mkdirSync(path.dirname(target), { recursive: true });
    writeFileSync(target, text);
  };
  const isCompiled = (file: string) => statSync(path.join(compiled, file), { throwIfNoEntry: false }) !== undefined;
  const putJs = (file: string, text: string) => put(file, withCompiledNames(file, text, isCompiled));

  const { version, license, engines, dependencies } = JSON.parse(readFileSync(path.join(ROOT, 'package.json'), 'utf8'));
  const needed = new Set<string>();
  /** Notes the dependencies whose name, or a path in them, is a string in the code. */
  const noteNeeds = (code: string) => {
    for (const dependency of Object.keys(dependencies))
      if ([`'${dependency}'`, `'${dependency}/`].some((start) => code.includes(start))) needed.add(dependency);
  };
  for (const file of packedFiles(files)) {
    const compiles = file.endsWith('.ts') && !UNCOMPILED.test(file);
    const isPageSource = PAGE_SOURCES.has(file) && name === 'malaria-risk';
    const source = readFileSync(path.join(ROOT, file), 'utf8');
    if (!compiles || isPageSource) put(file, source);
    if (isPageSource) noteNeeds(source);
    if (!compiles) continue;
    const js = compiledName(file);
    const code = readFileSync(path.join(compiled, js), 'utf8');
    putJs(js, code);
    noteNeeds(code);
    const types = file.replace(/\.ts$/, '.d.ts');
    const declared = readFileSync(path.join(compiled, types), 'utf8');
    put(types, declared);
    // Users of the types need the types that they are made from.
    if (declared.includes("from 'typebox'")) needed.add('typebox');
  }
  for (const file of [entry, 'pipeline/lib/about.js']) putJs(file, readFileSync(path.join(ROOT, file), 'utf8'));
  for (const file of ['LICENSE', 'CHANGELOG.md']) cpSync(path.join(ROOT, file), path.join(directory, file));
  cpSync(path.join(import.meta.dirname, `${name}.md`), path.join(directory, 'README.md'));

  const bundleDependencies = [...needed].filter((dependency) => !MACHINE_CODE.includes(dependency)).sort();
  const about = {
    name,
    version,
    description,
    license,
    type: 'module',
    engines,
    bin: { [name]: entry },
    exports: { './contract/*': './pipeline/contract/*.js', './package.json': './package.json' },
    dependencies: {
      ...Object.fromEntries(bundleDependencies.map((dependency) => [dependency, dependencies[dependency]])),
      ...Object.assign({}, ...MACHINE_CODE.filter((name) => needed.has(name)).map((name) => pinned(name, ROOT))),
    },
    bundleDependencies,
  };
  const json = (file: string, value: unknown) => put(file, `${JSON.stringify(value, null, 2)}\n`);
  json('package.json', about);
  bundle(about.bundleDependencies, ROOT, directory);
  json(PACK_RECORD_FILE, packedRecord(name === 'malaria-risk' ? KEYED : []));
}

function packedRecord(keyed: readonly string[]): PackRecord {
  const { commit, dirty } = codeState();
  const modules = Object.fromEntries(keyed.map((module) => [compiledName(module), moduleCode(module)]));
  return { commit, dirty, modules };
}

if (import.meta.main) for (const file of pack(process.argv[2] ?? 'build/packages')) process.stdout.write(`${file}\n`);
