import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { lineOf, UsageError } from './errors.ts';

const SETTING = /^MALARIA_[A-Z_]+$/;

/**
 * Settings that stand in files, so that passwords need not be in the environment: `MALARIA_STORE_FILE=PATH` sets
 * MALARIA_STORE to what is in PATH, and so does a systemd credential called MALARIA_STORE. A newline at the end is left
 * out.
 * @throws UsageError if a file cannot be read or is empty, or a setting is given in two ways.
 */
export function settingsFromFiles(env: NodeJS.ProcessEnv): Record<string, string> {
  const folder = env.CREDENTIALS_DIRECTORY;
  const credentials = folder ? read(folder, 'CREDENTIALS_DIRECTORY', () => readdirSync(folder)) : [];
  const places = [
    ...credentials
      .filter((name) => SETTING.test(name))
      .map((name) => ({ name, from: name, file: join(folder!, name) })),
    ...Object.entries(env)
      .filter(([name, file]) => SETTING.test(name) && name.endsWith('_FILE') && file)
      .map(([from, file]) => ({ name: from.replace(/_FILE$/, ''), from, file: file! })),
  ];
  const found: Record<string, string> = {};
  for (const { name, from, file } of places) {
    if (env[name] || found[name] !== undefined) throw new UsageError(`${name} is also in ${file}; give it in one way`);
    found[name] = read(file, from, () => readFileSync(file, 'utf8')).replace(/\r?\n$/, '');
    if (found[name] === '') throw new UsageError(`${from}: ${file} is empty`);
  }
  return found;
}

function read<T>(place: string, from: string, work: () => T): T {
  try {
    return work();
  } catch (error) {
    throw new UsageError(`${from}: cannot read ${place}: ${lineOf(error)}`, { cause: error });
  }
}
