import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { errorLine, UsageError } from '../../pipeline/lib/errors.ts';

const SETTING = /^MALARIA_[A-Z_]+$/;

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
      .filter((name) => SETTING.test(name))
      .map((name) => ({ name, from: name, file: join(folder!, name) })),
    ...Object.entries(env)
      .filter(([name, file]) => SETTING.test(name) && name.endsWith('_FILE') && file)
      .map(([from, file]) => ({ name: from.replace(/_FILE$/, ''), from, file: file! })),
  ];
  const settings: Record<string, string> = {};
  for (const { name, from, file } of sources) {
    if (env[name] || settings[name] !== undefined)
      throw new UsageError(`${name} is also set by ${file}; set it only once`);
    settings[name] = read(file, from, () => readFileSync(file, 'utf8')).replace(/\r?\n$/, '');
    if (settings[name] === '') throw new UsageError(`${from}: ${file} is empty`);
  }
  return settings;
}

function read<T>(path: string, from: string, work: () => T): T {
  try {
    return work();
  } catch (error) {
    throw new UsageError(`${from}: cannot read ${path}: ${errorLine(error)}`, { cause: error });
  }
}
