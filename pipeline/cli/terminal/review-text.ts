import type { Territory } from '../../contract/territory.ts';
import type { Review } from '../../release/review.ts';
import { describeDiff } from './diff-text.ts';
import { formatTable } from './text-table.ts';

/** A review as text for the terminal, in the country's words if its territory is given: verdict first, diff last. */
export function describeReview(review: Review, territory: Territory | undefined): string {
  const { model_version, replaces, refused, approvals, findings, sources, making, diff } = review;
  const section = (title: string, lines: readonly string[]) =>
    lines.length > 0 ? ['', title, ...lines.map((line) => `  ${line}`)] : [];
  return [
    replaces === null
      ? `${model_version}: nothing is published yet, so there is nothing to compare it with`
      : replaces === model_version
        ? `${model_version} is already current`
        : `${model_version} would replace ${replaces}`,
    ...(refused.length + approvals.length === 0 && replaces !== model_version
      ? ['', 'It can be published without a reason.']
      : []),
    ...section('It cannot be published:', refused),
    ...section('Publishing it requires a reason (publish --approve REASON):', approvals),
    ...section(
      'New findings of the build:',
      findings.new.map(({ source, rule, what }) => `${source} (${rule}): ${what}`),
    ),
    ...section(
      'Findings that no longer occur:',
      findings.gone.map(({ source, rule, what }) => `${source} (${rule}): ${what}`),
    ),
    ...(findings.known.length > 0
      ? ['', `${findings.known.length} findings are the same as in the current version`]
      : []),
    ...(sources.length > 0
      ? [
          '',
          'Raw data:',
          formatTable(
            sources.map(({ source, change, release, files, catalog }) => ({
              source,
              change,
              release: release.was === release.is ? release.is : `${release.was ?? '—'} to ${release.is ?? '—'}`,
              files: files.map((file) => `${file.path} ${file.change}`).join(', ') || null,
              catalog: catalog.join('; ') || null,
            })),
          ),
        ]
      : []),
    ...section(
      'Accepted since:',
      sources.flatMap(({ source, accepted }) =>
        accepted.map(({ at, by, reason, what, doubts = [] }) =>
          [
            `${source}, ${at.slice(0, 10)} by ${by} (${reason}): ${what}`,
            ...doubts.map((doubt) => `doubted: ${doubt}`),
          ].join('; '),
        ),
      ),
    ),
    ...section('model.json:', making.model),
    ...section('Code:', making.code),
    ...section('Packages:', making.packages),
    ...(diff ? ['', describeDiff(diff, territory)] : []),
  ].join('\n');
}
