import { type Section, tableBlock } from '../lib/pages/blocks.ts';
import { findingBlocks, findingLines, isAboutFit } from '../publish/snapshot/findings.ts';
import type { Finding } from '../publish/snapshot/provenance.ts';
import { approveOptions, describeApproval } from './approvals.ts';
import type { Review } from './review.ts';

/** What the version would replace. */
export function replacedBy({ model_version, replaces }: Review): string {
  if (replaces === null) return `${model_version}: nothing is published yet, so there is nothing to compare it with.`;
  return replaces === model_version
    ? `${model_version} is already current.`
    : `${model_version} would replace ${replaces}.`;
}

/** Whether the version may be published, and what has to be approved. */
export function verdictSection({ refused, approvals }: Review): Section {
  return {
    title: 'May it be published?',
    blocks: [
      refused.length + approvals.length === 0 && 'Yes, and no reason is required.',
      { heading: 'It cannot be published', items: refused, isAlert: true },
      {
        heading: `${refused.length > 0 ? 'Once it can be, p' : 'P'}ublishing it requires a reason (publish ${approveOptions(approvals)})`,
        items: approvals.map(describeApproval),
        isAlert: true,
      },
    ],
  };
}

/** What was read, and the build's findings; those about fits last. */
export function findingSections({ read, findings, replaces }: Review): Section[] {
  const isAboutData = (finding: Finding) => !isAboutFit(finding);
  const comparedSections: Section[] = [
    { title: 'Findings about the data', blocks: comparedBlocks(findings, isAboutData) },
    { title: 'Findings about fits', blocks: comparedBlocks(findings, isAboutFit) },
  ];
  return [
    { title: 'What was read from the tables', blocks: [{ items: read }] },
    ...(replaces === null
      ? [{ title: 'Findings, without a version to compare them with', blocks: findingBlocks(findings.new) }]
      : comparedSections),
  ];
}

const comparedBlocks = (findings: Review['findings'], isShown: (finding: Finding) => boolean): Section['blocks'] => [
  findings.new.filter(isShown).length === 0 && 'There are no new findings.',
  { heading: 'New findings', items: findingLines(findings.new.filter(isShown)) },
  { heading: 'Findings that no longer occur', items: findingLines(findings.gone.filter(isShown)) },
  {
    summary: `${findings.known.filter(isShown).length} findings that the current version has too`,
    details: [{ items: findingLines(findings.known.filter(isShown)) }],
  },
];

/** Which files and settings differ from those of the version that it would replace. */
export const inputSection = (review: Review): Section => ({
  title: 'Inputs',
  blocks: review.diff === null ? [] : inputBlocks(review),
});

const inputBlocks = ({ sources, evidence, making }: Review): Section['blocks'] => [
  sources.length === 0 && 'The raw files and their entries in the catalog are the same.',
  tableBlock(
    'Changed raw data',
    [
      { title: 'Source', cell: ({ source }) => source },
      { title: 'Change', cell: ({ change }) => change },
      { title: 'Release', cell: ({ release: { was, is } }) => (was === is ? is : `${was ?? '—'} to ${is ?? '—'}`) },
      { title: 'Files', cell: ({ files }) => files.map(({ path, change }) => `${path} ${change}`).join(', ') || null },
      { title: 'Catalog', cell: ({ catalog }) => catalog.join('; ') || null },
    ],
    sources,
  ),
  {
    heading: 'Accepted since',
    items: sources.flatMap(({ source, accepted }) =>
      accepted.map(({ at, by, reason, what, doubts = [] }) =>
        [
          `${source}, ${at.slice(0, 10)} by ${by} (${reason}): ${what}`,
          ...doubts.map((doubt) => `doubted: ${doubt}`),
        ].join('; '),
      ),
    ),
  },
  { heading: 'Months that are estimated', items: evidence },
  { heading: 'model.json', items: making.model },
  { summary: describeCode(making.code), details: [{ items: making.code }] },
];

/** How many files have changed, and in which folders. */
function describeCode(files: readonly string[]): string {
  const folders = Map.groupBy(files, (file) => file.split('/').slice(0, -1).slice(0, 2).join('/') || file);
  const counts = [...folders].map(([folder, { length }]) => `${folder} ${length}`);
  return `Files of code that have changed: ${files.length} (${counts.join(', ')}; \`--json\` lists them)`;
}
