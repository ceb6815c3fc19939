import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { errorLine, UsageError } from '../../pipeline/lib/errors.ts';

const SETTING_NAME = /^MALARIA_[A-Z_]+$/;

/**
 * Settings read from files, so that passwords need not be in the environment: `MALARIA_STORE_FILE=PATH` sets
 * MALARIA_STORE to the contents of PATH, and so does a systemd credential called MALARIA_STORE. A trailing newline is
 * removed.
 * @throws UsageError if a file cannot be read or is empty, or a setting is given in two ways.
 */
export function settingsFromFiles(env: NodeJS.ProcessEnv): Record<string, string> {
  const folder = env.CREDENTIALS_DIRECTORY;
  const credentials = folder ? read(folder, 'CREDENTIALS_DIRECTORY', () => readdirSync(folder)) : [];
  const sources = [
    ...credentials
      .filter((name) => SETTING_NAME.test(name))
      .map((name) => ({ name, from: name, file: join(folder!, name) })),
    ...Object.entries(env)
      .filter(([name, file]) => SETTING_NAME.test(name) && name.endsWith('_FILE') && file)
      .map(([variable, file]) => ({ name: variable.replace(/_FILE$/, ''), from: variable, file: file! })),
  ];
  const settings: Record<string, string> = {};
  for (const { name, from: source, file } of sources) {
    if (env[name] || settings[name] !== undefined)
      throw new UsageError(`${name} is also set by ${file}; set it only once`);
    settings[name] = read(file, source, () => readFileSync(file, 'utf8')).replace(/\r?\n$/, '');
    if (settings[name] === '') throw new UsageError(`${source}: ${file} is empty`);
  }
  return settings;
}

function read<T>(path: string, source: string, work: () => T): T {
  try {
    return work();
  } catch (error) {
    throw new UsageError(`${source}: cannot read ${path}: ${errorLine(error)}`, { cause: error });
  }
}
