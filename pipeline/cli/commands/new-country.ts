import { existsSync, lstatSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { createInterface } from 'node:readline/promises';
import { Command } from 'commander';
import { readUncheckedCatalog } from '../../catalog/country.ts';
import { usefulSources } from '../../catalog/evidence.ts';
import { deliveredFiles, isTable } from '../../catalog/roles.ts';
import { OPEN_QUESTION } from '../../catalog/shared-schemas.ts';
import { describeProducts } from '../../contract/products.ts';
import { accountForDeliveries, summarizeAccounts } from '../../ingest/accounts.ts';
import type { Delivery } from '../../ingest/readers/delivery.ts';
import { checkCountry } from '../../intake/check/check-country.ts';
import { type Fault, stopsBuild } from '../../intake/check/fault.ts';
import { type Draft, draftCountry } from '../../intake/draft/draft.ts';
import { formatRounded } from '../../intake/draft/draft-rasters.ts';
import { type Answers, answerError, completeAnswers, type Question } from '../../intake/draft/questions.ts';
import { type LeftOut, listFiles, type RecognisedFile, recogniseFile } from '../../intake/draft/recognise.ts';
import { writeDraft } from '../../intake/draft/write.ts';
import { repairCountry } from '../../intake/repair/repair.ts';
import { writeAtomic } from '../../lib/atomic-write.ts';
import { BadInput, groupMessages } from '../../lib/bad-input.ts';
import { makeDirectory } from '../../lib/make-directory.ts';
import { quoteForShell } from '../../lib/shell.ts';
import { describeFaults } from '../terminal/catalog-text.ts';
import { EXIT } from '../terminal/exit-codes.ts';
import { printLines } from '../terminal/options.ts';
import { formatTable } from '../terminal/text-table.ts';

const HELP = `
Reads every file, and drafts sources.json and model.json: roles, columns, codes and parents, survey rounds, units,
ranges, SHA-256. Files are recognised by their content first, by their names second. What the files do not show is asked
on a terminal, with a guess that Enter accepts; without a terminal the guesses are used and listed, and what cannot be
guessed is listed to be filled in. The name of DIR may be that of the country. DIR/answers.json keeps the answers: to
change one, edit it, remove the two files of the catalog, and run the command again with --answers.

A table may have several roles: one of cases, rain and people by month gives all three, people as of its latest month.
Separators, decimal commas, forms of months and months as columns are recognised and declared (dialect). So are a
survey's tests side by side, the places of its clusters in another file, and its year in a name or in dates alone.

Columns of numbers that no name settles are asked about, with their sums by year; of people, those that agree with the
population raster area by area are proposed.

Fields that only people can fill in (producer, citation, licence, release) are marked "${OPEN_QUESTION}". Files that are not used
are listed with the reason, and those in an unsupported format with the command that converts them. Those that the
country lacks stay in sources.json (unused), and "catalog check" reports them until they are removed there.

Exits with 0 if the catalog can be built, 1 if a check found a fault or a table that seems to be of cases, surveys,
people or climate, or of monthly figures, is not used (the last line names it), 2 if no catalog could be drafted.

Example:
  malaria-risk new-country raw-data/madagascar --from ../downloads/madagascar
  malaria-risk build --country raw-data/madagascar --raw-data ../downloads/madagascar --publish`;

interface NewCountryOptions {
  from: string[];
  answers?: string;
}

export default function newCountryCommand(): Command {
  return new Command('new-country')
    .description('Draft the catalog of a country from its raw files')
    .argument('<dir>', 'directory for sources.json and model.json')
    .requiredOption('--from <files...>', 'the raw files, or directories of them')
    .option('--answers <file>', 'answers to the questions as JSON, instead of asking')
    .addHelpText('after', HELP)
    .action(async (directory: string, { from, answers: file }: NewCountryOptions) => {
      for (const name of ['sources.json', 'model.json'])
        if (lstatSync(path.join(directory, name), { throwIfNoEntry: false }))
          throw new BadInput({
            file: directory,
            found: `a ${name}`,
            expected: `a directory without a catalog (to build this country, use --country ${directory}; to draft the catalog again, remove it first)`,
          });
      const { root, files } = await listFiles(from);
      const now = new Date().toISOString();
      const recognised = await recogniseAll(root, files);
      const folderName = path.basename(path.resolve(directory));
      const preparedAnswers = file ? readAnswers(file) : null;
      let draft = await draftCountry(recognised, root, now, preparedAnswers ?? {}, folderName).catch(
        (error: unknown) => {
          showRecognised(recognised);
          throw error;
        },
      );
      if (preparedAnswers) completeAnswers(draft.questions, preparedAnswers);
      showDraft(draft);
      const userAnswers = preparedAnswers ?? (await askQuestions(draft.questions));
      const { answers, guessed, open } = completeAnswers(draft.questions, userAnswers);
      if (draft.questions.some(({ id, redraws, guess }) => redraws && answers[id] !== guess)) {
        draft = await draftCountry(recognised, root, now, answers, folderName);
        showDraft(draft);
      }
      showStep('Hashing and measuring the files');
      const { model, ...sourcesFile } = await writeDraft(draft, answers, root, now);
      showStep('');
      makeDirectory(directory);
      const write = (name: string, content: unknown) =>
        writeAtomic(path.join(directory, name), `${JSON.stringify(content, null, 2)}\n`);
      await write('sources.json', sourcesFile);
      await write('model.json', model);
      const answered = Object.entries(answers).filter(([id]) => !open.some((question) => question.id === id));
      await write('answers.json', Object.fromEntries(answered));
      if (open.length > 0)
        printLines(
          `No file tells; write it into ${path.join(directory, 'model.json')} before you build:`,
          ...open.map((question) => `  ${question.id} (${question.asks}), in place of ${question.placeholder}`),
          '',
        );
      await showNextSteps(directory, root, from, guessed, answers);
      showUnusedFiles(draft);
    });
}

async function recogniseAll(root: string, files: readonly string[]): Promise<RecognisedFile[]> {
  const recognised: RecognisedFile[] = [];
  for (const [i, file] of files.entries()) {
    showStep(`Looking at ${i + 1} of ${files.length}: ${file}`);
    recognised.push(...(await recogniseFile(root, file, files)));
  }
  showStep('');
  return recognised;
}

/** Shows the current step on a terminal; the next text replaces it. */
function showStep(what: string): void {
  if (process.stderr.isTTY) process.stderr.write(`\r\x1b[K${what}`);
}

/** Shows what the files are if a draft cannot be made of them. */
function showRecognised(files: readonly RecognisedFile[]): void {
  printLines(formatTable(files.map((file) => ({ file: file.file, is: file.kind, with: describeContent(file) }))), '');
}

function describeContent(file: RecognisedFile): string {
  if (file.kind === 'left out') return file.why;
  if (file.kind === 'raster') return `values ${formatRounded(file.min)} to ${formatRounded(file.max)}`;
  if (file.kind === 'table') return `${file.rows.length} rows; columns ${file.header.join(', ')}`;
  const fields = Object.keys(file.features[0]!.properties).join(', ') || 'none';
  return `${file.features.length} areas; fields ${fields}`;
}

/**
 * Tells of the files that are not used. The last line says what the country lacks because of them; an answer may put
 * one to use.
 */
function showUnusedFiles({ leftOut }: Draft): void {
  const others = leftOut.filter((one) => one.lost === null);
  if (others.length > 0) printLines('', 'Left out:', ...others.map(describeUnused));
  const lost = leftOut.flatMap(({ file, lost: what }) => (what === null ? [] : [`${file} (${what})`]));
  if (lost.length === 0) return;
  printLines(
    '',
    `Not used, for the reasons above: ${[...new Set(lost)].join(', ')}. Mend them, or list the other files after --from.`,
  );
  process.exitCode = EXIT.finding;
}

const describeUnused = ({ file, why }: LeftOut) => `  ${file}: ${why}`;

function showDraft({ entries, leftOut, doubts }: Draft): void {
  const lost = leftOut.filter((one) => one.lost !== null);
  if (lost.length > 0)
    printLines('Not used, although they seem to be of the country:', ...lost.map(describeUnused), '');
  printLines(
    formatTable(
      entries.map(({ entry, format, files, notes }) => ({
        role: entry.figure ?? entry.role,
        file: isTable({ format })
          ? deliveredFiles({ files })
              .map((file) => file.path)
              .join(', ')
          : files.length > 3
            ? `${files[0]!.path} and ${files.length - 1} more`
            : files[0]!.path,
        by: notes[0]!,
      })),
    ),
  );
  if (doubts.length > 0) printLines('', 'Doubts:', ...groupMessages(doubts).map((line) => `  ${line}`));
  printLines('');
}

function readAnswers(file: string): Answers {
  if (!existsSync(file))
    throw new BadInput({ file, found: 'no such file', expected: 'answers as JSON, as in DIR/answers.json' });
  try {
    const content = JSON.parse(readFileSync(file, 'utf8'));
    if (Object.values(content).every((answer) => typeof answer === 'string')) return content;
  } catch {
    // Refused below, like any other content.
  }
  throw new BadInput({
    file,
    found: 'other content',
    expected: 'a JSON object of answers by the ids of their questions, each a string',
  });
}

/** Asks every question on a terminal, again until the answer is valid; asks none without a terminal. */
async function askQuestions(questions: readonly Question[]): Promise<Answers> {
  if (!process.stdin.isTTY || !process.stdout.isTTY) return {};
  const terminal = createInterface({ input: process.stdin, output: process.stdout });
  const answers: Record<string, string> = {};
  try {
    for (const question of questions) {
      const guessText = question.guess === null ? '' : ` [${question.guess}]`;
      for (;;) {
        const answer = (await terminal.question(`${question.asks}${guessText}: `)).trim() || question.guess;
        const objection = answer === null ? 'an answer is needed' : answerError(question, answer);
        if (!objection) {
          answers[question.id] = answer!;
          break;
        }
        printLines(objection);
      }
    }
  } finally {
    terminal.close();
  }
  return answers;
}

function draftAgain(directory: string, from: readonly string[]): string {
  const [folder, ...inputs] = [directory, ...from].map(quoteForShell);
  return `rm ${folder}/sources.json ${folder}/model.json && npx malaria-risk new-country ${folder} --from ${inputs.join(' ')} --answers ${folder}/answers.json`;
}

async function showNextSteps(
  directory: string,
  root: string,
  from: readonly string[],
  guessed: readonly Question[],
  answers: Answers,
): Promise<void> {
  if (guessed.length > 0)
    printLines(
      `Guessed; check these in ${path.join(directory, 'answers.json')}:`,
      ...guessed.map(({ id, asks }) => `  ${id}: ${answers[id]} (${asks})`),
      '',
    );
  printLines(
    `Fill in, in ${path.join(directory, 'sources.json')}: producer, citation, licence and release of each file where marked "${OPEN_QUESTION}".`,
  );
  showStep('Checking the catalog against the files');
  const deliveries: Delivery[] = [];
  const findings = await checkCountry(directory, root, deliveries);
  const doubts = findings.filter((fault) => !stopsBuild(fault));
  const faults = findings.filter(stopsBuild);
  showStep('');
  const relativeRoot = path.relative('.', root) || '.';
  const rawArgument = quoteForShell(relativeRoot.startsWith('..') ? root : relativeRoot);
  const countryArgument = quoteForShell(directory);
  // A directory and ports of its own: `current` points to one country, and several may be served on one machine.
  const outArgument = quoteForShell(path.join('build', path.basename(directory)));
  const port = suggestPort(answers.iso_code!);
  const accountLines = summarizeAccounts(accountForDeliveries(deliveries));
  if (accountLines.length > 0)
    printLines(
      '',
      'Read from the tables; compare it with an annual report:',
      ...accountLines.map((line) => `  ${line}`),
    );
  const catalog = readUncheckedCatalog(directory, root);
  printLines(
    '',
    'What these files give, and what one more would add:',
    ...describeProducts(usefulSources(catalog.model, catalog.sources)).map((line) => `  ${line}`),
  );
  if (doubts.length > 0)
    printLines('', 'Hard to believe; read these before you publish:', ...doubts.map(({ what }) => `  ${what}`));
  const serveLines = [
    `  npx malaria-risk build --country ${countryArgument} --raw-data ${rawArgument} --out ${outArgument}`,
    `  npx malaria-risk review --out ${outArgument}`,
    `  npx malaria-risk publish --out ${outArgument} --approve REASON`,
    `  npx malaria-proxy serve --snapshot ${outArgument}/current --port ${port} --ops-port ${port + 1000} --first-key`,
    '',
    'REASON is yours: it is required until the fields above are filled in, and for what the build finds hard to believe,',
    'which the review lists with the option for each.',
    `Check it again at any time: npx malaria-risk verify ${outArgument}/current`,
  ];
  if (faults.length === 0)
    printLines(
      '',
      `catalog check: no faults${doubts.length > 0 ? `, ${doubts.length} in doubt (see above)` : ''}. Build it, and serve it:`,
      ...serveLines,
    );
  else {
    printLines('', 'catalog check:', ...describeFaults(faults).map((line) => `  ${line}`));
    showStep('Looking for what these faults hide');
    const hiddenMessages = await hiddenFaults(directory, root, faults);
    showStep('');
    if (hiddenMessages.length > 0)
      printLines(
        '',
        'Hidden by these until they are declared:',
        ...groupMessages(hiddenMessages).map((line) => `  ${line}`),
      );
    if (faults.some(({ remedy }) => remedy))
      printLines(
        '',
        'To see which of these the catalog can declare:',
        `  npx malaria-risk catalog repair --country ${countryArgument} --raw-data ${rawArgument}`,
      );
    printLines(
      '',
      'Correct what cannot be declared in the files, add answers that are missing, and draft the catalog again:',
      `  ${draftAgain(directory, from)}`,
      '',
      'When no fault is left, build it, and serve it:',
      ...serveLines,
    );
    process.exitCode = EXIT.finding;
  }
}

/** Faults that come to light once those that can be declared are declared: tables are read after the outlines. */
async function hiddenFaults(directory: string, root: string, faults: readonly Fault[]): Promise<string[]> {
  if (!faults.some(({ remedy }) => remedy)) return [];
  const { repairs, left } = await repairCountry(directory, root);
  const allMessages = [...repairs.map(({ fault }) => fault), ...left.map(({ what }) => what)];
  const visibleMessages = new Set(faults.map(({ what }) => what));
  return allMessages.filter((what) => !visibleMessages.has(what));
}

/** 8100 to 8775, a port for each two-letter code of a country. */
function suggestPort(iso_code: string): number {
  const [first, second] = [...iso_code].map((letter) => letter.charCodeAt(0) - 'A'.charCodeAt(0));
  return 8100 + 26 * first! + second!;
}
