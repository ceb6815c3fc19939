import type { Block } from '../../lib/pages/blocks.ts';
import type { Finding } from './provenance.ts';

interface Group {
  heading: string;
  hint?: string;
  rules: readonly string[];
}

/** Heading of what `publish` asks to approve. */
export const DECISIONS_HEADING = 'To be decided before publishing';
const DECISIONS: Group = {
  heading: DECISIONS_HEADING,
  hint: '`publish --approve REASON --finding KIND` accepts them; `malaria-risk review` lists the kinds',
  rules: ['hard to believe', 'accepted in doubt', 'not credited', 'unpinned'],
};
/** Groups of rules, the most serious first. */
const GROUPS: readonly Group[] = [
  DECISIONS,
  {
    heading: 'Without data of their own',
    hint:
      'their answers are null or based on what is named here; `malaria-risk catalog update SOURCE FILE` accepts a ' +
      'more complete file',
    rules: [
      'neighbours',
      'nearest',
      'value',
      'null',
      'omit',
      'uncovered',
      'nearest area',
      'parents found by place',
      'no clusters',
    ],
  },
  {
    heading: 'Records left out or kept as unknown',
    hint: 'declared in the catalog, or by a rule of the stage that reads them',
    rules: [
      'left out',
      'mask',
      'one method only',
      'other ages',
      'blank is unknown',
      'reporting',
      'small samples flagged',
    ],
  },
];
/** Findings with any other rule. */
const NOTES: Group = { heading: 'Notes', rules: [] };
/** Stages whose findings are about fits, not data. */
const MODEL_STAGES: ReadonlySet<string> = new Set(['season', 'risk', 'validation', 'forecast', 'transmission']);

/** One line per finding, in the order of `rules`, then all others; sources with the same finding share a line. */
export function findingLines(findings: readonly Finding[], rules: readonly string[] = DECISIONS.rules): string[] {
  const position = ({ rule }: Finding) => (rules.includes(rule) ? rules.indexOf(rule) : rules.length);
  const inOrder = findings.toSorted((a, b) => position(a) - position(b));
  const findingsByText = Map.groupBy(inOrder, ({ rule, what }) => `(${rule}): ${what}`);
  return [...findingsByText].map(
    ([line, sameFindings]) => `${[...new Set(sameFindings.map(({ source }) => source))].join(', ')} ${line}`,
  );
}

/** How sums agree with figures printed elsewhere. */
export const controlLines = (findings: readonly Finding[]): string[] =>
  findings.flatMap(({ source, rule, what }) => (rule === 'control' ? [`${source}, ${what}`] : []));

const findingGroup = ({ rule, needs_approval }: Finding) =>
  needs_approval ? DECISIONS : (GROUPS.find(({ rules }) => rules.includes(rule)) ?? NOTES);

/** Whether it is a message about a fit, which asks nothing of the data team. */
export const isAboutFit = (finding: Finding): boolean =>
  MODEL_STAGES.has(finding.stage) && findingGroup(finding) !== DECISIONS;

/** A build's findings: the most serious first, each group with what to do; those about fits on demand. */
export function findingBlocks(findings: readonly Finding[]): Block[] {
  const aboutFits = findings.filter(isAboutFit);
  const aboutData = Map.groupBy(
    findings.filter((finding) => !isAboutFit(finding)),
    findingGroup,
  );
  return [
    ...[...GROUPS, NOTES].map((group) => ({
      heading: group.heading,
      hint: group.hint,
      items: findingLines(aboutData.get(group) ?? [], group.rules),
    })),
    {
      summary: `${aboutFits.length} findings about model fits`,
      details: [{ items: findingLines(aboutFits) }],
    },
  ];
}
