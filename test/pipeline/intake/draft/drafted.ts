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
  catalog.model.parameters.evidence.scores = { clusters: 1, areas: 1, children: 1, reason: 'a test' };
  const written = filesOf({
    'sources.json': JSON.stringify({ sources: catalog.sources }),
    'model.json': JSON.stringify(catalog.model),
  });
  return { ...catalog, root, draft, answers, guessed, faults: (await checkCountry(written, root)).filter(stopsBuild) };
}

/** The tiny country with surveys of 2018 only, and case records up to a month; null for none. */
export function withCasesUpTo(last: string | null): Record<string, string | Buffer> {
  const { files } = tinyCountry();
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
