import path from 'node:path';

/** The name of the file that a source is compiled to. */
export const compiledName = (file: string) => file.replace(/\.ts$/, '.js');

/**
 * Replaces the names of sources in strings of compiled code, such as the module of a thread or a stage, by the names of
 * the compiled files. (The compiler does so only for imports.)
 *
 * @param file path of the code from the root; the names are relative to the root or to the file's folder
 */
export function withCompiledNames(file: string, code: string, isCompiled: (file: string) => boolean): string {
  return code.replace(/'([^'\n]+\.ts)'/g, (string, name: string) => {
    const compiled = compiledName(name);
    const candidates = [path.posix.join(path.posix.dirname(file), compiled), compiled];
    return candidates.some(isCompiled) ? `'${compiled}'` : string;
  });
}
