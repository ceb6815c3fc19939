import type { Finding } from '../../publish/snapshot/provenance.ts';

interface Group {
  title: string;
  todo: string;
  rules: readonly string[];
}

/** Groups of rules, the most serious first. Findings with any other rule are notes. */
const GROUPS: readonly Group[] = [
  {
    title: 'To be decided before publishing',
    todo: '`malaria-risk review` shows what they change; `publish --approve REASON` accepts them',
    rules: ['hard to believe', 'accepted in doubt', 'not credited', 'unpinned'],
  },
  {
    title: 'Without data of their own',
    todo: 'their answers are null or based on what is named here; `malaria-risk catalog update SOURCE FILE` accepts a more complete file',
    rules: [
      'neighbours',
      'nearest',
      'value',
      'null',
      'omit',
      'uncovered',
      'overlap',
      'off the coast',
      'parents found by place',
      'no clusters',
    ],
  },
  {
    title: 'Records left out or kept as unknown',
    todo: 'declared in the catalog, or by a rule of the stage that reads them',
    rules: ['mask', 'one method only', 'other ages', 'blank is unknown', 'small samples flagged'],
  },
];
/** Stages whose findings are about fits, not data. */
const MODELS: ReadonlySet<string> = new Set(['season', 'link', 'risk', 'validation', 'forecast', 'transmission']);

/**
 * A build's findings for a terminal: the most serious first, each group with what to do, lines wrapped at words.
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
      ? [`${ofModels.length} findings about model fits: see "Sources" in the report, or findings.json`]
      : []),
  ].flatMap((line) => wrapped(line, width));
}

const lineOf = ({ source, rule, what }: Finding) => `  ${source} (${rule}): ${what}`;

/** Wraps a line at words; continuation lines are indented by four. */
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
