/** The dashboard's commands from a key to a map, exactly as shown there, in an empty folder. */
import { execFile } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { promisify } from 'node:util';
import { gunzipSync } from 'node:zlib';
import { parseTar } from 'nanotar';
import { beforeAll, expect, inject, test } from 'vitest';
import { CLIENTS } from '../../../pipeline/contract/operations.ts';
import { firstMapCommands } from '../../../proxy/dashboard/pages/first-map.ts';
import { temporary } from '../../support/command-line.ts';
import { atEndOfSuite } from '../../support/proxy/service.ts';
import { HAS_R, PYTHON, TITLE_WITHOUT_PYTHON, TITLE_WITHOUT_R } from './languages.ts';
import { type Setting, startSetting } from './setting.ts';

const LANGUAGES = {
  python: { runs: PYTHON !== undefined, title: TITLE_WITHOUT_PYTHON, file: 'map.svg', begins: '<?xm' },
  r: { runs: HAS_R, title: TITLE_WITHOUT_R, file: 'map.pdf', begins: '%PDF' },
  ts: { runs: true, title: '', file: 'map.geojson', begins: '{"ty' },
};

let setting: Setting;
const atEnd = atEndOfSuite();
beforeAll(async () => {
  setting = await startSetting(inject('builtTiny'), atEnd);
});

for (const [language, { runs, title, file, begins }] of Object.entries(LANGUAGES))
  test.skipIf(!runs)(`a first map in ${language}${title}`, async () => {
    const { HOME = '', PATH = '' } = process.env;
    const folder = temporary();
    // This Node takes precedence over the system's, and a Python that has the packages.
    const first = [path.dirname(process.execPath), path.dirname(PYTHON ?? ''), PATH].join(':');
    const env = { HOME, PATH: first, MALARIA_API_KEY: setting.env.KEY! };
    const commands = firstMapCommands(language as (typeof CLIENTS)[number], setting.env.URL!);
    const { stdout } = await promisify(execFile)('bash', ['--norc', '-e', '-c', commands], {
      cwd: folder,
      env,
      timeout: 100_000,
    });
    expect(stdout).toMatch(/^4 areas, 2021-12, tiny-/m);
    expect(readFileSync(path.join(folder, file), 'latin1').slice(0, 4)).toBe(begins);
  });

test('an archive contains the files of the snapshot, without times and owners', () => {
  const client = path.join(inject('builtTiny'), 'current/client');
  for (const language of CLIENTS) {
    const files = parseTar(new Uint8Array(gunzipSync(readFileSync(path.join(client, `${language}.tgz`)))));
    const own = readdirSync(path.join(client, language), { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile())
      .map((entry) => path.relative(client, path.join(entry.parentPath, entry.name)));
    const expected = [...own, `${language}/README.md`].map((name) => `malaria-risk-${name}`);
    expect(files.map(({ name }) => name).sort()).toEqual(expected.sort());
    for (const { name, text, attrs } of files) {
      const source = name.endsWith('README.md') ? 'README.md' : name.replace('malaria-risk-', '');
      expect(text).toBe(readFileSync(path.join(client, source), 'utf8'));
      expect([attrs?.mtime, attrs?.uid]).toEqual([0, 0]);
    }
  }
});
