/** Catalogs drafted from files of a test. */
import { mkdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { checkCountry } from '../../../../pipeline/intake/check/check-country.ts';
import { stopsBuild } from '../../../../pipeline/intake/check/fault.ts';
import { draftCountry } from '../../../../pipeline/intake/draft/draft.ts';
import { type Answers, completeAnswers } from '../../../../pipeline/intake/draft/questions.ts';
import { listFiles, recogniseFile } from '../../../../pipeline/intake/draft/recognise.ts';
import { writeDraft } from '../../../../pipeline/intake/draft/write.ts';
import { temporary } from '../../../support/command-line.ts';
import { tinyCountry } from '../../../support/tiny-country.ts';

export const NOW = '2026-01-02T03:04:05.000Z';

export function filesOf(content: Record<string, string | Buffer>): string {
  const directory = temporary();
  for (const [name, bytes] of Object.entries(content)) {
    mkdirSync(path.dirname(path.join(directory, name)), { recursive: true });
    writeFileSync(path.join(directory, name), bytes);
  }
  return directory;
}

export async function draftOf(directory: string, answers: Answers = {}) {
  const { root, files } = await listFiles([directory]);
  const recognised = [];
  for (const file of files) recognised.push(...(await recogniseFile(root, file, files)));
  return { root, draft: await draftCountry(recognised, root, NOW, answers) };
}

/** Drafts a catalog from the files of a directory, writes it to another one and checks it. */
export async function catalogOf(directory: string, given: Answers) {
  const { root, draft } = await draftOf(directory, given);
  const { answers, guessed } = completeAnswers(draft.questions, given);
  const catalog = await writeDraft(draft, answers, root, NOW);
  const written = filesOf({
    'sources.json': JSON.stringify({ sources: catalog.sources }),
    'model.json': JSON.stringify(catalog.model),
  });
  return { ...catalog, root, draft, answers, guessed, faults: (await checkCountry(written, root)).filter(stopsBuild) };
}

/**
 * The files of the tiny country with five areas in place of each, and as many rows of everything by area: enough
 * clusters and areas for scores.
 */
function withMoreAreas({ files }: Pick<ReturnType<typeof tinyCountry>, 'files'>): Record<string, string | Buffer> {
  const parts = [0, 1, 2, 3, 4];
  const { features, ...collection } = JSON.parse(String(files['lgas.geojson']));
  const divided = features.flatMap((feature: { properties: Record<string, string>; geometry: object }) =>
    parts.map((part) => {
      const [ring] = (feature.geometry as { coordinates: [number, number][][] }).coordinates;
      const west = ring![0]![0];
      const strip = ring!.map(([x, y]) => [Math.round(10 * (west + (part + x - west) / 5)) / 10, y]);
      const { pcode, name, state } = feature.properties;
      return {
        type: 'Feature',
        properties: { pcode: `${pcode}${part}`, name: `${name} ${part}`, state },
        geometry: { type: 'Polygon', coordinates: [strip] },
      };
    }),
  );
  const withParts = (row: string) => {
    const people = row.replace(/,100(\d\d\d),18000$/, ',20$1,3600');
    return /NG\d{6}/.test(row) ? parts.map((part) => people.replaceAll(/NG\d{6}/g, `$&${part}`)) : [row];
  };
  const tables = Object.entries(files).map(([name, content]) => [
    name,
    name.endsWith('.csv')
      ? String(content)
          .split('\n')
          .filter((row) => !row.includes('2018-x'))
          .flatMap(withParts)
          .join('\n')
      : content,
  ]);
  return { ...Object.fromEntries(tables), 'lgas.geojson': JSON.stringify({ ...collection, features: divided }) };
}

/** A country with surveys of 2018 only, and case records up to a month; null for none. */
export function withCasesUpTo(last: string | null): Record<string, string | Buffer> {
  const files = withMoreAreas(tinyCountry());
  const { 'cases.csv': cases, ...others } = files;
  const rowsWhere = (content: string | Buffer, keep: (row: string) => boolean) =>
    String(content)
      .split('\n')
      .filter((row, i) => i === 0 || keep(row))
      .join('\n');
  return {
    ...others,
    'surveys.csv': rowsWhere(files['surveys.csv']!, (row) => !row.startsWith('2021')),
    ...(last === null ? {} : { 'cases.csv': rowsWhere(cases!, (row) => row.split(',')[1]! <= last) }),
  };
}
