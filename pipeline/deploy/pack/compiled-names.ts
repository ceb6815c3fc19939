import path from 'node:path';

/** The name under which a source is compiled. */
export const compiledName = (file: string) => file.replace(/\.ts$/, '.js');

/**
 * Compiled code with its strings that name a source, such as that of a thread or of a stage's module, naming what this was
 * compiled to. (The compiler does so for imports alone.)
 *
 * @param file path of the code from the root, to which or to whose folder the names are relative
 */
export function withCompiledNames(file: string, code: string, isCompiled: (file: string) => boolean): string {
  return code.replace(/'([^'\n]+\.ts)'/g, (string, name: string) => {
    const compiled = compiledName(name);
    const places = [path.posix.join(path.posix.dirname(file), compiled), compiled];
    return places.some(isCompiled) ? `'${compiled}'` : string;
  });
}
