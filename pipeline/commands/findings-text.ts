import type { Finding } from '../publish/snapshot/provenance.ts';

interface Group {
  title: string;
  todo: string;
  rules: readonly string[];
}

/** By gravity. What stands in none of them is a note. */
const GROUPS: readonly Group[] = [
  {
    title: 'To be decided before publishing',
    todo: '`malaria-risk review` shows what they change; `publish --approve REASON` accepts them',
    rules: ['hard to believe', 'accepted in doubt', 'not credited', 'unpinned'],
  },
  {
    title: 'Without data of their own',
    todo: 'their answers are null or rest on what is named here; `malaria-risk catalog update SOURCE FILE` takes a fuller file',
    rules: [
      ...['neighbours', 'nearest', 'value', 'null', 'omit', 'uncovered', 'overlap', 'off the coast'],
      ...['nearest round', 'known by state only', 'no case records', 'no monthly rain'],
    ],
  },
  {
    title: 'Records left out or kept as unknown',
    todo: 'declared in the catalog, or by a rule of the stage that reads them',
    rules: ['mask', 'record left out', 'one method only', 'other ages', 'blank is unknown', 'small samples flagged'],
  },
];
/** Stages whose lines tell of fits, not of data. */
const MODELS: ReadonlySet<string> = new Set(['season', 'link', 'risk', 'validation', 'forecast', 'transmission']);

/**
 * A build's findings for a terminal: the gravest first, each group with what to do, lines broken at words.
 * @param width columns of the terminal
 */
export function describeFindings(findings: readonly Finding[], width: number): string[] {
  const decided = (finding: Finding) => finding.needs_approval || GROUPS[0]!.rules.includes(finding.rule);
  const ofModels = findings.filter((finding) => MODELS.has(finding.stage) && !decided(finding));
  const ofData = findings.filter((finding) => !ofModels.includes(finding));
  const groupOf = (finding: Finding) =>
    decided(finding) ? 0 : GROUPS.findIndex(({ rules }) => rules.includes(finding.rule));
  const lines = GROUPS.flatMap(({ title, todo }, i) => {
    const own = ofData.filter((finding) => groupOf(finding) === i);
    return own.length > 0 ? [`${title} (${todo}):`, ...own.map(lineOf)] : [];
  });
  const notes = ofData.filter((finding) => groupOf(finding) === -1);
  return [
    ...lines,
    ...(notes.length > 0 ? ['Notes:', ...notes.map(lineOf)] : []),
    ...(ofModels.length > 0
      ? [`${ofModels.length} lines on the fits of models: the report, "Sources", or findings.json`]
      : []),
  ].flatMap((line) => wrapped(line, width));
}

const lineOf = ({ source, rule, what }: Finding) => `  ${source} (${rule}): ${what}`;

/** Breaks a line at words; what follows the first is set in by four. */
function wrapped(line: string, width: number): string[] {
  const lines: string[] = [];
  let current = '';
  for (const word of line.split(/(?<=\S) /)) {
    if (current !== '' && current.length + 1 + word.length > width) {
      lines.push(current);
      current = `    ${word}`;
    } else current = current === '' ? word : `${current} ${word}`;
  }
  return [...lines, current];
}
