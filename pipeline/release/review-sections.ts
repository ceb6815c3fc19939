import { type Section, tableBlock } from '../lib/pages/blocks.ts';
import { findingLines } from '../publish/snapshot/findings.ts';
import type { Review } from './review.ts';

/** What the version would replace. */
export function replacedBy({ model_version, replaces }: Review): string {
  if (replaces === null) return `${model_version}: nothing is published yet, so there is nothing to compare it with.`;
  return replaces === model_version
    ? `${model_version} is already current.`
    : `${model_version} would replace ${replaces}.`;
}

/** A review for the person who approves a version, without the diff: verdict, findings, inputs. */
export function reviewSections(review: Review): Section[] {
  const { refused, approvals, read, findings } = review;
  return [
    {
      title: 'May it be published?',
      blocks: [
        refused.length + approvals.length === 0 && 'Yes, and no reason is required.',
        { heading: 'It cannot be published', items: refused, isAlert: true },
        { heading: 'Publishing it requires a reason (publish --approve REASON)', items: approvals, isAlert: true },
      ],
    },
    { title: 'What was read from the tables', blocks: [{ items: read }] },
    {
      title: 'Findings of the build',
      blocks: [
        findings.new.length === 0 && 'There are no new findings.',
        { heading: 'New findings', items: findingLines(findings.new) },
        { heading: 'Findings that no longer occur', items: findingLines(findings.gone) },
        {
          summary: `${findings.known.length} findings that the current version has too`,
          details: [{ items: findingLines(findings.known) }],
        },
      ],
    },
    { title: 'Inputs', blocks: review.replaces === null ? [] : inputBlocks(review) },
  ];
}

const inputBlocks = ({ sources, making }: Review): Section['blocks'] => [
  sources.length === 0 && 'The raw data are the same.',
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
  { heading: 'model.json', items: making.model },
  { heading: 'Code', items: making.code },
];
