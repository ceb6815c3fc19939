import { readFileSync } from 'node:fs';
import { findPackageJSON } from 'node:module';
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import { ROOT } from '../../lib/packed.ts';

const STYLE_FILE = './page/style.css';
const REPORT_SCRIPT = './page/main.ts';
const ANNEX_SCRIPT = './page/annex/main.ts';

export const pageStyle = () => readFileSync(path.resolve(import.meta.dirname, STYLE_FILE), 'utf8');

/** The script of the report or of its annex: own modules, and of D3 and Observable Plot what they use. */
export async function bundlePage(page: 'report' | 'annex'): Promise<string> {
  const { code, files } = await bundle(
    path.resolve(import.meta.dirname, page === 'report' ? REPORT_SCRIPT : ANNEX_SCRIPT),
  );
  const licences = bundledLicences(files).map(({ names, text }) => `${names.join(', ')}\n\n${text}`);
  // The script element must not end within the code, nor a licence before its end.
  return `/*\n${licences.join('\n').replaceAll('*/', '* /')}*/\n${code.replaceAll('</script', '<\\/script').trim()}`;
}

/**
 * Bundles a module and what it imports into one script for browsers, the same on every machine.
 * @returns the code, and the files of which it contains a part
 * @throws Error also for what the bundler only warns of, such as a package that is not installed
 */
export async function bundle(main: string): Promise<{ code: string; files: string[] }> {
  // Imported here because every command would otherwise load it.
  const { rolldown } = await import('rolldown');
  await using bundler = await rolldown({
    input: main,
    cwd: path.dirname(main),
    platform: 'browser',
    // It would read the checkout's, which the package made by `npm run pack` lacks.
    tsconfig: false,
    onLog(level, { message }) {
      if (level === 'warn') throw new Error(message);
    },
  });
  // Not minified, the page would be 270 kB larger.
  const { output } = await bundler.generate({ format: 'iife', codeSplitting: false, minify: true });
  return { code: output[0].code, files: Object.keys(output[0].modules) };
}

/** Licences of the packages that the files belong to, without this project's own, each with the packages' names. */
function bundledLicences(files: readonly string[]): { names: string[]; text: string }[] {
  const directories = new Set(files.map((file) => path.dirname(findPackageJSON(pathToFileURL(file))!)));
  directories.delete(ROOT);
  const read = (directory: string, name: string) => readFileSync(path.join(directory, name), 'utf8');
  const packagesByLicence = Map.groupBy(directories, (directory) => read(directory, 'LICENSE'));
  const packageName = (directory: string): string => JSON.parse(read(directory, 'package.json')).name;
  return [...packagesByLicence].map(([text, packages]) => ({
    names: [...new Set(packages.map(packageName))].sort(),
    text,
  }));
}
