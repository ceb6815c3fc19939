import path from 'node:path';
import { Command } from 'commander';
import { writeAtomic } from '../../lib/atomic-write.ts';
import { renderChangesPage } from '../../publish/report/changes-page.ts';
import { changeSections, diffOutlines, headlineSection } from '../../publish/report/diff-sections.ts';
import { releasesFolder } from '../../release/build-paths.ts';
import { currentSnapshot } from '../../release/current.ts';
import { findVersion } from '../../release/find.ts';
import { reviewSnapshot } from '../../release/review.ts';
import { findingSections, inputSection, replacedBy, verdictSection } from '../../release/review-sections.ts';
import { sectionsText } from '../terminal/blocks-text.ts';
import { EXIT } from '../terminal/exit-codes.ts';
import { outOption, parseFileToWrite, printLines } from '../terminal/options.ts';

const HELP = `
Compares a version with the current one, in the order of decisions: whether it may be published and what needs a reason;
the nation, the states that change most and levels; which raw files and which lines of model.json differ; the answers
and tables that change; scores by state and month; how good the forecasts were for months that have data now; the
build's findings, those about fits last. Changes beyond parameters.diff in model.json, anything that is missing, and
findings marked for approval require a reason: \`publish --approve REASON\`, for all, or with --finding for some.

The page is written to <out>/releases/<version>/review.html unless --html names another file.

Exits with 0, or with 1 if publishing requires a reason or is refused.

Examples:
  malaria-risk review
  malaria-risk review nigeria-2026.1-64213e44 --json > review.json
  malaria-risk review --html review.html`;

export default function reviewCommand(): Command {
  return new Command('review')
    .description('Show what publishing a version would change, and whether it requires a reason')
    .argument('[version]', 'one of <out>/snapshots (default: the newest candidate)')
    .addOption(outOption())
    .option('--json', 'print everything as JSON')
    .option('--html <file>', 'file for the page', parseFileToWrite)
    .addHelpText('after', HELP)
    .action(async (version: string | undefined, options: { out: string; json?: boolean; html?: string }) => {
      const after = findVersion(options.out, version ?? null);
      const review = await reviewSnapshot(currentSnapshot(options.out), after);
      const pageFile = options.html ?? path.join(releasesFolder(options.out), review.model_version, 'review.html');
      const { model_version, synthetic, diff } = review;
      const outlines = diffOutlines(after);
      const lead = replacedBy(review);
      const sections = [verdictSection(review), ...(diff ? [headlineSection(diff, outlines)] : [])];
      const details = [
        inputSection(review),
        ...(diff ? changeSections(diff, outlines) : []),
        ...findingSections(review),
      ];
      await writeAtomic(
        pageFile,
        renderChangesPage({ title: `Review of ${model_version}`, lead, synthetic, sections, details, diff, outlines }),
      );
      if (options.json) printLines(JSON.stringify(review, null, 2));
      else printLines(lead, ...sectionsText([...sections, ...details]), '', `As a page: ${pageFile}`);
      if (review.refused.length + review.approvals.length > 0) process.exitCode = EXIT.finding;
    });
}
