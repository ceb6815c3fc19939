import path from 'node:path';
import { Command } from 'commander';
import { writeAtomic } from '../../lib/atomic-write.ts';
import { renderChangesPage } from '../../publish/report/changes-page.ts';
import { diffOutlines, diffSections } from '../../publish/report/diff-sections.ts';
import { releasesFolder } from '../../release/build-paths.ts';
import { currentSnapshot } from '../../release/current.ts';
import { findVersion } from '../../release/find.ts';
import { reviewSnapshot } from '../../release/review.ts';
import { replacedBy, reviewSections } from '../../release/review-sections.ts';
import { sectionsText } from '../terminal/blocks-text.ts';
import { EXIT } from '../terminal/exit-codes.ts';
import { outOption, parseFileToWrite, printLines } from '../terminal/options.ts';

const HELP = `
Compares a version with the current one: the answers of every operation, every table, scores by state and month, the
build's findings, which raw files and which lines of model.json differ, and how good the forecasts were for months that
now have a new survey. Changes beyond parameters.diff in model.json, anything that is missing, and
findings marked for approval require a reason: \`publish --approve REASON\`.

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
      const [lead, sections, outlines] = [replacedBy(review), reviewSections(review), diffOutlines(after)];
      await writeAtomic(
        pageFile,
        renderChangesPage({ title: `Review of ${model_version}`, lead, synthetic, sections, diff, outlines }),
      );
      if (options.json) printLines(JSON.stringify(review, null, 2));
      else {
        const text = sectionsText([...sections, ...(diff ? diffSections(diff, outlines) : [])]);
        printLines(lead, ...text, '', `As a page: ${pageFile}`);
      }
      if (review.refused.length + review.approvals.length > 0) process.exitCode = EXIT.finding;
    });
}
