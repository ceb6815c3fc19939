import { readFileSync } from 'node:fs';
import { stripTypeScriptTypes } from 'node:module';
import path from 'node:path';
import { Script } from 'node:vm';
import { ROOT } from '../../engine/code.ts';
import { packageFile } from '../../engine/packed.ts';

/** Style, scripts and licences of the page. */
export interface PageParts {
  style: string;
  scripts: { type: 'module' | null; code: string }[];
  licences: { name: string; text: string }[];
}

const LIBRARIES = [
  { name: 'D3', directory: 'd3', file: 'dist/d3.min.js' },
  { name: 'Observable Plot', directory: '@observablehq/plot', file: 'dist/plot.umd.min.js' },
];
const STYLE = './page/style.css';
const MAIN = './page/main.ts';

/** The report's style sheet. */
export const pageStyle = () => readFileSync(path.resolve(import.meta.dirname, STYLE), 'utf8');

/** The libraries' own browser builds, then the page's own script. */
export function pageParts(): PageParts {
  const own = (name: string) => path.resolve(import.meta.dirname, name);
  const library = (directory: string, file: string) =>
    readFileSync(path.join(path.dirname(packageFile(directory, ROOT)), file), 'utf8');
  return {
    style: pageStyle(),
    scripts: [
      ...LIBRARIES.map(({ directory, file }) => ({ type: null, code: closed(library(directory, file)) })),
      { type: 'module' as const, code: closed(joinModules(own(MAIN))) },
    ],
    licences: LIBRARIES.map(({ name, directory }) => ({ name, text: library(directory, 'LICENSE') })),
  };
}

/** Code that cannot end the script element around it. */
const closed = (code: string) => code.replaceAll('</script', '<\\/script').trim();

const IMPORT = /^import\s[^;]*?from '([^']+)';\n/gm;

const EXPORT = /^export (?:async )?(?:const|function|class) (\w+)/gm;

/**
 * Joins TypeScript modules into one script: each follows the modules that it imports, without types, in a function of
 * its own that returns its exports.
 * @throws SyntaxError if two modules export the same name
 * @throws Error for an import that it cannot join: of a package, or under another name
 */
export function joinModules(main: string): string {
  const done = new Set<string>();
  const visit = (file: string): string => {
    if (done.has(file)) return '';
    done.add(file);
    const code = stripTypes(readFileSync(file, 'utf8'));
    const before: string[] = [];
    for (const [statement, name] of code.matchAll(IMPORT)) {
      if (!name!.startsWith('.') || / as /.test(statement))
        throw new Error(
          `${path.relative(ROOT, file)}: found ${statement.trim()}, expected an import of names from a file of the page`,
        );
      before.push(visit(path.resolve(path.dirname(file), name!)));
    }
    const names = [...code.matchAll(EXPORT)].map(([, name]) => name).join(', ');
    const body = code
      .replace(IMPORT, '')
      .replace(/^export /gm, '')
      .replace(/\n\s*\n/g, '\n');
    return `${before.join('')}const {${names}} = (() => {\n${body.trim()}\nreturn {${names}};\n})();\n`;
  };
  const joined = visit(main);
  new Script(`'use strict';{${joined}}`, { filename: path.relative(ROOT, main) });
  return joined;
}

/** Node warns that this function is experimental, which is of no interest to someone who runs a build. */
function stripTypes(code: string): string {
  const { emitWarning } = process;
  process.emitWarning = () => {};
  try {
    return stripTypeScriptTypes(code);
  } finally {
    process.emitWarning = emitWarning;
  }
}
